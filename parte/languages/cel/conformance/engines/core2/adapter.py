"""CORE2 behind the protocol: its jar runs as a process, one for each trace, on files.

We may not distribute the jar: CORE2 is under the GPL, and the user names the file. Its command prints each result on
standard error, with the interval and the events by their indices, which are positions.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import Any

from parte.conformance.engines.answers import lines_of
from parte.conformance.engines.foreign import EngineFailure, ForeignEngine, Inexpressible, Reading
from parte.conformance.protocol import Engine, Greeting, Load
from parte.languages.cel.conformance.engine import NAME
from parte.languages.cel.conformance.engines.core2.queries import Asked, files_for, query_text
from parte.languages.cel.running import result_to_json
from parte.languages.cel.semantics.syntax import tree
from parte.languages.cel.semantics.syntax.streams import stream
from parte.languages.cel.semantics.text import parsed
from parte.semantics.events.complex_event import ComplexEvent
from parte.semantics.events.event import Event
from parte.semantics.events.trace import read_trace
from parte.semantics.source.packages import Unavailable

Json = Any
VARIABLE = "PARTE_CORE2_JAR"
SECONDS = 20.0
"""The time limit of a run."""

_MOST_OUTPUT = 2**24
_OPTIONS = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx512m")
_RESULT = re.compile(r"^\tIn interval \[(\d+), (\d+)\]: (.*)$", re.MULTILINE)
_EVENT = re.compile(r"\(id=(\d+)\)")
_REJECTED = re.compile(r"^\w*(?:Statement|Name|Value|Type)Exception: (.*)$", re.MULTILINE)
"""The message of its parser, below the line of the query."""
_FAILURE = re.compile(r"^(?:Exception in thread \S+ |Caused by: )?([\w.$]*(?:Exception|Error)\b.*)$", re.MULTILINE)
_VERSION = re.compile(rb"^Implementation-Version: *(\S+)", re.MULTILINE)
_HINT = (
    f"set {VARIABLE} to a jar of CORE2 with all that it needs (its `fatJar`; github.com/dtim-upc/CORE2, branch "
    "distributed_enumeration), under the GPL"
)


@dataclass(frozen=True, slots=True)
class Installation:
    """The command `java`, and the jar."""

    java: str
    jar: Path


def installation() -> Installation:
    """Return the paths that CORE2 needs. Raise Unavailable, which says what is missing and what to do."""
    named = os.environ.get(VARIABLE)
    if not named:
        raise Unavailable(f"the engine core2 needs the jar of CORE2, and {VARIABLE} is not set", _HINT)
    jar = Path(named).absolute()
    if not jar.is_file():
        raise Unavailable(f"the engine core2 needs the jar of CORE2: {VARIABLE} is {named}, which is no file", _HINT)
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=None if home is None else str(Path(home, "bin")))
    if java is None:
        where = "on the PATH" if home is None else f"in JAVA_HOME, which is {home}"
        raise Unavailable(f"the engine core2 needs a Java: there is no java {where}", "install Java 11 or later")
    return Installation(java, jar)


def version(jar: Path) -> str:
    """Return the version in the jar's manifest, or "unknown"."""
    try:
        with zipfile.ZipFile(jar) as archive:
            match = _VERSION.search(archive.read("META-INF/MANIFEST.MF"))
    except (OSError, KeyError, zipfile.BadZipFile):
        return "unknown"
    return match[1].decode("utf-8", "replace") if match else "unknown"


def core2() -> Engine:
    """Return CORE2 behind the protocol. Raise Unavailable without its jar or a Java."""
    installed = installation()
    greeting = Greeting("CORE2", version(installed.jar), ("text",), languages=(NAME,))
    reading = Reading(_query, _stream)
    return ForeignEngine(greeting, reading, lambda query: _compiled(installed, query))


def _query(request: Load) -> tree.Query:
    return parsed(request.text).query


def _stream(query: tree.Query, trace: Sequence[Json]) -> Sequence[Event]:
    return stream(query, read_trace(lines_of(trace)))


def _compiled(installed: Installation, query: tree.Query) -> Callable[[Sequence[Event]], list[Json]]:
    text = query_text(query)

    def find(events: Sequence[Event]) -> list[Json]:
        return [result_to_json(result, events) for result in results(run(installed, files_for(query, text, events)))]

    return find


def run(installed: Installation, files_to_read: Asked, limit: float = SECONDS) -> str:
    """Return what CORE2 writes to standard error. Raise Inexpressible if it rejects the query; EngineFailure if it does
    not end, writes too much, or stops."""
    with tempfile.TemporaryDirectory(prefix="parte-core2-") as folder:
        files = {
            "declarations": files_to_read.declarations,
            "query": files_to_read.query,
            "events": files_to_read.events,
            "queries": "FILE:declarations\nFILE:query\n",
            "streams": "S:FILE:events\n",
        }
        for name, text in files.items():
            Path(folder, name).write_text(text, encoding="utf-8")
        # `-o`: offline, it opens no port; `-f`: fast, it does not wait between events.
        command = [installed.java, *_OPTIONS, "-jar", str(installed.jar), "-o", "-f", "-q", "queries", "-s", "streams"]
        process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        timer = Timer(limit, process.kill)
        timer.start()
        with process:
            assert process.stderr is not None
            output = process.stderr.read(_MOST_OUTPUT + 1)
            ended = timer.is_alive()
            if len(output) > _MOST_OUTPUT:
                process.kill()
        timer.cancel()
        text = output[:_MOST_OUTPUT].decode("utf-8", "replace")
    if len(output) > _MOST_OUTPUT:
        raise EngineFailure(f"it said more than {_MOST_OUTPUT:,} bytes")
    if not ended:
        raise EngineFailure(f"it did not end within {limit:.0f} seconds")
    rejected = _REJECTED.search(text)
    if process.returncode and rejected is not None:
        raise Inexpressible(f"CORE2 rejects the query: {rejected[1]}"[:500])
    stopped = _FAILURE.search(text)
    if process.returncode or stopped is not None:
        raise EngineFailure(f"CORE2 stopped: {stopped[1] if stopped else f'exit code {process.returncode}'}"[:500])
    return text


def results(output: str) -> list[ComplexEvent]:
    """Return the printed results, in order, repeated ones too."""
    return [
        ComplexEvent(int(end), int(start), tuple(sorted(map(int, _EVENT.findall(events)))))
        for start, end, events in _RESULT.findall(output)
    ]
