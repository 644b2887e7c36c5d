"""Running cases against an engine: one session a worker, begun anew after a fault; no case harms another."""

from __future__ import annotations

import shlex
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue

from parte.conformance.protocol import DEFAULT_LANGUAGE, INCREMENTAL, PROTOCOL, PROTOCOLS, Greeting, Hello
from parte.conformance.results import CaseVerdict, EngineInfo, Result, some_matches
from parte.conformance.runner.judging import Judgement, Prepared, judge_case
from parte.conformance.runner.sessions import EngineFault, EngineSpec, Fault, Session

DEFAULT_TIMEOUT = 10.0
"""Seconds for a case, and as many for an engine to say hello."""

MOST_FAILED_STARTS = 3
"""After so many failed starts in a row no worker tries again, lest every case wait for its timeout."""

VERDICTS = {Fault.CRASH: CaseVerdict.ERROR, Fault.BREACH: CaseVerdict.ERROR, Fault.TIMEOUT: CaseVerdict.TIMEOUT}


@dataclass(frozen=True, slots=True)
class Settings:
    """How to run: workers, seconds a case, whether to feed line by line too, and the version of the suite.

    `directory` is where the suite is, if it is not that of the project, and `language` the language of it.
    """

    jobs: int = 1
    timeout: float = DEFAULT_TIMEOUT
    incremental: bool = False
    suite: str = ""
    directory: str = ""
    language: str = DEFAULT_LANGUAGE


@dataclass(frozen=True, slots=True)
class EngineRun:
    """The results of one engine, in the order of the cases."""

    info: EngineInfo
    results: tuple[Result, ...]


def run_engine(
    spec: EngineSpec,
    cases: Sequence[Prepared],
    settings: Settings = Settings(),
    told: Callable[[Result], None] | None = None,
) -> EngineRun:
    """Run the cases; `told` hears of each result as it comes, from the thread of a worker."""
    run = _Run(spec, settings, told)
    for number, case in enumerate(cases):
        run.waiting.put((number, case))
    jobs = 1 if spec.in_process else max(1, min(settings.jobs, len(cases)))
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
    greeting = run.greeting or Greeting("", "")
    info = EngineInfo(spec.label, spec.command, greeting.name, greeting.version, greeting.features)
    return EngineRun(info, tuple(result for _, result in sorted(run.results, key=lambda pair: pair[0])))


def begin(spec: EngineSpec, settings: Settings) -> tuple[Session, Greeting]:
    """A session after its `hello`. EngineFault if the engine does not start or greets wrongly; nothing is left then."""
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
    except BaseException:
        session.close()
        raise
    return session, reply


def judged(session: Session, greeting: Greeting, case: Prepared, settings: Settings) -> Judgement:
    """The verdict on an engine that greeted so: what it does not offer, it is not asked."""
    if case.load.language not in greeting.languages:
        listed = ", ".join(greeting.languages)
        return Judgement(CaseVerdict.UNSUPPORTED, f"the engine does not speak {case.load.language}; it lists {listed}")
    incremental = settings.incremental and INCREMENTAL in greeting.features
    return judge_case(session, case, settings.timeout, incremental=incremental)


@dataclass(slots=True)
class _Run:
    """What the workers of one engine share."""

    spec: EngineSpec
    settings: Settings
    told: Callable[[Result], None] | None
    waiting: SimpleQueue[tuple[int, Prepared]] = field(default_factory=SimpleQueue)
    results: list[tuple[int, Result]] = field(default_factory=list)
    sessions: list[Session] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    greeting: Greeting | None = None
    failed_starts: int = 0
    start_failure: EngineFault | None = None
    stopped: bool = False
    broken: BaseException | None = None  # what ended a worker that should not have ended

    @contextmanager
    def stopping(self) -> Iterator[None]:
        """Whatever interrupts the run ends the engines, and so the workers."""
        try:
            yield
        except BaseException:
            self.stopped = True
            with self.lock:
                for session in self.sessions:
                    session.kill()
            raise

    def work_apart(self) -> None:
        """A worker in a thread of its own: what goes wrong with it, other than with the engine, ends the run."""
        try:
            self.work()
        except BaseException as error:
            self.broken, self.stopped = error, True

    def work(self) -> None:
        """A worker: takes cases until none is left."""
        session: Session | None = None
        try:
            while not self.stopped:
                try:
                    number, case = self.waiting.get_nowait()
                except Empty:
                    break
                started = time.monotonic()
                stderr = ""
                try:
                    session = session or self._begin()
                    started = time.monotonic()
                    assert self.greeting is not None  # or there would be no session
                    judgement = judged(session, self.greeting, case, self.settings)
                except EngineFault as fault:
                    judgement, stderr = Judgement(VERDICTS[fault.fault], fault.message), fault.stderr
                    self._end(session)
                    session = None
                if self.stopped:
                    break
                result = self._result(case, judgement, time.monotonic() - started, stderr)
                with self.lock:
                    self.results.append((number, result))
                    if self.told is not None:
                        self.told(result)
        finally:
            self._end(session, politely=not self.stopped)

    def _begin(self) -> Session:
        if self.failed_starts >= MOST_FAILED_STARTS:
            reason = self.start_failure
            assert reason is not None
            message = f"not tried, for the engine failed to start {self.failed_starts} times in a row: {reason.message}"
            raise EngineFault(Fault.CRASH, message, reason.stderr)
        try:
            session, greeting = begin(self.spec, self.settings)
        except EngineFault as fault:
            with self.lock:
                self.failed_starts += 1
                self.start_failure = fault
            raise
        with self.lock:
            self.failed_starts = 0
            self.greeting = greeting
            self.sessions.append(session)
        return session

    def _end(self, session: Session | None, *, politely: bool = False) -> None:
        if session is not None:
            with self.lock:
                self.sessions.remove(session)
            session.close(politely=politely)

    def _result(self, case: Prepared, judgement: Judgement, seconds: float, stderr: str) -> Result:
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


def rerun_command(spec: EngineSpec, case: str, settings: Settings) -> str:
    """The command that puts one case to an engine again."""
    suite = ["--suite", settings.directory] if settings.directory else []
    if settings.language != DEFAULT_LANGUAGE:
        suite = ["--language", settings.language, *suite]
    options = ["--incremental"] if settings.incremental else []
    if settings.timeout != DEFAULT_TIMEOUT:
        options += ["--timeout", f"{settings.timeout:g}"]
    return shlex.join(["parte", "conform", spec.command, *suite, "--case", case, *options])
