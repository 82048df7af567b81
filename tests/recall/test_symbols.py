"""Definitions that can be seen in a text."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.recall.symbols import MAX_SOURCE_BYTES, Definition, definitions, is_source

PYTHON = '''\
# About A.
@deco
class A(B):
    """
    Doc of A.
    """

    x = 1  # no doc of f
    def f(self):
        return 1

    # Above g.
    @property
    async def g(self):
        pass

type X = int
def h():
    r"""Doc of h."""
    def inner(): pass
'''
TYPESCRIPT = """\
/**
 * Does things.
 * @param x
 */
export default class Foo<T> extends Bar {
  #hidden() {}
  // A field.
  handle = async () => {};
  constructor(private x: number) {}
  @dec()
  static make<T>(a: string): void {}
  abstract gone(): void;
}
// ---------
// Adds.
export const add = (x: number) => { const inner = function () {}; };
export interface I { call(): void; text: string }
export type T1 = string;
export enum E { A }
declare function far(x: string): void;
exports.zip = function () {};
const n = 1, view = <p>x</p>;
"""
JAVASCRIPT = """\
function* gen() {}
class K { field = function () {}; get size() { return 1; } }
const C = class { m() {} };
module.exports.helper = () => <b>{1}</b>;
const api = { get() {} };
"""
GO = """\
// Package x.
package x

// T is a thing.
type T[K any] struct{ a int }

type (
	// B has one.
	B interface{ M(x int) error }
	C = string
)

// Do does.
func (t *T[K]) Do(x int) {}
func Free() {}

// H is bound.
var H = func() {}
"""
RUST = """\
/// A thing.
#[derive(Debug)]
pub struct S<T> { a: T }
impl<T> Tr for S<T> {
    /// Does.
    fn m(&self) {}
}
/* Can. */
trait Tr { fn m(&self); fn d(&self) {} }
type A = B;
enum E { X }
mod tests { #[test] fn works() {} }
macro_rules! mm { () => {} }
"""
JAVA = """\
/** A class. */
@Foo
public class A {
  // Makes one.
  A() {}
  @Override
  public <T> void run(T x) {}
  interface I { void m(); }
  enum E { X; void q() {} }
  record R(int a) {}
  @interface N {}
}
"""
C = """\
/* Adds. */
static int
add(int a, int b) { int x(3); return a; }
/* A pair. */
typedef struct { int a; } pair_t;
struct bar { int x; };
enum color { RED };
int proto(void);
char **deep(int);
typedef int (*cb)(int);
"""
CPP = """\
namespace ns {
/// A holder.
template <typename T>
class Holder : public Base {
 public:
  Holder();
  ~Holder();
  // Gets it.
  virtual int get() const = 0;
  bool operator==(const Holder&) const;
  static T *make(int x) { Foo f(3); return 0; }
};
template <typename T> T Holder<T>::late() {}
using X = int;
enum class E { A };
}
"""

CASES = {
    "a.py": (
        PYTHON,
        "A:3:Doc of A. A.f:9: A.g:14:Above g. X:17: h:18:Doc of h. h.inner:20:",
    ),
    "a.ts": (
        TYPESCRIPT.replace("<p>x</p>", "x"),
        "Foo:5:Does things. Foo.#hidden:6: Foo.handle:8:A field. Foo.constructor:9: Foo.make:11: "
        "Foo.gone:12: add:16:Adds. add.inner:16: I:17: I.call:17: T1:18: E:19: far:20: zip:21:",
    ),
    "a.tsx": (
        TYPESCRIPT,
        "Foo:5:Does things. Foo.#hidden:6: Foo.handle:8:A field. Foo.constructor:9: Foo.make:11: "
        "Foo.gone:12: add:16:Adds. add.inner:16: I:17: I.call:17: T1:18: E:19: far:20: zip:21:",
    ),
    "a.jsx": (JAVASCRIPT, "gen:1: K:2: K.field:2: K.size:2: C:3: C.m:3: helper:4: get:5:"),
    "a.go": (
        GO,
        "T:5:T is a thing. B:9:B has one. B.M:9: C:10: T.Do:14:Do does. Free:15: H:18:H is bound.",
    ),
    "a.rs": (
        RUST,
        "S:3:A thing. S.m:6:Does. Tr:9:Can. Tr.m:9: Tr.d:9: A:10: E:11: works:12: mm:13:",
    ),
    "A.java": (
        JAVA,
        "A:3:A class. A.A:5:Makes one. A.run:7: A.I:8: A.I.m:8: A.E:9: A.E.q:9: A.R:10: A.N:11:",
    ),
    "a.c": (C, "add:3:Adds. pair_t:5:A pair. bar:6: color:7: proto:8: deep:9:"),
    "a.h": (
        CPP,
        "Holder:4:A holder. Holder.Holder:6: Holder.~Holder:7: Holder.get:9:Gets it. "
        "Holder.operator==:10: Holder.make:11: Holder.late:13: X:14: E:15:",
    ),
}


def _words(found: tuple[Definition, ...]) -> str:
    return " ".join(f"{d.name}:{d.line}:{d.doc}" for d in found)


@pytest.mark.parametrize("path", CASES)
def test_definitions(path: str) -> None:
    text, expected = CASES[path]
    assert _words(definitions(path, text)) == expected


@pytest.mark.parametrize("path", CASES)
def test_line_ends_and_indentation_by_tabs_change_nothing(path: str) -> None:
    text, expected = CASES[path]
    assert _words(definitions(path, text.replace("\n", "\r\n"))) == expected
    tabbed = "\n".join(line.replace("    ", "\t").replace("  ", "\t") for line in text.split("\n"))
    assert _words(definitions(path, tabbed)) == expected


@pytest.mark.parametrize("path", CASES)
def test_the_first_line_shifts_all(path: str) -> None:
    text, _ = CASES[path]
    shifted = definitions(path, text, first_line=101)
    assert [d.line - 100 for d in shifted] == [d.line for d in definitions(path, text)]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.py", "        return x\n\n    def g(self):\n        pass\n", "g:3:"),
        ("a.py", "    x = 1\n    def g(self):\n        '''Doc.'''\n", "g:2:Doc."),
        ("a.py", 'ends the text.\n    """\n\ndef g():\n    "Doc."\n', "g:4:Doc."),
        (
            "a.ts",
            "    return x;\n  }\n  go(y) {\n    if (y) {\n      y();\n    }\n  }\n}\n",
            "go:3:",
        ),
        ("a.js", "  go(y) {\n    return y;\n  }\n\n  on() {\n", "go:1: on:5:"),
        ("a.js", " * ends.\n */\nfunction go() {\n  return [", "go:3:"),
        (
            "A.java",
            "    return 1;\n  }\n\n  // Goes.\n  int go(int y) {\n    return y;\n",
            "go:5:Goes.",
        ),
        ("a.go", "\treturn x\n}\n\n// Go goes.\nfunc Go() {\n\tif x {\n", "Go:5:Go goes."),
        ("a.rs", "        x\n    }\n\n    pub fn go(&self) -> u8 {\n        1\n", "go:4:"),
        ("a.c", "  return x;\n}\n\nint go(void)\n{\n  if (x) {\n", "go:4:"),
        ("a.cpp", "  return x;\n}\n\nint A::go() const {\n  if (x) {\n", "A.go:4:"),
    ],
)
def test_fragments_give_what_can_be_seen(path: str, text: str, expected: str) -> None:
    assert _words(definitions(path, text)) == expected


@pytest.mark.parametrize(
    ("block", "doc"),
    [
        ("/// One.\n/// Two.\n", "One."),
        ("//! One.\n", "One."),
        ("/**\n *\n * One. */\n", "One."),
        ("// =====\n// One.\n", "One."),
        ("// Far.\n\n", ""),
        ("int x; // Beside.\n", ""),
        ("//\n", ""),
        ("/* One */\n", "One"),
        ("/* One of a/*.c\n   and b/*.h. */\n", "One of a/*.c"),
        ("/* Far. */\nint x; /* Beside,\n and below. */\n", ""),
        ("ends here. */\n", ""),
    ],
)
def test_the_first_line_of_a_comment(block: str, doc: str) -> None:
    (found,) = definitions("a.c", f"{block}int f(void) {{}}\n")
    assert found.doc == doc


def test_what_is_a_source() -> None:
    names = "a.py b.pyi a.js a.jsx a.mjs a.cjs a.ts a.tsx a.mts a.cts a.go a.rs a.java a.c a.h a.cc"
    assert all(map(is_source, names.split()))
    assert all(map(is_source, ("a/b.cpp", "c.cxx", "a.b.hpp", "a.hh")))
    assert is_source("A.PY")
    assert not any(map(is_source, ("a.md", "py", ".py", "a.py/b", "", "a.pyc")))
    assert definitions("a.md", "def f(): pass") == ()


def test_long_texts_have_no_definitions() -> None:
    text = "def f(): pass\n"
    assert definitions("a.py", text + "#" * (MAX_SOURCE_BYTES - len(text)))
    assert definitions("a.py", text + "#" * MAX_SOURCE_BYTES) == ()
    assert definitions("a.py", text + "é" * (MAX_SOURCE_BYTES // 2)) == ()
    assert definitions("a.js", "x" * 5_000_000) == ()


@pytest.mark.parametrize("path", [*CASES, "a.cc"])
@pytest.mark.parametrize("bomb", ["(", "{", "[", "<", "class A{a(){", "\0", "\ud800", "if(x){"])
def test_bombs_are_survived(path: str, bomb: str) -> None:
    definitions(path, bomb * (5_000 // len(bomb)))


def test_rubble_that_would_hang_the_query_has_no_definitions() -> None:
    assert definitions("a.py", "def f(): pass\n" + "(" * 300_000) == ()


def test_deep_nesting_qualifies_by_the_nearest() -> None:
    found = definitions("a.js", "class A { a() {" * 2000 + "} }" * 2000)
    assert len(found) == 4000
    assert found[-1].name == "a" + ".A.a" * 4


@pytest.mark.parametrize("path", CASES)
@given(data=st.data())
def test_no_text_raises(path: str, data: st.DataObject) -> None:
    text, _ = CASES[path]
    start = data.draw(st.integers(0, len(text)))
    piece = data.draw(st.text(st.characters(codec=None), max_size=20))
    found = definitions(path, text[start:] + piece + text[:start], first_line=5)
    n_lines = (text + piece).count("\n") + 1
    assert all(5 <= d.line < 5 + n_lines and d.name for d in found)
    assert all("\n" not in d.doc for d in found)


@pytest.mark.parametrize("path", CASES)
def test_fragments_of_whole_lines_show_most_of_what_they_hold(path: str) -> None:
    text, _ = CASES[path]
    lines = text.splitlines(keepends=True)
    whole = {(d.line, d.name.rpartition(".")[2]) for d in definitions(path, text)}
    order = random.Random(1)
    n_held = n_shown = 0
    for _ in range(30):
        first = order.randrange(len(lines))
        last = order.randrange(first, len(lines))
        part = definitions(path, "".join(lines[first : last + 1]), first + 1)
        held = {(line, name) for line, name in whole if first < line <= last + 1}
        n_held += len(held)
        n_shown += len(held & {(d.line, d.name.rpartition(".")[2]) for d in part})
    assert n_shown >= 0.8 * n_held
