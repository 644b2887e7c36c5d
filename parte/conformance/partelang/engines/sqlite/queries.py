"""A program as statements of SQLite: tables for events, domain rows and matches, and for each rule one query.

The matches of a rule are a table that its query creates: joins for positive patterns, `NOT EXISTS` for negated ones.
The emissions of the rule are inserted from there. Columns are NOT NULL and rows that violate this are ignored, so an
event with a NULL is not emitted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from parte.algebra.partelang.relational.names import Names
from parte.conformance.partelang.engines.sqlite.expressions import (
    COMPONENT,
    IDENTITY,
    TIMESTAMP,
    TYPES,
    Schema,
    Scope,
    quoted,
    type_of,
)
from parte.conformance.partelang.engines.sqlite.level_2 import text
from parte.semantics.events.domain import Predicates
from parte.semantics.partelang.syntax import core

RULE, MATCH, POSITION = '"$rule"', '"$match"', '"$position"'
"""The columns of an event for the rule, the match and the position of its emission; NULL if no rule emitted it."""

SHORTENED = "shortened"
"""The function that shortens long ids; the adapter defines it."""


@dataclass(frozen=True, slots=True)
class Statements:
    """The statements for SQLite: tables before any event, then for each rule the query for its matches and its
    emissions."""

    schema: Schema
    tables: tuple[str, ...]
    rules: tuple[str, ...]
    """In the order of strata."""


def statements(program: core.Program, domain: Predicates) -> Statements:
    """Return the statements of a program. Inexpressible if it uses a Python callable."""
    schema = Schema.of(program)
    rules = [
        statement
        for stratum in program.rules_by_stratum()
        for rule in stratum
        for statement in _rule(rule, schema, domain)
    ]
    return Statements(schema, tuple(_tables(program, schema)), tuple(rules))


def _tables(program: core.Program, schema: Schema) -> Iterator[str]:
    names = Names()
    for template in program.templates:
        table = schema.tables[template.name]
        columns = [f"{IDENTITY} TEXT NOT NULL", f"{COMPONENT} TEXT NOT NULL", f"{TIMESTAMP} INTEGER NOT NULL"]
        columns += [f"{RULE} TEXT", f"{MATCH} INTEGER", f"{POSITION} INTEGER"]
        for attribute in template.attributes:
            columns.append(f"{schema.columns[template.name, attribute.name]} {_declared(attribute)}")
        yield f"CREATE TABLE {table} ({', '.join(columns)})"
        yield f"CREATE INDEX {quoted(names.fresh(f'time${template.name}'))} ON {table} ({TIMESTAMP})"
    for predicate in program.predicates:
        if predicate.parameters:
            columns = [f"{name} {TYPES[of]} NOT NULL" for name, of in _cells(predicate)]
            key = f"PRIMARY KEY ({', '.join(name for name, _ in _cells(predicate))})"
            yield f"CREATE TABLE {schema.domains[predicate.name]} ({', '.join([*columns, key])}) WITHOUT ROWID"


def _declared(attribute: core.Attribute) -> str:
    return type_of(attribute.type) + ("" if attribute.optional else " NOT NULL")


def _cells(predicate: core.Predicate) -> Iterator[tuple[str, core.Scalar]]:
    """Yield the columns of a domain table, with their types."""
    for number, of in enumerate(predicate.parameters, 1):
        yield f'"c{number}"', of


def _rule(rule: core.Rule, schema: Schema, domain: Predicates) -> Iterator[str]:
    names = Names()
    aliases = {pattern.variable: quoted(names.fresh(pattern.variable)) for pattern in rule.positive}
    scope = Scope(schema, domain, aliases, {pattern.variable: pattern.template for pattern in rule.positive})
    with_sets = _with_sets(rule, scope, names)
    sources: list[str] = []
    bound: set[str] = set()
    for pattern in rule.positive:
        bound.add(pattern.variable)
        demands = [
            _window(constraint, scope)
            for constraint in rule.constraints
            if not constraint.negated and pattern.variable in (ends := {constraint.subject, constraint.reference})
            if ends <= bound
        ]
        demands += map(scope.value, pattern.conditions)
        on = f" ON {' AND '.join(demands)}" if demands and sources else ""
        sources.append(f"{schema.tables[pattern.template]} AS {aliases[pattern.variable]}{on}")
        if len(sources) == 1:
            first = demands
    absences = [_absence(rule, pattern, scope, names) for pattern in rule.patterns if pattern.negated]
    demands = [*first, *absences, *map(with_sets.value, rule.having)]
    where = f"\nWHERE {' AND '.join(demands)}" if demands else ""
    columns = ", ".join(_columns(rule, with_sets))
    table = schema.rules[rule.name]
    yield f"CREATE TABLE {table} AS\nSELECT {columns}\nFROM " + "\nJOIN ".join(sources) + where
    for position, emission in enumerate(rule.emissions, 1):
        target = [IDENTITY, COMPONENT, TIMESTAMP, RULE, MATCH, POSITION]
        target += [schema.columns[emission.template, assignment.attribute] for assignment in emission.assignments]
        source = [f'"{position}$id"', f'"{position}$id"', f'"{position}$timestamp"']
        source += [text(rule.name), "rowid", str(position)]
        source += [f'"{position}${number}"' for number in range(1, len(emission.assignments) + 1)]
        yield (
            f"INSERT OR IGNORE INTO {schema.tables[emission.template]} ({', '.join(target)})\n"
            f"SELECT {', '.join(source)} FROM {table}"
        )


def _columns(rule: core.Rule, scope: Scope) -> Iterator[str]:
    """Yield the ids of the positive variables, then each emission: its id, timestamp and values."""
    aliases = [scope.aliases[pattern.variable] for pattern in rule.positive]
    for number, alias in enumerate(aliases, 1):
        yield f'{alias}.{IDENTITY} AS "{number}"'
    for position, emission in enumerate(rule.emissions, 1):
        number_of = f"#{position}" if len(rule.emissions) > 1 else ""
        parts: list[str] = []
        for pattern, alias in zip(rule.positive, aliases, strict=True):
            before = "," if parts else f"{rule.name}{number_of}("
            parts += [text(f"{before}{pattern.variable}="), f"{alias}.{COMPONENT}"]
        yield f"{SHORTENED}({' || '.join(parts)} || ')') AS \"{position}$id\""
        yield f'{scope.value(emission.at)} AS "{position}$timestamp"'
        for number, assignment in enumerate(emission.assignments, 1):
            yield f'{scope.value(assignment.value)} AS "{position}${number}"'


def _absence(rule: core.Rule, pattern: core.Pattern, outer: Scope, names: Names) -> str:
    """Return a subquery that no event fills a negated pattern; only it contains the variable of that pattern."""
    return f"NOT EXISTS (SELECT 1 {_events(rule, pattern, _inner(pattern, outer, names))})"


def _with_sets(rule: core.Rule, outer: Scope, names: Names) -> Scope:
    """Return the scope of `having` and of the emissions, which know the sets of a rule."""
    scope, sets = outer, {}
    for pattern in rule.collected:
        scope = _inner(pattern, scope, names)
        sets[pattern.variable] = _events(rule, pattern, scope)
    return replace(scope, sets=sets)


def _inner(pattern: core.Pattern, outer: Scope, names: Names) -> Scope:
    """Return a scope that has the variable of a pattern, too."""
    aliases = {**outer.aliases, pattern.variable: quoted(names.fresh(pattern.variable))}
    return replace(outer, aliases=aliases, templates={**outer.templates, pattern.variable: pattern.template})


def _events(rule: core.Rule, pattern: core.Pattern, scope: Scope) -> str:
    """Return `FROM … WHERE …` for the events that fill a negated pattern, or are in a set."""
    demands = [_window(item, scope) for item in rule.constraints if item.subject == pattern.variable]
    demands += map(scope.value, pattern.conditions)
    table, alias = scope.schema.tables[pattern.template], scope.aliases[pattern.variable]
    return f"FROM {table} AS {alias} WHERE {' AND '.join(demands)}"


def _window(constraint: core.Constraint, scope: Scope) -> str:
    subject, reference = scope.timestamp(constraint.subject), scope.timestamp(constraint.reference)
    if constraint.lower is None:
        return f"{subject} <= {reference} + {constraint.upper}"
    return f"{subject} BETWEEN {reference} + {constraint.lower} AND {reference} + {constraint.upper}"
