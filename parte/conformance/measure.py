"""The measured parts of a case: the answer of the definition, the engines that confirm it, the rules that fire."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from parte.conformance.casefiles.cases import write_expected
from parte.conformance.engines.registry import engine_called
from parte.conformance.fixtures import Expected, Fixture, Place
from parte.conformance.kit import KIT
from parte.conformance.protocol import Accepted, Found, Rejected
from parte.conformance.results import CaseVerdict
from parte.conformance.runner.judging import judge_case, prepare
from parte.conformance.runner.sessions import LocalSession
from parte.languages.language import Language
from parte.semantics.rulebook.listing import RULES

Json = Any

SOUND = "sound"
"""The model whose rules are measured."""

_TIMEOUT = 3_600.0
"""Seconds: a long limit for the project's own engines."""


def expected_of(language: Language, case: Fixture) -> Expected:
    """Return the answer of the definition to a case: its matches, or the place at which an input is rejected.

    Of several diagnostics the first counts, unless the expectation of the case is among them.
    """
    engine = engine_called(language[KIT].engines(), language[KIT].definition)
    warnings: tuple[Place, ...] = ()
    reply = engine.load(prepare(case, language).load)
    if isinstance(reply, Accepted):
        warnings = tuple(sorted(map(_place, reply.warnings or ()), key=lambda place: (place.line, place.column or 0)))
        reply = engine.run(case.trace)
    match reply:
        case Found(matches, failures, suppressed):
            return Expected(matches, None, warnings, failures or (), suppressed or ())
        case Rejected(diagnostics):
            known, places = case.expected.rejected, list(map(_place, diagnostics))
            return Expected((), known if known in places else places[0])
    raise AssertionError(f"the {language[KIT].definition} says neither what matches nor what is wrong: {reply}")


def _place(diagnostic: Json) -> Place:
    return Place(diagnostic["code"], diagnostic.get("line", 1), diagnostic.get("column"))


def objections(language: Language, case: Fixture, *, again: bool = False) -> Iterator[str]:
    """Yield why the expectation of a case is not that of the definition, or is not confirmed by `sound`.

    A case that was admitted is confirmed `again` in fewer ways.
    """
    truth = expected_of(language, case)
    if truth != case.expected:
        answer = "; ".join(write_expected(truth, language[KIT].notation))
        yield f"the expectation is not what the {language[KIT].definition} says: {answer}"
        return
    if truth.rejected is not None:
        return
    prepared = prepare(case, language)
    for circumstances, engine in language[KIT].confirmed_by(again):
        # A machine may refuse a construct that only the definition supports; it must not give another answer.
        if judge_case(LocalSession(engine), prepared, _TIMEOUT).verdict not in (
            CaseVerdict.PASS,
            CaseVerdict.UNSUPPORTED,
        ):
            yield f"sound does not confirm it {circumstances}".rstrip()


def measured_rules(language: Language, case: Fixture) -> tuple[str, ...]:
    """Return the rules that fire in `sound`, in their order, for the metadata of a case."""
    if case.expected.rejected is not None:
        return ()
    fired = language[KIT].measures().fired(case, SOUND)
    return tuple(rule for rule in language[RULES].rules if rule in fired)
