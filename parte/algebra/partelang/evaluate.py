"""The evaluation of a pattern over a stream (D def. 12). This evaluator defines the truth; it is not fast.

A value of a mapping type is a set of pairs, so that the unions are those of the definition. Events are distinguished by
their ids: two events with equal contents are two. No event is consumed (specification: zero-consumption).
"""

from __future__ import annotations

import collections.abc

from parte.algebra.partelang.aggregates import in_place_of_event
from parte.algebra.partelang.effort import Effort
from parte.algebra.partelang.expressions import value_of
from parte.algebra.partelang.patterns import (
    All,
    Binding,
    Collection,
    Condition,
    Conjunction,
    Disjunction,
    Filter,
    FilteredNegation,
    Pattern,
    Within,
)
from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import Event

MappingValue = frozenset[tuple[str, Event]]
"""A value of a mapping type: variables with the events that they are bound to (D def. 8)."""


def evaluate(
    pattern: Pattern, stream: collections.abc.Collection[Event], domain: Predicates, effort: Effort | None = None
) -> frozenset[MappingValue]:
    """Return ⟦pattern⟧ over the stream. Raise TooMuch.

    The first five cases are those of definition 12, in their order; the last is ours (specification: sets).
    """
    effort = effort or Effort()

    def values(pattern: Pattern) -> frozenset[MappingValue]:
        return evaluate(pattern, stream, domain, effort)

    match pattern:
        case Binding(r, x):
            return frozenset(frozenset({(x, event)}) for event in stream if event.template == r)
        case Conjunction(p1, p2):
            v1s, v2s = values(p1), values(p2)
            effort.spend(len(v1s) * len(v2s))
            return frozenset(v1 | v2 for v1 in v1s for v2 in v2s)
        case Disjunction(p1, p2):
            return values(p1) | values(p2)
        case Filter(p, f):
            return frozenset(v for v in values(p) if holds(f, v, domain))
        case FilteredNegation(pp, pn, f):
            vps, vns = values(pp), values(pn)
            effort.spend(len(vps) * len(vns))
            return frozenset(vp for vp in vps if all(not holds(f, vp | vn, domain) for vn in vns))
        case Collection(pp, pe, x, f):
            vps, ves = values(pp), values(pe)
            effort.spend(len(vps) * len(ves))
            return frozenset(
                vp | {(x, in_place_of_event(frozenset(dict(ve)[x] for ve in ves if holds(f, vp | ve, domain))))}
                for vp in vps
            )


def holds(condition: Condition, value: MappingValue, domain: Predicates) -> bool:
    """Return whether `value` ⊨ `condition`; a condition without value does not hold."""
    bound = dict(value)
    match condition:
        case All(conditions):
            return all(holds(part, value, domain) for part in conditions)
        case Within(subject, reference, lower, upper):
            return lower <= bound[subject].timestamp - bound[reference].timestamp <= upper
        case _:
            return value_of(condition, bound, domain) is True
