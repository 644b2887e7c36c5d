"""Running cases against an engine: one session a worker, begun anew after a fault; no case harms another.

What an engine says beyond its reply to a case is known when it is asked about the next one, or told `bye`: so a worker
keeps back its last result until then.
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
"""Seconds for a case, and as many for an engine to say hello."""

MOST_FAILED_STARTS = 3
"""After so many failed starts in a row no worker tries again, lest every case wait for its timeout."""

VERDICTS = {Fault.CRASH: CaseVerdict.ERROR, Fault.BREACH: CaseVerdict.ERROR, Fault.TIMEOUT: CaseVerdict.TIMEOUT}


@dataclass(frozen=True, slots=True)
class Settings:
    """How to run: workers, seconds a case, whether to feed line by line too, and the version of the suite.

    `directory` is where the suite is, if it is not that of the project, and `language` the language of it. All cases
    are asked `repeat` times, the last ones after all others, in an order that is drawn anew each time if a seed is
    given to `shuffle`. With `declared` an engine is not asked what needs a construct that it declares not to have.
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
    """The results of one engine, in the order of the cases; of one that never started, errors."""

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
    said = greeting.name, greeting.version, greeting.features
    info = EngineInfo(spec.label, spec.command, *said, failure, greeting.constructs)
    return EngineRun(info, tuple(together(run.results[number]) for number in sorted(run.results)))


def together(results: Sequence[Result]) -> Result:
    """What the results of one case come to that was asked several times: an engine must answer alike each time."""
    verdicts = [result.verdict for result in results]
    seconds = max(result.seconds for result in results)
    worst = next((result for result in results if result.verdict.bad), results[0])
    if len(set(verdicts)) == 1:
        return replace(worst, seconds=seconds)
    told = ", ".join(verdict.value for verdict in verdicts)
    verdict = worst.verdict if worst.verdict.bad else CaseVerdict.FAIL
    message = f"asked again, it answers otherwise ({told}): {worst.message}".removesuffix(": ")
    return replace(worst, verdict=verdict, seconds=seconds, message=message)


def begin(spec: EngineSpec, settings: Settings, before: Greeting | None = None) -> tuple[Session, Greeting]:
    """A session after its `hello`.

    EngineFault if the engine does not start, greets wrongly, or otherwise than `before`; nothing is left then.
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
    """The verdict on an engine that greeted so: what it does not offer, it is not asked."""
    if case.load.language not in greeting.languages:
        listed = ", ".join(greeting.languages)
        return Judgement(CaseVerdict.UNSUPPORTED, f"the engine does not speak {case.load.language}; it lists {listed}")
    if (case.load.options or case.fixture.shares) and OPTIONS not in greeting.features:
        asked = _listed(case) or "shares"
        return Judgement(CaseVerdict.UNSUPPORTED, f"the engine has no options; asked for are {asked}"[:LONGEST_TEXT])
    if settings.declared and greeting.constructs is not None:
        lacking = sorted(case.needs() - set(greeting.constructs))
        profiles = [name for name in lacking if not name.startswith(NODE)]  # which tell more, if there are any
        if lacking:
            told = f"{NOT_ASKED}: the engine declares no {', '.join(profiles or lacking)}"
            return Judgement(CaseVerdict.UNSUPPORTED, told[:LONGEST_TEXT])
    case = replace(case, own_ids=OWN_IDS in greeting.features)
    incremental = settings.incremental and INCREMENTAL in greeting.features
    try:
        return judge_case(session, case, settings.timeout, incremental=incremental)
    except EngineFault:
        raise
    except Exception as error:  # whatever a reply does to those who judge it, it ends this case only
        message = f"the reply cannot be judged: {type(error).__name__}: {error}"[:LONGEST_TEXT]
        raise EngineFault(Fault.BREACH, message) from error


def _listed(case: Prepared) -> str:
    return ", ".join(f"{name} {value}" for name, value in case.load.options.items())


@dataclass(slots=True)
class _Run:
    """What the workers of one engine share."""

    spec: EngineSpec
    settings: Settings
    told: Callable[[Result], None] | None
    waiting: SimpleQueue[tuple[int, Prepared]] = field(default_factory=SimpleQueue)
    results: dict[int, list[Result]] = field(default_factory=dict)
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
        """Keep a result, and tell of a case when it has been asked as often as it is to be."""
        with self.lock:
            found = self.results.setdefault(number, [])
            found.append(result)
            if self.told is not None and len(found) == self.settings.repeat:
                self.told(together(found))

    def begin(self) -> Session:
        """A session with the engine. EngineFault if it does not start, or is another than before."""
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
        """The result of a case."""
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
    """A session of one worker, and the last case that was put to it with its result, which may still change."""

    run: _Run
    session: Session | None = None
    last: tuple[int, Prepared, Result] | None = None

    def put(self, number: int, case: Prepared) -> None:
        """Judge the engine by a case."""
        result, unasked = self._asked(case)
        if unasked is not None and self.last is not None:  # the fault is of the case before; this one is asked again
            self._blame_the_last(unasked)
            result, _ = self._asked(case)
        self._settle()
        if self.run.stopped:
            return
        self.last = (number, case, result)
        if self.session is None:  # from a process that was ended nothing more can come
            self._settle()

    def finish(self) -> None:
        """Say `bye`, and tell the last result."""
        if self.session is not None and not self.run.stopped:
            try:
                self.session.farewell()
            except EngineFault as fault:
                if self.last is not None:
                    self._blame_the_last(fault)
        self._settle()

    def end(self) -> None:
        """Leave nothing behind."""
        self.run.end(self.session)
        self.session = None

    def _asked(self, case: Prepared) -> tuple[Result, EngineFault | None]:
        """The result of a case, and the fault by which it is known that the engine had said too much before."""
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
        """Nothing changes the last result any more."""
        if self.last is not None:
            number, _, result = self.last
            self.last = None
            self.run.note(number, result)


def rerun_command(spec: EngineSpec, case: str, settings: Settings) -> str:
    """The command that puts one case to an engine again."""
    suite = ["--suite", settings.directory] if settings.directory else []
    if settings.language != DEFAULT_LANGUAGE:
        suite = ["--language", settings.language, *suite]
    options = ["--incremental"] if settings.incremental else []
    if settings.timeout != DEFAULT_TIMEOUT:
        options += ["--timeout", f"{settings.timeout:g}"]
    return shlex.join(["parte", "conform", spec.command, *suite, "--case", case, *options])
