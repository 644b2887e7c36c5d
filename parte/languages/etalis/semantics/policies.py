"""Consumption policies: which goals an event takes, and whether it consumes them (specification: etalis-policies)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from parte.languages.etalis.semantics.rulebook import rule


class Choice(Enum):
    """The choice among the goals that fit."""

    ALL = "all"
    LAST = "last"
    FIRST = "first"


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy: which goals are taken, whether they are consumed, and whether the shorter of goals that end together
    count as later."""

    choice: Choice = Choice.ALL
    consuming: bool = False
    shortest: bool = False


UNRESTRICTED = Policy()

POLICIES = {
    "unrestricted": UNRESTRICTED,
    "recent": Policy(Choice.LAST),
    "recent-consuming": Policy(Choice.LAST, consuming=True),
    "chronological": Policy(Choice.FIRST, consuming=True),
    "shortest": Policy(Choice.LAST, shortest=True),
    "recent-consuming-shortest": Policy(Choice.LAST, consuming=True, shortest=True),
    "chronological-shortest": Policy(Choice.FIRST, consuming=True, shortest=True),
}
"""The policies by name; `shortest` is `recent` with the shorter goals later."""


@rule("SELECT", "Consumption policy", "6, (16)–(18)")
def select(fitting: Sequence[int], choice: Choice) -> Sequence[int]:
    """The goals that are taken of those that fit, in their order: all, the last, or the first."""
    if choice is Choice.ALL or len(fitting) < 2:
        return fitting
    return (fitting[-1],) if choice is Choice.LAST else (fitting[0],)
