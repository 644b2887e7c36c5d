"""The queries that find the new matches of a rule: matches that are complete now and were not before.

A match is new if one of its events is new, or if a negated pattern of it is decided only now. So there are two kinds of
queries. For each positive pattern, one query binds it to a new event, the patterns before it to old events and those
after it to any. For each negated pattern, one query finds the matches whose events are all old, in which the negated
patterns before it were decided before, and it was not. No match is found by two queries. In all of them every negated
pattern is decided now, and no event defeats it.

A negated pattern is decided once one of its windows has ended. It is decided from the beginning if its windows do not
overlap, so that no event can fill it (specification: prompt-reports).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final

from sqlglot import exp

from parte.algebra.partelang.incremental.horizons import overlaps, windows
from parte.algebra.partelang.incremental.places import WORD
from parte.algebra.partelang.incremental.tables import QUOTED, Layout, fills_column
from parte.algebra.partelang.relational.components import expanded
from parte.algebra.partelang.relational.dialects import DuckDB
from parte.algebra.partelang.relational.order import joins_of
from parte.algebra.partelang.relational.relations import Relation, Templates, column
from parte.algebra.partelang.relational.rules import RuleQuery, alias_of, rule_query
from parte.algebra.partelang.relational.terms import Operations
from parte.semantics.partelang.syntax import core

OLD: Final = "$old"
NEW: Final = "$new"
ALL: Final = "$all"
"""The suffixes of a stream's name for the relations of its old rows, its new rows, and both."""

_MANY: Final = 1_000_000
"""The assumed number of retained events for each new event."""
_DIALECT: Final = DuckDB()
EXACT: Final = exp.DataType.build("INT128")
"""The type of promises and timestamps beyond 64 bit."""


@dataclass(frozen=True, slots=True)
class End:
    """The end of a window of a negated pattern: `upper` ms after a positive event.

    `name` is the query's parameter for the least timestamp of that event for which the end is not reached.
    """

    variable: str
    template: str
    reference: str
    upper: int
    name: str

    def parameter(self, promises: Mapping[str, int]) -> int:
        """Return the value of the parameter under the promises on each template."""
        return promises[self.template] - self.upper


@dataclass(frozen=True, slots=True)
class Increment:
    """A query for some of the new matches, with its SQL (`text`).

    `now` and `before` are the ends that it compares with the promises of now and before; `binds` is the positive
    pattern that binds a new event, None if none does.
    """

    query: RuleQuery
    text: str
    now: tuple[End, ...]
    before: tuple[End, ...]
    binds: core.Pattern | None


def increments(rule: core.Rule, layout: Layout, relations: Mapping[str, Relation]) -> Iterator[Increment]:
    """Yield the queries of a rule that can match. Raise Unsupported if SQL cannot express it."""
    joined = replace(rule, patterns=tuple(map(_joined, rule.patterns)))
    ends = ends_of(rule)
    for position, pattern in enumerate(joined.positive):
        binding = _Query.of(joined, layout, relations, (), {pattern.variable})
        states = {positive.variable: ALL if later > position else OLD for later, positive in enumerate(joined.positive)}
        yield Increment(binding.query, binding.text(states | {pattern.variable: NEW}), ends, (), pattern)
    negated = list(dict.fromkeys(end.variable for end in ends))
    for position in range(len(negated)):
        undecided = negated[: position + 1]
        references = {end.reference for end in ends if end.variable == undecided[-1]}
        deciding = _Query.of(joined, layout, relations, undecided, references)
        before = tuple(end for end in ends if end.variable in undecided)
        text = deciding.text({pattern.variable: OLD for pattern in joined.positive})
        yield Increment(deciding.query, text, ends, before, None)


def ends_of(rule: core.Rule) -> tuple[End, ...]:
    """Return the window ends of the negated patterns that some event may fill, of a rule that can match."""
    known = overlaps(rule)
    waiting = [pattern for pattern in rule.patterns if pattern.negated and not known[pattern.variable].never]
    return tuple(
        End(pattern.variable, pattern.template, constraint.reference, constraint.upper, f"n{number}_{place}")
        for number, pattern in enumerate(waiting, 1)
        for place, constraint in enumerate(windows(rule, pattern.variable), 1)
    )


def filling(layout: Layout, rule: core.Rule, variable: str, alias: str | None = None) -> exp.Expr:
    """Return the condition that a row fills a pattern; `alias` names the relation of the row if there are several."""
    word, bit = divmod(layout.places.bit(rule.name, variable), WORD)
    fills = fills_column(word)
    filled = exp.column(exp.to_identifier(fills, quoted=True)) if alias is None else column(alias, fills)
    both = exp.BitwiseAnd(this=filled, expression=exp.Literal.number(str(1 << bit)))
    return exp.NEQ(this=exp.Paren(this=both), expression=exp.Literal.number("0"))


def decided_alone(pattern: core.Pattern, condition: core.Expression) -> bool:
    """Return whether the event that fills a pattern decides a condition by itself."""
    return core.variables_of(condition) <= {pattern.variable}


def _joined(pattern: core.Pattern) -> core.Pattern:
    """Return a pattern without the conditions that its fills decide."""
    several = (condition for condition in pattern.conditions if not decided_alone(pattern, condition))
    return replace(pattern, conditions=tuple(several))


@dataclass(frozen=True, slots=True)
class _Query:
    """A query of a rule in which each pattern reads its own relation; `text` inserts the names of the relations."""

    query: RuleQuery
    tree: exp.Query
    streams: Mapping[str, tuple[str, str]]
    """For each variable its stream, and the placeholder of its relation in the tree."""

    @staticmethod
    def of(
        rule: core.Rule,
        layout: Layout,
        relations: Mapping[str, Relation],
        undecided: Sequence[str],
        few: Set[str],
    ) -> _Query:
        """Return the query for matches in which all negated patterns are decided now.

        Of the negated patterns in `undecided`, all but the last were decided before, and the last was not. The join
        begins with one of the variables in `few`, which few events fill.
        """
        streams: dict[str, tuple[str, str]] = {}

        def reading(pattern: core.Pattern, alias: str) -> tuple[str, list[exp.Expr]]:
            stream = layout.templates[pattern.template].stream
            streams[pattern.variable] = stream, f"{stream}${alias}"
            return f"{stream}${alias}", [filling(layout, rule, pattern.variable, alias)]

        ends = ends_of(rule)
        also = [_decided(rule, ends, variable, "now") for variable in dict.fromkeys(end.variable for end in ends)]
        for variable in undecided:
            variables, condition = _decided(rule, ends, variable, "before")
            also.append((variables, condition if variable != undecided[-1] else exp.Not(this=condition)))
        joins = joins_of(rule, {pattern.variable: 1 if pattern.variable in few else _MANY for pattern in rule.positive})
        query = rule_query(
            rule, layout.templates, relations, Operations(_DIALECT), joins, {}, reading=reading, also=also
        )
        return _Query(query, expanded(query.select, _DIALECT, quoted=QUOTED), streams)

    def text(self, states: Mapping[str, str]) -> str:
        """Return the SQL in which each variable reads the relation of its state; negated patterns read all events."""
        named = {own: f"{stream}{states.get(variable, ALL)}" for variable, (stream, own) in self.streams.items()}
        tables = [(relation, relation.name) for relation in self.tree.find_all(exp.Table) if relation.name in named]
        for relation, own in tables:
            relation.set("this", exp.to_identifier(named[own], quoted=True))
        text = self.tree.sql(_DIALECT.name)
        for relation, own in tables:
            relation.set("this", exp.to_identifier(own, quoted=True))
        return text


def _decided(rule: core.Rule, ends: Sequence[End], variable: str, when: str) -> tuple[frozenset[str], exp.Expr]:
    """Return the condition that a window of a negated pattern has ended or that its windows do not overlap.

    Return it with the positive variables that it mentions.
    """
    own = [end for end in ends if end.variable == variable]
    reasons = [_reached(rule, end, when) for end in own]
    reasons.extend(_apart(rule, *pair) for pair in overlaps(rule)[variable].unsure)
    condition = reasons[0]
    for reason in reasons[1:]:
        condition = exp.Or(this=condition, expression=reason)
    return frozenset(end.reference for end in own), exp.Paren(this=condition)


def _reached(rule: core.Rule, end: End, when: str) -> exp.Expr:
    parameter = exp.Parameter(this=exp.Var(this=f"{when}_{end.name}"))
    timestamp = column(alias_of(rule, end.reference), Templates.timestamp)
    return exp.LT(this=timestamp, expression=exp.Cast(this=parameter, to=EXACT.copy()))


def _apart(rule: core.Rule, opening: core.Constraint, closing: core.Constraint) -> exp.Expr:
    """Return the condition that one window opens after another has closed."""
    opens, closes = (
        exp.Cast(this=column(alias_of(rule, constraint.reference), Templates.timestamp), to=EXACT.copy())
        for constraint in (opening, closing)
    )
    later = exp.Literal.number(closing.upper - opening.begins)
    return exp.GT(this=exp.Sub(this=opens, expression=closes), expression=exp.Cast(this=later, to=EXACT.copy()))
