"""Traces of money transfers as D §7.4.1 describes them, drawn from a seed.

A diffusion group is one transfer and three that spread its amount within the window. A quarter of the groups are on
common routes and a quarter below the threshold, both rounded down; the others are fraud. Transfers that belong to no
group have their own accounts; nine in ten are on a common route and one in two is below the threshold.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from parte.experiments.scenarios import TRANSFER
from parte.semantics.events.event import Event, Value

WINDOW = 14
"""The window in milliseconds, in place of 14 days."""

RATE = 10
"""The most transfers a millisecond, over all sources."""

SOURCES = ("bank-a", "bank-b")
THRESHOLD = 100
COMMON = "common-"


@dataclass(frozen=True, slots=True)
class Shape:
    """The shape of a trace: the groups, the other transfers, and their average share of the greatest rate."""

    groups: int
    unrelated: int
    load: float = 0.5

    @property
    def on_common_routes(self) -> int:
        """Return the number of groups that are no fraud because their routes are common."""
        return self.groups // 4

    @property
    def below_threshold(self) -> int:
        """Return the number of groups that are no fraud because the incoming amount is too small."""
        return self.groups // 4

    @property
    def frauds(self) -> int:
        """Return the number of groups that match."""
        return self.groups - self.on_common_routes - self.below_threshold

    @property
    def last_start(self) -> int:
        """Return the time (ms) before which incoming transfers, and those of no group, lie."""
        return max(WINDOW, round((4 * self.groups + self.unrelated) / (RATE * self.load)))


def uncommon_route(originator: str, destination: str) -> bool:
    """Return whether a route is uncommon, as the names of its accounts say: the domain predicate of the traces."""
    return not (originator.startswith(COMMON) and destination.startswith(COMMON))


def transfers(shape: Shape, seed: int) -> tuple[Event, ...]:
    """Return a trace, by timestamp. No millisecond has more than `RATE` transfers.

    The sources take turns in each millisecond, so that none sends more than half of them.
    """
    rng = random.Random(f"{shape} {seed}")
    drawn = _Drawn(rng, shape)
    for number in range(shape.groups):
        common = shape.frauds <= number < shape.frauds + shape.on_common_routes
        drawn.group(common=common, enough=number < shape.frauds + shape.on_common_routes)
    for _ in range(shape.unrelated):
        drawn.unrelated()
    return tuple(drawn.events())


def candidates(trace: Sequence[Event]) -> int:
    """Return the number of transfers that may be the incoming one."""
    return sum(
        uncommon_route(str(event.attributes["originator"]), str(event.attributes["destination"]))
        and float(str(event.attributes["amount"])) >= THRESHOLD
        for event in trace
    )


class _Drawn:
    """The transfers drawn so far."""

    def __init__(self, rng: random.Random, shape: Shape) -> None:
        self.rng = rng
        self.last_start = shape.last_start
        self.count: Counter[int] = Counter()
        self.transfers: list[tuple[int, str, str, float]] = []

    def group(self, *, common: bool, enough: bool) -> None:
        """Draw one transfer and the three that spread it; draw times again while a millisecond would be too full."""
        while True:
            start = self.rng.randrange(self.last_start)
            times = (start, *(self.rng.randrange(start, start + WINDOW) for _ in range(3)))
            added = Counter(times)
            if all(self.count[time] + more <= RATE for time, more in added.items()):
                break
        self.count += added
        prefix = f"{COMMON if common else ''}g{len(self.transfers)}-"
        part = float(self.rng.randint(THRESHOLD, 999) if enough else self.rng.randint(1, (THRESHOLD - 1) // 3))
        self.transfers.append((times[0], f"{prefix}in", f"{prefix}mule", 3 * part))
        self.transfers += [
            (time, f"{prefix}mule", f"{prefix}{out}", part) for out, time in zip("abc", times[1:], strict=True)
        ]

    def unrelated(self) -> None:
        """Draw one transfer that belongs to no group."""
        amount = float(self.rng.randint(*((THRESHOLD, 999) if self.rng.random() < 0.5 else (1, THRESHOLD - 1))))
        prefix = f"{COMMON if self.rng.random() < 0.9 else ''}u{len(self.transfers)}-"
        while self.count[time := self.rng.randrange(self.last_start)] >= RATE:
            pass
        self.count[time] += 1
        self.transfers.append((time, f"{prefix}from", f"{prefix}to", amount))

    def events(self) -> Iterator[Event]:
        """Yield all transfers by timestamp; those of one millisecond in any order."""
        self.rng.shuffle(self.transfers)
        turns: Counter[int] = Counter()
        for number, (time, originator, destination, amount) in enumerate(
            sorted(self.transfers, key=lambda transfer: transfer[0])
        ):
            source = SOURCES[turns[time] % len(SOURCES)]
            turns[time] += 1
            name = f"t{number}"
            attributes: dict[str, Value] = {
                "id": name,
                "originator": originator,
                "destination": destination,
                "amount": amount,
            }
            yield Event(name, TRANSFER, time, attributes, source)
