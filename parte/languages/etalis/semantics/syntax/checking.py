"""Checks of a program after the grammar (specification: etalis-arity, etalis-functions, etalis-bound)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from parte.languages.etalis.semantics.syntax import tree
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.spans import Span

MAX_NODES = 10_000
MAX_DEPTH = 100
"""The greatest height of a rule's tree: all later passes recurse over it."""


def check(program: tree.Program, reporter: Reporter) -> None:
    """Report programs that are too large, and variables without a value where one is needed."""
    if not _small(program, reporter):
        return
    _arities(program, reporter)
    for rule in program.rules:
        _functions(rule, reporter)
        _bound(rule, reporter)


def arities(program: tree.Program) -> dict[str, int]:
    """Return the number of arguments of the events of each name."""
    return {event.name: len(event.arguments) for rule in program.rules for event in _events(rule)}


def _events(rule: tree.Rule) -> Iterator[tree.EventPattern]:
    yield rule.head
    yield from (node for node in tree.within(rule.body) if isinstance(node, tree.EventPattern))


def _arities(program: tree.Program, reporter: Reporter) -> None:
    first: dict[str, tree.EventPattern] = {}
    for rule in program.rules:
        for event in _events(rule):
            earlier = first.setdefault(event.name, event)
            if len(earlier.arguments) != len(event.arguments):
                count = _arguments(len(event.arguments))
                message = f"`{event.name}` has {count} here, and {len(earlier.arguments)} before"
                hint = f"line {earlier.span.start.line} has it first; take another name, or as many arguments"
                reporter.report("arity", event.span, message, hint)


def _arguments(count: int) -> str:
    return f"{count} argument{'' if count == 1 else 's'}"


def _functions(rule: tree.Rule, reporter: Reporter) -> None:
    for node in tree.within(rule.body):
        if isinstance(node, tree.EventPattern):
            for term in node.arguments:
                if not isinstance(term, tree.Variable | tree.Constant):
                    hint = "write a variable here, and what it is equal to after WHERE"
                    message = "an argument of an event in a body is a variable or a constant"
                    reporter.report("function-in-pattern", term.span, message, hint)


def _bound(rule: tree.Rule, reporter: Reporter) -> None:
    body = tree.bound(rule.body)
    _known("unbound-head", rule.head, body, "in the body", reporter)
    occurrences = Counter(_occurrences(rule))
    for node in tree.within(rule.body):
        match node:
            case tree.Where(operand=operand, condition=condition):
                _known("unbound-condition", condition, tree.bound(operand), "in the pattern before it", reporter)
            case tree.Joined(left=left, operator=tree.Operator.OR, right=right):
                lacking = tree.bound(left) ^ tree.bound(right)
                if lacking:
                    message = f"{_listed(lacking)} bound on one side of OR only"
                    reporter.report("unbound-alternative", node.span, message, "bind the same variables on both sides")
            case tree.Negation(absent=absent):
                _absent(absent, tree.bound(node), occurrences, reporter)


def _absent(absent: tree.Pattern, ends: frozenset[str], everywhere: Counter[str], reporter: Reporter) -> None:
    inside = Counter(_names(absent))
    bound = tree.bound(absent)
    lacking = {
        name for name, count in inside.items() if name not in ends and (everywhere[name] != count or name not in bound)
    }
    if lacking:
        hint = "bind it at an end of the negation, or use it nowhere else"
        reporter.report("unbound-negation", absent.span, f"{_listed(lacking)} not bound at an end", hint)


def _occurrences(rule: tree.Rule) -> Iterator[str]:
    yield from _names(rule.head)
    yield from _names(rule.body)


def _names(node: tree.Node) -> Iterator[str]:
    return (part.name for part in tree.within(node) if isinstance(part, tree.Variable))


def _known(code: str, node: tree.Node, bound: frozenset[str], where: str, reporter: Reporter) -> None:
    reported = set[str]()
    candidates = sorted(bound)
    for part in tree.within(node):
        if isinstance(part, tree.Variable) and part.name not in bound and part.name not in reported:
            reported.add(part.name)
            hint = reporter.suggestion(part.name, candidates, "an event that has it as an argument binds it")
            reporter.report(code, part.span, f"`{part.name}` is not bound {where}", hint)


def _listed(names: Iterable[str]) -> str:
    quoted = [f"`{name}`" for name in sorted(names)]
    return f"{quoted[0]} is" if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]} are"


def _small(program: tree.Program, reporter: Reporter) -> bool:
    count = 0
    for rule in program.rules:
        left: list[tuple[tree.Node, int]] = [(rule.head, 1), (rule.body, 1)]
        while left:
            node, depth = left.pop()
            count += 1
            if depth > MAX_DEPTH:
                message = f"this rule is more than {MAX_DEPTH} operations deep"
                reporter.report("rule-too-deep", node.span, message, "give a part of it a rule of its own")
                return False
            left.extend((part, depth + 1) for part in tree.TREE.parts(node))
    if count > MAX_NODES:
        message = f"a program of {count} patterns and terms; at most {MAX_NODES} are allowed"
        reporter.report("program-too-large", Span(program.span.start, program.span.start), message, "split it")
        return False
    return True
