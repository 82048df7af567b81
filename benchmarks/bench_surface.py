"""Surface over 10,000 answers and 200 settings: aim, seconds; trust the ratio to shaping each anew.

The answers are invented, about 4 kB each: rows of ids, paths, numbers and texts, some with a second
array, some of text beyond ASCII. Shaping anew is measured on a sample of answers and settings, and
scaled to all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

WORLD = """
import itertools, random
from ctxlab.surface import Surface, arrange, dumps, shape_text
from ctxlab.surface.build import AnswerRow, QuoteRow, build
from ctxlab.surface.decide import decide, prepare
rng = random.Random(7)
words = ["cart", "digest", "parse", "tree", "cache", "index", "budget", "été", "line\\n", "ledger"]
def text(n):
    return " ".join(rng.choices(words, k=n))
def row(n):
    return {"id": f"AB-{n}", "path": f"src/{rng.choice(words[:6])}_{n}.py", "score": rng.random(),
            "line": rng.randrange(3000), "title": text(6), "body": text(rng.randrange(20)),
            "meta": {"kind": rng.choice(words), "tags": rng.choices(words, k=2)}}
def envelope():
    first = rng.randrange(10_000)
    rows = [row(first + n) for n in range(rng.randrange(5, 25))]
    found = {"query": text(3), "total": len(rows), "results": rows}
    if rng.random() < 0.3:
        found["edges"] = [{"from": r["id"], "to": rng.choice(rows)["id"]} for r in rows]
    return found
def answer(found):
    printed = dumps(found)
    quotes = [r["id"] for r in found["results"][:2]] if rng.random() < 0.3 else []
    return AnswerRow(0, 0, "tool", None, "json", False, printed, len(printed), 5, None, 0,
                     {token: QuoteRow(True, 3) for token in quotes})
answers = [answer(envelope()) for _ in range(int(sys.argv[1]))]
most = (0, 256, 512, 1024, 2048, 3072, 4096, 8192, 16384, 32768)
cells = [Surface(max_items=k, truncate_content=n, max_output_bytes=m)
         for k, n, m in itertools.product((0, 1, 3, 10, 20), (0, 40, 80, 640), most)]
def took(work):
    start = time.process_time()
    result = work()
    return time.process_time() - start, result
def held(facts):
    groups = [facts.answers, facts.quotes, facts.key_facts, facts.shapes]
    return sum(getattr(g, name).nbytes for g in groups for name in g.__slots__)
"""
TIMES = (
    WORLD
    + """
start = time.process_time()
n_bytes = sum(len(a.text.encode()) for a in answers)
build_s, facts = took(lambda: build(answers, Surface(), ["f"], ["t"], [0]))
made = prepare(facts)
sweep_s, found = took(lambda: [decide(facts, cell, made).output_bytes for cell in cells])
some = range(0, len(answers), max(1, len(answers) // 100))
few = rng.sample(range(len(cells)), 20)
shape_s, shaped = took(lambda: [[len(shape_text(answers[n].text, cells[c]).encode()) for n in some]
                                for c in few])
sizes = made.by_length.values()
report(start, answers=len(answers), bytes=n_bytes, cells=len(cells), build_s=build_s,
       sweep_s=sweep_s, shape_s=shape_s * len(answers) / len(some) * len(cells) / len(few),
       facts_bytes=held(facts),
       prepared_bytes=sum(s.bytes_to.nbytes + s.names_to.nbytes + s.texts_to.nbytes for s in sizes),
       lengths=len(sizes),
       equal=all(found[c][n] == size for c, row in zip(few, shaped) for n, size in zip(some, row)))
"""
)


def test_surface(measured: Callable[..., dict[str, Any]], show: Callable[[str], None]) -> None:
    run = measured(TIMES, 10_000)
    n_bytes = run["bytes"]
    show(
        "\n".join(
            [
                f"{run['answers']:,} answers of {n_bytes / run['answers']:,.0f} bytes: facts in "
                f"{run['build_s']:.1f} s, {run['cells']} settings in {run['sweep_s']:.1f} s",
                f"shaping each anew (scaled from a sample): {run['shape_s']:,.0f} s, "
                f"{run['shape_s'] / run['sweep_s']:,.0f} × the settings, "
                f"{run['shape_s'] / (run['sweep_s'] + run['build_s']):,.0f} × facts and settings",
                f"of each byte of answers: {run['facts_bytes'] / n_bytes:.2f} bytes of facts, "
                f"{run['prepared_bytes'] / n_bytes / run['lengths']:.2f} a length that texts are "
                f"cut at; peak of the process {run['peak_mb']:,.0f} MB",
            ]
        )
    )
    assert run["equal"]
