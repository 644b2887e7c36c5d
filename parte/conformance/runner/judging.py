"""Running a case on an engine, and the verdict on its replies (specification: verdicts)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any

from parte.conformance.constructs import needed
from parte.conformance.fixtures import Fixture, Place
from parte.conformance.kit import KIT, Renaming
from parte.conformance.protocol import (
    SPARE_DIAGNOSTICS,
    Accepted,
    Advance,
    Failed,
    Feed,
    Found,
    Load,
    Rejected,
    Reply,
    Request,
    Run,
    Unsupported,
)
from parte.conformance.results import LONGEST_TEXT, MOST_MATCHES, CaseVerdict
from parte.conformance.runner.sessions import EngineFault, Fault, Session
from parte.languages.language import Language
from parte.semantics.events.differences import Key, as_written, differences
from parte.semantics.source.diagnostics import ProgramError
from parte.semantics.source.text import TEXT

Json = Any

NOT_ASKED = "not asked"
"""The beginning of the reason why a case is unsupported that the engine was not run on."""


@dataclass(frozen=True, slots=True)
class Departure:
    """The missing and spurious matches, whether the reported emissions without a value (`failures`) and the suppressed
    ones differ, and the problem with ids of the engine's own (`clash`)."""

    missing: tuple[Json, ...]
    spurious: tuple[Json, ...]
    failures: bool = False
    suppressed: bool = False
    clash: str = ""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A case with the request that every engine gets, and the key by which its matches are compared.

    `diagnosed` are the codes of the definition's diagnostics of the program, with repetitions. With `own_ids` the
    engine names emitted events in its own way, which `renaming` resolves. `needs` returns the constructs that the case
    needs, which are computed on the first call.
    """

    fixture: Fixture
    load: Load
    key: Key
    diagnosed: tuple[str, ...] = ()
    renaming: Callable[[Sequence[Json], Sequence[Json]], Renaming] | None = None
    own_ids: bool = False
    needs: Callable[[], frozenset[str]] = frozenset

    def departure(self, reply: Found) -> Departure:
        """Return how a reply differs from the expected one; an engine need not report what was not emitted."""
        expected, answers = self.fixture.expected, reply.matches
        matches = expected.matches
        unemitted = (expected.failures, reply.failures), (expected.suppressed, reply.suppressed)
        if not self.own_ids or self.renaming is None:
            failures, suppressed = (
                some is not None and any(differences(of, some, as_written)) for of, some in unemitted
            )
            return Departure(*differences(matches, answers, self.key), failures, suppressed)
        wanted, reported = self.renaming(matches, self.fixture.trace), self.renaming(answers, self.fixture.trace)
        missing, spurious = differences(
            [(match, self.key(wanted.rename(match))) for match in matches],
            [(match, self.key(reported.rename(match))) for match in answers],
            lambda pair: pair[1],
        )
        failures, suppressed = (
            some is not None and any(differences(map(wanted.rename, of), map(reported.rename, some), as_written))
            for of, some in unemitted
        )
        absent, surplus = (tuple(match for match, _ in pairs) for pairs in (missing, spurious))
        return Departure(absent, surplus, failures, suppressed, reported.clash)


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict with its reasons."""

    verdict: CaseVerdict
    message: str = ""
    missing: tuple[Json, ...] = ()
    spurious: tuple[Json, ...] = ()


def prepare(fixture: Fixture, language: Language) -> Prepared:
    """Read the program of a case once for all engines."""
    load, key = load_message(language, fixture.text, fixture.trace, fixture.domain, fixture.disorder, fixture.options)
    diagnosed: tuple[str, ...] = ()
    if fixture.expected.rejected is not None and load.ast is None:
        try:
            language[TEXT].parse(fixture.text)
        except ProgramError as error:
            diagnosed = tuple(diagnostic.code for diagnostic in error.diagnostics)
    needs = cache(lambda: needed(fixture, load.ast, language))
    return Prepared(fixture, load, key, diagnosed, language[KIT].renaming, needs=needs)


def load_message(
    language: Language,
    text: str,
    trace: Iterable[Json],
    domain: Mapping[str, Json] = MappingProxyType({}),
    disorder: int = 0,
    options: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Load, Key]:
    """Return the request that loads a program, and the key by which the matches are compared."""
    deployment = {"disorder": disorder, "sources": sources_in(trace)}
    try:
        tree, key = _read(language, text)
    except ProgramError:
        tree, key = None, as_written
    return Load(text, tree, domain, deployment, language.name, options), key


@lru_cache(8)
def _read(language: Language, text: str) -> tuple[Json, Key]:
    syntax = language[TEXT]
    program = syntax.parse(text)
    return syntax.tree(program), syntax.key(program)


def sources_in(trace: Iterable[Json]) -> list[dict[str, str]]:
    """Return the pairs of source and template in a trace, and whether each promises by progress lines or by
    timestamps."""
    promises: dict[tuple[str, str], str] = {}
    for item in trace:
        pair = (str(item.get("source", "default")), str(item.get("template")))
        if "progress" in item or pair not in promises:
            promises[pair] = "progress" if "progress" in item else "timestamps"
    return [{"source": s, "template": t, "promises": means} for (s, t), means in promises.items()]


class _Judged(Exception):
    """A verdict that is known before the last request."""

    def __init__(self, judgement: Judgement) -> None:
        self.judgement = judgement


def judge_case(session: Session, case: Prepared, timeout: float, *, incremental: bool = False) -> Judgement:
    """Return the verdict on an engine that replies in time; EngineFault if it does not, or if judging takes too long.

    With `incremental` the trace is fed a second time, line by line, and the engine must report only matches on the way
    and all of them at the end.
    """
    deadline = time.monotonic() + timeout
    judgement = _judged(session, case, deadline, incremental)
    if time.monotonic() > deadline:
        raise EngineFault(Fault.TIMEOUT, f"its replies were not read and judged within {timeout:.3g} s")
    return judgement


def _judged(session: Session, case: Prepared, deadline: float, incremental: bool) -> Judgement:
    first = True

    def ask(request: Request) -> Reply:
        nonlocal first
        try:
            return session.ask(request, deadline - time.monotonic())
        except EngineFault as fault:
            fault.unasked &= first  # else the surplus output belongs to this case
            raise
        finally:
            first = False

    try:
        if case.fixture.shares:
            return _judge_shares(ask, case)
        _load(ask(case.load), case)
        reply = ask(Run(case.fixture.trace))
        judgement = _judge_run(reply, case)
        if incremental and judgement.verdict is CaseVerdict.PASS and case.fixture.expected.rejected is None:
            _load(ask(case.load), case)
            for number, item in enumerate(case.fixture.trace, 1):
                _judge_prefix(ask(Feed((item,))), case, f"fed line by line, after line {number}: ")
            last = _judge_run(ask(Advance()), case)
            if last.verdict is not CaseVerdict.PASS:
                message = f"fed line by line, at the end: {last.message}".removesuffix(": ")
                return Judgement(last.verdict, message, last.missing, last.spurious)
    except _Judged as known:
        return known.judgement
    return judgement


def _load(reply: Reply, case: Prepared) -> None:
    """Return if the program is accepted as expected; else raise the verdict."""
    match reply:
        case Accepted(warnings):
            wrong = None if warnings is None else _warnings_differ(case.fixture.expected.warnings, warnings)
            if wrong is not None:
                raise _Judged(Judgement(CaseVerdict.FAIL, wrong))
        case Rejected(diagnostics):
            raise _Judged(_judge_rejection(diagnostics, case))
        case unexpected:
            raise _Judged(_neither(unexpected, "load"))


def _judge_run(reply: Reply, case: Prepared) -> Judgement:
    expected = case.fixture.expected
    match reply:
        case Found():
            if expected.rejected is not None:
                return Judgement(CaseVerdict.FAIL, f"accepted what must be rejected: {expected.rejected}")
            departure = case.departure(reply)
            if departure.clash:
                return Judgement(CaseVerdict.FAIL, f"own ids must tell events apart: {departure.clash}"[:LONGEST_TEXT])
            if departure.missing or departure.spurious:
                return Judgement(CaseVerdict.FAIL, "", departure.missing, departure.spurious)
            for differ, some, named in (
                (departure.failures, reply.failures, "emissions without a value"),
                (departure.suppressed, reply.suppressed, "suppressed emissions"),
            ):
                if differ:
                    reported = str(list((some or ())[:MOST_MATCHES]))
                    return Judgement(CaseVerdict.FAIL, f"reports other {named}: {reported}"[:LONGEST_TEXT])
            return Judgement(CaseVerdict.PASS)
        case Rejected(diagnostics):
            return _judge_rejection(diagnostics, case)
        case unexpected:
            return _neither(unexpected, "run")


def _judge_shares(ask: Callable[[Request], Reply], case: Prepared) -> Judgement:
    """Return the verdict on an engine that is run as each of several processes (specification: protocol-shares)."""
    matches: list[Json] = []
    sizes = []
    for index in range(len(case.fixture.shares)):
        process = {"processes": str(len(case.fixture.shares)), "index": str(index)}
        _load(ask(replace(case.load, options={**case.load.options, **process})), case)
        reply = ask(Run(case.fixture.trace))
        if not isinstance(reply, Found):
            return _judge_run(reply, case)
        matches += reply.matches
        sizes.append(len(reply.matches))
    judgement = _judge_run(Found(tuple(matches)), case)
    if tuple(sizes) == case.fixture.shares:
        return judgement
    numbers, wanted = (" ".join(map(str, counts)) for counts in (sizes, case.fixture.shares))
    message = f"the processes report {numbers} matches, and their shares are {wanted}"[:LONGEST_TEXT]
    return replace(judgement, verdict=CaseVerdict.FAIL, message=message)


def _judge_prefix(reply: Reply, case: Prepared, where: str) -> None:
    match reply:
        case Found(matches):
            spurious = case.departure(Found(matches)).spurious
            if spurious:
                raise _Judged(Judgement(CaseVerdict.FAIL, f"{where}reports what is no match", (), spurious))
        case unexpected:
            raise _Judged(_neither(unexpected, "feed"))


def _judge_rejection(diagnostics: Sequence[Json], case: Prepared) -> Judgement:
    """Return the verdict on a rejection. It passes if the expected diagnostic is among its diagnostics, and if these do
    not exceed those of the definition.

    Missing places are not judged. (specification: judging-rejections)
    """
    expected = case.fixture.expected.rejected
    reported = ", ".join(_diagnostic_text(item) for item in diagnostics[:5])
    if expected is None:
        return Judgement(CaseVerdict.FAIL, f"rejected what is valid: {reported}")
    if not any(_agrees(item, expected) for item in diagnostics):
        return Judgement(CaseVerdict.FAIL, f"rejected for another reason: expected {expected}, found {reported}")
    unexpected = [item for item in diagnostics if item.get("code") not in (expected.code, *case.diagnosed)]
    if unexpected:
        also = ", ".join(_diagnostic_text(item) for item in unexpected[:5])
        return Judgement(CaseVerdict.FAIL, f"rejected for other reasons too: expected {expected}, found also {also}")
    if len(diagnostics) > max(1, len(case.diagnosed)) + SPARE_DIAGNOSTICS:
        number = f"{len(diagnostics):,} diagnostics, the definition {max(1, len(case.diagnosed)):,}"
        return Judgement(CaseVerdict.FAIL, f"names too many places: expected {expected}, found {number}")
    return Judgement(CaseVerdict.PASS)


def _agrees(item: Json, expected: Place) -> bool:
    place = (item.get("line", expected.line), item.get("column", expected.column))
    return item.get("code") == expected.code and place == (expected.line, expected.column)


def _diagnostic_text(item: Json) -> str:
    where = "".join(f" {key} {item[key]}" for key in ("line", "column") if key in item)
    return f"{item.get('code')}{where}"[:200]


def _warnings_differ(expected: Sequence[Place], reported: Sequence[Json]) -> str | None:
    unexpected = [item for item in reported if not any(_agrees(item, place) for place in expected)]
    lacking = [place for place in expected if not any(_agrees(item, place) for item in reported)]
    if not unexpected and not lacking:
        return None
    changes = [
        *(f"lacks {place}" for place in lacking),
        *(f"has {_diagnostic_text(item)}" for item in unexpected[:5]),
    ]
    return f"the warnings differ: {', '.join(changes)}"


def _neither(reply: Reply, request: str) -> Judgement:
    match reply:
        case Unsupported(reason):
            return Judgement(CaseVerdict.UNSUPPORTED, reason[:LONGEST_TEXT])
        case Failed(message):
            return Judgement(CaseVerdict.ERROR, f"the engine reports an error: {message[:LONGEST_TEXT]}")
        case unexpected:
            return Judgement(CaseVerdict.ERROR, f"a {type(unexpected).__name__} is no reply to {request!r}")
