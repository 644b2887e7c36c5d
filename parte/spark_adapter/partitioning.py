"""The keys by which a program can be run in parts, derived from the equality conditions of its rules.

Rules of which one reacts to what another emits belong together and form a group. A key of a rule gives every pattern
an expression over its own event such that in every match, and between a match and every event that defeats it, all of
them have one value. So a match is found, or defeated, where its value is, and nowhere else. The rules of a group share
a key if what one of them emits carries the value on to those that react to it. A group without a key runs in one part.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Generic, TypeVar

from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import Event
from parte.semantics.partelang.expressions import NoValue, compile_conditions, compile_expression
from parte.semantics.partelang.syntax import core

Place = tuple[str, str]
"""A pattern: the name of its rule and its variable."""

Item = TypeVar("Item")

_TRIES = 10_000
"""How many keys are tried for the rules of a group. Where that is too few the group runs in one part, also correct."""

_RANKS = {core.Scalar.STRING: 0, core.Scalar.INTEGER: 1, core.Scalar.FLOAT: 2, core.Scalar.BOOLEAN: 3}
"""Which keys are preferred: names before numbers, and last Booleans, which make two parts only."""


@dataclass(frozen=True, slots=True)
class Group:
    """Rules that run together: a program of their own. `keys` is empty if nothing splits their events into parts;
    `reason` then says why."""

    program: core.Program
    keys: Mapping[Place, core.Expression]
    reason: str = ""

    @property
    def keyed(self) -> bool:
        """Whether the group can run in parts."""
        return bool(self.keys)

    @property
    def rules(self) -> tuple[str, ...]:
        """The names of the rules."""
        return tuple(rule.name for rule in self.program.rules)


def groups_of(program: core.Program) -> tuple[Group, ...]:
    """The groups of a program, in the order of their first rules."""
    return tuple(_group(program, rules) for rules in _components(program.rules))


# --- Which rules belong together -------------------------------------------------------------------------------------


def _components(rules: Sequence[core.Rule]) -> list[list[core.Rule]]:
    union = _Classes[str]()
    for rule in rules:
        union.add(rule.name)
    for one, other in combinations(rules, 2):
        if _feeds(one, other) or _feeds(other, one):
            union.join(one.name, other.name)
    found: dict[str, list[core.Rule]] = {}
    for rule in rules:
        found.setdefault(union.find(rule.name), []).append(rule)
    return list(found.values())


def _feeds(emitting: core.Rule, reacting: core.Rule) -> bool:
    emitted = {emission.template for emission in emitting.emissions}
    return any(pattern.template in emitted for pattern in reacting.patterns)


def _group(program: core.Program, rules: Sequence[core.Rule]) -> Group:
    templates = {pattern.template for rule in rules for pattern in rule.patterns}
    templates |= {emission.template for rule in rules for emission in rule.emissions}
    part = replace(
        program,
        templates=tuple(template for template in program.templates if template.name in templates),
        rules=tuple(rules),
        warnings=(),
        source=replace(program.source, declarations=()),
    )
    keys = [_RuleKeys(program, rule) for rule in rules]
    for known in keys:
        if not known.candidates:
            reason = f"no equality condition relates all patterns of rule {known.rule.name} to one another"
            return Group(part, {}, reason)
    chosen = _agreeing(keys)
    if chosen is None:
        names = ", ".join(rule.name for rule in rules)
        return Group(part, {}, f"the rules {names} react to what they emit, and no key of theirs is carried on by it")
    return Group(part, {(keys[i].rule.name, v): e for i, c in enumerate(chosen) for v, e in keys[i].choice(c).items()})


# --- The keys of a rule ----------------------------------------------------------------------------------------------


class _Classes(Generic[Item]):
    """Items that are known to be equal (union-find), in the order in which they were added."""

    def __init__(self) -> None:
        self.above: dict[Item, Item] = {}

    def add(self, item: Item) -> None:
        self.above.setdefault(item, item)

    def find(self, item: Item) -> Item:
        while self.above[item] != item:
            item = self.above[item]
        return item

    def join(self, one: Item, other: Item) -> None:
        self.above[self.find(other)] = self.find(one)


class _RuleKeys:
    """What the equality conditions of a rule say, and the classes of equal expressions that are keys of it."""

    def __init__(self, program: core.Program, rule: core.Rule) -> None:
        self.rule = rule
        self.classes = _Classes[core.Expression]()
        for pattern in rule.positive:
            for attribute in program.template(pattern.template).attributes:
                if isinstance(attribute.type, core.Scalar):
                    _add(self.classes, core.AttributeOf(pattern.variable, attribute.name, attribute.type))
        for pattern in rule.positive:
            _equate(self.classes, pattern)
        self.negated = {pattern.variable: self._defeating(pattern) for pattern in rule.patterns if pattern.negated}
        roots = dict.fromkeys(self.classes.find(item) for item in list(self.classes.above))
        complete = [root for root in roots if len(self.choice(root)) == len(rule.patterns)]
        self.candidates = sorted(complete, key=lambda root: _RANKS[_scalar(root)])

    def _defeating(self, pattern: core.Pattern) -> _Classes[core.Expression]:
        """What is equal between a match and an event that defeats it: all conditions of the pattern hold then."""
        classes = _Classes[core.Expression]()
        classes.above.update(self.classes.above)
        _equate(classes, pattern)
        return classes

    def choice(self, root: core.Expression) -> dict[str, core.Expression]:
        """The expressions of a class, one for each variable that has one; plain attributes go first."""
        found: dict[str, core.Expression] = {}
        for pattern in self.rule.patterns:
            classes = self.negated.get(pattern.variable, self.classes)
            own = _members(classes, root, pattern.variable)
            if own:
                found[pattern.variable] = min(own, key=lambda item: not isinstance(item, core.AttributeOf))
        return found

    def members(self, root: core.Expression, variable: str) -> list[core.Expression]:
        """All expressions over one variable in a class."""
        return _members(self.negated.get(variable, self.classes), root, variable)

    def carries(self, value: core.Expression, root: core.Expression) -> bool:
        """Whether an expression is known to have the value of the key in every match."""
        return value in self.classes.above and self.classes.find(value) == self.classes.find(root)


def _members(classes: _Classes[core.Expression], root: core.Expression, variable: str) -> list[core.Expression]:
    top = classes.find(root)
    return [item for item in classes.above if core.variables_of(item) == {variable} and classes.find(item) == top]


def _equate(classes: _Classes[core.Expression], pattern: core.Pattern) -> None:
    for condition in pattern.conditions:
        if isinstance(condition, core.Comparison) and condition.operator == "=":
            left, right = condition.left, condition.right
            if len(core.variables_of(left)) == 1 == len(core.variables_of(right)):
                _join(classes, left, right)


def _add(classes: _Classes[core.Expression], item: core.Expression) -> None:
    classes.add(item)
    if core.type_of(item) is core.Scalar.INTEGER:
        classes.add(core.ToFloat(item))


def _join(classes: _Classes[core.Expression], one: core.Expression, other: core.Expression) -> None:
    """Equal Integers are equal as Floats too; the converse does not hold."""
    _add(classes, one)
    _add(classes, other)
    classes.join(one, other)
    if core.type_of(one) is core.Scalar.INTEGER:
        classes.join(core.ToFloat(one), core.ToFloat(other))


def _scalar(expression: core.Expression) -> core.Scalar:
    type_ = core.type_of(expression)
    assert isinstance(type_, core.Scalar)
    return type_


# --- Keys that the rules of a group share ----------------------------------------------------------------------------


def _agreeing(keys: Sequence[_RuleKeys]) -> list[core.Expression] | None:
    """For each rule one of its keys, so that what it emits has the value of those that react to it; None if none do."""
    tries = 0

    def search(chosen: list[core.Expression]) -> list[core.Expression] | None:
        nonlocal tries
        if len(chosen) == len(keys):
            return chosen
        for candidate in keys[len(chosen)].candidates:
            tries += 1
            if tries > _TRIES:
                return None
            longer = [*chosen, candidate]
            if all(_agree(keys, longer, i, len(chosen)) for i in range(len(longer))):
                found = search(longer)
                if found is not None:
                    return found
        return None

    return search([])


def _agree(keys: Sequence[_RuleKeys], chosen: Sequence[core.Expression], one: int, other: int) -> bool:
    return all(
        _carried(keys[emitting], chosen[emitting], keys[reacting], chosen[reacting])
        for emitting, reacting in ((one, other), (other, one))
    )


def _carried(emitting: _RuleKeys, key: core.Expression, reacting: _RuleKeys, other_key: core.Expression) -> bool:
    """Whether every event that one rule emits has, for every pattern of another that it may fill, the same value."""
    for emission in emitting.rule.emissions:
        values = {assignment.attribute: assignment.value for assignment in emission.assignments}
        for pattern in reacting.rule.patterns:
            if pattern.template == emission.template:
                members = reacting.members(other_key, pattern.variable)
                # One is enough: in a match all of them are equal.
                if not any(emitting.carries(value, key) for value in _substituted(members, values)):
                    return False
    return True


def _substituted(
    members: Sequence[core.Expression], values: Mapping[str, core.Expression]
) -> Iterator[core.Expression]:
    for member in members:
        match member:
            case core.AttributeOf(attribute=attribute):
                yield values[attribute]
            case core.ToFloat(operand=core.AttributeOf(attribute=attribute)):
                yield core.ToFloat(values[attribute])


# --- Where an event goes ---------------------------------------------------------------------------------------------

KeyOf = Callable[[Event], str | None]
"""The key of an event as text; None if it has none, and so can fill no pattern."""

WHOLE = ""
"""The key of everything in a group without one."""


def key_of(expression: core.Expression, predicates: Predicates) -> KeyOf:
    """The value of an expression over an event as text: equal values, and only they, give the same one."""
    (variable,) = core.variables_of(expression)
    compiled = compile_expression(expression, {variable: 0}, predicates)

    def key(event: Event) -> str | None:
        try:
            value = compiled((event,))
        except NoValue:
            return None
        return json.dumps(value + 0.0 if type(value) is float else value, ensure_ascii=False)

    return key


def keys_of(group: Group, predicates: Predicates) -> dict[Place, KeyOf]:
    """For each pattern of a group the key by which it takes events."""
    if not group.keyed:
        return {(rule.name, p.variable): lambda _: WHOLE for rule in group.program.rules for p in rule.patterns}
    return {place: key_of(expression, predicates) for place, expression in group.keys.items()}


Filling = tuple[Place, str]
"""A pattern that an event fills, and the key under which it does."""


def fillings_of(group: Group, predicates: Predicates) -> Callable[[Event], Iterator[Filling]]:
    """The function that tells which patterns of a group an event can fill, as far as it alone decides that."""
    keys = keys_of(group, predicates)
    patterns: dict[str, list[tuple[Place, Callable[[Sequence[Event]], bool], KeyOf]]] = {}
    for rule in group.program.rules:
        for pattern in rule.patterns:
            own = [c for c in pattern.conditions if core.variables_of(c) <= {pattern.variable}]
            condition = compile_conditions(own, {pattern.variable: 0}, predicates)
            place = rule.name, pattern.variable
            patterns.setdefault(pattern.template, []).append((place, condition, keys[place]))

    def fillings(event: Event) -> Iterator[Filling]:
        for place, fills, key_of in patterns.get(event.template, ()):
            if fills((event,)) and (key := key_of(event)) is not None:
                yield place, key

    return fillings


def router_of(group: Group, predicates: Predicates) -> Callable[[Event], tuple[str, ...]]:
    """The function that tells to which parts of a group an event goes: once for each pattern that it can fill."""
    fillings = fillings_of(group, predicates)

    def route(event: Event) -> tuple[str, ...]:
        return tuple(dict.fromkeys(key for _, key in fillings(event)))

    return route
