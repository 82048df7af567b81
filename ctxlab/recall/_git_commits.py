"""Commits, their authors and git notes → their states in the ledger."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from ctxlab.recall._dated import Ledger
from ctxlab.recall._git_blobs import read_blobs
from ctxlab.recall._git_history import Step
from ctxlab.recall._git_plumbing import Repository
from ctxlab.recall.graph import Node

__all__ = ["enter_commits", "enter_notes"]


def enter_commits(steps: Sequence[Step], ledger: Ledger) -> None:
    """Enter each commit by its subject, and its author by the name used last."""
    for step in steps:
        for commit in step.brought:
            ledger.put(Node("Commit", commit.sha, {"message": commit.subject}), step.ms)
            if commit.email:
                ledger.put(Node("Author", commit.email, {"name": commit.name}), step.ms)


def enter_notes(repository: Repository, steps: Sequence[Step], ledger: Ledger) -> None:
    """Enter the notes of a notes ref, by the times of its own commits; equal texts are one note."""
    changes = list(repository.changes([step.sha for step in steps]))
    wanted = sorted({change.blob for _, change in changes if change.blob})
    texts = {blob.name: blob.text for blob in read_blobs(repository, wanted)}
    blob_of: dict[bytes, str] = {}
    n_holders = Counter[str]()
    for n_step, group in groupby(changes, key=lambda numbered: numbered[0]):
        touched: dict[str, None] = {}
        for _, change in group:
            old = blob_of.pop(change.path, "")
            n_holders[old] -= 1
            n_holders[change.blob] += 1
            touched |= {old: None, change.blob: None}
            if change.blob:
                blob_of[change.path] = change.blob
        for blob in touched:
            if blob and (text := texts.get(blob)):
                node = Node("Note", f"note:{blob}", {"text": text.strip()})
                if n_holders[blob] > 0:
                    ledger.put(node, steps[n_step].ms)
                else:
                    ledger.drop(node.key, steps[n_step].ms)
