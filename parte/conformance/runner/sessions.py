"""Sessions: conversations with an engine, in this process or in one of its own, and their faults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Protocol

from parte.conformance.protocol import Engine, Failed, Reply, Request, answer


class Fault(Enum):
    """The ways in which an engine fails to reply."""

    CRASH = "crash"
    TIMEOUT = "timeout"
    BREACH = "breach"


class EngineFault(Exception):
    """A missing reply, or one that violates the protocol. The session is over; `stderr` is the engine's last output.

    `unasked` is true if the engine had written more than its replies to earlier requests.
    """

    def __init__(self, fault: Fault, message: str, stderr: str = "", *, unasked: bool = False) -> None:
        super().__init__(message)
        self.fault = fault
        self.message = message
        self.stderr = stderr
        self.unasked = unasked

    def __reduce__(self) -> tuple[Callable[..., EngineFault], tuple[Fault, str, str]]:
        # By default an exception is rebuilt from its message, which fails when it is sent to another process.
        return partial(EngineFault, unasked=self.unasked), (self.fault, self.message, self.stderr)


class Session(Protocol):
    """A conversation. After an EngineFault it must be closed and another begun."""

    def ask(self, request: Request, timeout: float) -> Reply:
        """Return the reply to a request within so many seconds, or raise EngineFault."""
        ...

    def farewell(self) -> None:
        """Send `bye` and wait a moment. EngineFault if the engine has written more than its replies; it need not
        reply."""
        ...

    def kill(self) -> None:
        """End it soon; may be called from another thread."""
        ...

    def close(self, *, politely: bool = False) -> None:
        """End it, and the engine with all its processes; with `politely`, after a `bye`."""
        ...


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """An engine: its label in reports, its name on a command line, and a function that starts a session.

    An engine in this process, or one that starts many processes, is `alone`: it has one session at a time.
    """

    label: str
    command: str
    start: Callable[[], Session]
    alone: bool = False


@dataclass(slots=True)
class LocalSession:
    """A session with an engine of this process. Its exceptions are reported as failures of the engine.

    It cannot be interrupted, and is not confined: use it only for the project's own code, such as mutants. For a
    language of the project no command line leads here.
    """

    engine: Engine

    def ask(self, request: Request, timeout: float) -> Reply:
        """Return the engine's answer; the timeout is not enforced."""
        if timeout <= 0:
            raise EngineFault(Fault.TIMEOUT, "no time is left")
        try:
            return answer(self.engine, request)
        except Exception as error:  # an error of an engine must not end the run
            return Failed(f"{type(error).__name__}: {error}")

    def farewell(self) -> None:
        """Do nothing: an engine that is called writes nothing more."""

    def kill(self) -> None:
        """Do nothing: a call in this process cannot be interrupted."""

    def close(self, *, politely: bool = False) -> None:
        """Do nothing: there is nothing to close."""
