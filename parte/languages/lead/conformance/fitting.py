"""A drawn rule made to have no error, where that is a matter of names: most of what is drawn blindly has several.

Names are kept apart, policies are not nested, and what a condition speaks of is taken from what it sees. What is then
still wrong is drawn anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.checking import productive
from parte.languages.lead.semantics.syntax.names import Scope, named, resolved, scope_of

_CONSUMING = (tree.Choice.EVERY, tree.Choice.ALL)


def fitted(rule: tree.Rule, rng: Random) -> tree.Rule:
    """The rule with names that fit."""
    streams = {stream.alias for stream in rule.streams}
    pattern = resolved(_apart(rule.pattern, set()))
    pattern = _known_sources(pattern, streams)
    pattern = _unnested(pattern, False, rng)
    scope = scope_of(named(pattern))
    events = _written(scope)
    names = {node.name for node in tree.within(pattern) if isinstance(node, tree.Outside)} if events else set()
    times = [_moved(each, rng.choice(events)) for each in rule.times if each.name in names]
    fitting = _Conditions(rng, {each.name for each in times})
    return replace(
        rule,
        pattern=fitting.pattern(pattern),
        times=tuple(times),
        outcome=tuple(fitting.outcome(each, scope) for each in rule.outcome),
    )


def _moved(time: tree.TimeEvent, event: str) -> tree.TimeEvent:
    """The interval, from another event on."""
    start = tree.Reference((event, "event_time"))
    end = time.end.parts[-1] if isinstance(time.end, tree.Sum) else tree.Duration(1, tree.Unit.MS)
    return replace(time, start=start, end=tree.Sum((start, end)))


# --- Names and policies -----------------------------------------------------------------------------------------------


def _fresh(name: str, used: set[str]) -> str:
    number = 2
    found = name
    while found in used:
        found, number = f"{name}{number}", number + 1
    used.add(found)
    return found


def _apart(node: tree.Pattern, used: set[str]) -> tree.Pattern:
    """The pattern in which each name of a scope is given once, and a sub-context is of a list that it has."""
    match node:
        case tree.Atom(name=name):
            if name in used:
                return replace(node, name=None)
            used |= {name} if name else set()
            return node
        case tree.Bound():
            return node
        case tree.Collect(operand=operand, name=name):
            return replace(node, operand=_apart(operand, set()), name=_fresh(name, used) if name else None)
        case tree.Not(operand=operand):
            return replace(node, operand=_apart(operand, set()))
        case tree.Pick(collect=collect):
            inner = _apart(collect, used)
            assert isinstance(inner, tree.Collect)
            return replace(node, collect=inner)
        case tree.Subcontext(operand=operand, branch=branch):
            inside = _apart(operand, used)
            lists = _lists(inside)
            return replace(
                node,
                operand=inside,
                list=node.list if node.list in lists or not lists else lists[-1],
                branch=replace(branch, pattern=_apart(branch.pattern, set())),
                name=_fresh(node.name, used),
            )
        case tree.And(parts=parts) | tree.Or(parts=parts) | tree.Sequence(parts=parts):
            return replace(node, parts=tuple(_apart(part, used) for part in parts))
        case tree.Within(operand=operand, source=source):
            inside = _apart(operand, used)
            return replace(node, operand=inside, source=None if source is None else _apart(source, used))
        case _:
            return replace(node, operand=_apart(node.operand, used))


def _lists(pattern: tree.Pattern) -> list[str]:
    """The lists of repetitions that a pattern binds."""
    collected = {node.name for node in tree.within(named(pattern)) if isinstance(node, tree.Collect)}
    scope = scope_of(named(pattern))
    return [name for name, items in scope.items() if items is not None and name in collected and "#" not in name]


def _known_sources(pattern: tree.Pattern, streams: set[str]) -> tree.Pattern:
    """The pattern without a `from` of a name that is neither bound nor a stream."""

    def change(node: tree.Node) -> tree.Node:
        match node:
            case tree.Within(source=tree.Atom(stream=stream)) if stream not in streams:
                return replace(node, source=None)
            case _:
                return node

    return tree.TREE.mapped(pattern, change)


def _unnested(node: tree.Pattern, selected: bool, rng: Random) -> tree.Pattern:
    """The pattern in which no `all` or `every` stands below another, and `all` consumes what it has."""
    match node:
        case tree.Policy(choice=choice, operand=operand):
            if choice in _CONSUMING and (selected or (choice is tree.Choice.EVERY and not productive(operand))):
                choice = tree.Choice.FIRST
            inside = _unnested(operand, selected or choice in _CONSUMING, rng)
            scope = [name for name in scope_of(named(inside)) if "#" not in name]
            consumed = (rng.choice(scope),) if node.consumed and scope and choice is tree.Choice.ALL else ()
            return replace(node, choice=choice, operand=inside, consumed=consumed)
        case tree.Atom() | tree.Bound():
            return node
        case tree.And(parts=parts) | tree.Or(parts=parts) | tree.Sequence(parts=parts):
            return replace(node, parts=tuple(_unnested(part, selected, rng) for part in parts))
        case tree.Collect(operand=operand) | tree.Not(operand=operand):
            return replace(node, operand=_unnested(operand, False, rng))
        case tree.Pick(collect=collect):
            inner = _unnested(collect, selected, rng)
            assert isinstance(inner, tree.Collect)
            return replace(node, collect=inner)
        case tree.Subcontext(operand=operand, branch=branch):
            after = replace(branch, pattern=_unnested(branch.pattern, False, rng))
            return replace(node, operand=_unnested(operand, selected, rng), branch=after)
        case tree.Within(operand=operand, source=source):
            anew = None if source is None else _unnested(source, selected, rng)
            return replace(node, operand=_unnested(operand, selected, rng), source=anew)
        case _:
            return replace(node, operand=_unnested(node.operand, selected, rng))


# --- Conditions -------------------------------------------------------------------------------------------------------


class _Conditions:
    """Conditions that speak of what they see, as `checking` has it."""

    def __init__(self, rng: Random, times: set[str]) -> None:
        self._rng = rng
        self._times = times

    def pattern(self, pattern: tree.Pattern) -> tree.Pattern:
        """The pattern with conditions that fit."""
        return tree.TREE.mapped(pattern, self._node)

    def _node(self, node: tree.Node) -> tree.Node:
        match node:
            case tree.Filtered(operand=operand, condition=condition):
                return replace(node, condition=self._fit(condition, scope_of(named(operand)), None))
            case tree.Collect(operand=operand, name=name):
                items = scope_of(named(operand))
                scope: Scope = {**items, **({name: items} if name else {})}
                return replace(
                    node,
                    accept=node.accept and self._fit(node.accept, scope, items),
                    terminate=node.terminate and self._fit(node.terminate, scope, items),
                    invalidate=node.invalidate and self._fit(node.invalidate, scope, items),
                )
            case tree.Pick(collect=collect, aggregate=aggregate):
                items = scope_of(named(collect.operand))
                found = self._aggregate(aggregate, {}, items)
                return replace(node, aggregate=found if isinstance(found, tree.Aggregate) else _COUNT)
            case tree.Subcontext(operand=operand, branch=branch):
                around = scope_of(named(operand))
                listed = around.get(node.list) or {}
                single = None if list(listed.values()) == [None] else listed
                only, ends = node.condition, node.terminate
                inside: Scope = {**scope_of(named(branch.pattern)), node.item: single}
                actions = [self._emission(each, inside) for each in branch.actions]
                return replace(
                    node,
                    condition=only and self._fit(only, {**around, node.item: single}, None),
                    terminate=ends and self._fit(ends, around, None),
                    branch=replace(branch, actions=tuple(actions)),
                )
            case _:
                return node

    def outcome(self, outcome: tree.Outcome, scope: Scope) -> tree.Outcome:
        """An outcome with conditions and arguments that fit."""
        if isinstance(outcome, tree.Emission):
            return self._emission(outcome, scope)
        clauses = [
            replace(
                clause,
                condition=self._fit(clause.condition, scope, None),
                outcome=tuple(self.outcome(each, scope) for each in clause.outcome),
            )
            for clause in outcome.clauses
        ]
        return replace(outcome, clauses=tuple(clauses))

    def _emission(self, emission: tree.Emission, scope: Scope) -> tree.Emission:
        return replace(emission, arguments=tuple(self._fit(each, scope, None) for each in emission.arguments))

    def _fit(self, node: tree.Expression, scope: Scope, current: Scope | None) -> tree.Expression:
        """The expression; `current` is the scope of an item of the list that is being collected."""
        match node:
            case tree.Reference(path=path):
                if path[0] in scope and scope[path[0]] is None:
                    return node
                return self._value(path[-1], scope, current)
            case tree.Aggregate():
                return self._aggregate(node, scope, current)
            case tree.Outside(name=name):
                return node if name in self._times else tree.Comparison(_COUNT, tree.Operator.GREATER, tree.Literal(1))
            case tree.Quantified(condition=condition):
                return self._quantified(node, condition, scope, current)
            case tree.Comparison(left=left, right=right):
                return replace(node, left=self._fit(left, scope, current), right=self._fit(right, scope, current))
            case tree.Negative(operand=operand) | tree.Negation(operand=operand):
                return replace(node, operand=self._fit(operand, scope, current))
            case tree.Sum() | tree.Product() | tree.Both() | tree.Either():
                return replace(node, parts=tuple(self._fit(part, scope, current) for part in node.parts))
            case _:
                return node

    def _value(self, attribute: str, scope: Scope, current: Scope | None) -> tree.Expression:
        events = _written(scope)
        if events:
            return tree.Reference((self._rng.choice(events), attribute))
        return self._aggregate(_COUNT, scope, current)

    def _aggregate(self, node: tree.Aggregate, scope: Scope, current: Scope | None) -> tree.Expression:
        lists = [name for name, items in scope.items() if items is not None and "#" not in name]
        if lists and (current is None or self._rng.random() < 0.3):
            name = self._rng.choice(lists)
            return self._of_items(node, (name,), scope[name] or {})
        return tree.Literal(1) if current is None else self._of_items(node, (), current)

    def _of_items(self, node: tree.Aggregate, path: tuple[str, ...], items: Scope) -> tree.Expression:
        events = _written(items)
        if node.function is tree.Function.COUNT or not events:
            return tree.Aggregate(tree.Function.COUNT, path)
        attribute = node.path[-1] if len(node.path) > 1 else "v"
        if len(items) == 1 and self._rng.random() < 0.5:
            return tree.Aggregate(node.function, (*path, attribute))
        return tree.Aggregate(node.function, (*path, self._rng.choice(events), attribute))

    def _quantified(
        self, node: tree.Quantified, condition: tree.Expression, scope: Scope, current: Scope | None
    ) -> tree.Expression:
        paths = [
            (name, attribute) if len(items) == 1 else (name, event, attribute)
            for name, items in scope.items()
            if items is not None and "#" not in name
            for event in _written(items)
            for attribute in ("v", "event_time")
        ]
        if not paths or not isinstance(condition, tree.Comparison):
            return self._fit(condition, scope, current)
        right = condition.right if _constant(condition.right) else self._fit(condition.right, scope, current)
        left = tree.Reference(self._rng.choice(paths))
        return replace(node, condition=replace(condition, left=left, right=right))


def _written(scope: Scope) -> list[str]:
    """The events of a scope whose names a rule can write: that of a second event without a name it cannot."""
    return [name for name, items in scope.items() if items is None and "#" not in name]


def _constant(node: tree.Expression) -> bool:
    parts: Sequence[tree.Node] = list(tree.within(node))
    return not any(isinstance(part, tree.Reference | tree.Aggregate) for part in parts)


_COUNT = tree.Aggregate(tree.Function.COUNT, ())
