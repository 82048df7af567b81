"""Explorers for notebooks: what is found by hand comes back as values and as code."""

from ctxlab.widgets._explorer import Explorer, explore

__all__ = ["Explorer", "explore"]
