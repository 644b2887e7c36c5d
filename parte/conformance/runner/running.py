"""Running cases on an engine: one session per worker, started again after a fault; no case affects another.

Surplus output after a reply is noticed only with the next case or with `bye`; so a worker holds back its last result
until then.
"""

from __future__ import annotations

import shlex
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from queue import Empty, SimpleQueue
from random import Random

from parte.conformance.constructs import NODE
from parte.conformance.protocol import (
    DEFAULT_LANGUAGE,
    INCREMENTAL,
    OPTIONS,
    OWN_IDS,
    PROTOCOL,
    PROTOCOLS,
    Greeting,
    Hello,
)
from parte.conformance.results import LONGEST_TEXT, CaseVerdict, EngineInfo, Result, some_matches
from parte.conformance.runner.judging import NOT_ASKED, Judgement, Prepared, judge_case
from parte.conformance.runner.sessions import EngineFault, EngineSpec, Fault, Session

DEFAULT_TIMEOUT = 10.0
"""Seconds for a case, and for the reply to `hello`."""

MOST_FAILED_STARTS = 3
"""After this number of failed starts in a row no worker tries again, so that not every case waits for its timeout."""

VERDICTS = {Fault.CRASH: CaseVerdict.ERROR, Fault.BREACH: CaseVerdict.ERROR, Fault.TIMEOUT: CaseVerdict.TIMEOUT}


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a run: workers, seconds a case, whether to feed line by line too, and the version of the suite.

    `directory` is the directory of the suite, if it is not that of the project, and `language` its language. All cases
    are run `repeat` times, in an order that is drawn each time from the seed `shuffle`, if there is one; the second run
    of a case comes after the first runs of all others. With `declared`, an engine does not get cases that need a
    construct that it declares not to have.
    """

    jobs: int = 1
    timeout: float = DEFAULT_TIMEOUT
    incremental: bool = False
    suite: str = ""
    directory: str = ""
    language: str = DEFAULT_LANGUAGE
    repeat: int = 1
    shuffle: int | None = None
    declared: bool = False


@dataclass(frozen=True, slots=True)
class EngineRun:
    """The results of one engine, in the order of the cases; errors if it never started."""

    info: EngineInfo
    results: tuple[Result, ...]


def run_engine(
    spec: EngineSpec,
    cases: Sequence[Prepared],
    settings: Settings = Settings(),
    report: Callable[[Result], None] | None = None,
) -> EngineRun:
    """Run the cases; `report` is called with each result as it comes, from the thread of a worker."""
    run = _Run(spec, settings, report)
    for place in range(settings.repeat):
        order = list(enumerate(cases))
        if settings.shuffle is not None:
            Random(f"{settings.shuffle}/{place}").shuffle(order)
        for numbered in order:
            run.waiting.put(numbered)
    jobs = 1 if spec.alone else max(1, min(settings.jobs, len(cases)))
    if jobs == 1:
        run.work()
    else:
        with run.stopping():
            workers = [threading.Thread(target=run.work_apart, daemon=True) for _ in range(jobs)]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
            if run.broken is not None:
                raise run.broken
    greeting, failure = run.greeting or Greeting("", ""), ""
    if run.greeting is None and run.start_failure is not None:
        failure = run.start_failure.message[:LONGEST_TEXT]
    identity = greeting.name, greeting.version, greeting.features
    info = EngineInfo(spec.label, spec.command, *identity, failure, greeting.constructs)
    return EngineRun(info, tuple(together(run.results[number]) for number in sorted(run.results)))


def together(results: Sequence[Result]) -> Result:
    """Return one result for several runs of one case: an engine must answer alike each time."""
    verdicts = [result.verdict for result in results]
    seconds = max(result.seconds for result in results)
    worst = next((result for result in results if result.verdict.bad), results[0])
    if len(set(verdicts)) == 1:
        return replace(worst, seconds=seconds)
    listed = ", ".join(verdict.value for verdict in verdicts)
    verdict = worst.verdict if worst.verdict.bad else CaseVerdict.FAIL
    message = f"asked again, it answers otherwise ({listed}): {worst.message}".removesuffix(": ")
    return replace(worst, verdict=verdict, seconds=seconds, message=message)


def begin(spec: EngineSpec, settings: Settings, before: Greeting | None = None) -> tuple[Session, Greeting]:
    """Start a session and greet.

    EngineFault if the engine does not start, greets wrongly, or differently from `before`; the session is closed then.
    """
    session = spec.start()
    try:
        for version in reversed(PROTOCOLS):
            reply = session.ask(Hello(version, settings.suite), settings.timeout)
            if isinstance(reply, Greeting):
                break
        else:
            raise EngineFault(Fault.BREACH, f"a {type(reply).__name__} is no reply to 'hello': {reply}"[:500])
        if reply.protocol not in PROTOCOLS:
            raise EngineFault(Fault.BREACH, f"the engine speaks protocol {reply.protocol}, this is {PROTOCOL}")
        _check_same(reply, before)
    except BaseException:
        session.close()
        raise
    return session, reply


def _check_same(greeting: Greeting, before: Greeting | None) -> None:
    if before is not None and greeting != before:
        message = f"it greets as {_who(greeting)}, and was {_who(before)} before: these would be results of two engines"
        raise EngineFault(Fault.BREACH, message)


def _who(greeting: Greeting) -> str:
    features = ", ".join(greeting.features)[:100]
    return f"{greeting.name} {greeting.version}".rstrip() + (f" ({features})" if features else "")


def judged(session: Session, greeting: Greeting, case: Prepared, settings: Settings) -> Judgement:
    """Return the verdict on an engine with this greeting; it does not get cases beyond the features that it offers."""
    if case.load.language not in greeting.languages:
        listed = ", ".join(greeting.languages)
        return Judgement(CaseVerdict.UNSUPPORTED, f"the engine does not speak {case.load.language}; it lists {listed}")
    if (case.load.options or case.fixture.shares) and OPTIONS not in greeting.features:
        requested = _listed(case) or "shares"
        return Judgement(
            CaseVerdict.UNSUPPORTED, f"the engine has no options; asked for are {requested}"[:LONGEST_TEXT]
        )
    if settings.declared and greeting.constructs is not None:
        lacking = sorted(case.needs() - set(greeting.constructs))
        profiles = [name for name in lacking if not name.startswith(NODE)]  # more informative, if there are any
        if lacking:
            reason = f"{NOT_ASKED}: the engine declares no {', '.join(profiles or lacking)}"
            return Judgement(CaseVerdict.UNSUPPORTED, reason[:LONGEST_TEXT])
    case = replace(case, own_ids=OWN_IDS in greeting.features)
    incremental = settings.incremental and INCREMENTAL in greeting.features
    try:
        return judge_case(session, case, settings.timeout, incremental=incremental)
    except EngineFault:
        raise
    except Exception as error:  # an error while judging a reply ends this case only
        message = f"the reply cannot be judged: {type(error).__name__}: {error}"[:LONGEST_TEXT]
        raise EngineFault(Fault.BREACH, message) from error


def _listed(case: Prepared) -> str:
    return ", ".join(f"{name} {value}" for name, value in case.load.options.items())


@dataclass(slots=True)
class _Run:
    """The shared state of the workers of one engine."""

    spec: EngineSpec
    settings: Settings
    report: Callable[[Result], None] | None
    waiting: SimpleQueue[tuple[int, Prepared]] = field(default_factory=SimpleQueue)
    results: dict[int, list[Result]] = field(default_factory=dict)
    sessions: list[Session] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    greeting: Greeting | None = None
    failed_starts: int = 0
    start_failure: EngineFault | None = None
    stopped: bool = False
    broken: BaseException | None = None  # the error that ended a worker

    @contextmanager
    def stopping(self) -> Iterator[None]:
        """End the engines, and so the workers, if the run is interrupted."""
        try:
            yield
        except BaseException:
            self.stopped = True
            with self.lock:
                for session in self.sessions:
                    session.kill()
            raise

    def work_apart(self) -> None:
        """Run a worker in a thread of its own; an error that is not the engine's ends the run."""
        try:
            self.work()
        except BaseException as error:
            self.broken, self.stopped = error, True

    def work(self) -> None:
        """Run a worker: it takes cases until none is left."""
        worker = _Worker(self)
        try:
            while not self.stopped:
                try:
                    number, case = self.waiting.get_nowait()
                except Empty:
                    break
                worker.put(number, case)
            worker.finish()
        finally:
            worker.end()

    def note(self, number: int, result: Result) -> None:
        """Store a result, and report a case when it has been run as often as required."""
        with self.lock:
            results = self.results.setdefault(number, [])
            results.append(result)
            if self.report is not None and len(results) == self.settings.repeat:
                self.report(together(results))

    def begin(self) -> Session:
        """Start a session with the engine. EngineFault if it does not start, or greets differently from before."""
        if self.failed_starts >= MOST_FAILED_STARTS:
            reason = self.start_failure
            assert reason is not None
            message = f"not tried, for the engine failed to start {self.failed_starts} times in a row: {reason.message}"
            raise EngineFault(Fault.CRASH, message, reason.stderr)
        try:
            session, greeting = begin(self.spec, self.settings, self.greeting)
            with self.lock:
                self.sessions.append(session)
                before, self.greeting = self.greeting, self.greeting or greeting
            try:
                _check_same(greeting, before)  # another worker may have begun at the same time
            except EngineFault:
                self.end(session)
                raise
        except EngineFault as fault:
            with self.lock:
                self.failed_starts += 1
                self.start_failure = fault
            raise
        with self.lock:
            self.failed_starts = 0
        return session

    def end(self, session: Session | None) -> None:
        """Close a session, if there is one."""
        if session is not None:
            with self.lock:
                self.sessions.remove(session)
            session.close()

    def result(self, case: Prepared, judgement: Judgement, seconds: float, stderr: str) -> Result:
        """Return the result of a case."""
        fixture = case.fixture
        return Result(
            self.spec.label,
            fixture.id,
            fixture.profile,
            fixture.description,
            judgement.verdict,
            seconds,
            judgement.message,
            some_matches(judgement.missing),
            some_matches(judgement.spurious),
            len(judgement.missing),
            len(judgement.spurious),
            stderr,
            self._rerun(fixture.id) if judgement.verdict is not CaseVerdict.PASS else "",
        )

    def _rerun(self, case: str) -> str:
        return rerun_command(self.spec, case, self.settings)


@dataclass(slots=True)
class _Worker:
    """The session of one worker, and the last case that it ran with its result, which may still change."""

    run: _Run
    session: Session | None = None
    last: tuple[int, Prepared, Result] | None = None

    def put(self, number: int, case: Prepared) -> None:
        """Judge the engine by a case."""
        result, unasked = self._judged(case)
        if unasked is not None and self.last is not None:  # the fault is the previous case's: run this one again
            self._blame_the_last(unasked)
            result, _ = self._judged(case)
        self._settle()
        if self.run.stopped:
            return
        self.last = (number, case, result)
        if self.session is None:  # a process that has ended writes nothing more
            self._settle()

    def finish(self) -> None:
        """Send `bye`, and report the last result."""
        if self.session is not None and not self.run.stopped:
            try:
                self.session.farewell()
            except EngineFault as fault:
                if self.last is not None:
                    self._blame_the_last(fault)
        self._settle()

    def end(self) -> None:
        """Close the session."""
        self.run.end(self.session)
        self.session = None

    def _judged(self, case: Prepared) -> tuple[Result, EngineFault | None]:
        """Return the result of a case, and the fault that shows surplus output of the engine before it, or None."""
        run, started, stderr = self.run, time.monotonic(), ""
        unasked: EngineFault | None = None
        try:
            self.session = self.session or run.begin()
            started = time.monotonic()
            assert run.greeting is not None  # or there would be no session
            judgement = judged(self.session, run.greeting, case, run.settings)
        except EngineFault as fault:
            judgement, stderr = Judgement(VERDICTS[fault.fault], fault.message), fault.stderr
            unasked = fault if fault.unasked and self.session is not None else None
            self.end()
        return run.result(case, judgement, time.monotonic() - started, stderr), unasked

    def _blame_the_last(self, fault: EngineFault) -> None:
        assert self.last is not None
        number, case, result = self.last
        judgement = Judgement(CaseVerdict.ERROR, f"after the reply there came more: {fault.message}")
        self.last = (number, case, self.run.result(case, judgement, result.seconds, fault.stderr))

    def _settle(self) -> None:
        """Report the last result, which no longer changes."""
        if self.last is not None:
            number, _, result = self.last
            self.last = None
            self.run.note(number, result)


def rerun_command(spec: EngineSpec, case: str, settings: Settings) -> str:
    """Return the command that runs one case on an engine again."""
    suite = ["--suite", settings.directory] if settings.directory else []
    if settings.language != DEFAULT_LANGUAGE:
        suite = ["--language", settings.language, *suite]
    options = ["--incremental"] if settings.incremental else []
    if settings.timeout != DEFAULT_TIMEOUT:
        options += ["--timeout", f"{settings.timeout:g}"]
    return shlex.join(["parte", "conform", spec.command, *suite, "--case", case, *options])
