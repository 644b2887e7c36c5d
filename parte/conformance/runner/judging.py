"""Putting a case to an engine, and the verdict on its replies (specification: verdicts)."""

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
"""How the reason begins why a case is unsupported that an engine was not asked."""


@dataclass(frozen=True, slots=True)
class Departure:
    """The matches that are missing and spurious, whether other emissions are reported to have no value (`failures`),
    and what is wrong with ids of the engine's own (`clash`)."""

    missing: tuple[Json, ...]
    spurious: tuple[Json, ...]
    failures: bool = False
    clash: str = ""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A case with what every engine is told of it, and how its matches are compared.

    `diagnosed` are the codes with which the definition rejects the program, as often as it does. With `own_ids`
    the engine names emitted events in a way of its own, which `renaming` understands. `needs` says which constructs
    the case needs, which is found out when it is asked for.
    """

    fixture: Fixture
    load: Load
    key: Key
    diagnosed: tuple[str, ...] = ()
    renaming: Callable[[Sequence[Json], Sequence[Json]], Renaming] | None = None
    own_ids: bool = False
    needs: Callable[[], frozenset[str]] = frozenset

    def departure(self, found: Sequence[Json], failures: Sequence[Json] | None = None) -> Departure:
        """How what an engine reports departs from what is expected; it need not report `failures`."""
        matches, failed = self.fixture.expected.matches, self.fixture.expected.failures
        if not self.own_ids or self.renaming is None:
            others = failures is not None and any(differences(failed, failures, as_written))
            return Departure(*differences(matches, found, self.key), others)
        wanted, given = self.renaming(matches, self.fixture.trace), self.renaming(found, self.fixture.trace)
        missing, spurious = differences(
            [(match, self.key(wanted.rename(match))) for match in matches],
            [(match, self.key(given.rename(match))) for match in found],
            lambda pair: pair[1],
        )
        renamed = None if failures is None else map(given.rename, failures)
        others = renamed is not None and any(differences(map(wanted.rename, failed), renamed, as_written))
        return Departure(
            tuple(match for match, _ in missing), tuple(match for match, _ in spurious), others, given.clash
        )


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict, and what it rests on."""

    verdict: CaseVerdict
    message: str = ""
    missing: tuple[Json, ...] = ()
    spurious: tuple[Json, ...] = ()


def prepare(fixture: Fixture, language: Language) -> Prepared:
    """Read the program of a case once for all engines."""
    load, key = told(language, fixture.text, fixture.trace, fixture.domain, fixture.disorder, fixture.options)
    diagnosed: tuple[str, ...] = ()
    if fixture.expected.rejected is not None and load.ast is None:
        try:
            language[TEXT].parse(fixture.text)
        except ProgramError as error:
            diagnosed = tuple(diagnostic.code for diagnostic in error.diagnostics)
    needs = cache(lambda: needed(fixture, load.ast, language))
    return Prepared(fixture, load, key, diagnosed, language[KIT].renaming, needs=needs)


def told(
    language: Language,
    text: str,
    trace: Iterable[Json],
    domain: Mapping[str, Json] = MappingProxyType({}),
    disorder: int = 0,
    options: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Load, Key]:
    """What an engine is told before it is given a trace, and how the matches are compared that it finds then."""
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
    """The pairs of source and template in a trace, and whether each promises by progress lines or by its timestamps."""
    promises: dict[tuple[str, str], str] = {}
    for item in trace:
        pair = (str(item.get("source", "default")), str(item.get("template")))
        if "progress" in item or pair not in promises:
            promises[pair] = "progress" if "progress" in item else "timestamps"
    return [{"source": s, "template": t, "promises": how} for (s, t), how in promises.items()]


class _Judged(Exception):
    """The verdict is known before the last request."""

    def __init__(self, judgement: Judgement) -> None:
        self.judgement = judgement


def judge_case(session: Session, case: Prepared, timeout: float, *, incremental: bool = False) -> Judgement:
    """The verdict on an engine that replies in time; EngineFault if it does not, or if judging takes too long.

    With `incremental` the trace is fed a second time, line by line, and the engine must report nothing that is no match
    on the way and everything in the end.
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
            fault.unasked &= first  # else it is this case in which too much was said
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
    """Go on if the program is accepted as it should be."""
    match reply:
        case Accepted(warnings):
            wrong = None if warnings is None else _warnings_differ(case.fixture.expected.warnings, warnings)
            if wrong is not None:
                raise _Judged(Judgement(CaseVerdict.FAIL, wrong))
        case Rejected(diagnostics):
            raise _Judged(_judge_rejection(diagnostics, case))
        case other:
            raise _Judged(_neither(other, "load"))


def _judge_run(reply: Reply, case: Prepared) -> Judgement:
    expected = case.fixture.expected
    match reply:
        case Found(matches, failures):
            if expected.rejected is not None:
                return Judgement(CaseVerdict.FAIL, f"accepted what must be rejected: {expected.rejected}")
            found = case.departure(matches, failures)
            if found.clash:
                return Judgement(CaseVerdict.FAIL, f"own ids must tell events apart: {found.clash}"[:LONGEST_TEXT])
            if found.missing or found.spurious:
                return Judgement(CaseVerdict.FAIL, "", found.missing, found.spurious)
            if failures is not None and found.failures:
                told = str(list(failures[:MOST_MATCHES]))
                return Judgement(CaseVerdict.FAIL, f"reports other emissions without a value: {told}"[:LONGEST_TEXT])
            return Judgement(CaseVerdict.PASS)
        case Rejected(diagnostics):
            return _judge_rejection(diagnostics, case)
        case other:
            return _neither(other, "run")


def _judge_shares(ask: Callable[[Request], Reply], case: Prepared) -> Judgement:
    """The verdict on an engine that is asked as each of several processes (specification: protocol-shares)."""
    found: list[Json] = []
    told = []
    for index in range(len(case.fixture.shares)):
        process = {"processes": str(len(case.fixture.shares)), "index": str(index)}
        _load(ask(replace(case.load, options={**case.load.options, **process})), case)
        reply = ask(Run(case.fixture.trace))
        if not isinstance(reply, Found):
            return _judge_run(reply, case)
        found += reply.matches
        told.append(len(reply.matches))
    judgement = _judge_run(Found(tuple(found)), case)
    if tuple(told) == case.fixture.shares:
        return judgement
    numbers, wanted = (" ".join(map(str, sizes)) for sizes in (told, case.fixture.shares))
    message = f"the processes report {numbers} matches, and their shares are {wanted}"[:LONGEST_TEXT]
    return replace(judgement, verdict=CaseVerdict.FAIL, message=message)


def _judge_prefix(reply: Reply, case: Prepared, where: str) -> None:
    match reply:
        case Found(matches):
            spurious = case.departure(matches).spurious
            if spurious:
                raise _Judged(Judgement(CaseVerdict.FAIL, f"{where}reports what is no match", (), spurious))
        case other:
            raise _Judged(_neither(other, "feed"))


def _judge_rejection(diagnostics: Sequence[Json], case: Prepared) -> Judgement:
    """A rejection is right if what is expected is among its diagnostics, and they say no more than the definition.

    A place that is not given is not judged. (specification: judging-rejections)
    """
    expected = case.fixture.expected.rejected
    told = ", ".join(_told(item) for item in diagnostics[:5])
    if expected is None:
        return Judgement(CaseVerdict.FAIL, f"rejected what is valid: {told}")
    if not any(_agrees(item, expected) for item in diagnostics):
        return Judgement(CaseVerdict.FAIL, f"rejected for another reason: expected {expected}, found {told}")
    others = [item for item in diagnostics if item.get("code") not in (expected.code, *case.diagnosed)]
    if others:
        also = ", ".join(_told(item) for item in others[:5])
        return Judgement(CaseVerdict.FAIL, f"rejected for other reasons too: expected {expected}, found also {also}")
    if len(diagnostics) > max(1, len(case.diagnosed)) + SPARE_DIAGNOSTICS:
        number = f"{len(diagnostics):,} diagnostics, the definition {max(1, len(case.diagnosed)):,}"
        return Judgement(CaseVerdict.FAIL, f"names too many places: expected {expected}, found {number}")
    return Judgement(CaseVerdict.PASS)


def _agrees(item: Json, expected: Place) -> bool:
    given = (item.get("line", expected.line), item.get("column", expected.column))
    return item.get("code") == expected.code and given == (expected.line, expected.column)


def _told(item: Json) -> str:
    where = "".join(f" {key} {item[key]}" for key in ("line", "column") if key in item)
    return f"{item.get('code')}{where}"[:200]


def _warnings_differ(expected: Sequence[Place], found: Sequence[Json]) -> str | None:
    unexpected = [item for item in found if not any(_agrees(item, place) for place in expected)]
    lacking = [place for place in expected if not any(_agrees(item, place) for item in found)]
    if not unexpected and not lacking:
        return None
    told = [*(f"lacks {place}" for place in lacking), *(f"has {_told(item)}" for item in unexpected[:5])]
    return f"the warnings differ: {', '.join(told)}"


def _neither(reply: Reply, request: str) -> Judgement:
    match reply:
        case Unsupported(reason):
            return Judgement(CaseVerdict.UNSUPPORTED, reason[:LONGEST_TEXT])
        case Failed(message):
            return Judgement(CaseVerdict.ERROR, f"the engine reports an error: {message[:LONGEST_TEXT]}")
        case other:
            return Judgement(CaseVerdict.ERROR, f"a {type(other).__name__} is no reply to {request!r}")
