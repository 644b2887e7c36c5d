"""One engine on one scenario, in a process of its own: `python -m parte.experiments.engines.speed REQUEST`.

The request and the reply are JSON objects. A process of its own, so that what an engine leaves behind, a virtual
machine for example, is gone with it, and so that it can be stopped.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from conformance.engines.registry import EngineMissing, engine_called
from conformance.protocol import Accepted, Found, Load
from conformance.runner.judging import sources_in
from parte.experiments.scenarios import SCENARIOS, scenario, transfers, uncommon_route
from semantics.events.event import Event
from semantics.events.trace import trace_lines
from semantics.syntax.elaborate import parse
from semantics.syntax.json_form import program_to_json

SPARK = "spark"
Json = Any
Timed = tuple[Sequence[str], float]
"""The matches as one text each, in any order, and the seconds that finding them took."""


class CannotRun(Exception):
    """The engine does not run the scenario; the message says why."""


def data(name: str, count: int, accounts: int, seed: int) -> tuple[tuple[Event, ...], dict[str, Json]]:
    """The trace of a scenario, and the domain as tables: the uncommon ones among the routes of the trace."""
    trace = transfers(count, accounts, seed=seed, claims=name.startswith("C"))
    routes = {
        (str(event.attributes["originator"]), str(event.attributes["destination"]))
        for event in trace
        if "originator" in event.attributes
    }
    return trace, {"uncommon_route": {"true_for": sorted(list(route) for route in routes if uncommon_route(*route))}}


def run_engine(engine: str, name: str, trace: Sequence[Event], domain: Mapping[str, Json]) -> Timed:
    """The matches that an engine of the kit finds. CannotRun if it is missing or refuses."""
    text = scenario(name)
    lines = [json.loads(line) for line in trace_lines(trace)]
    deployment = {"disorder": 0, "sources": sources_in(lines)}
    try:
        made = engine_called(engine)
    except EngineMissing as problem:
        raise CannotRun(str(problem)) from problem
    made.hello()
    accepted = made.load(Load(text, program_to_json(parse(text)), domain, deployment))
    if not isinstance(accepted, Accepted):
        raise CannotRun(str(accepted))
    start = time.perf_counter()
    reply = made.run(lines)
    seconds = time.perf_counter() - start
    if not isinstance(reply, Found):
        raise CannotRun(str(reply))
    return [_text(match["rule"], match["bindings"].items()) for match in reply.matches], seconds


def run_spark(name: str, trace: Sequence[Event], domain: Mapping[str, Json]) -> Timed:
    """The matches that Spark finds, with the log in memory."""
    from algebra.relational.parquet import log_of
    from spark_adapter.match import match
    from spark_adapter.session import session

    program = parse(scenario(name))
    spark = session(settings={"spark.sql.shuffle.partitions": "4"}, memory="3g")
    log = spark.createDataFrame(log_of(program, trace)).cache()
    log.count()
    start = time.perf_counter()
    with match(spark, program, log, domain) as found:
        rows_found = found.all.select("rule", "bindings").collect()
    seconds = time.perf_counter() - start
    texts = [_text(row["rule"], ((pair["variable"], pair["event"]) for pair in row["bindings"])) for row in rows_found]
    return texts, seconds


def _text(rule: str, bindings: Iterable[tuple[str, str]]) -> str:
    return f"{rule}({','.join(f'{variable}={event}' for variable, event in bindings)})"


def measured(request: Mapping[str, Json]) -> dict[str, Json]:
    """What a request asks for: matches, seconds, and whether the matches are those of the indexed evaluator."""
    name, engine = request["scenario"], request["engine"]
    assert name in SCENARIOS
    trace, domain = data(name, request["transfers"], request["accounts"], request["seed"])
    try:
        run: Callable[[], Timed] = (
            (lambda: run_spark(name, trace, domain))
            if engine == SPARK
            else (lambda: run_engine(engine, name, trace, domain))
        )
        found, seconds = run()
    except CannotRun as problem:
        return {"status": str(problem)}
    truth, _ = run_engine("indexed", name, trace, domain)
    return {
        "status": "agrees" if sorted(found) == sorted(truth) else "differs",
        "matches": len(found),
        "missing": len(set(truth) - set(found)),
        "spurious": len(found) - len(set(found) & set(truth)),
        "seconds": seconds,
    }


def measure_apart(request: Mapping[str, Json], budget: float) -> dict[str, Json]:
    """`measured` in a process of its own, which is ended with all its children after `budget` seconds.

    An engine that needs an environment of its own, as Flink does, is run by the Python that the variable
    `PARTE_PYTHON_FLINK` names, which has the project installed too.
    """
    python = os.environ.get(f"PARTE_PYTHON_{request['engine'].upper().replace('-', '_')}", sys.executable)
    command = [python, "-m", __name__, json.dumps(request)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            out, err = process.communicate(timeout=budget)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return {"status": "not within the budget"}
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    if process.returncode != 0:
        last = (err.strip().splitlines() or ["no message"])[-1]
        return {"status": f"failed: {last[:200]}"}
    reply: dict[str, Json] = json.loads(out.strip().splitlines()[-1])
    return reply


if __name__ == "__main__":
    print(json.dumps(measured(json.loads(sys.argv[1]))))
