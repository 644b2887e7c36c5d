"""Time to read a program: `python -m benchmarks.parsing [MOST_RULES]`."""

from __future__ import annotations

import sys

from benchmarks.measuring import Measured, apart, show, timed, up_to
from benchmarks.scenarios import SCENARIOS, TEMPLATES
from parte.semantics.partelang.syntax import parse

RULES = (1, 10, 100, 1_000)
SMALLEST = ("1",)


def source(rules: int) -> str:
    """Return a program with so many rules of three patterns: each a pass-through without a refusal."""
    rule = SCENARIOS["A pass-through"].replace(
        "when outgoing",
        """
  no refusal: MoneyTransferred { originator = outgoing.destination, destination = outgoing.originator }
when no refusal in outgoing [0 days, 2 days] outgoing""",
    )
    return TEMPLATES + "".join(rule.replace("FraudPassThrough", f"Rule{number}") for number in range(rules))


def measure(rules: int) -> Measured:
    """Measure the parsing and elaboration of one program; count rules."""
    text = source(rules)
    return timed(lambda: len(parse(text).rules))


def main(most: int = max(RULES)) -> None:
    """Print the table, of up to `most` rules."""
    rows = []
    for rules in up_to(most, RULES):
        row = apart(measure, rules)
        size = len(source(rules)) / 2**10
        rows.append((f"{rules:,}", f"{size:,.0f}", f"{row.seconds:.2f}", f"{row.seconds / rules * 1e3:.2f}"))
    show("Parsing and checking a program, three patterns a rule", ("rules", "KiB", "seconds", "ms a rule"), rows)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
