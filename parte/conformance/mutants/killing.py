"""Which cases of the suite tell a mutant from the model that it was made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path

from parte.conformance.fixtures import Fixture
from parte.conformance.kit import KIT
from parte.conformance.mutants.mutant import Mutant
from parte.conformance.runner.judging import Judgement, Prepared, judge_case, prepare
from parte.conformance.runner.sessions import LocalSession
from parte.conformance.suites import load_suite
from parte.languages.language import Language

TIMEOUT = 60.0
"""Seconds for one case; an engine of this process is not interrupted, so this ends a case only between two requests."""


@dataclass(frozen=True, slots=True)
class MutantResult:
    """What the suite makes of a mutant: the case that told it first, and, if all were tried, all that do.

    `judgement` is that of the first. `tried` counts the cases put to the mutant.
    """

    mutant: Mutant
    killer: str
    judgement: Judgement | None
    kills: tuple[str, ...]
    tried: int

    @property
    def killed(self) -> bool:
        """Whether some case tells the mutant from the model."""
        return bool(self.killer)

    @property
    def fault(self) -> str:
        """What is wrong with the suite, or with the reason why the mutant is to survive; empty if nothing is."""
        if self.killed and self.mutant.survives:
            return f"{self.mutant.name} is killed by {self.killer}, though it is to survive: {self.mutant.survives}"
        if not self.killed and not self.mutant.survives:
            return f"{self.mutant.name} survives, and no reason is stated"
        return ""


def judge(mutant: Mutant, case: Prepared) -> Judgement:
    """The verdict on a mutant that is judged as any engine is."""
    return judge_case(LocalSession(mutant.engine()), case, TIMEOUT)


def kills(mutant: Mutant, case: Prepared) -> bool:
    """Whether a case tells a mutant from the model: a failure, a blocked machine, or a crash."""
    return judge(mutant, case).verdict.bad


def in_order(mutant: Mutant, cases: Iterable[Fixture], language: Language) -> list[Fixture]:
    """The cases, those first that are likely to tell: hand-made, exercising its rules, small.

    The case that is known to tell it goes before all others, and then those whose ids share words with its name.
    """
    words = set(mutant.name.split("/")[1].split("-"))

    def rank(case: Fixture) -> tuple[bool, bool, int, int, bool, int]:
        area, _, name = case.id.partition("/")
        drawn = area in language[KIT].drawn
        shared = 0 if drawn else len(words & set(name.split("-")))
        lacking = sum(rule not in case.rules for rule in mutant.rules)
        rejected = case.expected.rejected is not None
        return case.id != mutant.killer, rejected, -shared, lacking, drawn, len(case.trace)

    return sorted(cases, key=rank)


def outcome_of(mutant: Mutant, cases: Sequence[Fixture], language: Language, *, every: bool = False) -> MutantResult:
    """Put the cases to a mutant until one tells it from the model; with `every`, all of them."""
    found: list[str] = []
    first: Judgement | None = None
    tried = 0
    for case in in_order(mutant, cases, language):
        tried += 1
        judgement = judge(mutant, _prepared(case, language))
        if judgement.verdict.bad:
            found.append(case.id)
            first = first or judgement
            if not every:
                break
    return MutantResult(mutant, found[0] if found else "", first, tuple(found), tried)


_known: dict[str, tuple[Fixture, Prepared]] = {}


def _prepared(case: Fixture, language: Language) -> Prepared:
    """Cases are prepared once for all mutants."""
    known = _known.get(case.id)
    if known is None or known[0] is not case:
        known = _known[case.id] = case, prepare(case, language)
    return known[1]


# --- Many mutants -----------------------------------------------------------------------------------------------------


def outcomes(
    mutants: Sequence[Mutant], root: Path, language: Language, *, every: bool = False, jobs: int = 1
) -> Iterator[MutantResult]:
    """What the suite below a directory makes of each mutant, in their order."""
    if jobs <= 1:
        cases = _cases(language, root)
        yield from (outcome_of(mutant, cases, language, every=every) for mutant in mutants)
        return
    # New processes, not copies of this one: it may have threads.
    with ProcessPoolExecutor(jobs, get_context("spawn")) as workers:
        waiting = [workers.submit(_outcome, mutant, root, language, every) for mutant in mutants]
        yield from (future.result() for future in waiting)


@cache
def _cases(language: Language, root: Path) -> tuple[Fixture, ...]:
    return tuple(load_suite(language, root).cases.values())


def _outcome(mutant: Mutant, root: Path, language: Language, every: bool) -> MutantResult:
    return outcome_of(mutant, _cases(language, root), language, every=every)
