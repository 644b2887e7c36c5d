"""Many rules over one stream: `python -m benchmarks.rules [MOST_RULES]`.

Every rule joins two events of one template by an attribute, each with one value of another attribute out of a hundred,
in a window of one to ten minutes. The table: the time to parse and compile the rules, and the time of an event in the
sound machine, staged and by its rules, the indexed evaluator, DuckDB and `match` on Spark (two cores) in the same run,
with `ratio` to its time under the fewest rules.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence

import pyarrow

from benchmarks.measuring import Measured, apart, show, timed
from parte.algebra.partelang import programs, relational
from parte.algebra.partelang.relational.parquet import log_schema
from parte.semantics.events.event import Event
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.execution import execute, network_of
from parte.semantics.partelang.syntax import core, parse
from parte.spark_adapter.match import match
from parte.spark_adapter.session import session

RULES = (1, 10, 100, 1_000)
SMALLEST = ("1",)
EVENTS = 5_000
VALUES = 100
USERS = 200


def text_of(rules: int) -> str:
    """Return a program of so many rules."""
    declared = "template Seen { user : String, kind : Integer, level : Float } template Rose { user : String } "
    return declared + " ".join(
        f"rule R{number} where low : Seen {{ kind = {number % VALUES} }}, "
        f"high : Seen {{ kind = {(7 * number + 1) % VALUES}, user = low.user, level > low.level }}, "
        f"when high in low [0 ms, {1 + number % 10} minutes], "
        "then emit Rose at high.timestamp with { user = low.user }"
        for number in range(rules)
    )


def events() -> Sequence[Event]:
    """Return an event a second, with values drawn evenly."""
    drawn = random.Random(1)
    return [
        Event(
            f"e{number}",
            "Seen",
            number * 1000,
            {"user": f"u{drawn.randrange(USERS)}", "kind": drawn.randrange(VALUES), "level": drawn.random()},
        )
        for number in range(EVENTS)
    ]


def compiling(rules: int) -> Measured:
    """Measure the time from the text to the network; count nodes."""
    return timed(lambda: len(network_of(Scenario.of(parse(text_of(rules)), ())).nodes))


def _of_machine(program: core.Program, trace: Sequence[Event]) -> int:
    return len(execute(Scenario.of(program, trace), staging=True).matches)


def _of_rules(program: core.Program, trace: Sequence[Event]) -> int:
    return len(execute(Scenario.of(program, trace)).matches)


def _of_indexed(program: core.Program, trace: Sequence[Event]) -> int:
    return len(programs.run(program, trace, {}, "indexed").matches)


def _of_duckdb(program: core.Program, trace: Sequence[Event]) -> int:
    return len(relational.run(program, trace, {}).matches)


def _of_spark(program: core.Program, trace: Sequence[Event]) -> int:
    schema = log_schema(program)
    attributes = [field.name for field in schema.field("attributes").type]
    rows = [
        {
            "id": event.id,
            "template": event.template,
            "timestamp": event.timestamp,
            "attributes": {name: event.attributes.get(name) for name in attributes},
        }
        for event in trace
    ]
    spark = session(cores=2, memory="6g")
    log = spark.createDataFrame(pyarrow.Table.from_pylist(rows, schema))
    with match(spark, program, log) as matches:
        return len(matches.all.collect())


ENGINES: dict[str, Callable[[core.Program, Sequence[Event]], int]] = {
    "sound": _of_machine,
    "not staged": _of_rules,
    "indexed": _of_indexed,
    "duckdb": _of_duckdb,
    "spark": _of_spark,
}


def measure(engine: str, rules: int) -> Measured:
    """Measure an engine on all events; count matches."""
    program, trace, find = parse(text_of(rules)), events(), ENGINES[engine]
    find(parse(text_of(1)), trace[:1])  # loads the libraries
    return timed(lambda: find(program, trace))


def main(most: int = max(RULES)) -> None:
    """Print the table, for up to `most` rules."""
    rows: list[tuple[str, ...]] = []
    first: dict[str, float] = {}
    for rules in RULES:
        if rules <= most:
            row = [f"{rules:,}", f"{apart(compiling, rules).seconds:.2f}"]
            measured = {engine: apart(measure, engine, rules) for engine in ENGINES}
            assert len({figures.counted for figures in measured.values()}) == 1
            for engine, figures in measured.items():
                cost = figures.seconds / EVENTS
                row += [f"{cost * 1e6:,.0f}", f"{cost / first.setdefault(engine, cost):,.1f}"]
            rows.append((*row, f"{measured['sound'].counted:,}"))
    columns = ["rules", "compiled, s"]
    for engine in ENGINES:
        columns += [f"{engine}, µs an event", "ratio"]
    show("Many rules over one stream", (*columns, "matches"), rows)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
