"""Sessions with engines in processes of their own, which may behave arbitrarily.

All input is bounded, every wait has a timeout, and the process ends together with its process group. A child that left
the group is found by a token in its environment, where the system shows environments.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import selectors
import signal
import subprocess
import time
from collections.abc import Sequence
from typing import IO

from parte.conformance.messages import OutOfSequence, excess, reply_from_json, request_to_json
from parte.conformance.protocol import MAX_REPLY, Bye, ProtocolError, Reply, Request
from parte.conformance.runner import guard
from parte.conformance.runner.guard import kill_by_token
from parte.conformance.runner.sessions import EngineFault, Fault
from parte.semantics.events.strictjson import MalformedJson, decode

KEPT_STDERR = 2**14
"""Bytes of standard error that are stored, the last ones."""

_CHUNK = 2**16
_TOKEN = "PARTE_CONFORM_TOKEN"
_FAREWELL_SECONDS = 1.0
_LOOK_SECONDS = 0.25
"""The interval at which a silent engine is checked for being alive."""


class ProcessSession:
    """A conversation with a process over its standard streams.

    EngineFault if the command cannot be started.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._token = secrets.token_hex(16)
        guard.watch(self._token)
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
                env=os.environ | {_TOKEN: self._token},
            )
        except (OSError, ValueError) as error:
            raise EngineFault(Fault.CRASH, f"the engine cannot be started: {error}") from None
        guard.watch(self._token, self._process.pid)
        self._stdin, self._stdout, self._stderr = (
            _stream(pipe) for pipe in (self._process.stdin, self._process.stdout, self._process.stderr)
        )
        for pipe in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(pipe.fileno(), False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._stdout, selectors.EVENT_READ)
        self._selector.register(self._stderr, selectors.EVENT_READ)
        self._received = bytearray()
        self._stderr_tail = bytearray()  # on standard error
        self._replied = False
        self._seq = 0
        self._closed = False

    # --- Asking -----------------------------------------------------------------------------------------------------

    def ask(self, request: Request, timeout: float) -> Reply:
        """Return the reply to a request. EngineFault if there is none in time, or if it violates the protocol."""
        deadline = time.monotonic() + timeout
        self._seq += 1
        self._peek()
        if self._received:
            raise self._fault(
                Fault.BREACH, f"the engine wrote before it was asked: {_excerpt(self._received)}", unasked=True
            )
        message = json.dumps(request_to_json(request, self._seq), ensure_ascii=False, allow_nan=False)
        line = self._exchange(message.encode("utf-8", "backslashreplace") + b"\n", deadline, timeout)
        try:
            too_much = excess(line)
            if too_much is not None:
                raise self._fault(Fault.BREACH, f"the reply is too large, for {too_much}: {_excerpt(line)}")
            return reply_from_json(decode(line.decode("utf-8")), self._seq)
        except UnicodeDecodeError:
            raise self._fault(Fault.BREACH, f"the reply is not UTF-8: {_excerpt(line)}") from None
        except MalformedJson as error:
            raise self._fault(Fault.BREACH, f"the reply is no JSON ({error.message}): {_excerpt(line)}") from None
        except OutOfSequence as error:
            raise self._fault(Fault.BREACH, f"{error}: {_excerpt(line)}", unasked=error.earlier) from None
        except ProtocolError as error:
            raise self._fault(Fault.BREACH, f"{error}: {_excerpt(line)}") from None

    def _peek(self) -> None:
        with contextlib.suppress(OSError):
            self._received += os.read(self._stdout.fileno(), _CHUNK)

    def _exchange(self, message: bytes, deadline: float, timeout: float) -> bytes:
        """Write the message while reading, up to the end of one line."""
        unsent = memoryview(message)
        sought = 0
        self._selector.register(self._stdin, selectors.EVENT_WRITE)
        try:
            while (end := self._received.find(b"\n", sought)) < 0:
                sought = len(self._received)
                if len(self._received) > MAX_REPLY:
                    raise self._fault(Fault.BREACH, f"the reply is longer than {MAX_REPLY} bytes")
                left = deadline - time.monotonic()
                if timeout <= 0:
                    raise self._fault(Fault.TIMEOUT, "no time is left to ask")
                if left <= 0:
                    raise self._fault(Fault.TIMEOUT, f"no reply within {timeout:.3g} s{self._heard_so_far()}")
                ready = self._selector.select(min(left, _LOOK_SECONDS))
                if not ready and self._ended_within(0.0):
                    # A child may keep the streams open, so their end would never come.
                    raise self._fault(Fault.CRASH, f"the engine {self._ending(deadline)} without a reply")
                for key, _ in ready:
                    if key.fileobj is self._stdin:
                        unsent = self._write(unsent)
                    else:
                        self._read(key.fileobj is self._stdout, deadline)
        finally:
            self._unregister(self._stdin)
        line = bytes(self._received[:end])
        del self._received[: end + 1]
        self._replied = True
        return line

    def _heard_so_far(self) -> str:
        """Return a possible reason for the silence of an engine: its output may still be in a buffer."""
        if self._received:
            return f", but {len(self._received):,} bytes of a line that does not end: a reply ends with a line end"
        return "" if self._replied else ", and nothing at all before: does it flush its output after every reply?"

    def _write(self, unsent: memoryview) -> memoryview:
        try:
            unsent = unsent[os.write(self._stdin.fileno(), unsent[:_CHUNK]) :]
        except BlockingIOError:
            return unsent
        except OSError:
            # It closed its standard input; its earlier output is still read.
            self._unregister(self._stdin)
            return unsent[:0]
        if not unsent:
            self._unregister(self._stdin)
        return unsent

    def _read(self, is_stdout: bool, deadline: float) -> None:
        pipe = self._stdout if is_stdout else self._stderr
        try:
            chunk = os.read(pipe.fileno(), _CHUNK)
        except BlockingIOError:
            return
        if not is_stdout:
            self._stderr_tail += chunk
            del self._stderr_tail[:-KEPT_STDERR]
            if not chunk:
                self._unregister(self._stderr)
            return
        if not chunk:
            self._unregister(self._stdout)
            raise self._fault(Fault.CRASH, f"the engine {self._ending(deadline)} without a reply")
        self._received += chunk

    def _ending(self, deadline: float) -> str:
        """Return how a process ended that closed its standard output."""
        if not self._ended_within(max(0.0, min(deadline - time.monotonic(), _FAREWELL_SECONDS))):
            return "closed its standard output"
        status = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
        assert status is not None
        if status.si_code == os.CLD_EXITED:
            return f"ended with exit code {status.si_status}"
        with contextlib.suppress(ValueError):
            return f"was killed by {signal.Signals(status.si_status).name}"
        return f"was killed by signal {status.si_status}"

    def _ended_within(self, seconds: float) -> bool:
        """Return whether the process ends in time. It is not reaped: its id, which is that of its group, stays
        taken."""
        deadline = time.monotonic() + seconds
        while os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.002)
        return True

    def _unregister(self, pipe: IO[bytes]) -> None:
        with contextlib.suppress(KeyError):
            self._selector.unregister(pipe)

    def _fault(self, fault: Fault, message: str, *, unasked: bool = False) -> EngineFault:
        with contextlib.suppress(OSError):
            self._stderr_tail += os.read(self._stderr.fileno(), _CHUNK)
        stderr = self._stderr_tail[-KEPT_STDERR:].decode("utf-8", "replace")
        return EngineFault(fault, message, stderr, unasked=unasked)

    # --- Ending -----------------------------------------------------------------------------------------------------

    def farewell(self) -> None:
        """Send `bye` and wait a moment. EngineFault if the engine has written more than its replies; it need not
        reply."""
        try:
            self.ask(Bye(), _FAREWELL_SECONDS)
        except EngineFault as fault:
            if fault.unasked:
                raise
        self._close_pipe(self._stdin)
        self._ended_within(_FAREWELL_SECONDS)
        self._peek()
        if self._received:
            raise self._fault(
                Fault.BREACH, f"the engine wrote after its last reply: {_excerpt(self._received)}", unasked=True
            )

    def kill(self) -> None:
        """Kill the process group at once, also from another thread; a waiting `ask` raises EngineFault."""
        if not self._closed:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def close(self, *, politely: bool = False) -> None:
        """End the process, its group, and processes that left the group; with `politely`, send `bye` and wait a moment
        first."""
        if self._closed:
            return
        self._closed = True
        if politely:
            with contextlib.suppress(EngineFault):
                self.farewell()
        # The leader was not reaped, so this id still belongs to its group and to no other.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        kill_by_token(self._token)
        guard.forget(self._token)
        self._selector.close()
        for pipe in (self._stdin, self._stdout, self._stderr):
            self._close_pipe(pipe)

    @staticmethod
    def _close_pipe(pipe: IO[bytes]) -> None:
        with contextlib.suppress(OSError):
            pipe.close()


def _stream(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None
    return pipe


def _excerpt(content: bytes | bytearray) -> str:
    return repr(bytes(content[:120]))[1:] + ("…" if len(content) > 120 else "")
