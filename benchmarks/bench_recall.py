"""Recall over 100,000 nodes: aim, an index in seconds and a prompt in well under 5 ms.

The graph is invented: paths, qualified names, documentation and Markdown bodies whose words are as
uneven as those of a language. Trust the ratios: to cutting the same texts into words, and to one
plain search of them for a name.
"""

from __future__ import annotations

from collections.abc import Callable

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
"""
BARE = (
    WORLD
    + """
start = time.process_time()
total = sum(len(words(text)) for text in texts)
report(start, nodes=len(nodes), words=total)
"""
)
BUILD = (
    WORLD
    + """
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
start = time.process_time()
index = GraphIndex(nodes)
report(start, before_mb=before)
"""
)
HELD = (
    WORLD
    + """
import tracemalloc
from ctxlab.recall import tokens
tracemalloc.start()
start = time.process_time()
index = GraphIndex(nodes)
held, peak = tracemalloc.get_traced_memory()
report(start, held_mb=held / 1e6, highest_mb=peak / 1e6)
"""
)
PROMPTS = (
    WORLD
    + """
states = [Version(node, rng.randrange(100), NEVER) for node in nodes]
changed = rng.sample(range(len(states)), len(states) // 5)
for n in changed:
    middle = rng.randrange(100, 200)
    states.append(Version(states[n].node, middle, NEVER))
    states[n] = Version(states[n].node, states[n].since, middle)
index = GraphIndex.of_graph(Graph(tuple(states)))
ask = {
    "names": lambda: "why does " + " call ".join(named(nodes)) + " fail?",
    "common": lambda: "`" + "` `".join(stock[rng.randrange(12)] for _ in range(3)) + "`",
    "24 names": lambda: " ".join(name for _ in range(8) for name in named(nodes)),
    "coverage": lambda: " ".join(some(8)),
}[sys.argv[2]]
params = Recall(gate="coverage" if sys.argv[2] == "coverage" else "identifier")
prompts = [ask() for _ in range(100)]
index.digest(ask(), params, at=150)
start = time.process_time()
fired = sum(index.digest(prompt, params, at=150).fires for prompt in prompts)
report(start, prompts=len(prompts), fired=fired)
"""
)
SEARCH = (
    WORLD
    + """
start = time.process_time()
found = sum("getTheThing" in text for text in texts)
report(start)
"""
)


def test_recall(measured: Callable[..., dict[str, float]], show: Callable[[str], None]) -> None:
    size = 100_000
    bare, build, held = (measured(code, size) for code in (BARE, BUILD, HELD))
    scan = measured(SEARCH, size)["cpu_s"]
    lines = [
        f"{bare['nodes']:,.0f} nodes with {bare['words']:,.0f} words: {build['cpu_s']:.2f} s, "
        f"{build['cpu_s'] / bare['cpu_s']:.1f} × cutting the texts into words; "
        f"{held['held_mb']:.0f} MB held, at most {held['highest_mb']:.0f} MB"
    ]
    for kind in ("names", "common", "24 names", "coverage"):
        run = measured(PROMPTS, size, kind)
        each = run["cpu_s"] / run["prompts"]
        lines.append(
            f"{kind:9}{each * 1e3:8.2f} ms a prompt, {each / scan:6.2f} × one plain search "
            f"({run['fired']:.0f} of {run['prompts']:.0f} fire)"
        )
    show("\n".join(lines))
    assert bare["nodes"] == size
