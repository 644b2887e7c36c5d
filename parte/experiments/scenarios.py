"""The driver scenarios A, B and C of D (§2.1, §7.1, §7.2): programs, with windows in any unit, and traces."""

from __future__ import annotations

import random
import re
from pathlib import Path
from zlib import crc32

from parte.semantics.events.event import Event

TRANSFER = "MoneyTransferred"
CLAIM = "FraudulentTransactionClaimed"

_SOURCE = (Path(__file__).parent / "scenarios.parte").read_text(encoding="utf-8")
TEMPLATES, PASS_THROUGH, DIFFUSION, REFUND_SCAM = re.split("^(?=rule )", _SOURCE, flags=re.MULTILINE)
"""The declarations that the rules share, and each rule."""

SCENARIOS = {
    "A pass-through": TEMPLATES + PASS_THROUGH,
    "B diffusion": TEMPLATES + DIFFUSION,
    "C refund scam": TEMPLATES + REFUND_SCAM,
}
"""Each scenario as a separate program, with windows of 14 days."""


def scenario(name: str, unit: str = "days") -> str:
    """Return a scenario with windows of 14 units. Raise KeyError for a name that is not in `SCENARIOS`."""
    return SCENARIOS[name].replace(" days", f" {unit}")


# --- Traces ----------------------------------------------------------------------------------------------------------

DAY = 24 * 60 * 60 * 1000
AMOUNTS = (50.0, 100.0, 150.0, 200.0, 300.0, 450.0, 600.0)
REFUNDED_EVERY = 20
"""In traces with claims, one transfer in so many is refunded and claimed."""


def uncommon_route(originator: str, destination: str) -> bool:
    """Return whether a route is in a fixed half of all routes."""
    return crc32(f"{originator}>{destination}".encode()) % 2 == 0


def transfers(count: int, accounts: int, days: float = 60, seed: int = 1, *, claims: bool = False) -> tuple[Event, ...]:
    """Return `count` transfers in arrival order, evenly over `days` and over the accounts.

    There are few amounts, so that there are matches. With `claims`, some transfers are refunds of earlier ones, which
    are then claimed to be fraudulent.
    """
    rng = random.Random(seed)
    names = [f"a{number}" for number in range(accounts)]
    drawn = [(rng.choice(names), rng.choice(names), rng.choice(AMOUNTS)) for _ in range(count)]
    times = [int(number * days * DAY / count) for number in range(count)]
    claimed: list[tuple[int, int]] = []
    if claims:
        for number in range(0, count - 1, REFUNDED_EVERY):
            refund = min(count - 1, number + rng.randint(1, REFUNDED_EVERY - 1))
            originator, destination, amount = drawn[number]
            drawn[refund] = destination, originator, amount
            claimed.append((times[refund] + rng.randint(0, 7 * DAY), number))
    events = [
        Event(
            f"t{number}",
            TRANSFER,
            times[number],
            {"id": f"t{number}", "originator": originator, "destination": destination, "amount": amount},
            "bank",
        )
        for number, (originator, destination, amount) in enumerate(drawn)
    ]
    events += [
        Event(f"c{number}", CLAIM, time, {"transaction_id": f"t{number}", "reason": "unknown"}, "desk")
        for time, number in claimed
    ]
    return tuple(sorted(events, key=lambda event: event.timestamp))
