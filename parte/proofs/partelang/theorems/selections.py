"""Selections: the negated pattern behind `first v` or `last v` accepts just the events that would be chosen instead.

By the specification (selections) v is bound to an event that may be bound to it, and before which no other such event
happens, or after which none does. The elaborated rule has a negated pattern for that, with windows of its own
(selection-meaning). What a negated pattern does is the subject of `compiler-negation-*` and `not-*`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from parte.algebra.partelang.evaluate import holds
from parte.algebra.partelang.patterns import All, Within
from parte.checker.solver.verdict import Verdict
from parte.proofs.lemma import SOUND, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.partelang.statements import written
from parte.proofs.statements import before, both, same
from parte.proofs.symbolic import Body, Claims, Run
from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax import ast, core, parse, parse_source
from parte.semantics.partelang.syntax.codes import CODES
from parte.semantics.partelang.syntax.selections import with_selections
from parte.semantics.rulebook.connectives import neg
from parte.semantics.source.reporting import Reporter

WITHIN = "[0 ms, 1 ms]"


@cache
def _rule(selection: str, windows: str) -> tuple[core.Rule, ast.Rule]:
    """Return a rule as it is written, elaborated but without its negated pattern, and its source."""
    text = f"""level 2
    template T {{ k: Integer }}
    predicate P(Integer, Integer)
    rule R where a: T, b: T, {selection} v: T {{ P(a.k, k) }}, c: T when b in a {WITHIN} {windows} c in v {WITHIN} then
    """
    (source,) = (node for node in parse_source(text).declarations if isinstance(node, ast.Rule))
    (rule,) = parse(text).rules
    return rule.written, source


def chooses(selection: str, windows: str) -> Body:
    """With arbitrary ends of all windows: `v` may be bound, and `u` is any other event of its template."""

    def body(run: Run) -> Claims:
        rule, source = _rule(selection, windows)
        rule = replace(rule, constraints=tuple(_arbitrary(run, constraint) for constraint in rule.constraints))
        reporter = Reporter("", CODES)
        selected = with_selections(rule, source, reporter)
        if reporter.failed:  # a window of v is too long
            return ()
        times = {name: run.integer(f"timestamp of {name}") for name in ("a", "b", "v", "c", "u")}
        own = _windows(c for c in rule.constraints if {c.subject, c.reference} in ({"v", "a"}, {"v", "b"}))
        run.assume(written(run, own, times))
        sooner = before(times["u"], times["v"]) if selection == "first" else before(times["v"], times["u"])
        preferred = both(written(run, own, {**times, "v": times["u"]}), sooner)
        hidden = [pattern for pattern in selected.patterns if pattern.selects]
        if not hidden:
            return (("without a negated pattern there is nothing to choose", neg(preferred)),)
        (pattern,) = hidden
        meant = _windows(c for c in selected.constraints if c.subject == pattern.variable)
        admitted = written(run, meant, {**times, pattern.variable: times["u"]})
        named = [pattern.variable for pattern in selected.patterns]
        return (
            ("it accepts just the events that would be chosen instead", same(admitted, preferred)),
            ("by the conditions of v", _met(run, pattern) == _met(run, rule.patterns[2])),
            ("it is negated, and stands behind v", pattern.negated and named == ["a", "b", "v", pattern.variable, "c"]),
        )

    return body


def _arbitrary(run: Run, constraint: core.Constraint) -> core.Constraint:
    lower, upper = (
        run.integer(f"{end} of {constraint.subject} in {constraint.reference}") for end in ("lower", "upper")
    )
    return replace(constraint, lower=lower, upper=upper)


def _windows(constraints: Iterable[core.Constraint]) -> tuple[Within, ...]:
    return tuple(Within(c.subject, c.reference, c.begins, c.upper) for c in constraints)


def _met(run: Run, pattern: core.Pattern) -> bool:
    """Return whether `u` meets the conditions of a pattern."""
    domain: Predicates = {"P": lambda *of: bool(run.truth(f"P of {of}"))}
    events = {name: Event(name, "T", 0, {"k": name}, "s") for name in ("a", "u")}
    return holds(All(pattern.conditions), frozenset({("a", events["a"]), (pattern.variable, events["u"])}), domain)


# --- The lemmas -------------------------------------------------------------------------------------------------------

_SELECTIONS = "parte.semantics.partelang.syntax.selections"
_AT_ONCE = Mutant("at-once-too", f"{_SELECTIONS}:with_selections", "(-span, -1)", "(-span, 0)")
_NEXT = Mutant("one-millisecond-only", f"{_SELECTIONS}:with_selections", "(1, span)", "(1, 1)")

LEMMAS = tuple(
    Lemma(
        f"selections-{selection}-{name}",
        f"The negated pattern behind `{selection} v` accepts just the events that may be bound to v and happen "
        f"{'before' if selection == 'first' else 'after'} it.",
        "5.5.3, extended by level 2",
        (),
        f"an instance: patterns a, b, {selection} v, c, when v {described}; any ends of windows, any times",
        chooses(selection, windows),
        mutant,
        {SOUND: Verdict.PROVED},
    )
    for selection, mutant in (("first", _AT_ONCE), ("last", _NEXT))
    for name, windows, described in (
        ("one", f"v in a {WITHIN}", "in a"),
        ("two", f"v in a {WITHIN} b in v {WITHIN} v in c {WITHIN}", "in a, b in v, v in c"),
    )
)
