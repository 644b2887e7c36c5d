"""The keys by which a program can be run in parts, derived from the equality conditions of its rules.

Rules of which one reacts to emissions of another belong together and form a group. A key of a rule gives every pattern
an expression over its own event such that in every match, and between a match and every event that defeats it or is
in a set of it, all of them have one value. So a match is found, or defeated, in the part of its value. The rules of a
group share a key if the emissions of one of them have the same value for the rules that react to them. A group without
a key runs in one part. So does a group with `once`, unless events that may suppress one another have one value.
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
"""The number of keys that are tried for the rules of a group. If it is too small, the group runs in one part, which is
correct too."""

_RANKS = {core.Scalar.STRING: 0, core.Scalar.INTEGER: 1, core.Scalar.FLOAT: 2, core.Scalar.BOOLEAN: 3}
"""The preference of keys: names before numbers, and Booleans last, as they give only two parts."""


@dataclass(frozen=True, slots=True)
class Group:
    """Rules that run together: a program of their own. `keys` is empty if nothing splits their events into parts;
    `reason` is the reason then."""

    program: core.Program
    keys: Mapping[Place, core.Expression]
    reason: str = ""

    @property
    def keyed(self) -> bool:
        """True if the group can run in parts."""
        return bool(self.keys)

    @property
    def rules(self) -> tuple[str, ...]:
        """The names of the rules."""
        return tuple(rule.name for rule in self.program.rules)


def groups_of(program: core.Program) -> tuple[Group, ...]:
    """Return the groups of a program, in the order of their first rules."""
    return tuple(_group(program, rules) for rules in _components(program.rules))


# --- The rules that belong together -----------------------------------------------------------------------------------


def _components(rules: Sequence[core.Rule]) -> list[list[core.Rule]]:
    union = _Classes[str]()
    for rule in rules:
        union.add(rule.name)
    for left, right in combinations(rules, 2):
        if _feeds(left, right) or _feeds(right, left):
            union.join(left.name, right.name)
    components: dict[str, list[core.Rule]] = {}
    for rule in rules:
        components.setdefault(union.find(rule.name), []).append(rule)
    return list(components.values())


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
        if known.complete and not known.candidates:
            reason = f"events of several values may suppress one another in rule {known.rule.name}"
            return Group(part, {}, reason)
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

    def join(self, left: Item, right: Item) -> None:
        self.above[self.find(right)] = self.find(left)


class _RuleKeys:
    """The equalities that the conditions of a rule imply, and the classes of equal expressions that are keys of it."""

    def __init__(self, program: core.Program, rule: core.Rule) -> None:
        self.rule = rule
        self.classes = _Classes[core.Expression]()
        for pattern in rule.positive:
            for attribute in program.template(pattern.template).attributes:
                # An event that lacks it has no key, and may match all the same unless an equality demands it.
                if isinstance(attribute.type, core.Scalar) and not attribute.optional:
                    _add(self.classes, core.AttributeOf(pattern.variable, attribute.name, attribute.type))
        for pattern in rule.positive:
            _equate(self.classes, pattern)
        self.negated = {pattern.variable: self._defeating(pattern) for pattern in rule.patterns if not pattern.positive}
        roots = dict.fromkeys(self.classes.find(item) for item in list(self.classes.above))
        self.complete = [root for root in roots if len(self.choice(root)) == len(rule.patterns)]
        together = filter(self._suppresses_within, self.complete)
        self.candidates = sorted(together, key=lambda root: _RANKS[_scalar(root)])

    def _suppresses_within(self, root: core.Expression) -> bool:
        """Return whether events that suppress one another have the same value of a key."""
        for emission in self.rule.emissions:
            values = {assignment.attribute: assignment.value for assignment in emission.assignments}
            keys = None if emission.once is None else [values[key] for key in emission.once.keys if key in values]
            if keys is not None and not any(self.carries(value, root) for value in keys):
                return False
        return True

    def _defeating(self, pattern: core.Pattern) -> _Classes[core.Expression]:
        """Return the equalities between a match and an event that defeats it or is in a set of it.

        All conditions of the pattern are true then."""
        classes = _Classes[core.Expression]()
        classes.above.update(self.classes.above)
        _equate(classes, pattern)
        return classes

    def choice(self, root: core.Expression) -> dict[str, core.Expression]:
        """Return the expressions of a class, one for each variable that has one; plain attributes go first."""
        expressions: dict[str, core.Expression] = {}
        for pattern in self.rule.patterns:
            classes = self.negated.get(pattern.variable, self.classes)
            own = _members(classes, root, pattern.variable)
            if own:
                expressions[pattern.variable] = min(own, key=lambda item: not isinstance(item, core.AttributeOf))
        return expressions

    def members(self, root: core.Expression, variable: str) -> list[core.Expression]:
        """Return all expressions over one variable in a class."""
        return _members(self.negated.get(variable, self.classes), root, variable)

    def carries(self, value: core.Expression, root: core.Expression) -> bool:
        """Return whether an expression is known to have the value of the key in every match."""
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


def _join(classes: _Classes[core.Expression], left: core.Expression, right: core.Expression) -> None:
    """Join two expressions. Equal Integers are equal as Floats too; the converse is false."""
    _add(classes, left)
    _add(classes, right)
    classes.join(left, right)
    if core.type_of(left) is core.Scalar.INTEGER:
        classes.join(core.ToFloat(left), core.ToFloat(right))


def _scalar(expression: core.Expression) -> core.Scalar:
    type_ = core.type_of(expression)
    assert isinstance(type_, core.Scalar)
    return type_


# --- Keys that the rules of a group share ----------------------------------------------------------------------------


def _agreeing(keys: Sequence[_RuleKeys]) -> list[core.Expression] | None:
    """Return one key for each rule, so that its emissions have the values of the rules that react to them; None if
    there are no such keys."""
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
                complete = search(longer)
                if complete is not None:
                    return complete
        return None

    return search([])


def _agree(keys: Sequence[_RuleKeys], chosen: Sequence[core.Expression], first: int, second: int) -> bool:
    return all(
        _carried(keys[emitting], chosen[emitting], keys[reacting], chosen[reacting])
        for emitting, reacting in ((first, second), (second, first))
    )


def _carried(emitting: _RuleKeys, key: core.Expression, reacting: _RuleKeys, reacting_key: core.Expression) -> bool:
    """Return whether every event that one rule emits has the same value for every pattern of the other that it may
    fill."""
    for emission in emitting.rule.emissions:
        values = {assignment.attribute: assignment.value for assignment in emission.assignments}
        for pattern in reacting.rule.patterns:
            if pattern.template == emission.template:
                members = reacting.members(reacting_key, pattern.variable)
                # One member is enough: in a match all of them are equal.
                if not any(emitting.carries(value, key) for value in _substituted(members, values)):
                    return False
    return True


def _substituted(
    members: Sequence[core.Expression], values: Mapping[str, core.Expression]
) -> Iterator[core.Expression]:
    for member in members:
        match member:
            case core.AttributeOf(attribute=attribute) if attribute in values:
                yield values[attribute]
            case core.ToFloat(operand=core.AttributeOf(attribute=attribute)) if attribute in values:
                yield core.ToFloat(values[attribute])


# --- Routing of events ---------------------------------------------------------------------------------------------

KeyOf = Callable[[Event], str | None]
"""A function from an event to its key as text; None if it has no key, and so can fill no pattern."""

WHOLE = ""
"""The key of all events in a group without a key."""


def key_of(expression: core.Expression, predicates: Predicates) -> KeyOf:
    """Return a function for the value of an expression over an event as text, equal just for equal values."""
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
    """Return the key of each pattern of a group, by which it takes events."""
    if not group.keyed:
        return {(rule.name, p.variable): lambda _: WHOLE for rule in group.program.rules for p in rule.patterns}
    return {place: key_of(expression, predicates) for place, expression in group.keys.items()}


Filling = tuple[Place, str]
"""A pattern that an event fills, and the key under which it does."""


def fillings_of(group: Group, predicates: Predicates) -> Callable[[Event], Iterator[Filling]]:
    """Return the function that yields the patterns of a group which an event fills by the conditions on it alone."""
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
    """Return the function from an event to the parts of a group that need it: one for each key of a pattern that it
    fills."""
    fillings = fillings_of(group, predicates)

    def route(event: Event) -> tuple[str, ...]:
        return tuple(dict.fromkeys(key for _, key in fillings(event)))

    return route
