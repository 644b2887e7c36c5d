"""Small edits of the rules of a program: the mistakes that tests of rules should notice.

A window moved by a millisecond at either end; a window, a condition, a pattern, a negation or an emission dropped; a
comparison, a connective or a constant changed. Each edit is made on the tree. Those after which the text is no program
are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from parte.rule_tests.discovery import Program
from parte.rule_tests.support import Edit
from parte.semantics.partelang.syntax import ast, core
from parte.semantics.partelang.syntax.elaborate import elaborate
from parte.semantics.partelang.syntax.imports import source_at
from parte.semantics.partelang.syntax.printer import (
    print_constraint,
    print_expression,
    print_program,
    print_suppression,
    print_use,
)
from parte.semantics.partelang.text import TEXT
from parte.semantics.source.diagnostics import ProgramError
from parte.semantics.source.spans import Span

_Op = ast.BinaryOperator
_OPPOSITE: Final = {
    _Op.LESS: _Op.LESS_OR_EQUAL,
    _Op.LESS_OR_EQUAL: _Op.LESS,
    _Op.GREATER: _Op.GREATER_OR_EQUAL,
    _Op.GREATER_OR_EQUAL: _Op.GREATER,
    _Op.EQUAL: _Op.NOT_EQUAL,
    _Op.NOT_EQUAL: _Op.EQUAL,
    _Op.ADD: _Op.SUBTRACT,
    _Op.SUBTRACT: _Op.ADD,
    _Op.MULTIPLY: _Op.ADD,
    _Op.DIVIDE: _Op.MULTIPLY,
}

_E = TypeVar("_E", bound=ast.Expression)


@dataclass(frozen=True, slots=True)
class _Change:
    """An edited rule: its kind, where it is, and the text of the part before and after; empty if it is dropped."""

    kind: str
    span: Span
    before: str
    after: str
    rule: ast.Rule


def edits(program: Program, include: tuple[str, ...] = ()) -> Iterator[Edit]:
    """Yield the edits of the rules in the file of a program, in the order of the text; each gives another program."""
    source = replace(source_at(program.own, program.path, include), comments=())
    seen = {print_program(source)}
    for place, declaration in enumerate(source.declarations):
        if not isinstance(declaration, ast.Rule | ast.NamedPattern) or declaration.span.file not in ("", program.path):
            continue
        rule = declaration if isinstance(declaration, ast.Rule) else declaration.body
        name = f"{'rule' if isinstance(declaration, ast.Rule) else 'pattern'} {declaration.name}"
        for change in sorted(_changes(rule), key=lambda change: change.span.start):
            changed = change.rule if isinstance(declaration, ast.Rule) else replace(declaration, body=change.rule)
            declarations = (*source.declarations[:place], changed, *source.declarations[place + 1 :])
            edited = _program(program, replace(source, declarations=declarations))
            if edited is not None and edited.text not in seen:
                seen.add(edited.text)
                start = change.span.start
                yield Edit(
                    program.path, start.line, start.column, name, change.kind, change.before, change.after, edited
                )


def _program(program: Program, source: ast.SourceProgram) -> Program | None:
    """Return the program with another source; None if it is no program."""
    text = print_program(source)
    try:
        read = elaborate(source)
    except ProgramError:
        return None
    return replace(program, text=text, program=read, tree=TEXT.tree(read), key=TEXT.key(read))


def _changes(rule: ast.Rule) -> Iterator[_Change]:
    for place, constraint in enumerate(rule.constraints):
        yield from _of_window(rule, place, constraint)
    for place, pattern in enumerate(rule.patterns):
        yield from _of_pattern(rule, place, pattern)
    for place, use in enumerate(rule.uses):
        yield from _of_use(rule, place, use)
    for place, condition in enumerate(rule.having):
        for kind, span, after in _variants(condition, droppable=True):
            having = _exchanged(rule.having, place, after)
            yield _change(kind, span, condition, after, replace(rule, having=having))
    for place, emission in enumerate(rule.emissions):
        yield from _of_emission(rule, place, emission)


def _change(
    kind: str, span: Span, before: ast.Expression, after: ast.Expression | None, rule: ast.Rule, lead: str = ""
) -> _Change:
    written = "" if after is None else lead + print_expression(after)
    return _Change(kind, span, lead + print_expression(before), written, rule)


_T = TypeVar("_T")


def _exchanged(parts: tuple[_T, ...], place: int, new: _T | None) -> tuple[_T, ...]:
    """Return the parts with another one in a place, or with none there."""
    return (*parts[:place], *(() if new is None else (new,)), *parts[place + 1 :])


# --- Windows and patterns ---------------------------------------------------------------------------------------------


def _of_window(rule: ast.Rule, place: int, window: ast.Constraint) -> Iterator[_Change]:
    def change(kind: str, after: ast.Constraint | None) -> _Change:
        constraints = _exchanged(rule.constraints, place, after)
        written = "" if after is None else print_constraint(after)
        return _Change(kind, window.span, print_constraint(window), written, replace(rule, constraints=constraints))

    for by in (-1, 1):
        if isinstance(window.lower, ast.Duration):
            yield change("window moved", replace(window, lower=_moved(window.lower, by)))
        if isinstance(window.upper, ast.Duration):
            yield change("window moved", replace(window, upper=_moved(window.upper, by)))
    yield change("window dropped", None)


def _moved(duration: ast.Duration, by: int) -> ast.Duration:
    return replace(duration, amount=duration.milliseconds + by, unit=ast.Unit.MILLISECONDS)


def _of_pattern(rule: ast.Rule, place: int, pattern: ast.Pattern) -> Iterator[_Change]:
    own = {pattern.variable}

    def change(kind: str, after: ast.Pattern | None, constraints: tuple[ast.Constraint, ...]) -> _Change:
        patterns = _exchanged(rule.patterns, place, after)
        uses = rule.uses
        if after is None:  # what is used stands behind one pattern fewer
            uses = tuple(replace(use, place=use.place - (use.place > place)) for use in uses)
        changed = replace(rule, patterns=patterns, constraints=constraints, uses=uses)
        return _Change(kind, pattern.span, _pattern(pattern), "" if after is None else _pattern(after), changed)

    without = tuple(window for window in rule.constraints if not own & {window.subject, window.reference})
    yield change("pattern dropped", None, without)
    if pattern.negated:
        positive = tuple(
            replace(window, negated=False) if own & {window.subject, window.reference} else window
            for window in rule.constraints
        )
        yield change("negation dropped", replace(pattern, negated=False), positive)
    if pattern.selection is not None:
        exchanged = ast.Selection.LAST if pattern.selection is ast.Selection.FIRST else ast.Selection.FIRST
        yield change("selection changed", replace(pattern, selection=exchanged), rule.constraints)
        yield change("selection dropped", replace(pattern, selection=None), rule.constraints)
    choices = pattern.choices
    for number, choice in enumerate(choices):
        if len(choices) > 1:
            fewer = _with_choices(pattern, _exchanged(choices, number, None))
            kind, before = "alternative dropped", _pattern(pattern)
            changed = replace(rule, patterns=_exchanged(rule.patterns, place, fewer))
            yield _Change(kind, choice.span, before, _pattern(fewer), changed)
        for position, condition in enumerate(choice.conditions):
            for kind, span, after in _variants(condition, droppable=True):
                conditions = _exchanged(choice.conditions, position, after)
                several = _exchanged(choices, number, replace(choice, conditions=conditions))
                patterns = _exchanged(rule.patterns, place, _with_choices(pattern, several))
                yield _change(kind, span, condition, after, replace(rule, patterns=patterns))


def _with_choices(pattern: ast.Pattern, choices: tuple[ast.Alternative, ...]) -> ast.Pattern:
    first, *others = choices
    return replace(pattern, template=first.template, conditions=first.conditions, alternatives=tuple(others))


def _pattern(pattern: ast.Pattern) -> str:
    word = "no " if pattern.negated else "all " if pattern.collected else ""
    if pattern.selection is not None:
        word = f"{pattern.selection.value} "
    either = "either " if pattern.alternatives else ""
    return f"{word}{either}{pattern.variable} : {' or '.join(pattern.templates)}"


def _of_use(rule: ast.Rule, place: int, use: ast.Use) -> Iterator[_Change]:
    for position, argument in enumerate(use.arguments):
        for kind, span, after in _variants(argument):
            changed = replace(use, arguments=_exchanged(use.arguments, position, after))
            uses = _exchanged(rule.uses, place, changed)
            yield _Change(kind, span, print_use(use), print_use(changed), replace(rule, uses=uses))


# --- Emissions --------------------------------------------------------------------------------------------------------


def _of_emission(rule: ast.Rule, place: int, emission: ast.Emission) -> Iterator[_Change]:
    def changed(after: ast.Emission | None) -> ast.Rule:
        return replace(rule, emissions=_exchanged(rule.emissions, place, after))

    yield _Change("emission dropped", emission.span, f"emit {emission.template}", "", changed(None))
    for kind, span, after in _variants(emission.at):
        if after is not None:
            yield _change(kind, span, emission.at, after, changed(replace(emission, at=after)), "at ")
    for number, assignment in enumerate(emission.assignments):
        for kind, span, after in _variants(assignment.value):
            if after is not None:
                exchanged = replace(assignment, value=after)
                whole = replace(emission, assignments=_exchanged(emission.assignments, number, exchanged))
                yield _change(kind, span, assignment.value, after, changed(whole), f"{assignment.attribute} = ")
    if emission.once is not None:
        once, before = emission.once, print_suppression(emission.once)
        yield _Change("once dropped", once.span, before, "", changed(replace(emission, once=None)))
        for by in (-1, 1):
            moved = replace(once, duration=_moved(once.duration, by))
            written = print_suppression(moved)
            yield _Change("once moved", once.span, before, written, changed(replace(emission, once=moved)))


# --- Expressions ------------------------------------------------------------------------------------------------------

_Variant = tuple[str, Span, ast.Expression | None]


def _variants(node: ast.Expression, *, droppable: bool = False) -> Iterator[_Variant]:
    """Yield the variants of an expression with the place of the change; None if it is dropped."""
    if droppable:
        yield "condition dropped", node.span, None
    yield from _within(node)


def _within(node: ast.Expression) -> Iterator[tuple[str, Span, ast.Expression]]:
    for kind, variant in _own(node):
        yield kind, node.span, variant
    parts = ast.NODES.parts(node)
    for place, part in enumerate(parts):
        assert isinstance(part, ast.Expression)  # all parts of expressions are
        for kind, span, variant in _within(part):
            yield kind, span, ast.NODES.rebuilt(node, _exchanged(parts, place, variant))


def _own(node: ast.Expression) -> Iterator[tuple[str, ast.Expression]]:
    """Yield the variants of a node itself."""
    match node:
        case ast.Binary(operator=operator):
            kind = "comparison changed" if operator.relational else "operator changed"
            yield kind, replace(node, operator=_OPPOSITE[operator])
        case ast.Literal(value=bool(value)):
            yield "constant changed", replace(node, value=not value)
        case ast.Literal(value=int(value) | float(value)):
            yield "constant changed", replace(node, value=value - 1)
            yield "constant changed", replace(node, value=value + 1)
        case ast.Duration():
            yield "constant changed", _moved(node, -1)
            yield "constant changed", _moved(node, 1)
        case ast.Timestamp(milliseconds=milliseconds):
            yield "constant changed", replace(node, milliseconds=milliseconds - 1)
            yield "constant changed", replace(node, milliseconds=milliseconds + 1)
        case ast.Compound(connective=connective, operands=operands):
            exchanged = ast.Connective.AND if connective is ast.Connective.OR else ast.Connective.OR
            yield "connective changed", replace(node, connective=exchanged)
            for place in range(len(operands)):
                fewer = _exchanged(operands, place, None)
                yield "condition dropped", fewer[0] if len(fewer) == 1 else replace(node, operands=fewer)
        case ast.Not(operand=operand):
            yield "negation dropped", operand
        case ast.Membership(candidates=candidates) if len(candidates) > 1:
            for place in range(len(candidates)):
                yield "candidate dropped", replace(node, candidates=_exchanged(candidates, place, None))
        case ast.Presence(present=present):
            yield "negation changed", replace(node, present=not present)
        case ast.Call(distinct=True):
            yield "distinct dropped", replace(node, distinct=False)
        case _:
            return


def changed_rules(program: core.Program, edited: core.Program) -> list[tuple[core.Rule, core.Rule]] | None:
    """Return the rules, case by case, that an edit changes; None if the cases do not correspond."""
    before, after = ({rule.name: rule for rule in version.rules} for version in (program, edited))
    if before.keys() != after.keys():
        return None
    return [(rule, after[name]) for name, rule in before.items() if rule != after[name]]
