"""The `when` clause of a rule: its constraints, and the check that they bound what must be bounded (D §4.2.2).

Specification: windows-closed, variables-related, negation-bounded, negation-constraints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from parte.semantics.events.event import POSITIVE_INFINITY
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
            lower, upper = node.closed
            negated = not subject.positive
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
    if reference.collected:
        message = f"`{reference.name}` is a set: there is no single event to measure from"
        report("set-reference", message, "measure from a positive variable", at_reference=True)
    elif reference.negated:
        message = f"`{reference.name}` is bound by a negated pattern: there is no event to measure from"
        hint = "measure from a positive variable"
        if subject.positive:
            hint = f"turn it round: `no {reference.name} in {subject.name} […]`, with the bounds negated and swapped"
        report("negated-reference", message, hint, at_reference=True)
    elif not subject.positive and reference.position > subject.position > 0:
        # A pattern at position 0 is in the wrong place, which is reported as another error.
        pattern = "negated pattern" if subject.negated else "set"
        message = f"`{reference.name}` is bound after the {pattern} of `{subject.name}`"
        hint = f"move the pattern of `{subject.name}` after that of `{reference.name}`"
        report("reference-too-late", message, hint, at_reference=True)
    lower, upper = node.lower.milliseconds, node.upper.milliseconds
    if isinstance(node.upper, ast.Ever) or lower == POSITIVE_INFINITY:
        message = (
            "this window has no end, so nothing would ever be decided" if upper > 0 else "no time is before `-ever`"
        )
        report("never-decided", message, "write a duration; only the beginning of a window may be `-ever`")
    elif isinstance(node.lower, ast.Ever):
        if subject.positive:
            message = f"`{subject.name}` is bound by a positive pattern: its events would have to be kept for ever"
            report("positive-ever", message, "write a duration; negated variables and sets may have `-ever`")
        elif not fits_integer(upper):
            report("duration-out-of-range", "a bound does not fit 64 bit in milliseconds", "choose a shorter duration")
    elif not fits_integer(lower) or not fits_integer(upper):
        report("duration-out-of-range", "a bound does not fit 64 bit in milliseconds", "choose a shorter duration")
    elif lower > upper:
        report("empty-interval", "the lower bound is above the upper one: nothing lies between them", "swap the bounds")
    elif lower + node.open_lower > upper - node.open_upper:
        message = "no millisecond lies between the ends of this window"
        report("empty-interval", message, "a square bracket includes the end itself: `[` or `]`")
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
        if subject.positive and reference.positive:
            # The earlier variable is the leader, so that messages name the pattern to which no relation leads.
            first_name, second_name = sorted(
                (find(subject.name), find(reference.name)), key=lambda name: variables[name].position
            )
            leader[second_name] = first_name
        bounded |= {variable.name for variable in (subject, reference) if not variable.positive}
    positive = [variable for variable in variables.values() if variable.positive]
    unbounded = [
        variable
        for variable in positive[1:]
        if variable.pattern.selection is not None and not _chosen_by(variable, related)
    ]
    for variable in unbounded:
        message = f"nothing bounds the time between `{variable.name}` and an event before it"
        first = positive[0].name
        hint = f"relate it in `when` to a variable of a pattern above: `{variable.name} in {first} [0 days, 14 days]`"
        reporter.report("unbounded-selection", variable.pattern.variable_span, message, hint)
    for variable in positive[1:]:
        if find(variable.name) == variable.name and variable not in unbounded:
            first = positive[0].name
            message = f"nothing bounds the time between `{variable.name}` and `{first}`"
            hint = f"relate them in `when`: `{variable.name} in {first} [0 days, 14 days]`"
            reporter.report("unrelated-variables", variable.pattern.variable_span, message, hint)
    for variable in variables.values():
        if variable.collected and variable.name not in bounded:
            message = f"nothing bounds the time of the events of the set `{variable.name}`"
            example = positive[0].name if positive else "…"
            hint = f"bound it in `when`: `{variable.name} in {example} [-1 hours, 0 ms]`"
            reporter.report("unbounded-set", variable.pattern.variable_span, message, hint)
        if variable.negated and variable.name not in bounded:
            message = f"nothing bounds the time in which `{variable.name}` must be absent"
            example = positive[0].name if positive else "…"
            hint = f"bound it in `when`: `no {variable.name} in {example} [0 days, 14 days]`"
            reporter.report("unbounded-negation", variable.pattern.variable_span, message, hint)


def _chosen_by(variable: Variable, related: Sequence[tuple[Variable, Variable]]) -> bool:
    """Return whether a constraint relates a variable to a positive one before it."""
    pairs = [pair for pair in related if variable in pair]
    others = [first if second is variable else second for first, second in pairs]
    return any(earlier.position < variable.position and earlier.positive for earlier in others)


def check_consistent(rule: core.Rule, node: ast.Rule, reporter: Reporter) -> None:
    """Warn about windows that contradict each other: the rule is legal, but useless."""
    distances = closure([pattern.variable for pattern in rule.positive], rule.constraints)
    if distances.contradictory:
        message = f"the windows of `{rule.reported}` exclude each other: it never matches"
        hint = "compare the bounds along each cycle of constraints"
        reporter.report("contradictory-windows", node.name_span, message, hint)
        return
    for pattern, written in zip(rule.written.patterns, node.patterns, strict=True):
        if not pattern.positive:
            bounds = negated_bounds(distances, pattern.variable, rule.constraints)
            if any(lower > upper for lower, upper in bounds.values()):
                code = "contradictory-negation" if pattern.negated else "empty-set"
                consequence = "the negation never applies" if pattern.negated else "the set is always empty"
                message = f"no event lies in all windows of `{pattern.variable}`: {consequence}"
                hint = "several constraints on one variable hold together: is one of them wrong?"
                reporter.report(code, written.variable_span, message, hint)
