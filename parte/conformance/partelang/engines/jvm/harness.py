"""A Java process with an engine: a request and a reply are a line of JSON each."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import weakref
from typing import Any

from parte.conformance.engines.foreign import EngineFailure, Inexpressible
from parte.conformance.partelang.engines.jvm.jdk import Installation
from parte.conformance.protocol import MAX_REPLY

Json = Any

# One thread collects garbage and little is compiled: cases are short, and several engines may run side by side.
_OPTIONS = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xss16m")
_ENDING_SECONDS = 5.0


class Harness:
    """A process that starts with the first request, and ends with the object or with its standard input."""

    def __init__(self, installed: Installation) -> None:
        path = os.pathsep.join(map(str, (installed.classes, *installed.jars)))
        self._name = installed.name
        self._command = (installed.java, *_OPTIONS, *installed.options, "-cp", path, installed.main)
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, request: Json) -> Json:
        """Return the reply. Inexpressible or EngineFailure if the harness reports it; a process that ended is started
        again."""
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(request, allow_nan=False).encode("ascii") + b"\n")
            process.stdin.flush()
            line = process.stdout.readline(MAX_REPLY)
        except OSError:
            line = b""
        if not line.endswith(b"\n"):
            self.close()
            raise EngineFailure("the Java process ended, or replied with more than a line may hold; see standard error")
        reply = json.loads(line)
        if "unsupported" in reply:
            raise Inexpressible(str(reply["unsupported"]))
        if "error" in reply:
            raise EngineFailure(f"{self._name} stopped: {reply['error']}"[:2000])
        return reply

    def close(self) -> None:
        """End the process, if there is one."""
        if self._process is not None:
            _end(self._process)
            self._process = None

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            # Standard error is that of this process, so that a runner can store it.
            self._process = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            weakref.finalize(self, _end, self._process)
        return self._process


def _end(process: subprocess.Popen[bytes]) -> None:
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
    try:
        process.wait(_ENDING_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
