"""Containment of patterns: whether each finding of one is a finding of another. The check uses their shapes, and the
solver for conditions and lengths. It is sound: a positive answer is certain; a negative one is not."""

from __future__ import annotations

from dataclasses import replace

from parte.checker.solver import terms
from parte.checker.solver.terms import Formula
from parte.languages.etalis.checker.unfolding import Unfolding
from parte.languages.etalis.checker.work import Question, Work
from parte.languages.etalis.semantics.syntax import tree


def failing(pattern: tree.Pattern, bounded: tree.Where | tree.Lasting) -> Question:
    """Return the question whether the pattern happens in a way that the condition or the length of `bounded`
    excludes."""

    def question(unfolding: Unfolding) -> list[Formula]:
        start, end = unfolding.pattern(pattern)
        match bounded:
            case tree.Where(condition=condition):
                return [terms.negated(unfolding.scope.term(condition).is_true)]
            case tree.Lasting(length=length):
                return [terms.negated(unfolding.lasts(start, end, length))]

    return question


def contained(work: Work, first: tree.Pattern, second: tree.Pattern) -> bool:
    """Return whether the intervals of the first pattern are certainly intervals of the second, under every
    assignment."""
    if first == second:
        return True
    match first:
        case tree.Joined(left=left, operator=tree.Operator.OR, right=right):
            return contained(work, left, second) and contained(work, right, second)
    match second:
        case tree.Joined(left=left, operator=tree.Operator.OR, right=right):
            if contained(work, first, left) or contained(work, first, right):
                return True
        case tree.Where(operand=operand) | tree.Lasting(operand=operand):
            if contained(work, first, operand) and work.never(failing(first, second)):
                return True
    match first, second:
        case tree.Where(operand=operand) | tree.Lasting(operand=operand), _ if contained(work, operand, second):
            return True
        case tree.Joined(), tree.Joined() if first.operator is second.operator:
            return contained(work, first.left, second.left) and contained(work, first.right, second.right)
        case tree.Negation(), tree.Negation() if work.readings.negation == "pairs":
            ends = contained(work, first.first, second.first) and contained(work, first.last, second.last)
            return ends and contained(work, second.absent, first.absent)
        case _:
            return False


def covered(work: Work, rule: tree.Rule, wider: tree.Rule) -> bool:
    """Return whether a rule certainly derives nothing that another rule does not derive."""
    left, right = canonical(rule), canonical(wider)
    return left.head == right.head and contained(work, left.body, right.body)


def canonical(rule: tree.Rule) -> tree.Rule:
    """Return the rule with its variables named after their order of occurrence, in head and body."""
    names: dict[str, str] = {}
    for part in (rule.head, rule.body):
        for node in tree.within(part):
            if isinstance(node, tree.Variable):
                names.setdefault(node.name, f"V{len(names)}")

    def renamed(node: tree.Node) -> tree.Node:
        return replace(node, name=names[node.name]) if isinstance(node, tree.Variable) else node

    return replace(rule, head=tree.TREE.mapped(rule.head, renamed), body=tree.TREE.mapped(rule.body, renamed))
