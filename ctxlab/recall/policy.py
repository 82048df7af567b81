"""The policy online: one prompt after the other, knowing what it printed in the present context."""

from __future__ import annotations

from dataclasses import replace

from ctxlab.recall.digest import Digest, compose, write
from ctxlab.recall.index import GraphIndex
from ctxlab.recall.params import Recall

__all__ = ["RecallSession"]


class RecallSession:
    """One context of one agent, as the hook sees it.

    Parameters
    ----------
    index
        The graph that is asked.
    params
        Thresholds; mushroomdb 0.6.12's if not given.
    store_label
        Name of the store in the header.

    Examples
    --------
    >>> node = {"label": "Symbol", "key": "a.py#load", "props": {"name": "load_all"}}
    >>> index = GraphIndex([node], [("Symbol", "name")])
    >>> session = RecallSession(index, Recall(suppress_repeats=True))
    >>> [session.prompt("Why does load_all fail?").fires for _ in range(2)]
    [True, False]
    >>> session.compacted()
    >>> session.prompt("Why does load_all fail?").fires
    True
    """

    def __init__(
        self, index: GraphIndex, params: Recall | None = None, store_label: str = "store"
    ) -> None:
        self._index = index
        self._params = Recall() if params is None else params
        self._store_label = store_label
        self._printed: set[str] = set()

    def prompt(self, text: str, at: int = 0, unrelated_share: float | None = None) -> Digest:
        """Answer a prompt, and remember what was printed.

        Parameters
        ----------
        text
            The prompt.
        at
            Its number in the project: the graph is seen as of then.
        unrelated_share
            Share of unrelated prompts that score lower in this graph; where it is unknown, a floor
            `min_unrelated_share` above 0 cannot be met.
        """
        params = self._params
        found = self._index.look_up(text, params, at)
        if unrelated_share is not None and unrelated_share >= params.min_unrelated_share:
            params = replace(params, min_unrelated_share=0.0)
        digest = compose(found, params, self._store_label)
        if not params.suppress_repeats:
            return digest
        taken = found.lines[: len(digest.pointer_lines)]
        new = [line for line in taken if line.node.key not in self._printed]
        self._printed.update(line.node.key for line in new)
        return write(found, new, digest.truncated, params, self._store_label)

    def compacted(self) -> None:
        """Forget what was printed: it has left the context."""
        self._printed.clear()
