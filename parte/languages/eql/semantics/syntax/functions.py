"""The functions of EQL (specification: eql-functions): how many arguments each has, and which of them are patterns."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Function:
    """A function: the least and the greatest number of its arguments, whether `~` may follow its name, and whether it
    is a condition. All arguments of `networks` but the first are networks, written as strings."""

    least: int
    most: int | None
    folds: bool = False
    condition: bool = False
    networks: bool = False


FUNCTIONS = {
    "add": Function(2, 2),
    "between": Function(3, 4, folds=True),
    "cidrMatch": Function(2, None, condition=True, networks=True),
    "concat": Function(1, None),
    "divide": Function(2, 2),
    "endsWith": Function(2, 2, folds=True, condition=True),
    "indexOf": Function(2, 3, folds=True),
    "length": Function(1, 1),
    "modulo": Function(2, 2),
    "multiply": Function(2, 2),
    "number": Function(1, 2),
    "startsWith": Function(2, 2, folds=True, condition=True),
    "string": Function(1, 1),
    "stringContains": Function(2, 2, folds=True, condition=True),
    "substring": Function(2, 3),
    "subtract": Function(2, 2),
}
"""The functions by name."""

SPELLINGS = {name.lower(): name for name in FUNCTIONS}
"""The names of the functions by their lower case: a query may write them in any case."""

LONGEST_STRING = 65_536
"""The most characters of a string that `concat` makes; a longer one is null."""

MOST_CHOICES = 10_000
"""The most choices of values from the lists of a comparison; if there are more, the lists are null (eql-lists)."""
