"""How cases of ETALIS are drawn, varied and made small."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from random import Random
from typing import TypeVar

from parte.conformance.fuzz.cases import Generation, Menu
from parte.languages.etalis.conformance.engine import CHOSEN
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.parser import parse
from parte.languages.etalis.semantics.syntax.printer import print_program
from parte.languages.etalis.semantics.syntax.values import Number, Truth, Value, rank, value_to_json
from parte.semantics.source.diagnostics import ProgramError

STREAM = "abcd"
"""Names of events that streams have; those of letters further on are derived, too."""
HEADS = "efgh"
VARIABLES = "XYZ"
VALUES: tuple[Value, ...] = (0, 1, 2, -1, Fraction(1, 2), "x", Truth.TRUE)
GAPS: tuple[Number, ...] = (0, 0, 1, 1, 1, 2, 3, Fraction(1, 2))
LENGTHS: tuple[Number, ...] = (0, 1, 2, 3, 5, Fraction(1, 2))

Item = tuple[str, tuple[Value, ...], Number]
"""An event of a stream: its name, arguments and time."""


@dataclass(frozen=True, slots=True)
class Case:
    """A program, the events of a stream in order of time, and options that are no defaults, by name."""

    program: tree.Program
    items: tuple[Item, ...]
    asked: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        """The program."""
        return print_program(self.program)

    @property
    def lines(self) -> tuple[str, ...]:
        """The trace, JSON Lines without line ends."""
        return tuple(
            json.dumps(
                {"template": name, "timestamp": value_to_json(time), "arguments": [*map(value_to_json, arguments)]}
                if arguments
                else {"template": name, "timestamp": value_to_json(time)}
            )
            for name, arguments, time in self.items
        )

    @property
    def options(self) -> Mapping[str, str]:
        """What the run is asked for."""
        return dict(self.asked)

    @property
    def summary(self) -> str:
        """How large it is."""
        count = len(self.program.rules)
        return f"{count} rule{'' if count == 1 else 's'}; {len(self.items)} event{'' if len(self.items) == 1 else 's'}"


@dataclass(frozen=True, slots=True)
class Shape:
    """What drawn programs may have: how many rules of what depth, with arguments, recursion, numbers, operators; and
    options beside the defaults."""

    rules: int = 3
    depth: int = 2
    arguments: bool = True
    recursion: bool = True
    moments: bool = True
    operators: tuple[tree.Operator, ...] = tuple(tree.Operator)
    negations: bool = True
    options: bool = False
    events: int = 8


def drawn_program(rng: Random, shape: Shape) -> tree.Program:
    """A program that passes the checks."""
    while True:
        arities = {name: rng.choice((0, 0, 1, 1, 2)) if shape.arguments else 0 for name in STREAM + HEADS}
        heads = [rng.choice(HEADS) for _ in range(rng.randint(1, shape.rules))]
        rules = []
        for number, name in enumerate(heads):
            known = STREAM + "".join(HEADS if shape.recursion and rng.random() < 0.4 else heads[:number])
            body = _pattern(
                rng, shape.depth, shape, [each for each in known if shape.recursion or each != name], arities
            )
            rules.append(tree.Rule(_head(rng, name, arities[name], sorted(tree.bound(body))), body))
        program = tree.Program(tuple(rules))
        try:
            return parse(print_program(program))
        except ProgramError:
            continue


def _head(rng: Random, name: str, arity: int, bound: list[str]) -> tree.EventPattern:
    terms: list[tree.Term] = []
    for _ in range(arity):
        if bound and rng.random() < 0.8:
            term: tree.Term = tree.Variable(rng.choice(bound))
            if rng.random() < 0.2:
                term = tree.Calculation(term, rng.choice(list(tree.Arithmetic)), tree.Constant(rng.choice((1, 2))))
            terms.append(term)
        else:
            terms.append(tree.Constant(rng.choice(VALUES)))
    return tree.EventPattern(name, tuple(terms))


def _pattern(rng: Random, depth: int, shape: Shape, names: list[str], arities: Mapping[str, int]) -> tree.Pattern:
    inner = partial(_pattern, rng, depth - 1, shape, names, arities)
    if depth == 0 or rng.random() < 0.12:
        return _event(rng, names, arities)
    kinds: list[tuple[float, Callable[[], tree.Pattern]]] = [
        (6.0, lambda: tree.Joined(inner(), rng.choice(shape.operators), inner())),
        (1.5, lambda: tree.Lasting(inner(), rng.choice(LENGTHS))),
        (1.5 if shape.negations else 0.0, lambda: tree.Negation(inner(), inner(), inner())),
        (1.2 if shape.arguments else 0.0, lambda: _filtered(rng, inner())),
        (0.5 if shape.moments else 0.0, lambda: tree.Moment(rng.choice((0, 1, 2, 4, 6, Fraction(5, 2))))),
    ]
    (made,) = rng.choices([make for _, make in kinds], [weight for weight, _ in kinds])
    return made()


def _event(rng: Random, names: list[str], arities: Mapping[str, int]) -> tree.Pattern:
    name = rng.choice(names)
    return tree.EventPattern(
        name,
        tuple(
            tree.Variable(rng.choice(VARIABLES)) if rng.random() < 0.85 else tree.Constant(rng.choice(VALUES))
            for _ in range(arities[name])
        ),
    )


def _filtered(rng: Random, operand: tree.Pattern) -> tree.Pattern:
    bound = sorted(tree.bound(operand))
    if not bound:
        return operand

    def term() -> tree.Term:
        if rng.random() < 0.65:
            return tree.Variable(rng.choice(bound))
        return tree.Constant(rng.choice(VALUES))

    left = term()
    if rng.random() < 0.2:
        left = tree.Calculation(left, rng.choice(list(tree.Arithmetic)), term())
    return tree.Where(operand, tree.Comparison(left, rng.choice(list(tree.Relation)), term()))


def drawn_items(rng: Random, program: tree.Program, most: int) -> tuple[Item, ...]:
    """A stream in order of time, of events that a program looks for."""
    arities = {
        node.name: len(node.arguments)
        for rule in program.rules
        for node in tree.within(rule.body)
        if isinstance(node, tree.EventPattern)
    }
    names = [name for name in sorted(arities) for _ in range(4 if name in STREAM else 1)] or ["a"]
    few = rng.sample(VALUES, 3)
    now: Number = rng.choice((0, 0, 1))
    items: list[Item] = []
    for _ in range(rng.randint(0, most)):
        name = rng.choice(names)
        items.append((name, tuple(rng.choice(few) for _ in range(arities.get(name, 0))), now))
        now += rng.choice(GAPS)
    return tuple(items)


def drawn_options(rng: Random, program: tree.Program) -> tuple[tuple[str, str], ...]:
    """Options that go together: a policy that selects is for programs without recursion, and for pairs."""
    options = {name: rng.choice(choices) for name, choices in CHOSEN.items()}
    if is_recursive(program):
        options["policy"] = "unrestricted"
    if options["policy"] != "unrestricted":
        options["negation"] = "pairs"
    return tuple((name, value) for name, value in options.items() if value != CHOSEN[name][0])


def is_recursive(program: tree.Program) -> bool:
    """Whether a name is looked for, in the end, by the rules for it."""
    needs: dict[str, set[str]] = {}
    for rule in program.rules:
        needs.setdefault(rule.head.name, set()).update(
            node.name for node in tree.within(rule.body) if isinstance(node, tree.EventPattern)
        )
    for _ in needs:
        needs = {name: found.union(*(needs.get(other, ()) for other in found)) for name, found in needs.items()}
    return any(name in found for name, found in needs.items())


def _batch(shape: Shape, rng: Random) -> Iterator[Case]:
    for _ in range(16):
        program = drawn_program(rng, shape)
        for _ in range(2):
            options = drawn_options(rng, program) if shape.options else ()
            yield Case(program, drawn_items(rng, program, shape.events), options)


_RELATIONS = [operator for operator in tree.Operator if operator.value not in ("SEQ", "OR")]


def _related(rng: Random) -> Iterator[Case]:
    """Intervals that a relation of two is about, on streams in which they touch, overlap and have ends in common; few
    events, so that no other pair hides what one does."""

    def side() -> tree.Pattern:
        names = [tree.EventPattern(rng.choice(few), ()) for _ in range(2)]
        joined = tree.Joined(names[0], rng.choice((tree.Operator.SEQ, tree.Operator.SEQ, tree.Operator.AND)), names[1])
        return joined if rng.random() < 0.85 else names[0]

    for _ in range(16):
        few = rng.sample(STREAM, rng.randint(2, 4))
        body: tree.Pattern = tree.Joined(side(), rng.choice(_RELATIONS), side())
        if rng.random() < 0.2:
            body = tree.Joined(body, rng.choice(_RELATIONS), side())
        program = tree.Program((tree.Rule(tree.EventPattern("e", ()), body),))
        latest = rng.choice((2, 4))
        named = sorted({node.name for node in tree.within(body) if isinstance(node, tree.EventPattern)})
        names = [*named, *(rng.choice(named) for _ in range(rng.randint(0, 3)))]
        items = sorted(((name, (), rng.randint(0, latest)) for name in names), key=lambda item: item[2])
        yield Case(program, tuple(items), drawn_options(rng, program) if rng.random() < 0.3 else ())


def varied(case: Case, rng: Random) -> Case:
    """With a few events that are others, or come elsewhere."""
    items = list(case.items)
    for _ in range(rng.randint(1, 3)):
        if not items:
            break
        place, other = rng.randrange(len(items)), rng.choice(items)
        name, arguments, time = items[place]
        match rng.randrange(3):
            case 0:
                items[place] = (other[0], other[1], time)
            case 1 if len(arguments) == len(other[1]):
                items[place] = (name, other[1], time)
            case _:
                items[place] = (name, arguments, other[2])
    return replace(case, items=tuple(sorted(items, key=lambda item: item[2])))


# --- Making smaller ---------------------------------------------------------------------------------------------------

P = TypeVar("P")


def _without_one(parts: tuple[P, ...]) -> Iterator[tuple[P, ...]]:
    return (parts[:place] + parts[place + 1 :] for place in range(len(parts)))


def without_rules(case: Case) -> Iterator[Case]:
    """Without a rule."""
    yield from (replace(case, program=tree.Program(rest)) for rest in _without_one(case.program.rules))


def without_items(case: Case) -> Iterator[Case]:
    """Without half of the events, or one."""
    half = len(case.items) // 2
    if half > 1:
        yield replace(case, items=case.items[:half])
        yield replace(case, items=case.items[half:])
    yield from (replace(case, items=rest) for rest in _without_one(case.items))


def without_options(case: Case) -> Iterator[Case]:
    """Without an option."""
    yield from (replace(case, asked=rest) for rest in _without_one(case.asked))


def with_smaller_rules(case: Case) -> Iterator[Case]:
    """With a part of a pattern in place of the whole, a plainer term, or a head with fewer arguments."""
    for number, rule in enumerate(case.program.rules):
        for node in tree.within(rule.body):
            for smaller in _smaller(node):
                yield _with_rule(case, number, replace(rule, body=tree.TREE.exchanged(rule.body, node, smaller)))
        for place, term in enumerate(rule.head.arguments):
            if term != tree.Constant(0):
                arguments = (*rule.head.arguments[:place], tree.Constant(0), *rule.head.arguments[place + 1 :])
                yield _with_rule(case, number, replace(rule, head=replace(rule.head, arguments=arguments)))


def _with_rule(case: Case, number: int, rule: tree.Rule) -> Case:
    rules = (*case.program.rules[:number], rule, *case.program.rules[number + 1 :])
    return replace(case, program=tree.Program(rules))


def _smaller(node: tree.Node) -> Iterator[tree.Node]:
    match node:
        case tree.Lasting(operand=operand, length=length):
            yield operand
            yield from (replace(node, length=other) for other in (1, 2) if other < length)
        case tree.Where(operand=operand):
            yield operand
        case tree.Joined(left=left, operator=operator, right=right):
            yield left
            yield right
            if operator is not tree.Operator.SEQ:
                yield replace(node, operator=tree.Operator.SEQ)
        case tree.Negation(first=first, last=last):
            yield tree.Joined(first, tree.Operator.SEQ, last)
        case tree.Moment(time=time):
            yield from (tree.Moment(other) for other in (0, 1, 2) if other < time)
        case tree.Calculation(left=left, right=right):
            yield left
            yield right
        case tree.Comparison(relation=relation):
            if relation is not tree.Relation.EQUAL:
                yield replace(node, relation=tree.Relation.EQUAL)
        case tree.Constant(value=value):
            yield from (tree.Constant(other) for other in (0, 1) if rank(other) < rank(value))


def with_fewer_arguments(case: Case) -> Iterator[Case]:
    """With one argument fewer of all events of a name."""
    arities = {
        node.name: len(node.arguments)
        for rule in case.program.rules
        for node in (rule.head, *tree.within(rule.body))
        if isinstance(node, tree.EventPattern)
    }
    for name, arity in arities.items():
        for place in range(arity):
            yield _cut(case, name, place)


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
        (given, arguments[:place] + arguments[place + 1 :] if given == name else arguments, time)
        for given, arguments, time in case.items
    )
    return replace(case, program=tree.Program(rules), items=items)


def with_plainer_items(case: Case) -> Iterator[Case]:
    """With plainer values and times."""
    for place, (name, arguments, time) in enumerate(case.items):
        for number, value in enumerate(arguments):
            for plain in (0, 1):
                if rank(plain) < rank(value):
                    changed = (*arguments[:number], plain, *arguments[number + 1 :])
                    yield replace(case, items=(*case.items[:place], (name, changed, time), *case.items[place + 1 :]))
    times = sorted({time for _, _, time in case.items})
    plainer = {time: place for place, time in enumerate(times)}
    if plainer != {time: time for time in times}:
        yield replace(case, items=tuple((name, arguments, plainer[time]) for name, arguments, time in case.items))


def weight(case: Case) -> tuple[int, ...]:
    """What makes a case hard to read, the worst first."""
    nodes = [node for rule in case.program.rules for part in (rule.head, rule.body) for node in tree.within(part)]
    values = [node.value for node in nodes if isinstance(node, tree.Constant)]
    values += [value for _, arguments, _ in case.items for value in arguments]
    odd = sum(isinstance(node, tree.Joined) and node.operator is not tree.Operator.SEQ for node in nodes)
    return (
        len(nodes) + len(case.program.rules),
        len(case.items),
        len(case.asked),
        odd,
        sum(isinstance(node, tree.Comparison) and node.relation is not tree.Relation.EQUAL for node in nodes),
        sum(_difficulty(value) for value in values),
        sum(_difficulty(time) for _, _, time in case.items)
        + sum(_difficulty(node.time) for node in nodes if isinstance(node, tree.Moment))
        + sum(_difficulty(node.length) for node in nodes if isinstance(node, tree.Lasting)),
    )


def _difficulty(value: Value) -> int:
    match value:
        case Fraction():
            return 20
        case int():
            return value if value >= 0 else 10 - value
        case _:
            return 15


def _remedy(change: Callable[[tree.Pattern], tree.Pattern]) -> Callable[[Case], Case]:
    """A case with plainer patterns."""

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


def _in_sequence(operator: tree.Operator) -> Callable[[tree.Pattern], tree.Pattern]:
    def change(node: tree.Pattern) -> tree.Pattern:
        if isinstance(node, tree.Joined) and node.operator is operator:
            return replace(node, operator=tree.Operator.SEQ)
        return node

    return change


def _at_different_times(case: Case) -> Case:
    return replace(case, items=tuple((name, arguments, place) for place, (name, arguments, _) in enumerate(case.items)))


REMEDIES: Mapping[str, Callable[[Case], Case]] = {
    "negation": _remedy(_without_negation),
    "length": _remedy(_without_length),
    "condition": _remedy(_without_condition),
    "ties": _at_different_times,
    **{
        operator.value: _remedy(_in_sequence(operator))
        for operator in tree.Operator
        if operator.value not in ("SEQ", "OR")
    },
}
"""What can be taken away from a case, to find out what an engine gets wrong."""


def _menu(name: str, shape: Shape, weight: int = 1) -> Menu[Case]:
    return Menu(name, partial(_batch, shape), weight)


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
    edits=(
        without_rules,
        without_items,
        without_options,
        with_smaller_rules,
        with_fewer_arguments,
        with_plainer_items,
    ),
    weight=weight,
    renamed=lambda case: case,
    clauses=("etalis-results",),
    remedies=REMEDIES,
)
