"""The cases of the suite that distinguish a mutant from its model."""

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
from parte.semantics.source.workers import end_with_parent

TIMEOUT = 60.0
"""Seconds for one case; an engine of this process is not interrupted, so this ends a case only between two requests."""


@dataclass(frozen=True, slots=True)
class MutantResult:
    """The result of the suite on a mutant: the first case that killed it, and, if all were tried, all that do.

    `judgement` is that of the first. `tried` counts the cases run on the mutant.
    """

    mutant: Mutant
    killer: str
    judgement: Judgement | None
    kills: tuple[str, ...]
    tried: int

    @property
    def killed(self) -> bool:
        """True if some case distinguishes the mutant from the model."""
        return bool(self.killer)

    @property
    def fault(self) -> str:
        """An unexpected result: the mutant survives without a stated reason, or is killed in spite of one; else
        empty."""
        if self.killed and self.mutant.survives:
            return f"{self.mutant.name} is killed by {self.killer}, though it is to survive: {self.mutant.survives}"
        if not self.killed and not self.mutant.survives:
            return f"{self.mutant.name} survives, and no reason is stated"
        return ""


def judge(mutant: Mutant, case: Prepared) -> Judgement:
    """Return the verdict on a mutant, judged like any engine."""
    return judge_case(LocalSession(mutant.engine()), case, TIMEOUT)


def kills(mutant: Mutant, case: Prepared) -> bool:
    """Return whether a case distinguishes a mutant from the model: by a failure, a blocked machine, or a crash."""
    return judge(mutant, case).verdict.bad


def in_order(mutant: Mutant, cases: Iterable[Fixture], language: Language) -> list[Fixture]:
    """Return the cases, the likely killers first: hand-made, exercising its rules, small.

    The known killer comes before all others, and then those whose ids share words with the name of the mutant.
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
    """Run the cases on a mutant until one kills it; with `every`, all of them."""
    killers: list[str] = []
    first: Judgement | None = None
    tried = 0
    for case in in_order(mutant, cases, language):
        tried += 1
        judgement = judge(mutant, _prepared(case, language))
        if judgement.verdict.bad:
            killers.append(case.id)
            first = first or judgement
            if not every:
                break
    return MutantResult(mutant, killers[0] if killers else "", first, tuple(killers), tried)


_known: dict[str, tuple[Fixture, Prepared]] = {}


def _prepared(case: Fixture, language: Language) -> Prepared:
    """Return a prepared case; each case is prepared once for all mutants."""
    known = _known.get(case.id)
    if known is None or known[0] is not case:
        known = _known[case.id] = case, prepare(case, language)
    return known[1]


# --- Many mutants -----------------------------------------------------------------------------------------------------


def outcomes(
    mutants: Sequence[Mutant], root: Path, language: Language, *, every: bool = False, jobs: int = 1
) -> Iterator[MutantResult]:
    """Yield the result of the suite below a directory on each mutant, in their order."""
    if jobs <= 1:
        cases = _cases(language, root)
        yield from (outcome_of(mutant, cases, language, every=every) for mutant in mutants)
        return
    # New processes, not copies of this one: it may have threads.
    with ProcessPoolExecutor(jobs, get_context("spawn"), end_with_parent) as workers:
        waiting = [workers.submit(_outcome, mutant, root, language, every) for mutant in mutants]
        yield from (future.result() for future in waiting)


@cache
def _cases(language: Language, root: Path) -> tuple[Fixture, ...]:
    return tuple(load_suite(language, root).cases.values())


def _outcome(mutant: Mutant, root: Path, language: Language, every: bool) -> MutantResult:
    return outcome_of(mutant, _cases(language, root), language, every=every)
