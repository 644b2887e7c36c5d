"""Naming the error of an engine: the mutants that give the same answers (specification: fuzzing).

Mutants are distinguished by the cases near a small divergent one: those that the reduction tried, and variants. The
engine is wrong on some of them and right on others. Of the mutants that agree with the engine on all of these, those
remain that agree with it most often elsewhere; an engine with a second error disagrees there with each of them.
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
"""A case, and the judgement on the engine's answer."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """A mutant that gives the engine's answer to the smallest case.

    It agrees with the engine in `agreed` of the `tried` cases near it, and in `elsewhere` of `sampled` others; these
    are tried only with a mutant that agrees in all near cases.
    """

    mutant: Mutant
    agreed: int
    tried: int
    elsewhere: int = 0
    sampled: int = 0

    @property
    def exact(self) -> bool:
        """True if no tried case near it distinguishes the mutant from the engine."""
        return self.agreed == self.tried

    @property
    def rule(self) -> str:
        """The inference rule whose effect is contradicted."""
        return self.mutant.rules[0]

    def __str__(self) -> str:
        agreement = f"in {self.agreed} of {self.tried} cases like it"
        if self.exact:
            agreement = f"in all {self.tried} cases like it and in {self.elsewhere} of {self.sampled} others"
        return f"{self.mutant.of} with {self.mutant.description} ({self.mutant.name}), {agreement}"


def likenesses(
    smallest: Answer,
    near: Sequence[Answer],
    sample: Sequence[Answer],
    mutants: Sequence[Mutant],
    published: Mutant | None,
    rules: Sequence[str],
) -> tuple[Likeness, ...]:
    """Return the mutants that give the engine's wrong answer to the smallest case, those that agree most with it first.

    Mutants that agree equally are ordered by their rules, in the order of the language; the one that equals
    `published`, which has many errors, comes last. None for an engine that crashes, hangs or rejects: mutants only
    report wrong matches.
    """
    if not tells_of_matches(smallest[1]):
        return ()
    comparable, sampled = (
        [answer for answer in answers if answer[1].verdict in (CaseVerdict.PASS, CaseVerdict.FAIL)]
        for answers in (near, sample)
    )
    alike: list[Likeness] = []
    for mutant in (*mutants, *([] if published is None else [published])):
        if answers_as(mutant, smallest):
            agreed = sum(answers_as(mutant, answer) for answer in comparable)
            elsewhere = 0 if agreed < len(comparable) else sum(answers_as(mutant, answer) for answer in sampled)
            alike.append(Likeness(mutant, agreed + 1, len(comparable) + 1, elsewhere, len(sampled)))
    most = max((likeness.elsewhere for likeness in alike if likeness.exact), default=0)
    alike = [likeness for likeness in alike if not likeness.exact or likeness.elsewhere == most]
    return tuple(
        sorted(alike, key=lambda likeness: (-likeness.agreed, likeness.mutant == published, rules.index(likeness.rule)))
    )


def tells_of_matches(judgement: Judgement) -> bool:
    """Return whether an engine failed by its matches; mutants fail in no other way."""
    return judgement.verdict is CaseVerdict.FAIL and bool(judgement.missing or judgement.spurious)


def answers_as(mutant: Mutant, answer: Answer) -> bool:
    """Return whether a mutant gives the engine's answer to a case."""
    case, judgement = answer
    session = LocalSession(mutant.engine())
    return _gist(judge_case(session, case, _TIMEOUT), case.key) == _gist(judgement, case.key)


def _gist(judgement: Judgement, key: Key) -> object:
    """Return the part of a judgement that is compared: verdict and matches, without the wording of errors."""
    return judgement.verdict, Counter(map(key, judgement.missing)), Counter(map(key, judgement.spurious))
