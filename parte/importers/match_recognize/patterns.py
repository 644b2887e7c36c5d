"""Row patterns: the words in PATTERN (…), as a sequence of rows and gaps.

A *row* is a variable that one row fills, which a rule binds to an event. A *gap* is a variable with a quantifier:
any number of rows between two rows that are bound, within `least` and `most`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from sqlglot import Token, TokenType

from parte.importers.match_recognize.reading import Source, Unsaid

GREATEST_COUNT: Final = 100_000
MOST_ROWS: Final = 16
"""The most rows that one rule binds to events."""
_UNROLLED: Final = 8
"""The greatest count in `V{n}` whose rows are bound one by one."""
_NO_NAMES: Final = {TokenType.NUMBER, TokenType.STRING}


@dataclass(frozen=True, slots=True)
class Item:
    """A variable of a pattern, or several of which a row is one (`A | B`), with its quantifier.

    `most` is None if there is no limit. Names are in capitals; `start` is the offset of the first in the file.
    """

    names: tuple[str, ...]
    start: int
    least: int = 1
    most: int | None = 1
    greedy: bool = True

    @property
    def bound(self) -> bool:
        """True for a row, false for a gap."""
        return self.least == 1 == self.most

    @property
    def fixed(self) -> bool:
        """True if it has one number of rows."""
        return self.least == self.most


@dataclass(frozen=True, slots=True)
class Layout:
    """The rows and gaps of a pattern, from a row to a row; `trailing` is the gap behind the last row, if there is one.
    No gap follows another."""

    items: tuple[Item, ...]
    trailing: Item | None = None


def layout(source: Source, words: Sequence[Token]) -> Layout:
    """Return the layout of the words of a pattern. Raise Unsaid."""
    reader = _Reader(source, words)
    items = reader.alternatives()
    if reader.at < len(words):
        raise reader.unsaid("the pattern", "a variable")
    return _laid_out(source, [item for item in items if item.most != 0])


def _laid_out(source: Source, written: Sequence[Item]) -> Layout:
    items: list[Item] = []
    for item in written:
        if item.fixed and 1 < item.least <= _UNROLLED:
            items += [replace(item, least=1, most=1)] * item.least
        elif not items and item.least and not item.bound:
            items += [replace(item, least=1, most=1), _fewer(item, 1)]
        else:
            items.append(item)
    if not items or not items[0].bound:
        place = source.place(written[0].start if written else 0)
        raise Unsaid(place, "the pattern may begin with no row of its first variable: a rule begins with an event")
    for item, following in pairwise(items):
        if not item.bound and not following.bound:
            text = "two variables beside each other with quantifiers: which rows are which cannot be said"
            raise Unsaid(source.place(following.start), text)
    trailing = None
    if not items[-1].bound:
        trailing = items.pop()
        if trailing.least > MOST_ROWS:
            raise Unsaid(source.place(trailing.start), f"over {MOST_ROWS} rows at the end of the pattern")
        items += [replace(trailing, least=1, most=1)] * trailing.least
        trailing = None if trailing.fixed else _fewer(trailing, trailing.least)
    bounded(source, items)
    return Layout(tuple(items), trailing)


def bounded(source: Source, items: Sequence[Item]) -> None:
    """Raise Unsaid if there are more rows than a rule binds."""
    if sum(item.bound for item in items) > MOST_ROWS:
        raise Unsaid(source.place(items[0].start), f"a pattern of over {MOST_ROWS} rows that are bound to events")


def unrolled(item: Item) -> list[Item]:
    """Return the rows that a gap has at least, and the gap that is left."""
    return [*[replace(item, least=1, most=1)] * item.least, _fewer(item, item.least)]


def _fewer(item: Item, count: int) -> Item:
    return replace(item, least=item.least - count, most=None if item.most is None else item.most - count)


class _Reader:
    def __init__(self, source: Source, words: Sequence[Token]) -> None:
        self._source, self._words = source, words
        self.at = 0

    def unsaid(self, what: str, expected: str) -> Unsaid:
        word = self._words[min(self.at, len(self._words) - 1)]
        actual = f"`{word.text}`" if self.at < len(self._words) else "its end"
        return Unsaid(self._source.place(word.start), f"{what}: expected {expected}, found {actual}")

    def _next(self) -> Token | None:
        return self._words[self.at] if self.at < len(self._words) else None

    def _takes(self, kind: TokenType) -> bool:
        word = self._next()
        if word is None or word.token_type is not kind:
            return False
        self.at += 1
        return True

    def alternatives(self) -> list[Item]:
        """Read a sequence, or alternatives of one variable each."""
        start = self.at
        items = self._sequence()
        while self._takes(TokenType.PIPE):
            branch = self._sequence()
            if not (len(items) == len(branch) == 1 and items[0].bound and branch[0].bound):
                place = self._source.place(self._words[start].start)
                raise Unsaid(place, "alternatives of several rows or with quantifiers: a rule has one sequence")
            items = [replace(items[0], names=tuple(dict.fromkeys(items[0].names + branch[0].names)))]
        return items

    def _sequence(self) -> list[Item]:
        items: list[Item] = []
        while (word := self._next()) is not None and word.token_type not in {TokenType.PIPE, TokenType.R_PAREN}:
            items += self._factor(word)
        if not items:
            raise self.unsaid("the pattern", "a variable")
        return items

    def _factor(self, word: Token) -> list[Item]:
        place = self._source.place(word.start)
        if word.token_type is TokenType.L_PAREN:
            self.at += 1
            items = self.alternatives()
            if not self._takes(TokenType.R_PAREN):
                raise self.unsaid("the pattern", "`)`")
        elif word.text in {"^", "$"} and word.token_type is not TokenType.IDENTIFIER:
            raise Unsaid(place, f"`{word.text}`: a rule does not see where a partition begins or ends")
        elif word.token_type is TokenType.L_BRACE:
            raise Unsaid(place, "`{- … -}`: a rule reports the events that it binds")
        elif word.token_type in _NO_NAMES or not (word.text[:1].isalpha() or word.text[:1] == "_"):
            raise self.unsaid("the pattern", "a variable")
        else:
            self.at += 1
            following = self._next()
            if word.text.upper() == "PERMUTE" and following and following.token_type is TokenType.L_PAREN:
                raise Unsaid(place, "PERMUTE: the rows come in several orders, and a rule of a sequence has one")
            items = [Item((word.text.upper(),), word.start)]
        return self._quantified(items)

    def _quantified(self, items: list[Item]) -> list[Item]:
        word = self._next()
        if word is None:
            return items
        greedy = True
        if self._takes(TokenType.STAR):
            least, most = 0, None
        elif self._takes(TokenType.PLUS):
            least, most = 1, None
        elif self._takes(TokenType.PLACEHOLDER):
            least, most = 0, 1
        elif self._takes(TokenType.DQMARK):
            least, most, greedy = 0, 1, False
        elif word.token_type is TokenType.L_BRACE and self._counts(self.at + 1):
            self.at += 1
            least, most = self._count()
        else:
            return items
        if greedy and self._takes(TokenType.PLACEHOLDER):
            greedy = False
        if len(items) != 1 or not items[0].bound:
            raise Unsaid(self._source.place(word.start), "a quantifier behind several rows: a rule has one sequence")
        return [replace(items[0], least=least, most=most, greedy=greedy)]

    def _counts(self, at: int) -> bool:
        return at < len(self._words) and self._words[at].token_type in {TokenType.NUMBER, TokenType.COMMA}

    def _count(self) -> tuple[int, int | None]:
        """Read the numbers of `{n}`, `{n,}`, `{,m}` or `{n,m}`, behind the bracket."""
        least = self._number()
        most = least
        if self._takes(TokenType.COMMA):
            most = self._number()
        elif least is None:
            raise self.unsaid("the quantifier", "a number")
        if not self._takes(TokenType.R_BRACE):
            raise self.unsaid("the quantifier", "`}`")
        if most is not None and most < (least or 0):
            self.at -= 1
            raise self.unsaid("the quantifier", "a second number that is not less than the first")
        return least or 0, most

    def _number(self) -> int | None:
        word = self._next()
        if word is None or word.token_type is not TokenType.NUMBER:
            return None
        if not word.text.isdecimal() or len(word.text) > 9 or int(word.text) > GREATEST_COUNT:
            raise self.unsaid("the quantifier", f"a number up to {GREATEST_COUNT:,}")
        self.at += 1
        return int(word.text)
