"""Rules of PARTElang as queries of CEL.

A rule of positive patterns has a query if its windows have one of two meanings, in whatever way they are written:

- *ordered*: each event is later than the one before, and the last at most W after the first. The query is a sequence.
It means the same on traces in which no two events have one timestamp.
- *open*: any two events are at most W apart. The query has an alternative for each order in which the patterns can be
filled; one event may fill several patterns of one template. It means the same on every trace in order of time.

The bindings of a match are a valuation, and its events are the D of a result. Several matches of the same events have
one result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations, pairwise

from parte.languages.cel.semantics.syntax import tree
from parte.languages.cel.semantics.syntax.checking import MAX_NODES
from parte.languages.cel.semantics.syntax.lexis import KEYWORDS
from parte.languages.translations.codes import CODES
from parte.languages.translations.connectives import CONDITIONS, conjuncts, present
from parte.languages.translations.naming import Vocabulary
from parte.languages.translations.sides import Side, sides
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.temporal import Distances, closure
from parte.semantics.source.reporting import Reporter

_CEL = Vocabulary("CEL", KEYWORDS, fold=str.upper)


@dataclass(frozen=True, slots=True)
class InCel:
    """A query, and its variable for each variable of the rule; `ordered` is True if its windows are ordered."""

    query: tree.Query
    variables: Mapping[str, str]
    ordered: bool


def to_cel(program: core.Program, rule: core.Rule) -> InCel:
    """Return the query of a rule. Raise ProgramError with every part that has no counterpart in CEL."""
    reporter = Reporter(program.source.text, CODES, program.source.files)
    _CEL.refuse_undeclared(rule, CONDITIONS, reporter)
    _patterns(program, rule, reporter)
    reporter.raise_if_failed()
    names = _named(rule)
    length, order = _windows(rule, reporter)
    links, predicates, compounds = _conditions(rule, names, reporter)
    reporter.raise_if_failed()
    attributes, links = _partition(links, list(names.values()))
    formula = _formula(rule, names, order, reporter)
    reporter.raise_if_failed()
    conditions: list[tree.Condition] = [
        tree.Holds(name, parts[0] if len(parts) == 1 else tree.Every(tuple(parts)))
        for name, parts in predicates.items()
        if parts
    ]
    conditions += [*links, *compounds]
    if conditions:
        condition = conditions[0] if len(conditions) == 1 else tree.Both(tuple(conditions))
        formula = tree.Filtered(formula, condition)
    window = None if length is None else tree.TimeWindow((_duration(length),))
    query = tree.Query(tree.Strategy.ALL, None, (), formula, attributes, window, tree.Consumption.NONE)
    return InCel(query, names, order is not None and len(names) > 1)


def _patterns(program: core.Program, rule: core.Rule, reporter: Reporter) -> None:
    strata = dict(program.strata)
    for pattern in rule.patterns:
        if pattern.negated:
            message = "CEL has no negation: more events never take a result away"
            reporter.report("no-counterpart", pattern.span, message, "leave the pattern out, if that is what you want")
        if strata[pattern.template]:
            message = f"rules emit events of {pattern.template}, and a query of CEL sees those of the stream only"
            reporter.report("no-counterpart", pattern.span, message, "translate a rule that reads no emitted events")
        _CEL.refuse_template(pattern.template, pattern.span, reporter)
    for emission in rule.emissions:
        message = "a query of CEL emits nothing"
        hint = "leave out what stands after `then`: the same events match"
        reporter.report("no-counterpart", emission.span, message, hint)


def _named(rule: core.Rule) -> dict[str, str]:
    """Return, for each variable of the rule, a variable that is no keyword and no type of the query."""
    taken = {pattern.template for pattern in rule.positive}
    names: dict[str, str] = {}
    for pattern in rule.positive:
        name = _CEL.free(pattern.variable, taken)
        taken.add(name)
        names[pattern.variable] = name
    return names


# --- Windows ----------------------------------------------------------------------------------------------------------


def _windows(rule: core.Rule, reporter: Reporter) -> tuple[int | None, list[int] | None]:
    """Return the length of the window in ms, and the order of the patterns, which is None if any order fits.

    All ways to write the same windows have the same closure.
    """
    variables = [pattern.variable for pattern in rule.positive]
    if len(variables) < 2:
        return None, [0]
    distances = closure(variables, rule.constraints)
    if distances.contradictory:
        message = f"the windows of {rule.name} contradict each other, so that it never matches"
        reporter.report("no-counterpart", rule.span, message, "there is nothing to translate")
        return None, None
    apart = {distances.greatest[i][j] for i in range(len(variables)) for j in range(len(variables)) if i != j}
    if len(apart) == 1 and (length := apart.pop()) is not None and length >= 0:
        return length, None
    order = _order(distances)
    if order is not None:
        ordered = [variables[place] for place in order]
        length = distances.greatest[order[-1]][order[0]]
        assert length is not None
        meant = [core.Constraint(later, earlier, 1, length, False) for earlier, later in pairwise(ordered)]
        meant.append(core.Constraint(ordered[-1], ordered[0], 1, length, False))
        if closure(variables, meant).greatest == distances.greatest:
            return length, order
    message = "CEL has one window for the whole, and these windows say more than that"
    hint = (
        "let each event be later than the one before, `b in a [1 ms, W]`, and the last at most W after the first, or "
    )
    hint += "let any two be at most W apart, `b in a [-W, W]`"
    reporter.report("no-counterpart", rule.constraints[0].span if rule.constraints else rule.span, message, hint)
    return None, None


def _order(distances: Distances) -> list[int] | None:
    """Return the order in which each pattern is later than the one before, or None if the windows give no such
    order."""
    every = range(len(distances.variables))

    def later(first: int, second: int) -> bool:
        bound = distances.greatest[second][first]
        return bound is not None and bound <= -1

    order = sorted(every, key=lambda place: sum(later(place, rival) for rival in every))
    return order if all(later(after, before) for before, after in pairwise(order)) else None


def _duration(milliseconds: int) -> tuple[int, tree.Unit]:
    """Return a duration in the largest unit in which it is a whole number."""
    fitting = [unit for unit in tree.Unit if milliseconds % unit.value == 0] if milliseconds else [tree.Unit.MS]
    return milliseconds // fitting[-1].value, fitting[-1]


# --- Formulas ---------------------------------------------------------------------------------------------------------


def _formula(rule: core.Rule, names: Mapping[str, str], order: list[int] | None, reporter: Reporter) -> tree.Formula:
    """Return a sequence, or an alternative of sequences for each order in which the patterns can be filled."""
    patterns = rule.positive
    if order is not None:
        return _sequence([[patterns[place]] for place in order], names)
    alternatives: list[tree.Formula] = []
    nodes = 1
    for blocks in _orders(list(patterns)):
        alternatives.append(_sequence(blocks, names))
        nodes += 1 + len(blocks) + len(patterns)
        if nodes > MAX_NODES:
            message = f"{rule.name} has so many orders of its {len(patterns)} patterns that no formula holds them"
            hint = "say with windows which comes first, `b in a [1 ms, W]`"
            reporter.report("too-large-translation", rule.span, message, hint)
            break
    return alternatives[0] if len(alternatives) == 1 else tree.Or(tuple(alternatives))


def _orders(patterns: list[core.Pattern]) -> Iterator[list[list[core.Pattern]]]:
    """Yield all ways to fill patterns one after the other, with several of one template at once."""
    if not patterns:
        yield []
    for size in range(1, len(patterns) + 1):
        for block in combinations(patterns, size):
            if len({pattern.template for pattern in block}) == 1:
                for rest in _orders([pattern for pattern in patterns if pattern not in block]):
                    yield [list(block), *rest]


def _sequence(blocks: Sequence[Sequence[core.Pattern]], names: Mapping[str, str]) -> tree.Formula:
    parts = tuple(_block(block, names) for block in blocks)
    return parts[0] if len(parts) == 1 else tree.Sequence(parts, False)


def _block(block: Sequence[core.Pattern], names: Mapping[str, str]) -> tree.Formula:
    """Return one event for all patterns of a block."""
    event: tree.Formula = tree.EventType(block[0].template)
    return reduce(lambda named, pattern: tree.Named(named, names[pattern.variable]), block, event)


# --- Conditions -------------------------------------------------------------------------------------------------------


def _conditions(
    rule: core.Rule, names: Mapping[str, str], reporter: Reporter
) -> tuple[list[tree.Link], dict[str, list[tree.Predicate]], list[tree.Condition]]:
    """Return the comparisons of the attributes of two events; for each variable the conditions on its event alone; and
    the compounds that mention several variables."""
    links: list[tree.Link] = []
    predicates: dict[str, list[tree.Predicate]] = {name: [] for name in names.values()}
    compounds: list[tree.Condition] = []
    for pattern in rule.positive:
        for condition in conjuncts(pattern.conditions):
            match _condition(condition, pattern.variable, names, reporter):
                case tree.Link() as link:
                    links.append(link)
                case tree.Holds(variable=name, predicate=predicate):
                    predicates[name].append(predicate)
                case tree.Both() | tree.Either() as compound:
                    compounds.append(compound)
    return links, predicates, compounds


def _condition(
    condition: core.Expression, own: str, names: Mapping[str, str], reporter: Reporter
) -> tree.Condition | None:
    """Return a condition of the pattern of a variable; None, with a report, if CEL has no such condition."""
    variables = core.variables_of(condition)
    if len(variables) <= 1:
        predicate = _predicate(condition, reporter)
        (variable,) = variables or {own}
        return None if predicate is None else tree.Holds(names[variable], predicate)
    if isinstance(condition, core.Compound):
        parts = [_condition(operand, own, names, reporter) for operand in condition.operands]
        conditions = tuple(part for part in parts if part is not None)
        if len(conditions) < len(parts):
            return None
        return tree.Both(conditions) if condition.connective == "and" else tree.Either(conditions)
    comparison = sides(condition, "CEL", reporter)
    if comparison is None:
        return None
    left, operator, right = comparison
    assert isinstance(left, core.AttributeOf)
    assert isinstance(right, core.AttributeOf)
    return tree.Link(
        names[left.variable], left.attribute, tree.Operator(operator), names[right.variable], right.attribute
    )


def _predicate(condition: core.Expression, reporter: Reporter) -> tree.Predicate | None:
    """Return a condition on one event; None, with a report, if CEL has no such condition."""
    if isinstance(condition, core.Compound):
        parts = [_predicate(operand, reporter) for operand in condition.operands]
        predicates = tuple(part for part in parts if part is not None)
        if len(predicates) < len(parts):
            return None
        return tree.Every(predicates) if condition.connective == "and" else tree.Some(predicates)
    if isinstance(condition, core.Presence) and (attribute := present(condition)) is not None:
        own = tree.Attribute(attribute.attribute)
        has_value = tree.Comparison(own, tree.Operator.EQUAL, own)
        return has_value if condition.present else tree.Not(has_value)
    comparison = sides(condition, "CEL", reporter)
    if comparison is None:
        return None
    left, operator, right = comparison
    return tree.Comparison(_operand(left), tree.Operator(operator), _operand(right))


def _operand(side: Side) -> tree.Operand:
    return tree.Literal(side.value) if isinstance(side, core.Constant) else tree.Attribute(side.attribute)


def _partition(links: list[tree.Link], names: list[str]) -> tuple[tuple[str, ...], list[tree.Link]]:
    """Return the attributes that are equal in all events, and the links without those equalities."""
    equal: dict[str, list[tree.Link]] = {}
    for link in links:
        if link.operator is tree.Operator.EQUAL and link.left_attribute == link.right_attribute:
            equal.setdefault(link.left_attribute, []).append(link)
    shared = tuple(attribute for attribute, pairs in equal.items() if _connect(pairs, names))
    equalities = [link for attribute in shared for link in equal[attribute]]
    return shared, [link for link in links if link not in equalities]


def _connect(links: Sequence[tree.Link], names: Sequence[str]) -> bool:
    reached = {names[0]}
    for _ in names:
        reached |= {name for link in links if {link.left, link.right} & reached for name in (link.left, link.right)}
    return len(reached) == len(names)
