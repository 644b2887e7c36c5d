"""The matches that new events and a new promise add; DuckDB finds them over the retained events."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow
from sqlglot import exp

from parte.algebra.partelang.incremental.increments import (
    ALL,
    EXACT,
    NEW,
    OLD,
    Increment,
    decided_alone,
    ends_of,
    filling,
    increments,
)
from parte.algebra.partelang.incremental.tables import Layout, Tables, by_template
from parte.algebra.partelang.relational.duckdb import Connection
from parte.algebra.partelang.relational.relations import Answers, Relation, Templates, relation_of, table
from parte.algebra.partelang.relational.rows import matches_of
from parte.algebra.partelang.relational.statements import create_view, delete_all, select_all
from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import NEGATIVE_INFINITY, POSITIVE_INFINITY, Event
from parte.semantics.events.match import Match
from parte.semantics.events.outcome import EmissionFailure
from parte.semantics.partelang.syntax import core

Fills = Callable[[Event], int]
"""The function that returns the patterns that an event fills, as bits."""


@dataclass(frozen=True, slots=True)
class Step:
    """The result of a batch: matches, failed emissions, and `emitted` rows, by template, that later batches need.

    `due` is the least promise that may decide something without a further event (None: nothing is open).
    """

    matches: tuple[Match, ...]
    failures: tuple[EmissionFailure, ...]
    emitted: Tables
    due: int | None


def check(program: core.Program, domain: Predicates) -> None:
    """Raise Unsupported if SQL cannot express the program."""
    compiled(program, Layout.of(program), domain)


def compiled(
    program: core.Program, layout: Layout, domain: Predicates
) -> tuple[Mapping[str, Relation], Mapping[str, tuple[Increment, ...]]]:
    """Return the relations of the predicates that queries ask, and the queries of each rule that can match.

    Raise Unsupported if SQL cannot express the program.
    """
    joining = [predicate for predicate in program.predicates if predicate.name in _joining(program)]
    relations = {
        predicate.name: relation_of(predicate, domain[predicate.name], number)
        for number, predicate in enumerate(joining, 1)
    }
    matching = {rule for rule, _ in layout.places.bits}
    rules = [rule for rule in program.rules if rule.name in matching]
    return relations, {rule.name: tuple(increments(rule, layout, relations)) for rule in rules}


class Increments:
    """The queries of a program, and a database that answers them for successive sets of retained events.

    `fills` returns the patterns that an event fills. Raise Unsupported if SQL cannot express the program. An exception
    of a callable of the domain is passed on.
    """

    def __init__(self, program: core.Program, domain: Predicates, fills: Fills, *, threads: int = 1) -> None:
        self.layout = Layout.of(program)
        self._fills = fills
        relations, self._increments = compiled(program, self.layout, domain)
        self._strata = [
            [rule for rule in rules if rule.name in self._increments] for rules in program.rules_by_stratum()
        ]
        rules = [rule for stratum in self._strata for rule in stratum]
        self._open = tuple(_Open.of(self.layout, template, rules) for template in self.layout.read)
        asks = any(isinstance(relation, Answers) for relation in relations.values())
        self._connection = Connection(threads, shared=not asks)
        self._connection.supply([p for p in program.predicates if p.name in relations], relations, domain)
        for template in self.layout.read:
            self._create(template)

    def _create(self, template: str) -> None:
        stream, empty = self._stream(template), self.layout.schema(template).empty_table()
        for state in (OLD, NEW):
            self._connection.create_like(f"{stream}{state}", empty)
        both = exp.Union(this=select_all(f"{stream}{OLD}"), expression=select_all(f"{stream}{NEW}"), distinct=False)
        self._connection.execute(create_view(f"{stream}{ALL}", both))

    def _stream(self, template: str) -> str:
        return self.layout.templates[template].stream

    def close(self) -> None:
        """Close the database."""
        self._connection.close()

    def promises(self, promise: int) -> Mapping[str, int]:
        """Return the promise on the events of each template, emitted ones included, given one on external events."""
        if promise in (NEGATIVE_INFINITY, POSITIVE_INFINITY):
            return dict.fromkeys(self.layout.templates, promise)
        return {name: promise - lag for name, lag in self.layout.places.horizons.lags.items()}

    def step(self, old: Tables, new: Tables, before: int, now: int) -> Step:
        """Return what the new rows and the promise `now` add to the results of the old rows and `before`."""
        for state in (OLD, NEW):
            for template in self.layout.read:
                self._connection.execute(delete_all(f"{self._stream(template)}{state}"))
        there = {
            OLD: {template: self._put(template, OLD, table) for template, table in old.items()},
            NEW: {template: self._put(template, NEW, table) for template, table in new.items()},
        }
        promises = self.promises(before), self.promises(now)
        matches: list[Match] = []
        failures: list[EmissionFailure] = []
        emitted: dict[str, list[pyarrow.Table]] = {}
        for stratum in self._strata:
            reactions = [match for rule in stratum for match in self._new(rule, there, *promises)]
            matches.extend(match for match, _ in reactions)
            failures.extend(failure for _, failed in reactions for failure in failed)
            events = [event for match, _ in reactions for event in match.emits if event.template in self.layout.read]
            filled = [(event, fills) for event in events if (fills := self._fills(event))]
            for template, some in by_template(filled).items():
                rows = self.layout.table(template, some, emitted=True)
                there[NEW][template] = there[NEW].get(template, 0) | self._put(template, NEW, rows)
                emitted.setdefault(template, []).append(rows)
        added = {template: pyarrow.concat_tables(tables) for template, tables in emitted.items()}
        return Step(tuple(matches), tuple(failures), added, self._due(now))

    def _put(self, template: str, state: str, rows: pyarrow.Table) -> int:
        """Add rows to a relation of the database, and return the patterns that they fill."""
        self._connection.append(f"{self._stream(template)}{state}", rows)
        return self.layout.fills_in(template, rows)

    def _new(
        self, rule: core.Rule, there: _There, before: Mapping[str, int], now: Mapping[str, int]
    ) -> Iterator[tuple[Match, list[EmissionFailure]]]:
        for increment in self._increments[rule.name]:
            if self._possible(increment, rule, there, before, now):
                parameters = {f"now_{end.name}": end.parameter(now) for end in increment.now}
                parameters |= {f"before_{end.name}": end.parameter(before) for end in increment.before}
                yield from matches_of(increment.query, self._connection.rows_of(increment.text, parameters))

    def _possible(
        self, increment: Increment, rule: core.Rule, there: _There, before: Mapping[str, int], now: Mapping[str, int]
    ) -> bool:
        """Return whether there are events for all patterns, and whether anything has changed."""

        def some(pattern: core.Pattern, *states: str) -> bool:
            bit = self.layout.places.bit(rule.name, pattern.variable)
            return any(there[state].get(pattern.template, 0) >> bit & 1 for state in states)

        if increment.binds is None:
            moved = any(before[end.template] != now[end.template] for end in increment.before)
            return moved and all(some(pattern, OLD) for pattern in rule.positive)
        return some(increment.binds, NEW) and all(some(pattern, OLD, NEW) for pattern in rule.positive)

    def _due(self, now: int) -> int | None:
        if now >= POSITIVE_INFINITY:
            return None
        dues = [due for window in self._open for due in window.due(self._connection, now)]
        return min(dues, default=None)


def _joining(program: core.Program) -> set[str]:
    """Return the predicates that are asked about several events of a match; the fills decide all others."""
    return {
        part.predicate
        for rule in program.rules
        for pattern in rule.patterns
        for condition in pattern.conditions
        for part in core.EXPRESSIONS.within(condition)
        if isinstance(part, core.PredicateCall) and not decided_alone(pattern, condition)
    } | {
        part.predicate
        for rule in program.rules
        for emission in rule.emissions
        for assignment in emission.assignments
        for part in core.EXPRESSIONS.within(assignment.value)
        if isinstance(part, core.PredicateCall)
    }


_There = Mapping[str, dict[str, int]]
"""The patterns that rows fill, by state and template."""


@dataclass(frozen=True, slots=True)
class _Open:
    """The query for the events of a template after which an undecided window of a negated pattern ends.

    `after` is, for each window, by how much (ms) the promise must exceed the timestamp of such an event.
    """

    text: str
    after: tuple[int, ...]

    @staticmethod
    def of(layout: Layout, template: str, rules: Sequence[core.Rule]) -> _Open:
        """Return the query about the events of a template."""
        lags = layout.places.horizons.lags
        timestamp = exp.column(exp.to_identifier(Templates.timestamp, quoted=True))
        counted: list[exp.Expr] = []
        after: list[int] = []
        for rule in rules:
            of = {pattern.variable: pattern.template for pattern in rule.positive}
            for end in ends_of(rule):
                if of[end.reference] == template:
                    after.append(end.upper + lags[end.template])
                    least = exp.Cast(this=exp.Parameter(this=exp.Var(this=f"o{len(after)}")), to=EXACT.copy())
                    undecided = exp.GTE(this=timestamp.copy(), expression=least)
                    where = exp.Where(this=exp.And(this=filling(layout, rule, end.reference), expression=undecided))
                    counted.append(exp.Filter(this=exp.Min(this=timestamp.copy()), expression=where))
        if not counted:
            return _Open("", ())
        query = exp.Select(expressions=counted).from_(table(f"{layout.templates[template].stream}{ALL}"))
        return _Open(query.sql("duckdb"), tuple(after))

    def due(self, connection: Connection, now: int) -> Iterator[int]:
        """Yield the promises, greater than `now`, under which some window ends."""
        if self.after:
            parameters = {f"o{number}": now - after for number, after in enumerate(self.after, 1)}
            ((*least,),) = connection.rows_of(self.text, parameters)
            for timestamp, after in zip(least, self.after, strict=True):
                if isinstance(timestamp, int):
                    yield timestamp + after + 1
