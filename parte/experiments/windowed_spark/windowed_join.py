"""One join of the baseline: two histories of a fixed size that evict their oldest entry, and no back-pressure.

In each micro-batch all tokens on the left are processed before all tokens on the right, as a stream processor may do
(D §7.3.3). Nothing here is part of the machine.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from parte.experiments.windowed_spark.generator import WINDOW

JOINS = 3


@dataclass(frozen=True, slots=True)
class Token:
    """The transfers of a possible match, in the order of the rule, and the account that they share."""

    account: str
    ids: tuple[int, ...]
    times: tuple[int, ...]
    amounts: tuple[float, ...]


class History:
    """At most `size` tokens, indexed by their account; the oldest is evicted first."""

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
        """Return the tokens of an account, the oldest first."""
        return tuple(self._by_account.get(account, {}).values())

    def __iter__(self) -> Iterator[Token]:
        return iter(self._by_number.values())


def windowed_join(
    join: int, left: Iterable[Token], right: Iterable[Token], lefts: History, rights: History
) -> Iterator[Token]:
    """Yield the results of join number `join`, from 1, in one micro-batch; the histories are changed."""
    for token in left:
        yield from (
            result for transfer in rights.of(token.account) if (result := _joined(join, token, transfer)) is not None
        )
        lefts.add(token)
    for transfer in right:
        yield from (
            result for token in lefts.of(transfer.account) if (result := _joined(join, token, transfer)) is not None
        )
        rights.add(transfer)


def _joined(join: int, token: Token, transfer: Token) -> Token | None:
    (identity,), (time,), (amount,) = transfer.ids, transfer.times, transfer.amounts
    if not 0 <= time - token.times[0] <= WINDOW or identity in token.ids[1:]:
        return None
    amounts = (*token.amounts, amount)
    if join == JOINS and not 0.9 * amounts[0] <= sum(amounts[1:]) <= 1.1 * amounts[0]:
        return None
    return Token(token.account, (*token.ids, identity), (*token.times, time), amounts)


def viable_by_d(factor: int, rate: int) -> tuple[tuple[int, int], ...]:
    """Return the sizes of the left and right histories of the three joins, by D's formula, times a factor.

    The formula is the one that reproduces figure 5.9 (`parte.checker.partelang.bounds.figures`), with windows of 14 ms
    and so many transfers a millisecond.
    """
    size = rate * WINDOW + 1
    first = rate * size
    second_left = first * WINDOW + 1
    third_left = (first * size + rate * second_left) * WINDOW + 1
    return tuple((factor * left, factor * size) for left in (size, second_left, third_left))
