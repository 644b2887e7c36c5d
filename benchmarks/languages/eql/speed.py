"""Speed of the machine of EQL beside Python EQL: `python -m benchmarks.languages.eql.speed [MOST_EVENTS]`.

Both run the same queries on the same events of processes, files and connections, one after the other on one core, after
a check that both have the same results. Times are processor times of separate processes, from the first event to the
last; each is measured `ROUNDS` times, in turn with the other, and the median counts; the spread is from the least to
the most. Without Python EQL (`PARTE_EQL`), the table has the machine only.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from statistics import median

from benchmarks.measuring import Measured, apart, show, spread, timed, up_to
from parte.languages.eql.conformance.engines.python.adapter import VARIABLE, Harness
from parte.languages.eql.semantics.machine import Machine
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.parser import parse
from parte.languages.eql.semantics.syntax.readings import Readings
from parte.languages.eql.semantics.syntax.streams import Stream
from parte.semantics.events.event import Event, Value

ROUNDS = 3
LENGTHS = (20_000, 200_000)
SMALLEST = ("2000",)
LIMIT = 600.0
"""Seconds for Python EQL on one log."""
HOSTS, A_SECOND = 200, 50
NAMES = ("cmd.exe", "powershell.exe", "explorer.exe", "outlook.exe", "svchost.exe")
QUERIES = {
    "event": 'process where process.name : ("cmd.exe", "powershell.exe") and process.pid > 500',
    "sequence": 'sequence by host.id with maxspan=30s [process where process.name : "power*"] '
    '[file where file.size > 900] [network where not cidrMatch(destination.ip, "10.0.0.0/8")]',
    "sequence, until": 'sequence by host.id with maxspan=5m [process where process.name == "cmd.exe"] '
    "[network where destination.port == 443] until [file where file.size < 100]",
    "sequence, runs": "sequence by host.id with maxspan=1m [network where destination.port == 22] with runs=5",
}


def log(count: int) -> list[Event]:
    """Return events of hosts; timestamps rise."""
    rng, events = Random(3), list[Event]()
    for position in range(count):
        attributes: dict[str, Value] = {"host.id": rng.randrange(HOSTS)}
        match rng.choice(("process", "file", "network")):
            case "process" as category:
                attributes |= {"process.name": rng.choice(NAMES), "process.pid": rng.randrange(1_000)}
            case "file" as category:
                attributes |= {"file.path": f"/tmp/{rng.randrange(1_000)}", "file.size": rng.randrange(1_000)}
            case category:
                address = f"{rng.choice((10, 192))}.0.0.{rng.randrange(250)}"
                attributes |= {"destination.ip": address, "destination.port": rng.choice((22, 53, 80, 443))}
        events.append(Event(f"e{position}", category, position * 1_000 // A_SECOND, attributes))
    return events


def results_of_machine(query: tree.Query, events: Sequence[Event]) -> list[list[str]]:
    """Return the ids of the events of each result of the machine."""
    stream = Stream(Readings(), spanned=isinstance(query, tree.Sequence) and query.maxspan is not None)
    machine = Machine(query, Readings(), False)
    results = [result for event in events for result in machine.arrive(stream.add(event), stream.bound)]
    return [result["events"] for result in (*results, *machine.end())]


def machine(text: str, count: int) -> Measured:
    """Measure the machine."""
    query, events = parse(text), log(count)
    before = time.process_time()
    measured = timed(lambda: len(results_of_machine(query, events)))
    return replace(measured, seconds=time.process_time() - before)


def python_eql(text: str, count: int) -> Measured:
    """Measure Python EQL, which reports its processor time."""
    reply = Harness().ask(parse(text), log(count), LIMIT)
    return Measured(reply["seconds"], 0.0, len(reply["results"]))


def check(text: str, count: int) -> None:
    """Check that both have the same results."""
    query, events = parse(text), log(count)
    theirs = [[events[place].id for place in places] for places in Harness().ask(query, events, LIMIT)["results"]]
    assert sorted(results_of_machine(query, events)) == sorted(theirs), text


def main(most: int = max(LENGTHS)) -> None:
    """Print the table, of logs up to `most` events."""
    beside = VARIABLE in os.environ
    rows: list[Sequence[str]] = []
    for count in up_to(most, LENGTHS):
        for name, text in QUERIES.items():
            if beside:
                check(text, count)
            ours, theirs = [], []
            for _ in range(ROUNDS):
                ours.append(apart(machine, text, count))
                theirs += [apart(python_eql, text, count)] if beside else []
            figures = [f"{median(count / run.seconds for run in ours):,.0f}"]
            if beside:
                ratios = [their.seconds / our.seconds for our, their in zip(ours, theirs, strict=True)]
                figures.append(f"{median(count / run.seconds for run in theirs):,.0f}")
                figures += [f"{median(ratios):.2f}", spread(ratios)]
            rows.append((name, f"{count:,}", f"{ours[0].counted:,}", *figures))
    others = ("Python EQL, events/s", "its time by the machine's", "spread") if beside else ()
    show("The machine of EQL", ("query", "events", "results", "machine, events/s", *others), rows)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
