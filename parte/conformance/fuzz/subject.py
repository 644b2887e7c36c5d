"""The engine that is fuzzed: it runs one case after the other, and after a fault it is started again."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from types import TracebackType

from parte.conformance.protocol import Greeting
from parte.conformance.results import CaseVerdict
from parte.conformance.runner.judging import Judgement, Prepared
from parte.conformance.runner.running import MOST_FAILED_STARTS, VERDICTS, Settings, begin, judged
from parte.conformance.runner.sessions import EngineFault, EngineSpec, Session


class EngineUnusable(Exception):
    """An engine that does not start; the message gives its failure, `stderr` its last output."""

    def __init__(self, message: str, stderr: str) -> None:
        super().__init__(message)
        self.stderr = stderr


@dataclass(slots=True)
class Subject:
    """A session with the engine, started when it is needed; EngineUnusable if that fails three times in a row."""

    spec: EngineSpec
    settings: Settings
    greeting: Greeting | None = None
    stderr: str = ""
    _session: Session | None = field(default=None, init=False)

    def __enter__(self) -> Subject:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end(politely=kind is None)

    def judge(self, case: Prepared) -> Judgement:
        """Return the verdict on a case. `stderr` then is the output of the engine before a fault."""
        self.stderr = ""
        session = self._begun()
        assert self.greeting is not None
        try:
            return judged(session, self.greeting, case, self.settings)
        except EngineFault as fault:
            self._end(politely=False)
            self.stderr = fault.stderr
            return Judgement(VERDICTS[fault.fault], fault.message)

    def _begun(self) -> Session:
        failure: EngineFault | None = None
        for _ in range(MOST_FAILED_STARTS):
            if self._session is not None:
                return self._session
            try:
                self._session, self.greeting = begin(self.spec, self.settings, self.greeting)
            except EngineFault as fault:
                failure = fault
        if self._session is not None:
            return self._session
        assert failure is not None
        raise EngineUnusable(
            f"the engine failed to start {MOST_FAILED_STARTS} times: {failure.message}", failure.stderr
        )

    def _end(self, *, politely: bool) -> None:
        if self._session is not None:
            self._session.close(politely=politely)
            self._session = None


def symptoms(judgement: Judgement) -> frozenset[str]:
    """Return the kinds of failure in a verdict: two verdicts with the same symptoms may have the same cause."""
    if judgement.verdict is CaseVerdict.FAIL and (judgement.missing or judgement.spurious):
        named = (("missing", judgement.missing), ("spurious", judgement.spurious))
        return frozenset(word for word, matches in named if matches)
    if not judgement.verdict.bad:
        return frozenset()
    if judgement.verdict is CaseVerdict.TIMEOUT:
        return frozenset({"timeout"})
    # Messages of an engine differ from case to case by numbers and names.
    plain = re.sub(r"['\"0-9{\[(].*", "", judgement.message, flags=re.DOTALL)
    return frozenset({f"{judgement.verdict.value}: {plain.strip()[:80]}"})
