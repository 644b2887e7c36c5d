"""The programs and streams of E: fig. 1, §6, and the stock ticker of §7."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from random import Random

from parte.languages.etalis.semantics.syntax.parser import parse
from parte.languages.etalis.semantics.syntax.streams import Instant
from parte.languages.etalis.semantics.syntax.tree import Program

FIGURE_1 = {"p1": ((0, 2), (3, 5), (6, 10)), "p2": ((1, 3), (4, 10)), "p3": ((3, 4), (6, 10))}
"""The intervals of the three events of fig. 1."""


def given_intervals(intervals: dict[str, tuple[tuple[int, int], ...]]) -> tuple[str, str]:
    """Return rules and a stream that give events these intervals: each has its own beginning and end."""
    rules = "".join(f"{name} <- begins_{name}(K) SEQ ends_{name}(K). " for name in intervals)
    events = [
        (time, f"{kind}_{name}({number})@{time}")
        for name, every in intervals.items()
        for number, (start, end) in enumerate(every)
        for kind, time in (("begins", start), ("ends", end))
    ]
    return rules, " ".join(event for _, event in sorted(events))


SECTION_6_1 = ("ie1 <- a SEQ b. e <- ie1 SEQ c.", "a@1 a@2 a@3 b@4 b@5 c@6")
SECTION_6_2 = {"a": ((1, 30), (15, 30)), "b": ((35, 50),)}


def chain(events: int) -> Program:
    """Return rule (1), a sequence of this many events."""
    return parse(f"e <- {' SEQ '.join(f'a{number}' for number in range(events))}.")


TICKER = """\
ce1 <- (stock(go, P1, V1) SEQ stock(go, P2, V2)) WHERE {condition}.
ce2 <- (stock(ms, P1, V1) SEQ stock(ms, P2, V2)) WHERE {condition}.
ce3 <- ce1 OR ce2.
ce4 <- (ce1 AND ce2).20.
ce5 <- ce1 PAR ce2.
ce6 <- NOT(ce2).[ce1, ce1].
"""
"""Rules (22), with one tick a day."""

CONDITIONS = {"as printed": "5 * P1 < 6 * P2", "as meant": "5 * P2 > 6 * P1"}
"""`Pr1 < 1.20 * Pr2`, which is no rise (defect 30), and `Pr2 > 1.20 * Pr1`, both in whole numbers."""


@cache
def ticker(condition: str) -> Program:
    """Return the program of §7."""
    return parse(TICKER.format(condition=CONDITIONS[condition]))


STOCKS = ("go", "ms")
GREATEST = 1000
RISING = 0.5


def ticks(count: int, step: int, seed: int) -> Iterator[tuple[str, int, int]]:
    """Event generator 1: yield company, price and volume. The price rises with probability 0.5, falls and stays with
    0.25 each. E does not say by how much: here by 1 to `step`, and the price stays within 1 and 1000."""
    rng = Random(seed)
    prices = {name: rng.randint(1, GREATEST) for name in STOCKS}
    for _ in range(count):
        name, chance, change = rng.choice(STOCKS), rng.random(), rng.randint(1, step)
        if chance < RISING:
            prices[name] = min(GREATEST, prices[name] + change)
        elif chance < RISING + (1 - RISING) / 2:
            prices[name] = max(1, prices[name] - change)
        yield name, prices[name], rng.randint(1, GREATEST)


def ticker_stream(count: int, step: int, seed: int) -> Sequence[Instant]:
    """Return the ticks as a stream, one at each point in time."""
    return [Instant(time, frozenset({("stock", tick)})) for time, tick in enumerate(ticks(count, step, seed))]
