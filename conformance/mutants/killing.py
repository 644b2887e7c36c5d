"""Which cases of the suite tell a mutant from the model that it was made of."""

from __future__ import annotations

from conformance.mutants.mutant import Mutant
from conformance.runner.judging import Judgement, Prepared, judge_case
from conformance.runner.sessions import LocalSession

TIMEOUT = 60.0
"""Seconds for one case; an engine of this process is not interrupted, so this ends a case only between two requests."""


def judge(mutant: Mutant, case: Prepared) -> Judgement:
    """The verdict on a mutant that is judged as any engine is."""
    return judge_case(LocalSession(mutant.engine()), case, TIMEOUT)


def kills(mutant: Mutant, case: Prepared) -> bool:
    """Whether a case tells a mutant from the model: a failure, a blocked machine, or a crash."""
    return judge(mutant, case).verdict.bad
