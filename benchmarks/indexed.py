"""Time and memory of the indexed evaluator on generated transfers: `python -m benchmarks.indexed`.

Transfers are spread evenly over 60 days and over the accounts, amounts come from a small set so that matches exist,
and half of all routes are uncommon. A dense trace has ten transfers an account, a sparse one a single one. Each
row is measured in a process of its own; the time is that of `run`, the peak memory includes the trace.
"""

from __future__ import annotations

import random
import resource
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from zlib import crc32

from algebra.programs import run
from semantics.events.event import Event, Value
from semantics.syntax import parse

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
SIZES = ((100_000, 10_000), (1_000_000, 100_000), (1_000_000, 1_000_000))
"""Transfers and accounts: two dense traces and a sparse one."""


def uncommon_route(originator: str, destination: str) -> bool:
    """A fixed half of all routes."""
    return crc32(f"{originator}>{destination}".encode()) % 2 == 0


def transfers(count: int, accounts: int, seed: int = 1) -> Iterator[Event]:
    """`count` transfers in arrival order."""
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
        yield Event(name, "MoneyTransferred", number * 60 * DAY // count, attributes)


def measure(scenario: str, count: int, accounts: int) -> str:
    """One row of the table."""
    program = parse(TEMPLATES + SCENARIOS[scenario])
    trace = list(transfers(count, accounts))
    start = time.perf_counter()
    outcome = run(program, trace, {"uncommon_route": uncommon_route}, "indexed")
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    matches = len(outcome.matches)
    return f"{scenario:<14} {count:>9} {accounts:>9} {seconds:>8.2f} {count / seconds:>9.0f} {matches:>8} {peak:>9.0f}"


def main() -> None:
    """Print the table; `python -m benchmarks.indexed 100000` takes only the sizes up to that many transfers."""
    limit = int(sys.argv[1]) if len(sys.argv) > 1 else max(SIZES)[0]
    print("scenario          events  accounts  seconds  events/s  matches  peak MiB")
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as pool:
        for count, accounts in SIZES:
            for scenario in SCENARIOS:
                if count <= limit:
                    print(pool.submit(measure, scenario, count, accounts).result(), flush=True)


if __name__ == "__main__":
    main()
