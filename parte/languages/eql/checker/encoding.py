"""Conditions and keys of EQL as formulas over the attributes of events, and attributes from models.

A formula never demands more than the condition does: any values of attributes are a solution if they fulfil the
condition. So without a solution nothing fulfils it; a solution is replayed. Comparisons, patterns and lengths are exact
but for numbers between neighbours of binary64; of other functions, the solver knows the kinds of values. For finding
solutions, `likely` has the values of functions for some arguments; `readable` strings are of ASCII.

Under the reading `lists=any` each comparison has a choice of its own from the values of a list: the value that makes it
true if one does, else any. A solution has the list of these choices; that they are likely to be one value keeps most
solutions without lists.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from ipaddress import ip_network
from itertools import islice, product, zip_longest

from parte.checker.solver import sequences, terms
from parte.checker.solver.queries import Model
from parte.checker.solver.regular import containing, ending, exactly, language, readable, starting
from parte.checker.solver.sequences import Sequences, Text
from parte.checker.solver.terms import Formula, Number
from parte.languages.eql.checker.languages import below, described, spelt
from parte.languages.eql.semantics.conditions import compile_value
from parte.languages.eql.semantics.functions import ARITHMETIC, Plain, kind_of
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.readings import Readings
from parte.semantics.events.bounds import GREATEST_INTEGER, LEAST_INTEGER
from parte.semantics.events.event import Event, Value
from parte.semantics.source.regular import Characters, Regular, Repetition

MOST_GUESSES = 400
"""The most arguments for which the value of a function is told to the solver."""
MOST_ALIKE = 12
"""The most of them for which its value is the same."""
LONGEST = 200
"""The most characters of a string before and behind which the solver knows the strings."""
_POSITIONS = {"startsWith": starting, "endsWith": ending, "stringContains": containing}
_NUMBERS = frozenset({"add", "divide", "indexOf", "length", "modulo", "multiply", "number", "subtract"})
_STRINGS = frozenset({"between", "concat", "string", "substring"})
_STRING_TERMS = Sequences()
_READABLE = Repetition(Characters(((ord(" "), ord("~")),)), 0, None)


@dataclass(frozen=True, slots=True)
class Truth:
    """The formulas that a condition is true, and that it is false; if neither holds, it is null."""

    true: Formula
    false: Formula

    def opposite(self) -> Truth:
        """Return the truth of `not`."""
        return Truth(self.false, self.true)


@dataclass(frozen=True, slots=True)
class Term:
    """A value: its kind, of which at most one is true, and its value of each kind. A list is a value in keys only."""

    is_number: Formula
    is_string: Formula
    is_boolean: Formula
    is_list: Formula
    number: Number
    string: Text
    boolean: Formula

    @property
    def plain(self) -> Formula:
        """The formula that it is a value in conditions."""
        return terms.either(self.is_number, self.is_string, self.is_boolean)


Owner = tuple[tree.Expression | int, ...]
"""The part of a condition that reads a value, and the places of the arguments down to it; () for what all share."""


class Encoding:
    """The attributes of some events, by the names of the events. `definitions` hold of any attributes. Parts of
    conditions choose from lists as those that they were `changed` from."""

    def __init__(self, query: tree.Query, readings: Readings) -> None:
        self._readings = readings
        self._literals: list[Plain] = [0, 1, "", "a", True, False]
        for node in tree.within(query):
            if isinstance(node, tree.Literal):
                self._literals.append(node.value)
            elif isinstance(node, tree.InList):
                self._literals += [literal.value for literal in node.values]
            elif isinstance(node, tree.Matches):
                self._literals += [pattern.replace("*", "").replace("?", "a") for pattern in node.patterns]
        self._known: dict[tuple[str, tree.Expression, Owner], Term] = {}
        self._count = 0
        self._truths: dict[tuple[str, tree.Expression], Truth] = {}
        self._memberships: dict[tuple[int, Regular], Formula] = {}
        self.changed: dict[tree.Expression, tree.Expression] = {}
        self.definitions: list[Formula] = []
        self.likely: list[Formula] = []
        self.readable: list[Formula] = []

    def copied(self) -> Encoding:
        """Return the same terms, to which a question adds others."""
        copied = copy(self)
        copied._known, copied.definitions = dict(self._known), list(self.definitions)
        copied.likely, copied.readable, copied._truths = list(self.likely), list(self.readable), dict(self._truths)
        return copied

    # --- Keys ---------------------------------------------------------------------------------------------------------

    def keyed(self, event: str, fields: Sequence[tree.Field]) -> Formula:
        """Return the formula that an event has a key."""
        parts = []
        for field in fields:
            term = self._field(event, field.name)
            parts.append(terms.negated(term.is_list))
            if not field.optional and self._readings.keys == "present":
                parts.append(term.plain)
        return terms.both(*parts)

    def same_key(
        self, left: str, left_fields: Sequence[tree.Field], right: str, right_fields: Sequence[tree.Field]
    ) -> Formula:
        """Return the formula that two events that have keys have the same one."""
        pairs = zip(left_fields, right_fields, strict=True)
        return terms.both(*(self._same(self._field(left, a.name), self._field(right, b.name)) for a, b in pairs))

    def _same(self, left: Term, right: Term) -> Formula:
        if left is right:
            return terms.TRUE
        strings = terms.equal(left.string, right.string)  # type: ignore[arg-type]  # z3 compares texts too
        others = [
            terms.both(left.is_number, right.is_number, terms.equal(left.number, right.number)),
            terms.both(left.is_boolean, right.is_boolean, terms.same(left.boolean, right.boolean)),
            terms.both(terms.negated(left.plain), terms.negated(right.plain)),
        ]
        if self._readings.case == "folded":
            fresh = terms.boolean(f"folded alike {id(left)} {id(right)}")
            strings = terms.either(strings, fresh)
            for a, b in ((left, right), (right, left)):
                number = terms.choose(a.boolean, terms.rational(1), terms.rational(0))
                others.append(terms.both(a.is_boolean, b.is_number, terms.equal(b.number, number)))
        return terms.either(terms.both(left.is_string, right.is_string, strings), *others)

    # --- Conditions ---------------------------------------------------------------------------------------------------

    def truth(self, event: str, node: tree.Expression) -> Truth:
        """Return the truth of a condition for an event."""
        if (event, node) not in self._truths:
            self._truths[event, node] = self._truth(event, node)
        return self._truths[event, node]

    def _truth(self, event: str, node: tree.Expression) -> Truth:
        match node:
            case tree.Not(operand=operand):
                return self.truth(event, operand).opposite()
            case tree.And(parts=parts):
                truths = [self.truth(event, part) for part in parts]
                return Truth(terms.both(*(t.true for t in truths)), terms.either(*(t.false for t in truths)))
            case tree.Or(parts=parts):
                return _disjunction(self.truth(event, part) for part in parts)
            case tree.Presence(operand=operand, present=present):
                term = self._term(event, operand, () if isinstance(operand, tree.Field) else (node,))
                is_there = terms.either(term.plain, term.is_list)
                truth = Truth(is_there, terms.negated(is_there))
                return truth if present else truth.opposite()
            case tree.InList(operand=operand, negated=negated, folded=folds, values=values):
                folds, term = folds or self._readings.case == "folded", self._term(event, operand, (node,))
                truth = self._atom(self._listed(term, [literal.value for literal in values], folds))
                return truth.opposite() if negated else truth
            case tree.Comparison(left=left, relation=relation, right=right):
                return self._atom(self._comparison(event, node, left, relation, right))
            case tree.Matches(operand=operand, matching=matching, patterns=patterns):
                term = self._term(event, operand, (node,))
                expressions = [described(pattern, matching, self._readings) for pattern in patterns]
                return self._atom(self._belongs(term, expressions))
            case tree.Call(function=function, folded=folds, arguments=(first, tree.Literal(value=str() as part))) if (
                function in _POSITIONS
            ):
                return self._atom(
                    self._belongs(self._term(event, first, (node,)), [spelt(part, _POSITIONS[function], fold=folds)])
                )
            case _:
                term = self._term(event, node, (node,))
                return self._atom(
                    Truth(
                        terms.both(term.is_boolean, term.boolean),
                        terms.both(term.is_boolean, terms.negated(term.boolean)),
                    )
                )

    def _atom(self, truth: Truth) -> Truth:
        return truth if self._readings.logic == "three" else Truth(truth.true, terms.negated(truth.true))

    def _comparison(
        self,
        event: str,
        node: tree.Comparison,
        left: tree.Expression,
        relation: tree.Relation,
        right: tree.Expression,
    ) -> Truth:
        folds = self._readings.case == "folded" and relation in (tree.Relation.EQUAL, tree.Relation.UNEQUAL)
        if not has_field(right):
            return self._compared(self._term(event, left, (node,)), relation, constant(right), folds)
        return self._compared(self._term(event, right, (node,)), _TURNED.get(relation, relation), constant(left), folds)

    def _compared(self, term: Term, relation: tree.Relation, value: Plain, folds: bool) -> Truth:
        """Return the truth of a comparison with a constant."""
        equal, less, kind = terms.FALSE, terms.FALSE, terms.FALSE
        is_order = relation not in (tree.Relation.EQUAL, tree.Relation.UNEQUAL)
        if isinstance(value, bool):
            kind = terms.truth(not is_order)
            kind = terms.both(kind, term.is_boolean)
            equal = term.boolean if value else terms.negated(term.boolean)
        elif isinstance(value, int | float):
            number = terms.rational(Fraction(value))
            kind, equal, less = term.is_number, terms.equal(term.number, number), terms.below(term.number, number)
        elif isinstance(value, str):
            kind = term.is_string
            equal = self._in(term.string, spelt(value, exactly, fold=folds))
            if is_order:
                less = self._in(term.string, below(value) if len(value) <= LONGEST else None)
        holds = {
            tree.Relation.EQUAL: equal,
            tree.Relation.UNEQUAL: terms.negated(equal),
            tree.Relation.LESS: less,
            tree.Relation.LESS_OR_EQUAL: terms.either(less, equal),
            tree.Relation.GREATER: terms.negated(terms.either(less, equal)),
            tree.Relation.GREATER_OR_EQUAL: terms.negated(less),
        }[relation]
        return Truth(terms.both(kind, holds), terms.both(kind, terms.negated(holds)))

    def _listed(self, term: Term, values: Sequence[Plain], folds: bool) -> Truth:
        """Return the truth that a value is one of some constants: null, if one is of another kind and none is equal."""
        equal = terms.either(*(self._compared(term, tree.Relation.EQUAL, value, folds).true for value in values))
        kinds = {kind_of(value) for value in values}
        kind = {"number": term.is_number, "string": term.is_string, "boolean": term.is_boolean}[min(kinds)]
        return Truth(equal, terms.both(kind, terms.negated(equal)) if len(kinds) == 1 else terms.FALSE)

    def _belongs(self, term: Term, to: Sequence[Regular]) -> Truth:
        belongs = terms.either(*(self._in(term.string, expression) for expression in to))
        return Truth(terms.both(term.is_string, belongs), terms.both(term.is_string, terms.negated(belongs)))

    def _in(self, string: Text, to: Regular | None) -> Formula:
        """Return the formula that a language has a string; any formula if the solver lacks its characters."""
        if to is None or not readable(to):
            return terms.relation(f"described by {to}", [string])
        place = (id(string), to)
        if place not in self._memberships:
            self._memberships[place] = sequences.belongs(string, language(to))
        return self._memberships[place]

    # --- Values -------------------------------------------------------------------------------------------------------

    def _field(self, event: str, name: str) -> Term:
        return self._term(event, tree.Field(name, False))

    def _term(self, event: str, node: tree.Expression, owner: Owner = ()) -> Term:
        owner = tuple(self.changed.get(part, part) if not isinstance(part, int) else part for part in owner)
        if isinstance(node, tree.Field) and node.optional:
            node = tree.Field(node.name, False)
        place = (event, node, owner if self._readings.lists == "any" else ())
        if place not in self._known:
            self._known[place] = self._made(*place)
        return self._known[place]

    def _made(self, event: str, node: tree.Expression, owner: Owner) -> Term:
        self._count += 1
        name = f"{event} {self._count}"
        kinds = [terms.boolean(f"{name} {kind}") for kind in ("number", "string", "Boolean", "list")]
        number, string = terms.real(f"{name} value"), Text(_STRING_TERMS.variable(name)[0])
        term = Term(kinds[0], kinds[1], kinds[2], kinds[3], number, string, terms.boolean(f"{name} truth"))
        several = isinstance(node, tree.Field) and self._readings.lists == "any"
        apart = kinds[:3] if several else kinds
        self.definitions += [terms.negated(terms.both(a, b)) for i, a in enumerate(apart) for b in apart[:i]]
        if isinstance(node, tree.Field):
            self.readable.append(sequences.belongs(string, language(_READABLE)))
            if owner and several:
                shared = self._field(event, node.name)
                self.definitions.append(terms.same(term.plain, shared.plain))
                self.definitions.append(terms.either(shared.is_list, self._same(term, shared)))
                self.definitions.append(terms.negated(term.is_list))
            elif several:
                self.definitions.append(terms.implies(term.is_list, term.plain))
                self.likely.append(terms.negated(term.is_list))
            return term
        if not has_field(node):
            value = constant(node)
            same = self._compared(term, tree.Relation.EQUAL, value, False).true
            self.definitions.append(terms.negated(term.is_list))
            self.definitions.append(terms.negated(term.plain) if value is None else same)
            return term
        operands = [self._term(event, part, owner and (*owner, i)) for i, part in enumerate(_operands(node))]
        own = _kind(node)
        self.definitions += [terms.negated(kind) for place, kind in enumerate(kinds) if place != own]
        self.definitions.append(terms.implies(kinds[own], terms.both(*(operand.plain for operand in operands))))
        if isinstance(node, tree.Call) and node.function == "length":
            size = terms.to_real(sequences.length(operands[0].string))
            self.definitions.append(terms.same(term.is_number, operands[0].is_string))
            self.definitions.append(terms.equal(term.number, size))
        else:
            self._guess(event, node, term)
        return term

    def _guess(self, event: str, node: tree.Expression, term: Term) -> None:
        """Let the solver know the value of a function for some arguments."""
        names = sorted({part.name for part in tree.within(node) if isinstance(part, tree.Field)})
        evaluate, options = compile_value(node), []
        alike: Counter[tuple[type, Plain]] = Counter()
        for values in islice(product(self._tried(), repeat=len(names)), MOST_GUESSES):
            value = evaluate(Event("", "", 0, {n: v for n, v in zip(names, values, strict=True) if v is not None}))
            alike[type(value), value] += 1
            if alike[type(value), value] > MOST_ALIKE:
                continue
            parts = [terms.negated(term.plain)] if value is None else [self._equals(term, value)]
            parts += [self._equals(self._field(event, n), v) for n, v in zip(names, values, strict=True)]
            options.append(terms.both(*parts))
        self.likely.append(terms.either(*options))

    def _equals(self, term: Term, value: Plain) -> Formula:
        return self._compared(term, tree.Relation.EQUAL, value, False).true

    def _tried(self) -> Iterable[Plain]:
        """Return arguments to try: constants of the query, and what functions are likely to turn into these."""
        numbers = [value for value in self._literals if kind_of(value) == "number"][:20]
        texts = [value for value in self._literals if isinstance(value, str)]
        computed = [calculate(a, b) for a in numbers for b in numbers for calculate in (*ARITHMETIC.values(), _over)]
        texts = texts[:20]
        texts += [text[at:] for text in texts for at in range(1, min(len(text), 8))]
        texts += [text[:-at] for text in texts[:20] for at in range(1, min(len(text), 8))]
        texts += [before + text for text in texts for before in ("a", "aa", "aaa")]
        ends: list[Plain] = ["192.0.2.1"]
        for text in texts:
            with suppress(ValueError):
                addresses = ip_network(text)
                ends += [f"{addresses[0]}", f"{addresses[-1]}"]
        kinds: list[Sequence[Plain]] = [self._literals, ends, computed, [*texts, *map(str, numbers)]]
        tried = (value for values in zip_longest(*kinds) for value in values if value is not None)
        return list({(type(value), value): value for value in tried}.values())

    # --- Back to events -----------------------------------------------------------------------------------------------

    def attributes(self, model: Model, event: str) -> dict[str, Value]:
        """Return the attributes of an event in a model; under `lists=null` a list stands for all lists."""
        attributes: dict[str, Value] = {}
        choices: dict[str, dict[tuple[type, Plain], Plain]] = {}
        for (of, node, owner), term in self._known.items():
            if of != event or not isinstance(node, tree.Field):
                continue
            value = _value(model, term)
            if owner:
                choices.setdefault(node.name, {})[type(value), value] = value
            elif value is not None:
                attributes[node.name] = value
            elif model.truth(term.is_list):
                attributes[node.name] = (0,)
        for name, values in choices.items():
            if name in attributes and model.truth(self._field(event, name).is_list):
                attributes[name] = tuple(value for value in values.values() if value is not None)
        return attributes


def _value(model: Model, term: Term) -> Plain:
    if model.truth(term.is_number):
        number = model.number(term.number)
        is_integer = number.denominator == 1 and LEAST_INTEGER <= number <= GREATEST_INTEGER
        return int(number) if is_integer else float(number)
    if model.truth(term.is_string):
        return model.text(term.string)
    return model.truth(term.boolean) if model.truth(term.is_boolean) else None


_TURNED = {
    tree.Relation.LESS: tree.Relation.GREATER,
    tree.Relation.LESS_OR_EQUAL: tree.Relation.GREATER_OR_EQUAL,
    tree.Relation.GREATER: tree.Relation.LESS,
    tree.Relation.GREATER_OR_EQUAL: tree.Relation.LESS_OR_EQUAL,
}


def _over(left: Plain, right: Plain) -> Plain:
    assert isinstance(left, int | float)
    assert isinstance(right, int | float)
    return left / right if right else None


def has_field(node: tree.Expression) -> bool:
    """Return whether a value depends on the event."""
    return any(isinstance(part, tree.Field) for part in tree.within(node))


def constant(node: tree.Expression) -> Plain:
    """Return the value of an expression without fields."""
    return compile_value(node)(Event("", "", 0, {}))


def _disjunction(truths: Iterable[Truth]) -> Truth:
    several = list(truths)
    return Truth(terms.either(*(t.true for t in several)), terms.both(*(t.false for t in several)))


def _operands(node: tree.Expression) -> tuple[tree.Expression, ...]:
    match node:
        case tree.Call(function="cidrMatch", arguments=(address, *_)):
            return (address,)
        case tree.Call(arguments=arguments):
            return arguments
        case tree.Arithmetic(left=left, right=right):
            return (left, right)
        case tree.Negative(operand=operand):
            return (operand,)
        case _:
            return ()


def _kind(node: tree.Expression) -> int:
    """Return the kind of the values of a function: 0 for numbers, 1 for strings, 2 for Booleans."""
    if isinstance(node, tree.Call) and node.function not in _NUMBERS:
        return 1 if node.function in _STRINGS else 2
    return 0
