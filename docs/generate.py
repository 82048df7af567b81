"""Write what the documentation repeats of the code: the parameters, the tables and the views.

`make docs` runs this; tests/test_docs.py compares the files with what it gives.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from ctxlab.params import Param, ParamSet
from ctxlab.schema import TABLES, VIEWS, Table

ROOT = Path(__file__).parents[1]
BEGIN = "<!-- parameters: written by `make docs` -->"
END = "<!-- end of parameters -->"


def parameter_sets() -> list[type[ParamSet]]:
    """Find the parameter set of every policy: one `params.py` a subpackage."""
    found: list[type[ParamSet]] = []
    for file in sorted(ROOT.glob("ctxlab/*/params.py")):
        module = import_module(f"ctxlab.{file.parent.name}.params")
        found += [
            value
            for value in vars(module).values()
            if isinstance(value, type)
            and issubclass(value, ParamSet)
            and value.__module__ == module.__name__
        ]
    return found


def parameter_table(parameters: type[ParamSet]) -> str:
    """Give the Markdown table of one parameter set."""
    return _markdown(
        ("parameter", "default", "values", "meaning"),
        (
            (f"`{name}`", f"`{p.default}`", _values(p), p.doc)
            for name, p in parameters.params().items()
        ),
    )


def readme(current: str) -> str:
    """Give `current` with the parameter tables of all policies between the two marks."""
    head, rest = current.split(BEGIN)
    tail = rest.split(END)[1]
    tables = (f"`ctxlab.{p.__name__}`:\n\n{parameter_table(p)}" for p in parameter_sets())
    return head + BEGIN + "\n" + "\n".join(tables) + END + tail


def tables_page() -> str:
    """Give the page that documents every stored table, and every view over them."""
    head = (
        "# Tables of the store\n\n"
        "What `lab.sql(…)` and `ctxlab sql` see. A column ends in its unit; types are DuckDB's,\n"
        '`[]` is a list, and "null" marks columns that are null where the log does not tell.\n'
        "The last four, `families`, `calls`, `tools` and `usage`, derive from the others. A query\n"
        "reads the store only: it cannot read or write files outside of it. What came after the\n"
        "first version says since which: transcripts that an older ctxlab read have none of it.\n"
        "Written by `make docs` from `ctxlab/schema.py`.\n"
    )
    return head + "".join(f"\n{_table_section(t)}" for t in (*TABLES.values(), *VIEWS.values()))


def pages() -> dict[Path, str]:
    """Give every page that repeats the code, by its file."""
    file = ROOT / "README.md"
    return {
        file: readme(file.read_text(encoding="utf-8")),
        ROOT / "docs" / "tables.md": tables_page(),
    }


def _values(p: Param) -> str:
    if p.choices:
        return ", ".join(f"`{choice}`" for choice in p.choices)
    if p.many:
        return "any tuple of texts"
    values = "any text" if p.text else f"{p.low}–{p.high} {p.unit}".rstrip()
    return values + (" or `None`" if p.optional else "")


def _table_section(table: Table) -> str:
    columns = (
        (
            f"`{c.name}`",
            c.type + (" null" if c.nullable else ""),
            c.doc + (f"; since version {c.since}" if c.since > 1 else ""),
        )
        for c in table.columns
    )
    doc = table.doc + (f" Since version {table.since}." if table.since > 1 else "")
    return f"## {table.name}\n\n{doc}\n\n" + _markdown(("column", "type", "meaning"), columns)


def _markdown(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = (head, ("---",) * len(head), *rows)
    return "".join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in r)} |\n" for r in lines)


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
