"""The sound machine beside CLIPS and Drools through their own fastest interfaces.

`python -m benchmarks.rates [TRANSFERS [ROUNDS]]` prints one table: events a second on scenarios A and B over 60 days.
In every round all engines take turns, each in a separate process, and the least of the rounds counts. All must find the
same number of matches. The time is from the events to the matches; programs are loaded, and the events read, before.

- CLIPS has its rules from the adapter of the kit, and the uncommon routes as facts. Its fastest interface is its own
  `load-facts`, which parses a file, so that parsing counts; `assert_fact` of clipspy, a call an event, is beside it.
- `sound` runs staged, as users run it; `not staged` is the same machine by its rules.
- Drools has rules in Java (`java/parte/Rates.java`), in a process that runs the trace three times. The least counts:
  in the last run the code is compiled.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks import indexed, sound
from benchmarks.measuring import Measured, apart, show, timed
from benchmarks.scenarios import SCENARIOS, TEMPLATES, transfers, uncommon_route
from parte.conformance.partelang.engines.drools.jdk import find_jar
from parte.conformance.partelang.engines.jvm.jdk import class_files, find_command
from parte.semantics.events.domain import DomainTable
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax import parse
from parte.semantics.source.packages import Unavailable

ACCOUNTS, DAYS, RUNS = 10_000, 60, 3
_TIMEOUT = 600
SMALLEST = ("1000", "1")


def clips(scenario: str, count: int, *, load: bool) -> Measured:
    """Measure CLIPS on one trace: `load` the facts from a file, or assert each. Raise ImportError without clipspy."""
    from clips import Environment

    from parte.conformance.partelang.engines.clips.adapter import _slots
    from parte.conformance.partelang.engines.clips.constructs import (
        MATCH,
        SHORTENED,
        constructs,
        domain_template,
        event_template,
    )

    program, trace = parse(TEMPLATES + SCENARIOS[scenario]), transfers(count, ACCOUNTS, DAYS)
    routes = frozenset(_route(event) for event in trace if uncommon_route(*_route(event)))
    environment = Environment()
    environment.define_function(lambda identity: identity, SHORTENED)
    for construct in constructs(program, {"uncommon_route": DomainTable(routes, True)}):
        environment.build(construct)
    rows = environment.find_template(domain_template("uncommon_route"))
    for originator, destination in routes:
        rows.assert_fact(c1=originator, c2=destination)
    name = event_template(trace[0].template)
    facts = [_slots(event) for event in trace]
    template = environment.find_template(name)

    def count_matches(give_facts: Callable[[], object]) -> int:
        give_facts()
        environment.run()
        return sum(1 for _ in environment.find_template(MATCH).facts())

    if not load:
        return timed(partial(count_matches, lambda: [template.assert_fact(**slots) for slots in facts]))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "facts")
        lines = (" ".join(f"({slot} {_written(value)})" for slot, value in slots.items()) for slots in facts)
        file.write_text("".join(f"({name} {line})\n" for line in lines), encoding="utf-8")
        return timed(partial(count_matches, lambda: environment.load_facts(str(file))))


def _route(event: Event) -> tuple[str, str]:
    return str(event.attributes["originator"]), str(event.attributes["destination"])


def _written(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def drools(scenario: str, count: int) -> Measured:
    """Measure Drools on one trace. Raise Unavailable without it or a JDK."""
    jar, java = find_jar(), find_command("drools", "java")
    classes = class_files("rates", (jar,), Path(__file__).parent / "java")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "transfers")
        lines = (
            "\t".join((str(event.timestamp), *_route(event), repr(event.attributes["amount"])))
            for event in transfers(count, ACCOUNTS, DAYS)
        )
        file.write_text("\n".join(lines), encoding="utf-8")
        options = ("-XX:+UseSerialGC", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error", "-cp", f"{classes}:{jar}")
        command = (java, *options, "parte.Rates", scenario[0], str(file), str(RUNS))
        output = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT, check=True).stdout
    runs = [line.split() for line in output.splitlines()]
    ((_, matches),) = {("matches", match_count) for _, match_count in runs}
    return Measured(min(float(seconds) for seconds, _ in runs), 0.0, int(matches))


ENGINES: dict[str, Callable[[str, int], Measured]] = {
    "sound": lambda scenario, count: apart(sound.measure, scenario, count, ACCOUNTS, DAYS),
    "not staged": lambda scenario, count: apart(sound.measure, scenario, count, ACCOUNTS, DAYS, staging=False),
    "indexed": lambda scenario, count: apart(indexed.measure, scenario, count, ACCOUNTS),
    "CLIPS, load-facts": lambda scenario, count: apart(clips, scenario, count, load=True),
    "CLIPS, assert_fact": lambda scenario, count: apart(clips, scenario, count, load=False),
    "Drools": drools,
}


def main(count: int = 100_000, rounds: int = 3) -> None:
    """Print the table, of traces of `count` transfers."""
    rows = []
    for scenario in SCENARIOS:
        measured: dict[str, list[Measured]] = {engine: [] for engine in ENGINES}
        missing: dict[str, str] = {}
        for _ in range(rounds):
            for engine, measure in ENGINES.items():
                if engine not in missing:
                    try:
                        measured[engine].append(measure(scenario, count))
                    except (ImportError, Unavailable) as problem:
                        missing[engine] = str(problem)
        assert len({run.counted for several in measured.values() for run in several}) == 1, (
            "the matches are not the same"
        )
        ours = min(run.seconds for run in measured["sound"])
        for engine, several in measured.items():
            if engine in missing:
                rows.append((scenario, engine, "", "", "", f"not here: {missing[engine]}"))
                continue
            least = min(several, key=lambda run: run.seconds)
            figures = (f"{least.seconds:.2f}", f"{count / least.seconds:,.0f}", f"{least.counted:,}")
            rows.append((scenario, engine, *figures, f"{ours / least.seconds:.2f}"))
    columns = ("scenario", "engine", "seconds", "events/s", "matches", "by sound")
    note = "by sound: events a second, by those of sound."
    show(f"{count:,} transfers, 60 days, 10,000 accounts", columns, rows, note)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
