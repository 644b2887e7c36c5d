"""Time of the checker for programs of 1 to 1,000 rules: `python -m benchmarks.checker`.

Rules have three patterns and an emission; every tenth begins a new chain of strata. `promises` are the checks that a
program needs to run at all: strata, the closure of `when`, monotone `at`. `vacuity` is the rest, with a replay of every
trace that the solver finds. Both include reading the program. Each row is measured in a separate process.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from parte.checker.partelang.check import check, check_promises
from parte.checker.report.contents import Report

SIZES = (1, 10, 100, 1_000)
SMALLEST = ("1",)

TEMPLATES = """
template Transfer { id : Integer, origin : String, target : String, amount : Float }
template Claim { id : Integer }
"""

RULE = """
template Found{number} {{ id : Integer, origin : String, target : String, amount : Float }}
rule Rule{number} where
  first : Transfer {{ amount >= {number}.0, target != origin }}
  second : {template} {{ origin = first.target, amount <= first.amount * 1.1, id != first.id }}
  claim : Claim {{ id = second.id }}
when
  second in first [0 days, {days} days]
  claim in second [-1 days, {days} days]
  claim in first [-1 days, 100 days]
then emit Found{number} at max(first.timestamp, avg(second.timestamp, claim.timestamp) + 1 hour) with {{
  id = second.id, origin = first.origin, target = second.target, amount = first.amount + second.amount
}}
"""


def program(rules: int) -> str:
    """Return a program of so many rules."""
    text = [TEMPLATES]
    for number in range(rules):
        template = "Transfer" if number % 10 == 0 else f"Found{number - 1}"
        text.append(RULE.format(number=number, template=template, days=1 + number % 30))
    return "".join(text)


def measure(rules: int) -> str:
    """Return one row of the table."""
    text = program(rules)
    check(program(1))  # imports and tables of the parser are not measured
    promises, first = _timed(lambda: check_promises(text))
    whole, second = _timed(lambda: check(text))
    return (
        f"{rules:>5} {promises:>11.2f} {1000 * promises / rules:>12.2f} {len(first.queries):>10} "
        f"{whole - promises:>11.2f} {len(second.queries) - len(first.queries):>10}"
    )


def _timed(run: Callable[[], Report]) -> tuple[float, Report]:
    start = time.perf_counter()
    report = run()
    return time.perf_counter() - start, report


def main() -> None:
    """Print the table; `python -m benchmarks.checker 100` measures only the sizes up to that many rules."""
    limit = int(sys.argv[1]) if len(sys.argv) > 1 else max(SIZES)
    print("rules  promises s  ms per rule  questions   vacuity s  questions")
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as pool:
        for rules in SIZES:
            if rules <= limit:
                print(pool.submit(measure, rules).result(), flush=True)


if __name__ == "__main__":
    main()
