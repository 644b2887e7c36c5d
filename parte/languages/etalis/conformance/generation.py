"""Cases of ETALIS for the fuzzer: a program, a stream and options."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

from parte.conformance.fuzz.cases import Generation, Menu
from parte.conformance.fuzz.draw import Draw
from parte.conformance.fuzz.shrinking import at_one_place
from parte.languages.etalis.conformance.drawing import (
    Item,
    Shape,
    drawn_items,
    drawn_options,
    drawn_program,
    drawn_related,
)
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.printer import print_program
from parte.languages.etalis.semantics.syntax.values import value_to_json


@dataclass(frozen=True, slots=True)
class Case:
    """A program, the events of a stream in order of time, and options that are no defaults, by name."""

    program: tree.Program
    items: tuple[Item, ...]
    settings: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        """The program."""
        return print_program(self.program)

    @property
    def lines(self) -> tuple[str, ...]:
        """The trace: JSON Lines without line ends."""
        return tuple(
            json.dumps(
                {"template": item.template, "timestamp": value_to_json(item.timestamp)}
                | ({"arguments": [*map(value_to_json, item.arguments)]} if item.arguments else {})
            )
            for item in self.items
        )

    @property
    def options(self) -> Mapping[str, str]:
        """The options of the run."""
        return dict(self.settings)

    @property
    def summary(self) -> str:
        """The size of the case."""
        count = len(self.program.rules)
        return f"{count} rule{'' if count == 1 else 's'}; {len(self.items)} event{'' if len(self.items) == 1 else 's'}"


def _drawn(shape: Shape, draw: Draw) -> Iterator[Case]:
    program = drawn_program(draw, shape)
    for _ in range(2):
        options = drawn_options(draw, program) if shape.options else ()
        yield Case(program, drawn_items(draw, program, shape.events), options)


def _related(draw: Draw) -> Iterator[Case]:
    program, items = drawn_related(draw)
    yield Case(program, items, drawn_options(draw, program) if draw.chance(30) else ())


def varied(case: Case, draw: Draw) -> Case:
    """Return the case with a few events replaced or moved."""
    items = list(case.items)
    for _ in range(draw.integer(1, 3) if items else 0):
        place, source = draw.integer(0, len(items) - 1), draw.choice(items)
        item = items[place]
        match draw.integer(0, 2):
            case 0:
                items[place] = replace(source, timestamp=item.timestamp)
            case 1 if len(item.arguments) == len(source.arguments):
                items[place] = replace(item, arguments=source.arguments)
            case _:
                items[place] = replace(item, timestamp=source.timestamp)
    return replace(case, items=tuple(sorted(items, key=lambda item: item.timestamp)))


# --- Shrinking --------------------------------------------------------------------------------------------------------


def with_fewer_arguments(case: Case) -> Iterator[Case]:
    """Yield the case without one argument of all events of a name."""
    arities = {
        node.name: len(node.arguments)
        for rule in case.program.rules
        for node in (rule.head, *tree.within(rule.body))
        if isinstance(node, tree.EventPattern)
    }
    for name, arity in arities.items():
        yield from (_cut(case, name, place) for place in range(arity))


def _cut(case: Case, name: str, place: int) -> Case:
    def cut(node: tree.Node) -> tree.Node:
        if isinstance(node, tree.EventPattern) and node.name == name:
            return replace(node, arguments=node.arguments[:place] + node.arguments[place + 1 :])
        return node

    rules = tuple(
        replace(rule, head=tree.TREE.mapped(rule.head, cut), body=tree.TREE.mapped(rule.body, cut))
        for rule in case.program.rules
    )
    items = tuple(
        replace(item, arguments=item.arguments[:place] + item.arguments[place + 1 :]) if item.template == name else item
        for item in case.items
    )
    return replace(case, program=tree.Program(rules), items=items)


def _remedy(change: Callable[[tree.Pattern], tree.Pattern]) -> Callable[[Case], Case]:
    """Return a function that gives a case plainer patterns."""

    def remedied(case: Case) -> Case:
        rules = tuple(replace(rule, body=tree.PATTERNS.mapped(rule.body, change)) for rule in case.program.rules)
        return replace(case, program=tree.Program(rules))

    return remedied


def _without_negation(node: tree.Pattern) -> tree.Pattern:
    return tree.Joined(node.first, tree.Operator.SEQ, node.last) if isinstance(node, tree.Negation) else node


def _without_length(node: tree.Pattern) -> tree.Pattern:
    return node.operand if isinstance(node, tree.Lasting) else node


def _without_condition(node: tree.Pattern) -> tree.Pattern:
    return node.operand if isinstance(node, tree.Where) else node


def _in_sequence(operator: tree.Operator, node: tree.Pattern) -> tree.Pattern:
    if isinstance(node, tree.Joined) and node.operator is operator:
        return replace(node, operator=tree.Operator.SEQ)
    return node


def _at_different_times(case: Case) -> Case:
    return replace(case, items=tuple(replace(item, timestamp=place) for place, item in enumerate(case.items)))


def _menu(name: str, shape: Shape, weight: int = 1) -> Menu[Case]:
    return Menu(name, partial(_drawn, shape), weight)


GENERATION: Generation[Case] = Generation(
    menus=(
        _menu("everything", Shape(), 3),
        _menu("options", Shape(options=True, recursion=False), 3),
        _menu("sequences", Shape(operators=(tree.Operator.SEQ,), arguments=False, recursion=False), 2),
        _menu("intervals", Shape(arguments=False, negations=False)),
        _menu("negations", Shape(arguments=False, operators=(tree.Operator.SEQ, tree.Operator.OR), moments=False)),
        _menu("recursion", Shape(depth=1, rules=4, moments=False, events=5)),
        Menu("relations", _related, 4),
    ),
    varied=varied,
    clauses=("etalis-results",),
    remedies={
        "negation": _remedy(_without_negation),
        "length": _remedy(_without_length),
        "condition": _remedy(_without_condition),
        "ties": _at_different_times,
        **{
            operator.value: _remedy(partial(_in_sequence, operator))
            for operator in tree.Operator
            if operator.value not in ("SEQ", "OR")
        },
    },
    leaves=(tree.Constant(0), tree.Constant(1)),
    easy=frozenset({tree.Relation.EQUAL}),
    edits=(with_fewer_arguments, at_one_place(_without_negation, tree.Negation)),
)
