"""Questions to the solver: every question is named, timed and bounded; none hangs.

A session keeps one solver context for a whole program. Formulas of a rule are pushed and popped, and formulas of a
single question are passed with it.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from ctypes import c_uint
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from threading import Lock, Thread, local
from typing import Any

from parte.checker.solver.backend import z3
from parte.checker.solver.terms import Formula, Number

DEFAULT_TIMEOUT = 10.0
"""The time limit for one question, in seconds; after it, the question is not decided."""

_GRACE = 0.5
"""The solver checks its own clock only now and then: this many seconds after the limit it is interrupted."""

_WATCH = 0.2
"""The interval of the watchdog, in seconds."""

MEMORY = 700
"""The most megabytes that a question may take beside the memory in use; beyond, the solver stops."""

_THREADS = sys.platform != "emscripten"
"""Python in a browser has no threads: nothing can interrupt the solver there, and its own clock is a thread too."""

_STEPS = 1_000_000
"""The solver's steps in about a second in a browser on integers; nonlinear questions on reals may take many times as
long."""

_allowed = MEMORY


def limit_memory(megabytes: int) -> None:
    """Set how many megabytes a question may take from now on."""
    global _allowed
    _allowed = megabytes


def _limit() -> None:
    """Set the solver's memory limit. The solver counts all of the memory that the process has from it."""
    held = z3.Z3_get_estimated_alloc_size() // 2**20
    z3.set_param("memory_high_watermark_mb", held + _allowed)


class Status(Enum):
    """The answer of the solver."""

    SATISFIABLE = "satisfiable"
    UNSATISFIABLE = "unsatisfiable"
    UNKNOWN = "unknown"


def status_of(result: Any) -> Status:
    """Return the status for an answer of z3."""
    if result == z3.sat:
        return Status.SATISFIABLE
    return Status.UNSATISFIABLE if result == z3.unsat else Status.UNKNOWN


@dataclass(frozen=True, slots=True)
class Query:
    """A question that was asked: its name, the answer, and its time."""

    name: str
    status: Status
    seconds: float


class Model:
    """Values that satisfy a question."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def number(self, term: Number) -> Fraction:
        """Return the value of a number; an irrational one is cut off after many digits."""
        value = self._model.eval(term, model_completion=True)
        if z3.is_algebraic_value(value):
            value = value.approx(60)
        return (
            Fraction(int(value.numerator_as_long()), int(value.denominator_as_long()))
            if z3.is_rational_value(value)
            else Fraction(int(value.as_long()))
        )

    def truth(self, formula: Formula) -> bool:
        """Return the value of a formula."""
        return bool(z3.is_true(self._model.eval(formula, model_completion=True)))

    def text(self, term: object) -> str:
        """Return the value of a sequence of characters."""
        value = z3.simplify(self._model.eval(term, model_completion=True))
        number = z3.Z3_get_string_length(value.ctx_ref(), value.as_ast())
        codes = (c_uint * max(1, number))()
        z3.Z3_get_string_contents(value.ctx_ref(), value.as_ast(), number, codes)
        return "".join(map(chr, codes[:number]))

    def signed(self, term: object) -> int:
        """Return the value of a word, signed."""
        return int(self._model.eval(term, model_completion=True).as_signed_long())

    def unsigned(self, term: object) -> int:
        """Return the value of a word, unsigned."""
        return int(z3.simplify(self._model.eval(term, model_completion=True)).as_long())


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question. `core` are labels of formulas that contradict each other, `model` satisfying values."""

    status: Status
    core: tuple[str, ...] = ()
    model: Model | None = None


@dataclass(slots=True)
class Journal:
    """All the questions of one check, in order."""

    queries: list[Query] = field(default_factory=list)


class _Watchdog:
    """One thread that interrupts questions which exceed their limit.

    A thread for each question would cost more than most questions do; this one only checks now and then.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._watched: dict[int, tuple[float, Callable[[], None]]] = {}
        self._running = False
        self._next = 0

    @contextmanager
    def watching(self, seconds: float, interrupt: Callable[[], None]) -> Iterator[None]:
        """Call `interrupt` if the body takes longer than `seconds`."""
        with self._lock:
            number = self._next
            self._next += 1
            self._watched[number] = (time.monotonic() + seconds, interrupt)
            if not self._running:
                self._running = True
                Thread(target=self._run, name="solver watchdog", daemon=True).start()
        try:
            yield
        finally:
            with self._lock:
                self._watched.pop(number, None)

    def _run(self) -> None:
        while True:
            time.sleep(_WATCH)
            now = time.monotonic()
            with self._lock:
                # Interrupts again and again until the question stops: an interrupt that comes too early is lost.
                for deadline, interrupt in self._watched.values():
                    if now > deadline:
                        interrupt()


_WATCHDOG = _Watchdog()


class _Asking(local):
    """The thread that asks the solver for another thread, which can be interrupted while it waits."""

    def __init__(self) -> None:
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="solver")


_ASKING = _Asking()


def _anew() -> None:
    """Replace the threads in a forked process, which has none of its parent's."""
    global _WATCHDOG, _ASKING
    _WATCHDOG, _ASKING = _Watchdog(), _Asking()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_anew)


def bounded(solver: Any, limit: float) -> Any:
    """Return the solver, bounded in time, and with Ctrl-C left to Python: by default z3 answers *unknown* to it."""
    if _THREADS:
        solver.set("timeout", max(1, int(limit * 1000)))
    else:
        solver.set("rlimit", max(1, int(limit * _STEPS)))
    solver.set("ctrl_c", False)
    return solver


def solve(solver: Any, limit: float, literals: Sequence[Any] = ()) -> Status:
    """Return the answer of a `bounded` solver; UNKNOWN some time after `limit` seconds.

    Ctrl-C interrupts it, and raises KeyboardInterrupt as anywhere else. Python handles signals only in its main thread,
    and not while that is inside the solver: so another thread asks.
    """
    _limit()
    if not _THREADS:
        try:
            return status_of(solver.check(*literals))
        except z3.Z3Exception:
            return Status.UNKNOWN
    until = time.monotonic() + limit + _GRACE
    interrupted = False
    try:
        with _WATCHDOG.watching(limit + _GRACE, solver.ctx.interrupt):
            question = _ASKING.thread.submit(solver.check, *literals)
            try:
                return status_of(question.result())
            except z3.Z3Exception:
                return Status.UNKNOWN
            except BaseException:
                interrupted = True
                while not question.done():  # an interrupt that comes before the question has begun is lost
                    solver.ctx.interrupt()
                    time.sleep(0.01)
                raise
    finally:
        if interrupted or time.monotonic() > until:
            # An interrupt that comes after the answer cancels whatever is next but a question, which clears it.
            z3.Solver(ctx=solver.ctx).check()


class Session:
    """One solver context. A `fresh` one is for a single question: nothing is pushed, which makes the solver faster."""

    def __init__(
        self, timeout: float = DEFAULT_TIMEOUT, journal: Journal | None = None, *, fresh: bool = False
    ) -> None:
        self.timeout = timeout
        self.journal = Journal() if journal is None else journal
        self._fresh = fresh
        self._solver: Any = z3.Solver()
        self._labels: dict[str, Any] = {}

    @contextmanager
    def scope(self, *formulas: Formula) -> Iterator[None]:
        """Drop the formulas that are added inside the `with` block at its end."""
        if self._fresh:
            self.add(*formulas)
            yield
            return
        self._solver.push()
        try:
            self.add(*formulas)
            yield
        finally:
            self._solver.pop()

    def add(self, *formulas: Formula) -> None:
        """Assume formulas for the questions to come."""
        if formulas:
            self._solver.add(*formulas)

    def ask(
        self,
        name: str,
        *formulas: Formula,
        labelled: Mapping[str, Formula] | None = None,
        timeout: float | None = None,
    ) -> Answer:
        """Ask whether the formulas and the assumed ones can hold together. If not, the core names labelled formulas."""
        limit = self.timeout if timeout is None else min(timeout, self.timeout)
        started = time.perf_counter()
        if limit <= 0:
            return self._record(name, Status.UNKNOWN, started)
        with self.scope(*formulas):
            literals = {}
            for label, formula in (labelled or {}).items():
                literal = self._literal(label)
                literals[str(literal)] = label
                self._solver.add(z3.Implies(literal, formula))
            status = solve(bounded(self._solver, limit), limit, [self._labels[label] for label in literals.values()])
            if status is Status.UNSATISFIABLE:
                core = tuple(literals[str(literal)] for literal in self._solver.unsat_core())
                order = {label: number for number, label in enumerate(labelled or {})}
                self._record(name, status, started)
                return Answer(status, tuple(sorted(core, key=order.__getitem__)))
            model = Model(self._solver.model()) if status is Status.SATISFIABLE else None
        self._record(name, status, started)
        return Answer(status, model=model)

    def _literal(self, label: str) -> Any:
        if label not in self._labels:
            self._labels[label] = z3.Bool(f"label!{len(self._labels)}")
        return self._labels[label]

    def _record(self, name: str, status: Status, started: float) -> Answer:
        self.journal.queries.append(Query(name, status, time.perf_counter() - started))
        return Answer(status)


@dataclass(frozen=True, slots=True)
class Core:
    """Labels of formulas that contradict each other. With `minimal`, none of them can be left out."""

    labels: tuple[str, ...]
    minimal: bool = False


def minimal_core(session: Session, name: str, labelled: Mapping[str, Formula], core: Sequence[str]) -> Core:
    """Return a core within `core` of which no member can be left out, as far as the time of one question allows."""
    remaining, minimal = list(core), True
    until = time.perf_counter() + session.timeout
    for label in core:
        if label not in remaining:
            continue
        rest = [member for member in remaining if member != label]
        left = until - time.perf_counter()
        question = f"{name}: without {label}"
        answer = session.ask(question, labelled={member: labelled[member] for member in rest}, timeout=left)
        if answer.status is Status.UNSATISFIABLE:
            remaining = [member for member in rest if member in answer.core]
        minimal = minimal and answer.status is not Status.UNKNOWN
    return Core(tuple(remaining), minimal)
