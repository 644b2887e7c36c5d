"""Which known error an engine shows: the mutants that answer as it does (SPEC §7).

A mutant is told from the others by the cases near a small divergent one: those that the reduction tried, and variants;
the engine is wrong on some of them and right on others. Of mutants that agree with the engine on all of these, those
are kept that agree with it most often elsewhere; an engine with a second error disagrees there with each of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import semantics.machine  # noqa: F401 - registers the global rules
from conformance.matching import Declared, key_of
from conformance.mutants import SOUND, Mutant
from conformance.results import Verdict
from conformance.runner.judging import Judgement, Prepared, judge_case
from conformance.runner.sessions import LocalSession
from semantics.repairs import Family, repair_names
from semantics.rules.registry import all_rules

_TIMEOUT = 60.0

AS_PUBLISHED = Mutant(
    "sound/as-published",
    SOUND,
    tuple(info.id for info in all_rules() if info.family is Family.FEATHERWEIGHT),
    ("SPEC 5",),
    "all rules as published: none of the repairs",
    without=repair_names(),
)
"""What an engine is like that was built from D §5.4 to the letter. Compared last: it errs in many ways."""

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
    smallest: Answer, near: Sequence[Answer], sample: Sequence[Answer], mutants: Sequence[Mutant]
) -> tuple[Likeness, ...]:
    """The mutants that give just the wrong answer to the smallest case: those that agree most with the engine first.

    Of those that agree alike the first is that whose rule comes first among the rules of D §5.4. None for an engine
    that crashes, hangs or rejects: mutants err in what they find.
    """
    if not tells_of_matches(smallest[1]):
        return ()
    told, sampled = (
        [answer for answer in answers if answer[1].verdict in (Verdict.PASS, Verdict.FAIL)]
        for answers in (near, sample)
    )
    found: list[Likeness] = []
    for mutant in (*mutants, AS_PUBLISHED):
        if answers_as(mutant, smallest):
            agreed = sum(answers_as(mutant, answer) for answer in told)
            elsewhere = 0 if agreed < len(told) else sum(answers_as(mutant, answer) for answer in sampled)
            found.append(Likeness(mutant, agreed + 1, len(told) + 1, elsewhere, len(sampled)))
    most = max((each.elsewhere for each in found if each.exact), default=0)
    found = [each for each in found if not each.exact or each.elsewhere == most]
    order = [info.id for info in all_rules()]
    return tuple(sorted(found, key=lambda e: (-e.agreed, e.mutant == AS_PUBLISHED, order.index(e.rule))))


def tells_of_matches(judgement: Judgement) -> bool:
    """Whether an engine failed by what it found; mutants err in nothing else."""
    return judgement.verdict is Verdict.FAIL and bool(judgement.missing or judgement.spurious)


def answers_as(mutant: Mutant, answer: Answer) -> bool:
    """Whether a mutant makes of a case what an engine made of it."""
    case, judgement = answer
    session = LocalSession(mutant.engine())
    return _gist(judge_case(session, case, _TIMEOUT), case.declared) == _gist(judgement, case.declared)


def _gist(judgement: Judgement, declared: Declared) -> object:
    """What two judgements have in common that say the same of an engine, however it words its errors."""
    missing, spurious = (
        Counter(key_of(match, declared) for match in matches) for matches in (judgement.missing, judgement.spurious)
    )
    return judgement.verdict, missing, spurious
