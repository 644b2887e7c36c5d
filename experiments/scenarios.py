"""The driver scenarios A, B and C of D (§2.1, §7.1, §7.2): programs, with windows in any unit, and traces."""

from __future__ import annotations

import random
from zlib import crc32

from parte.semantics.events.event import Event

TRANSFER = "MoneyTransferred"
CLAIM = "FraudulentTransactionClaimed"

TEMPLATES = """
predicate uncommon_route(String, String)
template MoneyTransferred { id: String, originator: String, destination: String, amount: Float }
template FraudulentTransactionClaimed { transaction_id: String, reason: String }
template SuspiciousSequenceDetected { mule_account: String, amount: Float, outgoing_transactions: [String; 3] }
template RefundScamSuspected { incoming_transaction: String, refund_transaction: String }
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

REFUND_SCAM = """
rule FraudRefundScam where
  incoming: MoneyTransferred,
  refund: MoneyTransferred {
    destination = incoming.originator, originator = incoming.destination,
    amount >= incoming.amount * 0.9, amount <= incoming.amount * 1.1
  }
  claim: FraudulentTransactionClaimed { transaction_id = incoming.id }
  no additional_incoming: MoneyTransferred {
    id != incoming.id, originator = incoming.originator, destination = incoming.destination,
    amount >= refund.amount * 0.9, amount <= refund.amount * 1.1
  }
when
  refund in incoming [0 days, 14 days]
  claim in incoming [0 days, 14 days]
  no additional_incoming in refund [-14 days, 0 days]
then emit RefundScamSuspected at claim.timestamp with {
  incoming_transaction = incoming.id, refund_transaction = refund.id
}
"""

SCENARIOS = {
    "A pass-through": TEMPLATES + PASS_THROUGH,
    "B diffusion": TEMPLATES + DIFFUSION,
    "C refund scam": TEMPLATES + REFUND_SCAM,
}
"""Each scenario as a program of its own, with windows of 14 days. C has the obvious repair, `id != incoming.id`."""


def scenario(name: str, unit: str = "days") -> str:
    """A scenario with windows of 14 units. KeyError for a name that is not in `SCENARIOS`."""
    return SCENARIOS[name].replace(" days", f" {unit}")


# --- Traces ----------------------------------------------------------------------------------------------------------

DAY = 24 * 60 * 60 * 1000
AMOUNTS = (50.0, 100.0, 150.0, 200.0, 300.0, 450.0, 600.0)
REFUNDED_EVERY = 20
"""One transfer in so many is refunded and claimed, in traces with claims."""


def uncommon_route(originator: str, destination: str) -> bool:
    """A fixed half of all routes."""
    return crc32(f"{originator}>{destination}".encode()) % 2 == 0


def transfers(count: int, accounts: int, days: float = 60, seed: int = 1, *, claims: bool = False) -> tuple[Event, ...]:
    """`count` transfers in arrival order, evenly over `days` and over the accounts; amounts are few, so that there are
    matches. With `claims`, some are refunds of earlier ones, which are then claimed to be fraudulent."""
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
