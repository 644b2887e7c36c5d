"""Memory for sets: `python -m benchmarks.sets [EVENTS]`.

For each aggregate two rules, whose sets are the failures of a user in the ten minutes before a login, and all before
it; an event comes each second, one in ten is a login, and there are twenty users. The table has the most entries that
the machine stored in a tenth of the trace and in the whole, the size that the checker computes for the rates of the
trace, and the peak memory of the process. Entries must not be more in the whole trace, and may exceed the size by the
arrivals for which the machine keeps expired ones only. The two columns of MiB are of a tenth and of the whole.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from benchmarks.measuring import Measured, apart, show, timed
from parte.checker.environment.deployment import Cardinality, Deployment, Emits, Source
from parte.checker.partelang.bounds.bounds import bounds
from parte.semantics.events.event import Arrival, Event
from parte.semantics.events.rates import Rate
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.machine import Machine
from parte.semantics.partelang.schedules import entering
from parte.semantics.partelang.streaming import stored
from parte.semantics.partelang.syntax import core, parse

EVENTS = 1_000_000
SMALLEST = ("1000",)
USERS = 20
VALUES = (
    *("exists(v)", "count(v)", "count(distinct v.amount)", "sum(v.amount)", "sum(v.price)", "avg(v.amount)"),
    *("min(v.amount)", "max(v.price)", "first(v.amount)", "last(v.price)", "min(v.timestamp)"),
)
WINDOWS = {"window": "[-10 minutes, 0 ms]", "past": "[-ever, 0 ms]"}
DEPLOYMENT = Deployment(
    (Source("s", (Emits("Login", Rate(1, 10_000)), Emits("Failure", Rate(1, 1_000)))),),
    (Cardinality("Failure", ("user",), Rate(1, 1), USERS),),
)


def program_of(value: str, window: str) -> core.Program:
    """Return the program with one rule, of a set in a window."""
    return parse(
        "level 2\n"
        "template Login { user : Integer }\ntemplate Failure { user : Integer, amount : Integer, price : Float }\n"
        "template Seen { user : Integer }\n"
        "rule R where a : Login, all v : Failure { user = a.user }\n"
        f"when v in a {window} having {value} {'' if value.startswith('exists') else 'is present'}\n"
        "then emit Seen at a.timestamp with { user = a.user }"
    )


def arrivals(count: int) -> Iterator[Arrival]:
    """Yield a trace, in which values repeat."""
    for number in range(count):
        user, time = number * 7919 % USERS, number * 1_000
        if number % 10 == 9:
            event = Event(f"e{number}", "Login", time, {"user": user}, "s")
        else:
            values = {"user": user, "amount": number % 17, "price": number % 23 / 8}
            event = Event(f"e{number}", "Failure", time, values, "s")
        yield Arrival("s", event.template, time, event)


def measure(value: str, window: str, count: int) -> Measured:
    """Run a rule; count the most entries that all histories stored together."""
    machine = Machine(compile_program(program_of(value, window), {}, {"Login": ("s",), "Failure": ("s",)}))

    def run() -> int:
        most, enter = 0, entering(machine)
        for number, arrival in enumerate(arrivals(count)):
            enter(arrival)
            machine.matches.clear()
            if number % 16 == 0:
                most = max(most, sum(stored(machine).values()))
        return most

    return timed(run)


def size(program: core.Program) -> int:
    """Return the entries that suffice for all histories, by the checker; -1 if it computes none."""
    sizes = [size.viable for size in bounds(program, DEPLOYMENT).sizes if size.store in ("left", "right")]
    return -1 if None in sizes else sum(size for size in sizes if size is not None)


def main(count: int = EVENTS) -> None:
    """Print the table."""
    rows = []
    for name, window in WINDOWS.items():
        for value in VALUES:
            if "distinct" in value and name == "past":
                continue  # no program: the different values of the whole past have no bound
            tenth, whole = (apart(measure, value, window, events) for events in (count // 10, count))
            figures = (f"{tenth.counted:,}", f"{whole.counted:,}", f"{size(program_of(value, window)):,}")
            peaks = (f"{tenth.peak_mebibytes:,.0f}", f"{whole.peak_mebibytes:,.0f}")
            rows.append((value, name, *figures, *peaks, f"{whole.seconds / count * 1e6:.1f}"))
    columns = ("aggregate", "set", "a tenth", "whole", "size", "MiB", "MiB", "µs")
    show(f"Entries stored for sets in {count:,} events", columns, rows)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
