"""One engine on one scenario, in a separate process: `python -m parte.experiments.engines.speed`.

Input and output are lines of JSON. The first input line names the engine, the scenario, the transfers of each account
and the seed; then the engine is started, and runs `WARMING` transfers that do not count. Every further line is a number
of transfers. The output is `ready` when the engine has started, and for each number `prepared`, once the trace and the
program are loaded, then the `matches`, with the `seconds` to find them; or `refused`, with the reason why the engine
does not run this. `climbing` is the other side.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from parte.conformance.engines.registry import engine_called
from parte.conformance.kit import KIT
from parte.conformance.protocol import Accepted, Failed, Found, Load, Reply, Unsupported
from parte.conformance.runner.judging import sources_in
from parte.experiments.scenarios import SCENARIOS, scenario, transfers, uncommon_route
from parte.languages.partelang import PARTELANG
from parte.semantics.events.event import Event
from parte.semantics.events.trace import trace_lines
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.partelang.syntax.json_form import program_to_json
from parte.semantics.source.packages import Unavailable

SPARK = "spark"
WARMING = 300
"""The transfers of the first run of an engine, which includes all that it starts with its first trace."""

Json = Any
Run = Callable[[], Sequence[str]]
"""The function that finds the matches, as one text each, in any order."""

Prepare = Callable[[str, Sequence[Event], Mapping[str, Json]], Run]
"""The function that loads a scenario, a trace and a domain. Raises CannotRun if the engine rejects them."""


class CannotRun(Exception):
    """The engine does not run the scenario; the message is the reason."""


def data(name: str, count: int, per_account: int, seed: int) -> tuple[tuple[Event, ...], dict[str, Json]]:
    """Return the trace of a scenario, and the domain as tables: the uncommon routes of the trace."""
    trace = transfers(count, max(count // per_account, 2), seed=seed, claims=name.startswith("C"))
    routes = {
        (str(event.attributes["originator"]), str(event.attributes["destination"]))
        for event in trace
        if "originator" in event.attributes
    }
    return trace, {"uncommon_route": {"true_for": sorted(list(route) for route in routes if uncommon_route(*route))}}


def started(engine: str) -> Prepare:
    """Return the started engine. Raise CannotRun if it is not available."""
    return _spark() if engine == SPARK else _of_the_kit(engine)


def _of_the_kit(engine: str) -> Prepare:
    try:
        running_engine = engine_called(PARTELANG[KIT].engines(), engine)
    except Unavailable as problem:
        raise CannotRun(str(problem)) from problem
    running_engine.hello()

    def prepare(name: str, trace: Sequence[Event], domain: Mapping[str, Json]) -> Run:
        text = scenario(name)
        lines = [json.loads(line) for line in trace_lines(trace)]
        deployment = {"disorder": 0, "sources": sources_in(lines)}
        accepted = running_engine.load(Load(text, program_to_json(parse(text)), domain, deployment))
        if not isinstance(accepted, Accepted):
            raise CannotRun(_why(accepted))

        def run() -> Sequence[str]:
            reply = running_engine.run(lines)
            if not isinstance(reply, Found):
                raise CannotRun(_why(reply))
            return [_text(match["rule"], match["bindings"].items()) for match in reply.matches]

        return run

    return prepare


def _spark() -> Prepare:
    """Return `match` on Spark. The log is a Parquet file: a table from Python would be part of every plan."""
    from pyarrow import parquet

    from parte.algebra.partelang.relational.parquet import log_of
    from parte.spark_adapter.match import match
    from parte.spark_adapter.session import session

    spark = session(settings={"spark.sql.shuffle.partitions": "4"}, memory="3g")
    folder = Path(tempfile.mkdtemp(prefix="parte-speed-"))  # `climbing` removes it

    def prepare(name: str, trace: Sequence[Event], domain: Mapping[str, Json]) -> Run:
        program = parse(scenario(name))
        file = folder / f"{len(trace)}.parquet"
        parquet.write_table(log_of(program, trace), file)
        log = spark.read.parquet(str(file))

        def run() -> Sequence[str]:
            with match(spark, program, log, domain) as matches:
                rows = matches.all.select("rule", "bindings").collect()
            return [
                _text(row["rule"], ((binding["variable"], binding["event"]) for binding in row["bindings"]))
                for row in rows
            ]

        return run

    return prepare


def _why(reply: Reply) -> str:
    match reply:
        case Unsupported(reason=text) | Failed(message=text):
            return text
        case _:
            return str(reply)


def _text(rule: str, bindings: Iterable[tuple[str, str]]) -> str:
    return f"{rule}({','.join(f'{variable}={event}' for variable, event in bindings)})"


def serve(requests: Iterable[str], replies: TextIO) -> None:
    """Answer the lines of `climbing`."""

    def reply(answer: Json) -> None:
        replies.write(json.dumps(answer) + "\n")
        replies.flush()

    lines = iter(requests)
    request = json.loads(next(lines))
    name = request["scenario"]
    assert name in SCENARIOS
    try:
        prepare = started(request["engine"])
        prepare(name, *data(name, WARMING, request["per_account"], request["seed"]))()
        reply({"ready": True})
        for line in lines:
            count = int(line)
            run = prepare(name, *data(name, count, request["per_account"], request["seed"]))
            reply({"prepared": count})
            start = time.perf_counter()
            matches = run()
            reply({"seconds": time.perf_counter() - start, "matches": matches})
    except CannotRun as problem:
        reply({"refused": str(problem)})


if __name__ == "__main__":
    with os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8") as out:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # the prints of engines are no replies
        serve(sys.stdin, out)
