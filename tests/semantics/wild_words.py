"""What trees of guests at random are made of: words, numbers and texts, of which the printers have to make a program.

The trees have any expression in any place in which the grammar admits one: they are what the parser builds of some
text, without regard to what `check` says of names, places and sizes (`wild_trees.py` in the folders of guests). Those
of PARTElang are in `tests/semantics/partelang/syntax/trees.py`.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TypeVar

from hypothesis import strategies as st

T = TypeVar("T")

WORDS = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,5}", fullmatch=True)
LITTLE = st.integers(0, 3)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
LINES = st.text(st.characters(codec="utf-8", exclude_characters="\n\0"), max_size=6) | st.sampled_from(
    ("'", "it's", '"', "\\", '\\"', "--", "//x", "%", "1/2 ", "\r")
)


def some(parts: st.SearchStrategy[T], least: int = 0, most: int = 3) -> st.SearchStrategy[tuple[T, ...]]:
    """So many parts."""
    return st.lists(parts, min_size=least, max_size=most).map(tuple)


def names(keywords: Collection[str], also: Collection[str] = ()) -> st.SearchStrategy[str]:
    """Names that are no keyword in any case; some are words that mean something elsewhere."""
    return (WORDS | st.sampled_from(("ms", "s", "d", "events", "day", "event_time", *also))).filter(
        lambda word: word.upper() not in keywords
    )
