"""The scenarios and the data that all benchmarks share.

Transfers are spread evenly over 60 days and over the accounts, amounts come from a small set so that matches exist, and
half of all routes are uncommon.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from zlib import crc32

from semantics.events.event import Event, Value

DAY = 24 * 60 * 60 * 1000
AMOUNTS = (50.0, 100.0, 150.0, 200.0, 300.0, 450.0, 600.0)

TEMPLATES = """
predicate uncommon_route(String, String)
template MoneyTransferred { id: String, originator: String, destination: String, amount: Float }
template SuspiciousSequenceDetected { mule_account: String, amount: Float, outgoing_transactions: [String; 3] }
"""

PASS_THROUGH = """
rule FraudPassThrough where
  incoming: MoneyTransferred { amount >= 100.0, uncommon_route(originator, destination) }
  outgoing: MoneyTransferred {
    uncommon_route(originator, destination), originator = incoming.destination, amount = incoming.amount
  }
when outgoing in incoming [0 days, 14 days]
then emit SuspiciousSequenceDetected at incoming.timestamp with {
  mule_account = incoming.destination, amount = incoming.amount, outgoing_transactions = list(outgoing.id)
}
"""

DIFFUSION = """
rule FraudDiffusion where
  incoming: MoneyTransferred { amount >= 100.0, uncommon_route(originator, destination) }
  outgoing_1: MoneyTransferred { uncommon_route(originator, destination), originator = incoming.destination }
  outgoing_2: MoneyTransferred {
    uncommon_route(originator, destination), originator = incoming.destination, id != outgoing_1.id
  }
  outgoing_3: MoneyTransferred {
    uncommon_route(originator, destination), originator = incoming.destination,
    id != outgoing_1.id, id != outgoing_2.id,
    outgoing_1.amount + outgoing_2.amount + amount >= incoming.amount * 0.9,
    outgoing_1.amount + outgoing_2.amount + amount <= incoming.amount * 1.1
  }
when
  outgoing_1 in incoming [0 days, 14 days]
  outgoing_2 in incoming [0 days, 14 days]
  outgoing_3 in incoming [0 days, 14 days]
then emit SuspiciousSequenceDetected at incoming.timestamp with {
  mule_account = incoming.destination, amount = incoming.amount,
  outgoing_transactions = list(outgoing_1.id, outgoing_2.id, outgoing_3.id)
}
"""

SCENARIOS = {"A pass-through": PASS_THROUGH, "B diffusion": DIFFUSION}


def uncommon_route(originator: str, destination: str) -> bool:
    """A fixed half of all routes."""
    return crc32(f"{originator}>{destination}".encode()) % 2 == 0


def transfers(count: int, accounts: int, days: float = 60, seed: int = 1) -> Iterator[Event]:
    """`count` transfers in arrival order, evenly over `days`."""
    generator = random.Random(seed)
    names = [f"a{number}" for number in range(accounts)]
    for number in range(count):
        name, (originator, destination) = f"t{number}", generator.choices(names, k=2)
        amount = generator.choice(AMOUNTS)
        attributes: dict[str, Value] = {
            "id": name,
            "originator": originator,
            "destination": destination,
            "amount": amount,
        }
        yield Event(name, "MoneyTransferred", int(number * days * DAY / count), attributes)
