"""Whether all that one pattern finds another one finds too: by their shapes, with the solver for conditions and
lengths. What is said to be contained is; what is not said may be."""

from __future__ import annotations

from dataclasses import replace

from parte.checker.solver import terms
from parte.checker.solver.terms import Formula
from parte.languages.etalis.checker.unfolding import Unfolding
from parte.languages.etalis.checker.work import Asked, Work
from parte.languages.etalis.semantics.syntax import tree


def failing(pattern: tree.Pattern, other: tree.Where | tree.Lasting) -> Asked:
    """The pattern happens, but not so as the condition or the length of the other admits."""

    def asked(unfolding: Unfolding) -> list[Formula]:
        start, end = unfolding.pattern(pattern)
        match other:
            case tree.Where(condition=condition):
                return [terms.negated(unfolding.scope.term(condition).is_true)]
            case tree.Lasting(length=length):
                return [terms.negated(unfolding.lasts(start, end, length))]

    return asked


def contained(work: Work, one: tree.Pattern, other: tree.Pattern) -> bool:
    """Whether it is certain that the intervals of one are those of the other, under every assignment."""
    if one == other:
        return True
    match one:
        case tree.Joined(left=left, operator=tree.Operator.OR, right=right):
            return contained(work, left, other) and contained(work, right, other)
    match other:
        case tree.Joined(left=left, operator=tree.Operator.OR, right=right):
            if contained(work, one, left) or contained(work, one, right):
                return True
        case tree.Where(operand=operand) | tree.Lasting(operand=operand):
            if contained(work, one, operand) and work.never(failing(one, other)):
                return True
    match one, other:
        case tree.Where(operand=operand) | tree.Lasting(operand=operand), _ if contained(work, operand, other):
            return True
        case tree.Joined(), tree.Joined() if one.operator is other.operator:
            return contained(work, one.left, other.left) and contained(work, one.right, other.right)
        case tree.Negation(), tree.Negation() if work.readings.negation == "pairs":
            ends = contained(work, one.first, other.first) and contained(work, one.last, other.last)
            return ends and contained(work, other.absent, one.absent)
        case _:
            return False


def covered(work: Work, rule: tree.Rule, other: tree.Rule) -> bool:
    """Whether it is certain that a rule makes nothing that another one does not make."""
    one, another = canonical(rule), canonical(other)
    return one.head == another.head and contained(work, one.body, another.body)


def canonical(rule: tree.Rule) -> tree.Rule:
    """The rule with its variables called after the places where they stand first, in head and body."""
    names: dict[str, str] = {}
    for part in (rule.head, rule.body):
        for node in tree.within(part):
            if isinstance(node, tree.Variable):
                names.setdefault(node.name, f"V{len(names)}")

    def renamed(node: tree.Node) -> tree.Node:
        return replace(node, name=names[node.name]) if isinstance(node, tree.Variable) else node

    return replace(rule, head=tree.TREE.mapped(rule.head, renamed), body=tree.TREE.mapped(rule.body, renamed))
