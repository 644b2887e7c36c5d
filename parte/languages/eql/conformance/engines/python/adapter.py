"""Python EQL, the package `eql`, behind the protocol.

It is not part of this project (AGPL): the user installs it into an environment of its own, and sets PARTE_EQL to the
Python there. The adapter starts that Python with the harness below, sends it queries and events as JSON, and reads the
events of each result back; the keys of a result are read off its first event. An attribute with dots becomes objects
inside each other, and a timestamp is in units of 100 ns, as its documents say.

Its differences from the specification are in docs/engines.md.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Timer
from typing import Any

from parte.conformance.engines.answers import lines_of
from parte.conformance.engines.foreign import EngineFailure, ForeignEngine, Inexpressible, Reading
from parte.conformance.protocol import OPTIONS, Engine, Greeting
from parte.languages.eql.conformance.engine import NAME
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.printer import print_query
from parte.languages.eql.semantics.syntax.readings import DIALECTS, Readings, readings_of
from parte.languages.eql.semantics.syntax.streams import TIEBREAKER, Stream
from parte.languages.eql.semantics.text import parsed
from parte.semantics.events.event import Event
from parte.semantics.events.trace import read_trace
from parte.semantics.source.packages import Unavailable

Json = Any
Program = tuple[tree.Query, Mapping[str, str], int]
"""A query, the options of a run, and the disorder in milliseconds."""

VARIABLE = "PARTE_EQL"
DIALECT = readings_of(DIALECTS["python"])
"""The readings by which the specification describes it."""
_SECONDS = 20.0
TICKS = 10_000
"""Units of its timestamps in a millisecond."""
_VERSION = "import eql, importlib.metadata as m; print(m.version('eql'))"
_HARNESS = """\
import json, sys, time
from eql import Event, PythonEngine, parse_query
from eql.errors import EqlError
from eql.parser import allow_negation, allow_runs, allow_sample, elasticsearch_syntax

def answer(request):
    try:
        with elasticsearch_syntax, allow_negation, allow_runs, allow_sample:
            query = parse_query(request["query"])
        engine = PythonEngine()
        engine.add_query(query)
    except EqlError as error:
        return {"rejected": error.error_msg}
    results = []
    events = [Event(*event) for event in request["events"]]
    places = {id(event): place for place, event in enumerate(events)}
    engine.add_output_hook(lambda output: results.append([places[id(event)] for event in output.events]))
    before = time.process_time()
    engine.stream_events(events)
    return {"results": results, "seconds": time.process_time() - before}

for line in sys.stdin:
    try:
        reply = answer(json.loads(line))
    except Exception as error:
        reply = {"failed": type(error).__name__ + ": " + str(error)}
    print(json.dumps(reply), flush=True)
"""


def installation() -> str:
    """Return the version of the package that PARTE_EQL names. Raise Unavailable, which says what to do."""
    python = shutil.which(os.environ.get(VARIABLE, ""))
    run = python and subprocess.run([python, "-I", "-c", _VERSION], capture_output=True, text=True, check=False)
    if not run or run.returncode:
        raise Unavailable(
            "the engine eql-python needs the package eql, which is not part of this project",
            f"install eql into a virtual environment of its own, and set {VARIABLE} to the Python of that environment",
        )
    return run.stdout.strip()


def engine() -> Engine:
    """Return the engine behind the protocol. Raise Unavailable if it is not installed."""
    harness = Harness()
    reading: Reading[Program, Sequence[Event]] = Reading(
        lambda load: (parsed(load.text).query, load.options, int(load.deployment.get("disorder", 0))), _events
    )
    greeting = Greeting("Python EQL", installation(), features=("text", OPTIONS), languages=(NAME,))
    return ForeignEngine(greeting, reading, lambda program: compiled(harness, *program[:2]))


def _events(program: Program, trace: Sequence[Json]) -> Sequence[Event]:
    """Return the events of a trace in the order of arrival. Raise TraceError if there is no such trace."""
    query, options, disorder = program
    spanned = isinstance(query, tree.Sequence) and query.maxspan is not None
    stream = Stream(readings_of(options), disorder=disorder, spanned=spanned)
    arrived = [stream.add(item) for item in read_trace(lines_of(trace), nulls=True)]
    return [item.event for item in arrived if item is not None]


@dataclass(slots=True)
class Harness:
    """A process of the user's Python, which is started when it is needed, and ended when it takes too long."""

    _process: subprocess.Popen[str] | None = field(default=None, init=False)

    def ask(self, query: tree.Query, events: Sequence[Event], limit: float = _SECONDS) -> Mapping[str, Json]:
        """Return the `results` of a query, as lists of places of events, and the `seconds` of processor time.

        Raise Inexpressible if it rejects the query, EngineFailure if it fails or takes longer than `limit` seconds.
        """
        sent = [(event.template, event.timestamp * TICKS, _nested(event)) for event in events]
        process = self._process = self._process or subprocess.Popen(
            [os.environ[VARIABLE], "-I", "-c", _HARNESS],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        )
        assert process.stdin is not None
        assert process.stdout is not None
        timer = Timer(limit, process.kill)
        timer.start()
        try:
            process.stdin.write(json.dumps({"query": print_query(query), "events": sent}) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            timer.cancel()
        if not line:
            self.close()
            raise EngineFailure(f"Python EQL stopped, or did not answer in {limit:g} s")
        reply: Mapping[str, Json] = json.loads(line)
        if "rejected" in reply:
            raise Inexpressible(f"it rejects the query: {reply['rejected']}")
        if "failed" in reply:
            raise EngineFailure(f"Python EQL stopped: {reply['failed']}")
        return reply

    def close(self) -> None:
        """End the process; another one is started when it is needed."""
        if self._process is not None:
            self._process.kill()
            with contextlib.suppress(BrokenPipeError):
                self._process.communicate()
            self._process = None

    __del__ = close


def compiled(
    harness: Harness, query: tree.Query, options: Mapping[str, str]
) -> Callable[[Sequence[Event]], list[Json]]:
    """Return a query that is ready for traces. Raise Inexpressible if it has no such query."""
    if TIEBREAKER in options:
        raise Inexpressible("it has no tiebreaker")
    chosen, usual = readings_of(options), Readings()
    for name in Readings.__dataclass_fields__:
        if getattr(chosen, name) not in (getattr(usual, name), getattr(DIALECT, name)):
            raise Inexpressible(f"it has no reading {name}={getattr(chosen, name)}")
    harness.ask(query, ())

    def find(events: Sequence[Event]) -> list[Json]:
        places_of_results = harness.ask(query, events)["results"]
        return [_result(query, [events[place] for place in places]) for places in places_of_results]

    return find


def _result(query: tree.Query, events: Sequence[Event]) -> Json:
    """Return a result in the notation of EQL."""
    keys: tuple[tree.Field, ...] = ()
    if not isinstance(query, tree.Single):
        stages = query.items if isinstance(query, tree.Sample) else tree.positive(query)
        keys = tree.keys_of(query, stages[0])
    values = [events[0].attributes.get(key.name) if events else None for key in keys]
    return {"keys": values, "events": [event.id for event in events]}


def _nested(event: Event) -> Json:
    """Return attributes as objects inside each other. Raise Inexpressible if a name is also the beginning of one."""
    nested: dict[str, Json] = {}
    for name, value in event.attributes.items():
        *path, last = name.split(".")
        inner: Json = nested
        for part in path:
            inner = inner.setdefault(part, {}) if isinstance(inner, dict) else inner
        if not isinstance(inner, dict) or last in inner:
            raise Inexpressible("an attribute beside one inside it")
        inner[last] = list(value) if isinstance(value, tuple) else value
    return nested
