"""Recall over 100,000 nodes: aim, an index in seconds and a prompt in well under 5 ms.

The graph is invented: paths, qualified names, documentation and Markdown bodies whose words are as
uneven as those of a language. Trust the ratios: to cutting the same texts into words, and to one
plain search of them for a name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

WORLD = """
import random
from ctxlab.recall import FULLTEXT, Graph, GraphIndex, Node, Recall, Version
from ctxlab.recall._characters import words
from ctxlab.recall.graph import NEVER
rng = random.Random(7)
letters = "bcdfghklmnprstvw"
stock = [rng.choice(letters) + rng.choice("aeiou") + rng.choice(letters)
         + rng.choice(["", "e", "er", "ing", "ed", "ation"]) + rng.choice(["", "s"])
         + rng.choice(["", "", rng.choice(letters) + rng.choice("aeiou")]) for _ in range(20_000)]
weights = [1 / (n + 10) for n in range(len(stock))]
supply = rng.choices(stock, weights, k=4_000_000)
def some(n):
    at = rng.randrange(len(supply) - n)
    return supply[at:at + n]
def camel(parts):
    return parts[0] + "".join(map(str.title, parts[1:]))
def graph(n_nodes):
    nodes, paths = [], []
    for n in range(n_nodes):
        kind = n % 10
        if kind < 2:
            end = rng.choice(["py", "py", "ts", "go", "rs", "md"])
            paths.append(f"src/{'/'.join(some(2))}/{'_'.join(some(2))}{n}.{end}")
            props = {"path": paths[-1]}
            if end == "md":
                props["body"] = " ".join(some(rng.randrange(50, 800)))
                props["headings"] = [" ".join(some(3)) for _ in range(8)]
            nodes.append(Node("File", paths[-1], props))
        elif kind < 9:
            path = rng.choice(paths)
            name = f"{camel(some(2)).title()}.{rng.choice(['_'.join, camel])(some(2))}"
            doc = " ".join(some(rng.randrange(0, 20)))
            props = {"name": name, "path": path, "line": n, "doc": doc}
            nodes.append(Node("Symbol", f"{path}#{name}#{n}", props))
        else:
            nodes.append(Node("Commit", f"{n:040x}", {"message": " ".join(some(9))}))
    return nodes
def named(nodes):
    return [nodes[rng.randrange(len(nodes))].props.get(rng.choice(["name", "path"]), "a_b")
            for _ in range(3)]
nodes = graph(int(sys.argv[1]))
texts = [text for node in nodes for label, name in FULLTEXT if label == node.label
         for value in [node.props.get(name, "")]
         for text in ([value] if isinstance(value, str) else value)]
def took(work):
    start = time.process_time()
    result = work()
    return time.process_time() - start, result
"""
MEMORY = (
    WORLD
    + """
import tracemalloc
GraphIndex(nodes[:1000])  # imports and tables are not the index's
tracemalloc.start()
start = time.process_time()
index = GraphIndex(nodes)
held, most = tracemalloc.get_traced_memory()
report(start, text_mb=sum(map(len, texts)) / 1e6, held_mb=held / 1e6, most_mb=most / 1e6)
"""
)
TIMES = (
    WORLD
    + """
KINDS = {
    "three names": lambda: "why does " + " call ".join(named(nodes)) + " fail?",
    "24 names": lambda: " ".join(name for _ in range(8) for name in named(nodes)),
    "three of the most common words":
        lambda: "`" + "` `".join(stock[rng.randrange(12)] for _ in range(3)) + "`",
    "eight words by coverage": lambda: " ".join(some(8)),
}
def coverage(kind):
    return Recall(gate="coverage" if "coverage" in kind else "identifier")
start = time.process_time()
cut_s, n_words = took(lambda: sum(len(words(text)) for text in texts))
scan_s, _ = took(lambda: sum("getTheThing" in text for text in texts))
build_s, index = took(lambda: GraphIndex(nodes))
states = [Version(node, rng.randrange(100), NEVER) for node in nodes]
for n in rng.sample(range(len(states)), len(states) // 5):
    middle = rng.randrange(100, 200)
    states.append(Version(states[n].node, middle, NEVER))
    states[n] = Version(states[n].node, states[n].since, middle)
history = GraphIndex.of_graph(Graph(tuple(states)))
asked = {}
for kind, ask in KINDS.items():
    prompts = [ask() for _ in range(100)]
    for name, of in (("", index), (", of a history", history)):
        of.digest(ask(), coverage(kind), at=150)
        s, fired = took(lambda: sum(of.digest(p, coverage(kind), at=150).fires for p in prompts))
        asked[kind + name] = {"prompt_s": s / len(prompts), "fired": fired}
report(start, nodes=len(nodes), words=n_words, cut_s=cut_s, scan_s=scan_s, build_s=build_s,
       asked=asked)
"""
)


def test_recall(measured: Callable[..., dict[str, Any]], show: Callable[[str], None]) -> None:
    size = 100_000
    memory, times = measured(MEMORY, size // 10), measured(TIMES, size)
    lines = [
        f"{times['nodes']:,} nodes, {times['words']:,} words: index in {times['build_s']:.2f} s, "
        f"{times['build_s'] / times['cut_s']:.1f} × cutting the texts into words",
        f"of each byte of text (a tenth of the nodes): {memory['held_mb'] / memory['text_mb']:.1f} "
        f"bytes held, {memory['most_mb'] / memory['text_mb']:.1f} while it is built",
        f"{'':48}{'ms':>7}{'of a search':>13}{'fire':>6}",
    ]
    for kind, run in times["asked"].items():
        ms, share = run["prompt_s"] * 1e3, run["prompt_s"] / times["scan_s"]
        lines.append(f"{kind:48}{ms:7.2f}{share:13.3f}{run['fired']:5} %")
    show("\n".join(lines))
    assert times["nodes"] == size
