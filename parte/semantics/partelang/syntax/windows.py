"""The `when` clause of a rule: its constraints, and the check that they bound what must be bounded (D §4.2.2).

Specification: windows-closed, variables-related, negation-bounded, negation-constraints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from parte.semantics.events.values import fits_integer
from parte.semantics.partelang.syntax import ast, core
from parte.semantics.partelang.syntax.scope import Variable
from parte.semantics.partelang.syntax.temporal import closure, negated_bounds
from parte.semantics.source.reporting import Reporter


def elaborate_constraints(
    rule: ast.Rule, variables: Mapping[str, Variable], reporter: Reporter
) -> tuple[core.Constraint, ...]:
    """Return the valid constraints; report all errors in the clause."""
    constraints: list[core.Constraint] = []
    related: list[tuple[Variable, Variable]] = []
    complete = True
    for node in rule.constraints:
        subject, reference = _pair(node, variables, reporter)
        if subject is None or reference is None:
            complete = False
            continue
        # A constraint with an error still shows which variables it was meant to relate.
        related.append((subject, reference))
        if _sound(node, subject, reference, reporter):
            lower, upper = node.lower.milliseconds, node.upper.milliseconds
            negated = subject.negated
            constraints.append(core.Constraint(subject.name, reference.name, lower, upper, negated, span=node.span))
    if complete:
        _check_related(variables, related, reporter)
    return tuple(constraints)


def _pair(
    node: ast.Constraint, variables: Mapping[str, Variable], reporter: Reporter
) -> tuple[Variable | None, Variable | None]:
    pair: list[Variable | None] = []
    for name, span in ((node.subject, node.subject_span), (node.reference, node.reference_span)):
        variable = variables.get(name)
        if variable is None:
            hint = reporter.suggestion(name, variables, "a constraint relates variables of the rule's patterns")
            reporter.report("unknown-variable", span, f"there is no variable called `{name}`", hint)
        pair.append(variable)
    return pair[0], pair[1]


def _sound(node: ast.Constraint, subject: Variable, reference: Variable, reporter: Reporter) -> bool:
    errors = 0

    def report(code: str, message: str, hint: str, *, at_reference: bool = False) -> None:
        nonlocal errors
        errors += 1
        span = node.reference_span if at_reference else node.span
        reporter.report(code, span, message, hint)

    if subject.name == reference.name:
        report("self-constraint", f"`{subject.name}` is related to itself", "relate two different variables")
        return False
    written = f"{node.subject} in {node.reference} […]"
    if node.negated and not subject.negated:
        message = f"`{subject.name}` is bound by a positive pattern, so its constraint has no `no`"
        report("negation-mismatch", message, f"write `{written}`")
    elif subject.negated and not node.negated:
        message = f"`{subject.name}` is bound by a negated pattern, so its constraint begins with `no`"
        report("negation-mismatch", message, f"write `no {written}`")
    if reference.negated:
        message = f"`{reference.name}` is bound by a negated pattern: there is no event to measure from"
        hint = "measure from a positive variable"
        if not subject.negated:
            hint = f"turn it round: `no {reference.name} in {subject.name} […]`, with the bounds negated and swapped"
        report("negated-reference", message, hint, at_reference=True)
    elif subject.negated and reference.position > subject.position > 0:
        # A pattern at position 0 is in the wrong place, which is reported as another error.
        message = f"`{reference.name}` is bound after the negated pattern of `{subject.name}`"
        hint = f"move the pattern of `{subject.name}` after that of `{reference.name}`"
        report("reference-too-late", message, hint, at_reference=True)
    lower, upper = node.lower.milliseconds, node.upper.milliseconds
    if not fits_integer(lower) or not fits_integer(upper):
        report("duration-out-of-range", "a bound does not fit 64 bit in milliseconds", "choose a shorter duration")
    elif lower > upper:
        report("empty-interval", "the lower bound is above the upper one: nothing lies between them", "swap the bounds")
    return errors == 0


def _check_related(
    variables: Mapping[str, Variable], related: Sequence[tuple[Variable, Variable]], reporter: Reporter
) -> None:
    """Check that all positive variables are related, and every negated one is related to a positive one."""
    leader = {name: name for name in variables}

    def find(name: str) -> str:
        while leader[name] != name:
            leader[name] = leader[leader[name]]
            name = leader[name]
        return name

    bounded = set[str]()
    for subject, reference in related:
        if not subject.negated and not reference.negated:
            # The earlier variable is the leader, so that messages name the pattern to which no relation leads.
            first_name, second_name = sorted(
                (find(subject.name), find(reference.name)), key=lambda name: variables[name].position
            )
            leader[second_name] = first_name
        bounded |= {variable.name for variable in (subject, reference) if variable.negated}
    positive = [variable for variable in variables.values() if not variable.negated]
    for variable in positive[1:]:
        if find(variable.name) == variable.name:
            first = positive[0].name
            message = f"nothing bounds the time between `{variable.name}` and `{first}`"
            hint = f"relate them in `when`: `{variable.name} in {first} [0 days, 14 days]`"
            reporter.report("unrelated-variables", variable.pattern.variable_span, message, hint)
    for variable in variables.values():
        if variable.negated and variable.name not in bounded:
            message = f"nothing bounds the time in which `{variable.name}` must be absent"
            example = positive[0].name if positive else "…"
            hint = f"bound it in `when`: `no {variable.name} in {example} [0 days, 14 days]`"
            reporter.report("unbounded-negation", variable.pattern.variable_span, message, hint)


def check_consistent(rule: core.Rule, node: ast.Rule, reporter: Reporter) -> None:
    """Warn about windows that contradict each other: the rule is legal, but useless."""
    distances = closure([pattern.variable for pattern in rule.positive], rule.constraints)
    if distances.contradictory:
        message = f"the windows of `{rule.name}` exclude each other: it never matches"
        hint = "compare the bounds along each cycle of constraints"
        reporter.report("contradictory-windows", node.name_span, message, hint)
        return
    for pattern, written in zip(rule.patterns, node.patterns, strict=True):
        if pattern.negated:
            bounds = negated_bounds(distances, pattern.variable, rule.constraints)
            if any(lower > upper for lower, upper in bounds.values()):
                message = f"no event lies in all windows of `{pattern.variable}`: the negation never applies"
                hint = "several constraints on a negated variable hold together: is one of them wrong?"
                reporter.report("contradictory-negation", written.variable_span, message, hint)
