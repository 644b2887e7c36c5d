"""The question whether one row can fit two variables of a pattern, for the solver."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from parte.checker.partelang.prover import Prover
from parte.checker.partelang.rule_claims import claims_of
from parte.checker.solver.backend import alone
from parte.checker.solver.queries import Journal
from parte.semantics.partelang.syntax.elaborate import parse

TIMEOUT: Final = 5.0
"""Seconds for one question."""


@lru_cache(maxsize=256)
@alone
def exclusive(text: str) -> bool:
    """Return whether the solver proves that no events meet the conditions and windows of the rule of a program."""
    program = parse(text)
    rule = program.rules[0]
    claims = claims_of(rule)
    prover = Prover(program, {}, TIMEOUT, Journal())
    return prover.decide(rule.name, claims.variables, {**claims.conditions, **claims.windows}).impossible
