"""A rule as one query: its matches, with what they emit (D def. 12; specification: meaning-rule).

Conditions on one variable filter its scan, those on several join; the engine chooses the order of the joins. Scans with
the same conditions are made once. Nothing is consumed: each variable is a relation of its own, whatever the others are
bound to. A negated pattern is a NOT EXISTS over its conditions and constraints; if it looks at a single positive
variable, in the scan of that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from parte.algebra.parte.relational.components import emitted_id
from parte.algebra.parte.relational.expressions import Scope
from parte.algebra.parte.relational.keys import HotKeys, Key, Probe, joining, keys_of
from parte.algebra.parte.relational.names import Names
from parte.algebra.parte.relational.relations import Relation, Templates, column
from parte.algebra.parte.relational.scans import EVENT, Filtered, Scan, filtered, of_event, shared
from parte.algebra.parte.relational.terms import Operations, Term, comparison, every
from parte.algebra.parte.relational.windows import doubled, in_bucket, sliceable, tightest, within
from parte.semantics.parte.syntax import core


@dataclass(frozen=True, slots=True)
class EmissionColumns:
    """Where a query puts an emission: NULL in the timestamp or an attribute if that has no value."""

    identity: str
    timestamp: str
    attributes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RuleQuery:
    """A query with a row for each match: the ids of the positive variables in pattern order, then the emissions."""

    rule: core.Rule
    select: exp.Select
    bindings: tuple[str, ...]
    emissions: tuple[EmissionColumns, ...]
    probes: tuple[Probe, ...]

    @property
    def titles(self) -> tuple[str, ...]:
        """What people call the columns: variables, then `1$id`, `1$timestamp`, `1$attribute` of each emission."""
        names = Names()
        titles = [names.fresh(pattern.variable) for pattern in self.rule.positive]
        for position, emission in enumerate(self.rule.emissions, start=1):
            parts = ["id", "timestamp", *(assignment.attribute for assignment in emission.assignments)]
            titles += [names.fresh(f"{position}${part}") for part in parts]
        return tuple(titles)


def rule_query(
    rule: core.Rule,
    templates: Templates,
    relations: Mapping[str, Relation],
    operations: Operations,
    order: Sequence[core.Pattern],
    hot: Mapping[str, HotKeys],
) -> RuleQuery:
    """The query of a rule, whose positive patterns are joined in an order; `hot` keys are those of variables."""
    numbered = {pattern.variable: f"p{number}" for number, pattern in enumerate(rule.positive, 1)}
    positive = {pattern.variable: numbered[pattern.variable] for pattern in order}
    of = {pattern.variable: pattern.template for pattern in rule.positive}
    scope = Scope(templates, relations, operations, positive, of)
    placed = _Placed({variable: [] for variable in positive}, {variable: [] for variable in positive}, [], {})
    # Windows first: engines test conditions in this order, and these cost least and exclude most.
    for constraint in rule.constraints:
        if not constraint.negated:
            ends = scope.timestamp(constraint.subject), scope.timestamp(constraint.reference)
            placed.put({constraint.subject, constraint.reference}, within(*ends, constraint, operations))
    for pattern in rule.positive:
        for condition in pattern.conditions:
            for demand in scope.conditions(condition):
                # Predicates are subqueries or functions, which SQL engines do not want in the join of two.
                placed.put(demand.variables or {pattern.variable}, [demand.sql], late=demand.asks)
    conditions = [condition for pattern in rule.positive for condition in pattern.conditions]
    constraints = [constraint for constraint in rule.constraints if not constraint.negated]
    for position, variable in enumerate(positive):
        earlier = set(list(positive)[:position])
        window = tightest(constraints, variable, earlier)
        if window is None or not sliceable(window):
            continue
        skewed = hot.get(variable)
        if skewed is None and next(keys_of(conditions, variable, earlier), None) is not None:
            continue
        hot_here = None if skewed is None else _is_hot(skewed, scope, lambda key: key.own)
        hot_there = None if skewed is None else _is_hot(skewed, scope, lambda key: key.other)
        placed.slices[variable] = _Slices(window, hot_here)
        reference = scope.timestamp(window.reference)
        placed.joins[variable].append(in_bucket(positive[variable], reference, window, operations, hot_there))
    negated = (pattern for pattern in rule.patterns if pattern.negated)
    for number, pattern in enumerate(negated, 1):
        needed, absence = _absence(rule, pattern, scope, f"n{number}")
        if len(needed) == 1:
            placed.put(needed, [absence])
        else:
            placed.last.append(absence)
    scans = {pattern.variable: _scan(pattern, scope, placed.scans[pattern.variable]) for pattern in order}
    probes = tuple(_probes(order, scope, scans))
    return _projected(rule, scope, _joined(scans, scope, placed), probes)


@dataclass(frozen=True, slots=True)
class _Slices:
    """That a variable is joined by buckets of time: as wide as a window, and only those events for which `where`."""

    window: core.Constraint
    where: exp.Expr | None


@dataclass(frozen=True, slots=True)
class _Placed:
    """Conditions by where they stand: in the scan of a variable, in the join that binds it, or after all joins."""

    scans: Mapping[str, list[exp.Expr]]
    joins: Mapping[str, list[exp.Expr]]
    last: list[exp.Expr]
    slices: dict[str, _Slices]
    """The variables that are joined by buckets of time."""

    def put(self, variables: Iterable[str], conditions: Sequence[exp.Expr], *, late: bool = False) -> None:
        """Place conditions over positive variables as early as these are bound; `late` ones in no join."""
        mentioned = [variable for variable in self.scans if variable in set(variables)]
        where = self.last if late else self.joins[mentioned[-1]]
        if len(mentioned) == 1:
            where = self.scans[mentioned[0]]
        where.extend(condition for condition in conditions if condition not in where)


def _is_hot(skewed: HotKeys, scope: Scope, side: Callable[[Key], core.Expression]) -> exp.Expr:
    """That a side of some keys has hot values; not true if it has no value."""
    sides = [Term(scope.emitted(side(key))) for key in skewed.keys]
    some: exp.Expr | None = None
    for values in skewed.values:
        constants = [scope.operations.constant(value, key.type) for value, key in zip(values, skewed.keys, strict=True)]
        these = every(comparison("=", *pair) for pair in zip(sides, constants, strict=True))
        some = these if some is None else exp.Or(this=some, expression=these)
    return exp.false() if some is None else some


def _probes(order: Sequence[core.Pattern], scope: Scope, scans: Mapping[str, Filtered]) -> Iterator[Probe]:
    """How to look for hot keys, for each variable that equalities join to one before it."""
    conditions = [condition for pattern in order for condition in pattern.conditions]

    def values(variable: str, sides: Iterable[core.Expression]) -> exp.Select:
        # The event is called the same in all, so that those of variables with the same scan are equal.
        own = [of_event(scope.emitted(side), scope.aliases[variable]) for side in sides]
        named = [exp.alias_(side, f"key{number}") for number, side in enumerate(own)]
        return exp.Select(expressions=named).from_(_aliased(scans[variable].sql, EVENT))

    for position, pattern in enumerate(order):
        variable = pattern.variable
        if (found := joining(conditions, variable, {earlier.variable for earlier in order[:position]})) is not None:
            reference, keys = found
            own = values(variable, (key.own for key in keys))
            yield Probe(variable, reference, keys, own, values(reference, (key.other for key in keys)))


def _joined(scans: Mapping[str, Filtered], scope: Scope, placed: _Placed) -> exp.Select:
    made, common = shared(scans)

    def source(variable: str) -> exp.Expr:
        alias, scan = scope.aliases[variable], made[variable].sql
        if (slices := placed.slices.get(variable)) is not None:
            where = None if slices.where is None else of_event(slices.where, alias)
            scan = doubled(_inner(scan), EVENT, slices.window, scope.operations, where)
        return _aliased(scan, alias)

    first, *others = scans
    select = exp.Select().from_(source(first))
    for variable in others:
        if conditions := placed.joins[variable]:
            select = select.join(source(variable), on=every(conditions), join_type="inner", copy=False)
        else:
            select = select.join(source(variable), join_type="cross", copy=False)
    once = scope.operations.dialect.materializes or None
    for name, scan in common.items():
        select = select.with_(exp.to_identifier(name, quoted=True), as_=scan.sql, materialized=once, copy=False)
    return select.where(every(placed.last), copy=False) if placed.last else select


def _scan(pattern: core.Pattern, scope: Scope, conditions: Sequence[exp.Expr]) -> Filtered:
    return filtered(scope.templates[pattern.template].stream, conditions, scope.aliases[pattern.variable])


def _inner(scan: Scan) -> exp.Expr:
    """A scan where a relation stands."""
    return scan.subquery(copy=False) if isinstance(scan, exp.Select) else scan


def _aliased(source: exp.Expr, alias: str) -> exp.Expr:
    """A table or a query under an alias."""
    if isinstance(source, exp.Select):
        return source.subquery(exp.to_identifier(alias, quoted=True), copy=False)
    return exp.alias_(source, alias, table=True, quoted=True)


def _absence(rule: core.Rule, pattern: core.Pattern, scope: Scope, alias: str) -> tuple[set[str], exp.Expr]:
    """That no event fills a negated pattern, and the positive variables which that is about.

    Its variable hides a positive one of the same name, which its scope does not reach (specification: scope-negated).
    """
    variable = pattern.variable
    inner = replace(
        scope,
        aliases={**scope.aliases, variable: alias},
        of={**scope.of, variable: pattern.template},
        outer=frozenset(scope.aliases) - {variable},
    )
    own: list[exp.Expr] = []
    conditions: list[exp.Expr] = []
    needed: set[str] = set()
    windows = [constraint for constraint in rule.constraints if constraint.negated and constraint.subject == variable]
    for constraint in windows:
        needed.add(constraint.reference)
        ends = inner.timestamp(variable), inner.timestamp(constraint.reference)
        conditions.extend(within(*ends, constraint, scope.operations))
    for condition in pattern.conditions:
        needed |= core.variables_of(condition) - {variable}
        for demand in inner.conditions(condition):
            (own if demand.variables <= {variable} else conditions).append(demand.sql)
    source = _scan(pattern, inner, own).sql
    window = tightest(windows, variable, needed)
    keyed = next(keys_of(pattern.conditions, variable, needed - {variable}), None) is not None
    if window is not None and sliceable(window) and not keyed:
        conditions.insert(0, in_bucket(alias, inner.timestamp(window.reference), window, scope.operations))
        source = doubled(_inner(source), EVENT, window, scope.operations)
    one = (
        exp.Select(expressions=[exp.Literal.number("1")])
        .from_(_aliased(source, alias))
        .where(every(conditions), copy=False)
    )
    return needed, exp.Not(this=exp.Exists(this=one))


def _projected(rule: core.Rule, scope: Scope, select: exp.Select, probes: tuple[Probe, ...]) -> RuleQuery:
    """The query with its columns."""
    templates = scope.templates
    projections: list[exp.Expr] = []

    def project(name: str, value: exp.Expr) -> str:
        projections.append(exp.alias_(value, name, quoted=True))
        return name

    aliases = [scope.aliases[pattern.variable] for pattern in rule.positive]
    bindings = [project(alias, column(alias, templates.identity)) for alias in aliases]
    emissions = []
    for position, emission in enumerate(rule.emissions, start=1):
        named = position if len(rule.emissions) > 1 else None
        identity = project(f"{position}$id", emitted_id(rule, named, dict(scope.aliases), templates))
        timestamp = project(f"{position}$timestamp", scope.emitted(emission.at))
        attributes = [
            project(f"{position}${number}", scope.emitted(assignment.value))
            for number, assignment in enumerate(emission.assignments, 1)
        ]
        emissions.append(EmissionColumns(identity, timestamp, tuple(attributes)))
    return RuleQuery(rule, select.select(*projections, copy=False), tuple(bindings), tuple(emissions), probes)
