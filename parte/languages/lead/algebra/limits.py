"""The greatest duration of a branch that does not match (specification: lead-sub-context), by its time operators."""

from __future__ import annotations

from parte.languages.lead.semantics.syntax import tree


def longest(pattern: tree.Pattern) -> int:
    """Return the longest time, in ms, from enabling to a match. It is defined only for patterns that a branch may
    have."""
    match pattern:
        case tree.Within(duration=duration, source=source):
            before = 0 if source is None or isinstance(source, tree.Bound) else longest(source)
            return before + duration.milliseconds
        case tree.Wait(duration=duration):
            return duration.milliseconds
        case tree.And(parts=parts) | tree.Or(parts=parts):
            return max(map(longest, parts))
        case tree.Sequence(parts=parts):
            return sum(map(_of_part, parts))
        case tree.Policy(choice=tree.Choice.ADJ, operand=tree.And(parts=(*before, after))):
            return max(map(longest, before)) + longest(after)
        case tree.Policy(choice=tree.Choice.ADJ, operand=tree.Sequence(parts=parts)):
            return sum(map(longest, parts))
        case tree.Filtered(operand=operand) | tree.Policy(operand=operand):
            return longest(operand)
        case _:
            raise AssertionError("a branch that nothing bounds is refused")


def _of_part(part: tree.Pattern) -> int:
    """Return the time that a part of a sequence adds. An open part adds none; `last` adds the time until its first
    match."""
    if not tree.is_open(part):
        return longest(part)
    while isinstance(part, tree.Filtered):
        part = part.operand
    return longest(part.operand) if isinstance(part, tree.Policy) else 0
