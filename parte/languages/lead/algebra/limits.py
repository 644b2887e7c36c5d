"""When a branch is over that does not match (specification: lead-sub-context), by what time allows."""

from __future__ import annotations

from parte.languages.lead.semantics.syntax import tree


def longest(pattern: tree.Pattern) -> int:
    """How long after it is enabled a pattern matches at most. Only of patterns that a branch may have."""
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
    """What a part of a sequence adds: what is open takes no time of its own, but `last` does until its first match."""
    if not tree.is_open(part):
        return longest(part)
    while isinstance(part, tree.Filtered):
        part = part.operand
    return longest(part.operand) if isinstance(part, tree.Policy) else 0
