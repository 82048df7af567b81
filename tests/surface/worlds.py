"""Random answers, and the policy run on each by itself.

The oracle shapes every value online and looks at what came out; it shares no code with
`ctxlab.surface.decide`, which it judges, nor with the measuring of facts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from random import Random
from typing import Any

from hypothesis import strategies as st

from ctxlab.errors import InputError
from ctxlab.surface import Arranged, Surface, arrange, as_printed, dumps, shape_text, stub
from ctxlab.surface.arrange import project
from ctxlab.surface.build import AnswerRow, QuoteRow, build
from ctxlab.surface.canonical import Json, parse, parse_values
from ctxlab.surface.decide import Prepared, decide
from ctxlab.surface.facts import SurfaceFacts
from ctxlab.surface.mentions import Mentions
from ctxlab.surface.shape import has_knob
from ctxlab.surface.tokens import find_tokens, tokens_of

OFF = Surface()
RECORD = "agent_surface"


@dataclass(frozen=True)
class Outcome:
    """What becomes of one answer: the counts of `Decisions`, and which of its quotes are lost."""

    output_bytes: int
    kept_rows: int = 0
    capped_rows: int = 0
    dropped_rows: int = 0
    cut_texts: int = 0
    cut_names: int = 0
    stubs: int = 0
    grown: bool = False
    over_budget: bool = False
    sort_undefined: bool = False
    lost: tuple[int, ...] = ()


def answer(text: str, quotes: Iterable[str] = (), **given: Any) -> AnswerRow:
    """One answer in JSON of the only transcript, unless given."""
    plain: dict[str, Any] = {
        "family": 0,
        "transcript": 0,
        "tool": "tool",
        "command": None,
        "form": "json",
        "is_error": False,
        "text": text,
        "recorded_bytes": len(text.encode()),
        "requests": 1,
        "requery": None,
        "requery_after": 0,
        "quotes": quotes if isinstance(quotes, dict) else dict.fromkeys(quotes, QuoteRow(True, 1)),
    }
    return AnswerRow(**plain | given)


def facts_of(rows: Sequence[AnswerRow], setting: Surface = OFF) -> SurfaceFacts:
    return build(rows, setting, ["family"], ["transcript"], [0])


def decided(facts: SurfaceFacts, params: Surface, made: Prepared | None = None) -> list[Outcome]:
    """Decisions, one value an answer; of its quotes the numbers of those that are lost."""
    found = decide(facts, params, made)
    names = [field.name for field in fields(Outcome) if field.name != "lost"]
    lost: list[list[int]] = [[] for _ in facts.answers.family]
    numbers: Counter[int] = Counter()
    for quoted, is_lost in zip(facts.quotes.answer.tolist(), found.lost.tolist(), strict=True):
        lost[quoted] += [numbers[quoted]] * is_lost
        numbers[quoted] += 1
    return [
        Outcome(**{k: getattr(found, k)[n].item() for k in names}, lost=tuple(lost[n]))
        for n in range(len(lost))
    ]


def online(row: AnswerRow, params: Surface) -> Outcome:
    """Shape each value of an answer, and look at what is left of it."""
    values = parse_values(row.text)
    seen = [_Shaped(as_printed(value, row.command), params, row.command) for value in values]
    printed = "\n".join(shaped.text for shaped in seen)
    canonical = "\n".join(map(dumps, values))
    if not has_knob(params):
        return Outcome(len(canonical.encode()), sum(len(one.rows) for one in seen))
    mentions = Mentions(row.quotes)
    before = mentions.within(*_words_in(values))
    after = mentions.within(*(words for one in seen for words in _words_in(one.left())))
    cut = [text for one in seen for text in one.cut()]
    most = params.max_output_bytes
    return Outcome(
        output_bytes=len(printed.encode()),
        kept_rows=sum(one.kept() for one in seen),
        capped_rows=sum(one.capped() for one in seen),
        dropped_rows=sum(one.dropped() for one in seen),
        cut_texts=sum(any(map(str.isspace, text)) for text in cut),
        cut_names=sum(not any(map(str.isspace, text)) for text in cut),
        stubs=sum(one.is_stub for one in seen),
        grown=len(printed.encode()) > len(canonical.encode()),
        over_budget=bool(most) and any(len(one.text.encode()) > most for one in seen),
        sort_undefined=any(one.arranged.sort_undefined for one in seen),
        lost=tuple(n for n, token in enumerate(row.quotes) if token in before - after),
    )


class _Shaped:
    """One value beside what became of it."""

    def __init__(self, value: Json, params: Surface, command: str | None) -> None:
        self.params = params
        try:
            self.arranged = arrange(value, params, command)
            self.text = shape_text(dumps(value), params, command)
        except InputError:
            self.arranged, self.text = Arranged(value, True), dumps(value)
        self.out = parse(self.text)
        most = params.max_output_bytes
        self.is_stub = bool(most) and self.out == stub(most) != value
        self.rows = self.arranged.rows or []

    def arrays(self) -> dict[str, list[Json]]:
        """Arrays that may be shortened, by key; the key of the answer itself is empty."""
        if self.arranged.rows is None or self.params.count_only:
            return {}
        others = {k: v for k, v in self.arranged.others.items() if isinstance(v, list)}
        every = {self.arranged.primary or "": self.arranged.rows, **others}
        return {key: rows for key, rows in every.items() if key != RECORD}

    def _limited(self, rows: list[Json]) -> list[Json]:
        return rows[: self.params.max_items or None]

    def _left(self, key: str) -> list[Json]:
        found = self.out if self.arranged.is_array else _members(self.out).get(key)
        return found if isinstance(found, list) and not self.is_stub else []

    def kept(self) -> int:
        primary = self.arranged.primary or ""
        return len(self._left(primary)) if primary in self.arrays() else 0

    def capped(self) -> int:
        return sum(len(rows) - len(self._limited(rows)) for rows in self.arrays().values())

    def dropped(self) -> int:
        record = _members(_members(self.out).get(RECORD))
        if isinstance(self.out, dict) and not self.is_stub:
            told = record.get("dropped", 0)
            return told if isinstance(told, int) and not self.arranged.is_passthrough else 0
        limited = {key: len(self._limited(rows)) for key, rows in self.arrays().items()}
        return sum(limited.values()) - sum(len(self._left(key)) for key in limited)

    def cut(self) -> list[str]:
        """Texts as they were, of those that are printed and shorter now."""
        if self.arranged.is_passthrough or self.is_stub or not self.params.truncate_content:
            return []
        if self.params.count_only:
            return []
        pairs: list[tuple[Json, Json]] = []
        whole = self._whole()
        if not isinstance(whole, dict) or not isinstance(self.out, dict):
            pairs.append((whole, self.out))
        else:
            pairs += [(v, self.out[k]) for k, v in whole.items() if k != RECORD]
        shorter: list[str] = []
        for was, now in pairs:
            shorter += _shorter(was, now)
        return shorter

    def _whole(self) -> Json:
        """All that is chosen of the answer, not cut by any number."""
        select, synonyms = self.params.select, self.params.has_synonyms
        if self.arranged.rows is None:
            value = self.arranged.value
            return project(value, select, synonyms) if select else value
        rows = [project(row, select, synonyms) if select else row for row in self.rows]
        primary = self.arranged.primary
        return rows if primary is None else {**self.arranged.others, primary: rows}

    def left(self) -> Json:
        """What is printed of the answer: not what the policy writes itself."""
        if self.arranged.is_passthrough:
            return self.out
        if self.is_stub or self.params.count_only:
            return None
        if isinstance(self.out, dict):
            own = _members(self._whole()).keys() - {RECORD}
            return {k: v for k, v in self.out.items() if k in own}
        return self.out


def _words_in(value: Json) -> list[str]:
    """All texts, numbers and keys that a reader of a value sees."""
    if isinstance(value, dict):
        return [*value, *(word for member in value.values() for word in _words_in(member))]
    if isinstance(value, list):
        return [word for member in value for word in _words_in(member)]
    is_shown = isinstance(value, str | int | float) and not isinstance(value, bool)
    return [value if isinstance(value, str) else dumps(value)] if is_shown else []


def _members(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _shorter(was: Json, now: Json) -> list[str]:
    if isinstance(was, str) and isinstance(now, str):
        return [was] if len(now) < len(was) else []
    if isinstance(was, list) and isinstance(now, list):
        return [text for pair in zip(was, now, strict=False) for text in _shorter(*pair)]
    if isinstance(was, dict) and isinstance(now, dict):
        return [text for key, member in was.items() for text in _shorter(member, now[key])]
    return []


PIECES = (
    "src/app.py", "AB-12", "a_b", "/src", "::c", ":12", "1533", "2024-01-01T12:30", "é", "😀",
    '"', "\n", "\x01", "\x7f", " ", "-", ".", "word", "x", "https://a.io/b", "--flag", "Ä",
    "App.py", "ab/12", "A_B", "a_b.maxFlow", "MAXFLOW", "İ", "Σ", "ΑΣ-1",
)  # fmt: skip
texts = st.lists(st.sampled_from(PIECES), max_size=5).map("".join)
scalars = (
    texts
    | st.integers(-3, 3)
    | st.sampled_from([0.42, 1e16, 1533, 123456.5, 2**63, True, False, None, -0.0])
)
row_keys = st.sampled_from(
    ["id", "name", "kind", "type", "score", "tags", "é\n", "a.b", "a_b", "src/App.py"]
)
inner = st.recursive(
    scalars,
    lambda child: st.lists(child, max_size=3) | st.dictionaries(row_keys, child),
    max_leaves=4,
)
json_rows = st.lists(st.dictionaries(row_keys, inner, max_size=4) | inner, max_size=6)
_PLAIN = ("total", "query", "meta", "zeta", "AB-12", "maxFlow")
_ARRAYS = ("results", "items", "nodes", "edges", "memories", "direct_matches", "alpha")
_ODD = ("agent_surface", "truncated", "error", "ok", "$schema")
members = (
    st.tuples(st.sampled_from(_ARRAYS), json_rows)
    | st.tuples(st.sampled_from(_PLAIN), inner)
    | st.tuples(st.sampled_from(_ODD), inner | json_rows)
)
envelopes = st.lists(members, max_size=6).map(dict)
values = envelopes | envelopes | json_rows | inner
answer_texts = st.lists(values, min_size=1, max_size=3).map(
    lambda many: "\n".join(map(dumps, many))
)
commands = st.sampled_from([None, "recall", "list", "graph", "hybrid-search", "related"])

settings_of = {
    "select": st.just(()) | st.lists(row_keys, min_size=1, max_size=3).map(tuple),
    "filters": st.sampled_from([(), (), ("id!=1",), ("name~a", "kind!=")]),
    "sort": st.sampled_from([None, None, "id", "name", "score", ""]),
    "dedupe_by": st.sampled_from([None, None, "id", "kind"]),
    "count_only": st.sampled_from([False, False, False, True]),
    "refuses_unresolved": st.sampled_from([False, False, True]),
    "overwrites_truncated": st.booleans(),
    "has_synonyms": st.booleans(),
}
arrangements = st.builds(Surface, **settings_of)
numbers = st.fixed_dictionaries(
    {
        "max_items": st.sampled_from([0, 0, 1, 2, 3, 10]),
        "truncate_content": st.just(0) | st.integers(1, 30),
        "max_output_bytes": st.sampled_from([0, 1, 40]) | st.integers(60, 900),
    }
)


ROW_KEYS = ("id", "name", "kind", "type", "score", "tags", "body", "path", "a_b", "AB-12")
ODD_MEMBERS: tuple[dict[str, Json], ...] = (
    {"truncated": False},
    {"truncated": "src/app.py and more"},
    {"truncated": ["AB-12", "AB-13", "AB-14"]},
    {RECORD: {"note": "an earlier a_b record"}},
    {RECORD: ["an earlier", "AB-12", "AB-15"]},
    {RECORD: "longer than all else in here " * 99},
)


def random_text(rng: Random) -> str:
    return "".join(rng.choices(PIECES, k=rng.choice([1, 1, 2, 3, 8])))


def random_row(rng: Random) -> Json:
    if rng.random() < 0.1:
        return rng.choice([random_text(rng), 1533, None, [random_text(rng), 0.42]])
    found: dict[str, Json] = {"id": rng.randrange(12), "name": random_text(rng)}
    for key in rng.sample(ROW_KEYS, rng.randrange(5)):
        found[key] = rng.choice([random_text(rng), rng.random(), rng.randrange(2000), None])
    return found


def random_envelope(rng: Random) -> Json:
    """An answer with rows, beside them what decides about its size."""
    rows = [random_row(rng) for _ in range(rng.choice([0, 1, 5, 20, 30]))]
    if rng.random() < 0.15:
        return rows
    found: dict[str, Json] = {rng.choice(["results", "items", "nodes", "zeta"]): rows}
    for key in rng.sample(("edges", "memories", "entities", "direct_matches"), rng.randrange(3)):
        found[key] = [random_row(rng) for _ in range(rng.randrange(10))]
    for key in rng.sample(("query", "total", "meta"), rng.randrange(4)):
        found[key] = rng.choice([random_text(rng), rng.randrange(99), {"a": random_text(rng)}])
    if rng.random() < 0.1:
        found = {key: member for key, member in found.items() if not isinstance(member, list)}
    if rng.random() < 0.4:
        found |= rng.choice(ODD_MEMBERS)
    return found


def random_numbers(rng: Random, n_bytes: int) -> dict[str, int]:
    """Numeric knobs that may bite an answer of so many bytes."""
    return {
        "max_items": rng.choice([0, 0, 1, 3, 8, 25]),
        "truncate_content": rng.choice([0, 0, 1, rng.randrange(1, 40), 40]),
        "max_output_bytes": rng.choice([0, *(rng.randrange(60, n_bytes + 150) for _ in range(4))]),
    }


def quotable(text: str) -> list[str]:
    """Every token that an answer shows, whole or cut anywhere, and some that it may name or not."""
    found = {
        "never/shown.py",
        "999",
        "a_b/truncated",
        "x_y/0",
        "x_y/null",
        "b/agent_surface",
        "c_d/count",
    }
    for value in parse_values(text):
        for leaf in _texts(value):
            for most in range(len(leaf) + 1):
                found |= {token.text for token in find_tokens(leaf[:most])}
        found |= tokens_of(value)
    return sorted(found)


def _texts(value: Json) -> list[str]:
    if isinstance(value, str):
        return [value]
    children = value.values() if isinstance(value, dict) else value
    return (
        [text for child in children for text in _texts(child)]
        if isinstance(value, dict | list)
        else []
    )
