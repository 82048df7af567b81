"""Checks of untrusted JSON values: each gives the value, or raises ValueError with the cause."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["index", "ints", "known", "listed", "refuse", "text", "whole"]


def refuse(cause: str) -> NoReturn:
    """Raise the cause."""
    raise ValueError(cause)


def whole(value: Any, low: int, high: int) -> int:
    """Check a whole number."""
    if type(value) is not int or not low <= value <= high:
        refuse(f"a number outside [{low}, {high}], or none, where one must stand")
    return value


def listed(value: Any, exactly: int = -1, at_least: int = 0) -> list[Any]:
    """Check a list and its length."""
    if type(value) is not list or len(value) < at_least or exactly not in (-1, len(value)):
        refuse("a list of another length, or none, where one must stand")
    return value


def ints(value: Any, low: int, high: int, exactly: int = -1, at_least: int = 0) -> list[int]:
    """Check a list of whole numbers."""
    return [whole(n, low, high) for n in listed(value, exactly, at_least)]


def text(value: Any) -> str:
    """Check a text."""
    if type(value) is not str:
        refuse("no text where one must stand")
    return value


def index(value: Any, table: list[Any]) -> int:
    """Check the number of an entry of a table of the first record."""
    return whole(value, 0, len(table) - 1)


def known(value: Any, kinds: tuple[str, ...]) -> str:
    """Check the name of a kind."""
    if value not in kinds:
        refuse("a kind that this version does not know")
    return str(value)
