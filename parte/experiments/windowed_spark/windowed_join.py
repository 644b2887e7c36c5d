"""One join of the baseline: two histories of a fixed size that evict their oldest entry, and no back-pressure.

In each micro-batch everything that came in on the left is processed before anything that came in on the right, as a
stream processor does that is free to choose (D §7.3.3). Nothing here is of the machine.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from parte.experiments.windowed_spark.generator import WINDOW

JOINS = 3


@dataclass(frozen=True, slots=True)
class Token:
    """The transfers that may be a match, in the order of the rule, and the account that they share."""

    account: str
    ids: tuple[int, ...]
    times: tuple[int, ...]
    amounts: tuple[float, ...]


class History:
    """At most `size` tokens, the oldest evicted first, found by their account."""

    def __init__(self, size: int, stored: Iterable[Token] = ()) -> None:
        self.size = size
        self._by_number: OrderedDict[int, Token] = OrderedDict()
        self._by_account: dict[str, dict[int, Token]] = {}
        self._next = 0
        for token in stored:
            self.add(token)

    def add(self, token: Token) -> None:
        """Store a token, and evict the oldest if there are too many."""
        self._by_number[self._next] = token
        self._by_account.setdefault(token.account, {})[self._next] = token
        self._next += 1
        if len(self._by_number) > self.size:
            number, oldest = self._by_number.popitem(last=False)
            of_account = self._by_account[oldest.account]
            del of_account[number]
            if not of_account:
                del self._by_account[oldest.account]

    def of(self, account: str) -> Sequence[Token]:
        """The tokens of an account, the oldest first."""
        return tuple(self._by_account.get(account, {}).values())

    def __iter__(self) -> Iterator[Token]:
        return iter(self._by_number.values())


def windowed_join(
    join: int, left: Iterable[Token], right: Iterable[Token], lefts: History, rights: History
) -> Iterator[Token]:
    """What join number `join`, from 1, finds in one micro-batch; the histories are changed."""
    for token in left:
        yield from (found for one in rights.of(token.account) if (found := _joined(join, token, one)) is not None)
        lefts.add(token)
    for one in right:
        yield from (found for token in lefts.of(one.account) if (found := _joined(join, token, one)) is not None)
        rights.add(one)


def _joined(join: int, token: Token, one: Token) -> Token | None:
    (identity,), (time,), (amount,) = one.ids, one.times, one.amounts
    if not 0 <= time - token.times[0] <= WINDOW or identity in token.ids[1:]:
        return None
    amounts = (*token.amounts, amount)
    if join == JOINS and not 0.9 * amounts[0] <= sum(amounts[1:]) <= 1.1 * amounts[0]:
        return None
    return Token(token.account, (*token.ids, identity), (*token.times, time), amounts)


def viable_by_d(factor: int, rate: int) -> tuple[tuple[int, int], ...]:
    """The sizes of the left and right histories of the three joins, by D's formula, times a factor.

    The formula is the one that reproduces figure 5.9 (`checker.parte.bounds.figures`), with windows of 14 ms and so
    many transfers a millisecond.
    """
    kept = rate * WINDOW + 1
    first = rate * kept
    second_left = first * WINDOW + 1
    third_left = (first * kept + rate * second_left) * WINDOW + 1
    return tuple((factor * left, factor * kept) for left in (kept, second_left, third_left))
