"""Sessions: a conversation with an engine, in this process or in one of its own, and what can go wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Protocol

from parte.conformance.protocol import Engine, Failed, Reply, Request, answer


class Fault(Enum):
    """How an engine failed to reply."""

    CRASH = "crash"
    TIMEOUT = "timeout"
    BREACH = "breach"


class EngineFault(Exception):
    """No reply, or none that the protocol allows. The session is over; `stderr` is the last that the engine wrote.

    `unasked` says that the engine wrote more than replies to what it had been asked before.
    """

    def __init__(self, fault: Fault, message: str, stderr: str = "", *, unasked: bool = False) -> None:
        super().__init__(message)
        self.fault = fault
        self.message = message
        self.stderr = stderr
        self.unasked = unasked

    def __reduce__(self) -> tuple[Callable[..., EngineFault], tuple[Fault, str, str]]:
        # An exception is rebuilt from its message otherwise, which fails when it crosses between processes.
        return partial(EngineFault, unasked=self.unasked), (self.fault, self.message, self.stderr)


class Session(Protocol):
    """A conversation. After an EngineFault it must be closed and another begun."""

    def ask(self, request: Request, timeout: float) -> Reply:
        """The reply to a request within so many seconds, or EngineFault."""
        ...

    def farewell(self) -> None:
        """Say `bye` and wait a moment. EngineFault if the engine has said more than it was asked; it need not reply."""
        ...

    def kill(self) -> None:
        """Make it end soon; may be called from another thread."""
        ...

    def close(self, *, politely: bool = False) -> None:
        """End it, and the engine with all that it started; `politely` after a `bye`."""
        ...


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """An engine by the label that reports use, how to begin a session with it, and how to name it on a command line.

    One of this process, or one that starts much of its own, is `alone`: there is one session with it at a time.
    """

    label: str
    command: str
    start: Callable[[], Session]
    alone: bool = False


@dataclass(slots=True)
class LocalSession:
    """A session with an engine of this process. What it raises is told as a failure of the engine.

    It cannot be interrupted, and may do whatever this process may: so it is for the project's own code, such as
    mutants; for a language of the project no command line leads here.
    """

    engine: Engine

    def ask(self, request: Request, timeout: float) -> Reply:
        """The engine's answer; the timeout is not enforced."""
        if timeout <= 0:
            raise EngineFault(Fault.TIMEOUT, "no time is left")
        try:
            return answer(self.engine, request)
        except Exception as error:  # an engine's mistake must not end the run
            return Failed(f"{type(error).__name__}: {error}")

    def farewell(self) -> None:
        """An engine that is called says nothing unasked."""

    def kill(self) -> None:
        """A call in this process cannot be interrupted."""

    def close(self, *, politely: bool = False) -> None:
        """Nothing is left behind."""
