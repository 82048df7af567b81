"""Prompt recall: a prompt's identifiers, looked up in a repository's graph, printed as pointers."""

from __future__ import annotations
