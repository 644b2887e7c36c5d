"""Which known error an engine shows: the mutants that answer as it does (specification: fuzzing).

A mutant is told from the others by the cases near a small divergent one: those that the reduction tried, and variants;
the engine is wrong on some of them and right on others. Of mutants that agree with the engine on all of these, those
are kept that agree with it most often elsewhere; an engine with a second error disagrees there with each of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from parte.conformance.mutants import Mutant
from parte.conformance.results import CaseVerdict
from parte.conformance.runner.judging import Judgement, Prepared, judge_case
from parte.conformance.runner.sessions import LocalSession
from parte.semantics.events.differences import Key

_TIMEOUT = 60.0

Answer = tuple[Prepared, Judgement]
"""What an engine made of a case."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """A mutant that answers the smallest case as the engine does.

    In `agreed` of the `tried` cases near it, it does so too, and in `elsewhere` of `sampled` others; these are tried
    only of a mutant that agrees near it.
    """

    mutant: Mutant
    agreed: int
    tried: int
    elsewhere: int = 0
    sampled: int = 0

    @property
    def exact(self) -> bool:
        """Whether nothing near the case tells it from the engine."""
        return self.agreed == self.tried

    @property
    def rule(self) -> str:
        """The inference rule whose effect is contradicted."""
        return self.mutant.rules[0]

    def __str__(self) -> str:
        how = f"in {self.agreed} of {self.tried} cases like it"
        if self.exact:
            how = f"in all {self.tried} cases like it and in {self.elsewhere} of {self.sampled} others"
        return f"{self.mutant.of} with {self.mutant.description} ({self.mutant.name}), {how}"


def likenesses(
    smallest: Answer,
    near: Sequence[Answer],
    sample: Sequence[Answer],
    mutants: Sequence[Mutant],
    published: Mutant | None,
    rules: Sequence[str],
) -> tuple[Likeness, ...]:
    """The mutants that give just the wrong answer to the smallest case: those that agree most with the engine first.

    Of those that agree alike the first is that whose rule comes first among the rules of the language; that which is as
    `published`, and errs in many ways, comes last. None for an engine that crashes, hangs or rejects: mutants err in
    what they find.
    """
    if not tells_of_matches(smallest[1]):
        return ()
    told, sampled = (
        [answer for answer in answers if answer[1].verdict in (CaseVerdict.PASS, CaseVerdict.FAIL)]
        for answers in (near, sample)
    )
    found: list[Likeness] = []
    for mutant in (*mutants, *([] if published is None else [published])):
        if answers_as(mutant, smallest):
            agreed = sum(answers_as(mutant, answer) for answer in told)
            elsewhere = 0 if agreed < len(told) else sum(answers_as(mutant, answer) for answer in sampled)
            found.append(Likeness(mutant, agreed + 1, len(told) + 1, elsewhere, len(sampled)))
    most = max((each.elsewhere for each in found if each.exact), default=0)
    found = [each for each in found if not each.exact or each.elsewhere == most]
    return tuple(sorted(found, key=lambda each: (-each.agreed, each.mutant == published, rules.index(each.rule))))


def tells_of_matches(judgement: Judgement) -> bool:
    """Whether an engine failed by what it found; mutants err in nothing else."""
    return judgement.verdict is CaseVerdict.FAIL and bool(judgement.missing or judgement.spurious)


def answers_as(mutant: Mutant, answer: Answer) -> bool:
    """Whether a mutant makes of a case what an engine made of it."""
    case, judgement = answer
    session = LocalSession(mutant.engine())
    return _gist(judge_case(session, case, _TIMEOUT), case.key) == _gist(judgement, case.key)


def _gist(judgement: Judgement, key: Key) -> object:
    """What two judgements have in common that say the same of an engine, however it words its errors."""
    return judgement.verdict, Counter(map(key, judgement.missing)), Counter(map(key, judgement.spurious))
