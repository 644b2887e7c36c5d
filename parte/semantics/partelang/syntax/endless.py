"""Windows without beginning (specification: windows-ever, windows-endless).

A variable is endless if no constraint bounds its events from below. All events from the beginning of time matter to it
then. One summary of them for each key is enough if every condition is on the variable alone or a key, and if every
aggregate of it can be computed from such summaries.
"""

from __future__ import annotations

from collections.abc import Iterator

from parte.semantics.partelang.syntax import core
from parte.semantics.source.reporting import Reporter


def is_endless(rule: core.Rule, variable: str) -> bool:
    """Return whether no constraint on a variable, of a negated pattern or of a set, has a finite lower end."""
    ends = [constraint.lower for constraint in rule.constraints if constraint.subject == variable]
    return bool(ends) and all(end is None for end in ends)


def check_endless(rule: core.Rule, reporter: Reporter) -> None:
    """Report what would need more of the events of an endless variable than a summary for each key."""
    endless = {pattern.variable for pattern in rule.patterns if is_endless(rule, pattern.variable)}
    for pattern in rule.patterns:
        for condition in pattern.conditions if pattern.variable in endless else ():
            if not (core.variables_of(condition) <= {pattern.variable} or _is_key(condition, pattern.variable)):
                own = pattern.variable
                message = (
                    f"the window of `{own}` has no beginning, and this condition is not on `{own}` alone, nor a key"
                )
                hint = (
                    f"compare attributes of `{own}` by `=` with something else, or bound `{own}` from below in `when`"
                )
                reporter.report("unbounded-without-key", condition.span, message, hint)
    for emission in rule.emissions:
        for instant in core.TIMESTAMP_EXPRESSIONS.within(emission.at):
            if isinstance(instant, core.Aggregate) and instant.variable in endless:
                message = f"the window of `{instant.variable}` has no beginning, so nothing bounds this timestamp"
                hint = "take the timestamp of a positive variable, or bound the set from below in `when`"
                reporter.report("unbounded-at", instant.span, message, hint)
    for part in _values(rule):
        if isinstance(part, core.Aggregate) and part.distinct and part.variable in endless:
            message = f"the window of `{part.variable}` has no beginning: its different values have no bound"
            hint = "count all values, without `distinct`, or bound the set from below in `when`"
            reporter.report("unbounded-distinct", part.span, message, hint)


def _is_key(condition: core.Expression, variable: str) -> bool:
    """Return whether a condition equates a term of the attributes of a variable with one that is without it."""
    if not isinstance(condition, core.Comparison) or condition.operator != "=":
        return False
    return any(
        core.variables_of(ours) == {variable}
        and variable not in core.variables_of(theirs)
        and not any(isinstance(part, core.TimestampOf | core.ClockReading) for part in core.EXPRESSIONS.within(ours))
        for ours, theirs in ((condition.left, condition.right), (condition.right, condition.left))
    )


def _values(rule: core.Rule) -> Iterator[core.Expression]:
    for condition in rule.having:
        yield from core.EXPRESSIONS.within(condition)
    for emission in rule.emissions:
        for assignment in emission.assignments:
            yield from core.EXPRESSIONS.within(assignment.value)
