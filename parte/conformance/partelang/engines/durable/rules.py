"""A program as a ruleset: a `when_all` for each rule, whose strata are priorities."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import reduce
from typing import Any

from durable.lang import c, m, none, pri, ruleset, when_all

from parte.conformance.partelang.engines.durable.conditions import TEMPLATE, Condition, Matched, key
from parte.semantics.events.domain import Predicates
from parte.semantics.partelang.syntax import core

Action = Callable[[core.Rule], Callable[[Any], None]]
"""A function from a rule to the action for each of its matches, which gets the closure of the match."""


def definition(program: core.Program, domain: Predicates, action: Action) -> Any:
    """Return the ruleset of a program for durable_rules. Inexpressible if it has no form for a condition."""
    rules = ruleset("rules")
    with rules:
        for stratum, group in enumerate(program.rules_by_stratum(), 1):
            for rule in group:
                when_all(*_patterns(core.with_plain_variables(rule), domain), pri(stratum))(action(rule))
    return rules.define()[1]


def _patterns(rule: core.Rule, domain: Predicates) -> list[Any]:
    """Return conditions on a fact for each positive variable, in their order, then for the negated patterns.

    A condition belongs to the last positive variable that it mentions, a window to the later of its two.
    """
    order = [pattern.variable for pattern in rule.positive]
    demands: dict[str, list[Condition]] = {}
    for pattern in rule.patterns:
        demands[pattern.variable] = [getattr(m, TEMPLATE) == pattern.template]
    for constraint in rule.constraints:
        ends = (constraint.subject, constraint.reference)
        last = constraint.subject if constraint.negated else max(ends, key=order.index)
        demands[last] += Matched(last, domain).window(constraint)
    for pattern in rule.patterns:
        for condition in pattern.conditions:
            about = core.variables_of(condition) or {pattern.variable}
            last = pattern.variable if pattern.negated else max(about, key=order.index)
            demands[last] += Matched(last, domain).conditions(condition)
    wanted = {variable: reduce(operator.and_, conditions) for variable, conditions in demands.items()}
    positive = [getattr(c, key(variable)) << wanted[variable] for variable in order]
    return [*positive, *(none(wanted[pattern.variable]) for pattern in rule.patterns if pattern.negated)]
