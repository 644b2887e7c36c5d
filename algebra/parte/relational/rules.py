"""A rule as one query: its matches, with what they emit (D def. 12; specification: meaning-rule).

Conditions on one variable filter its scan, those on several join; the engine chooses the order of the joins. Scans with
the same conditions are made once. Nothing is consumed: each variable is a relation of its own, whatever the others are
bound to. A negated pattern is a NOT EXISTS over its conditions and constraints; if it looks at a single positive
variable, in the scan of that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from sqlglot import exp

from parte.algebra.parte.relational.components import emitted_id
from parte.algebra.parte.relational.expressions import Scope
from parte.algebra.parte.relational.implied import implied
from parte.algebra.parte.relational.keys import HotKeys, Key, Probe, joining, keys_of
from parte.algebra.parte.relational.names import Names
from parte.algebra.parte.relational.relations import Answers, Relation, Templates, column
from parte.algebra.parte.relational.scans import EVENT, Filtered, Scan, filtered, of_event, shared
from parte.algebra.parte.relational.terms import Operations, Term, comparison, every, some
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
    order: tuple[core.Pattern, ...]
    """The positive patterns as they are joined."""

    @property
    def titles(self) -> tuple[str, ...]:
        """What people call the columns: variables, then `1$id`, `1$timestamp`, `1$attribute` of each emission."""
        names = Names()
        titles = [names.fresh(pattern.variable) for pattern in self.rule.positive]
        for position, emission in enumerate(self.rule.emissions, start=1):
            parts = ["id", "timestamp", *(assignment.attribute for assignment in emission.assignments)]
            titles += [names.fresh(f"{position}${part}") for part in parts]
        return tuple(titles)


Reading = Callable[[core.Pattern, str], tuple[str, Sequence[exp.Expr]]]
"""The relation that a pattern reads under an alias, and conditions on this beyond those of the pattern."""
Also = Sequence[tuple[frozenset[str], exp.Expr]]
"""Conditions beyond those of a rule, each with the positive variables that it is about."""


def alias_of(rule: core.Rule, variable: str) -> str:
    """What the events of a positive variable are called in the query of its rule."""
    return f"p{[pattern.variable for pattern in rule.positive].index(variable) + 1}"


def rule_query(
    rule: core.Rule,
    templates: Templates,
    relations: Mapping[str, Relation],
    operations: Operations,
    order: Sequence[core.Pattern],
    hot: Mapping[int, HotKeys],
    *,
    reading: Reading | None = None,
    also: Also = (),
) -> RuleQuery:
    """The query of a rule, whose positive patterns are joined in an order; `hot` keys by the position of a pattern.

    Unless `reading` says something else, a pattern reads the stream of its template. If it does, the matches are few
    beside the events, and absences are looked at last.
    """
    positive = {pattern.variable: alias_of(rule, pattern.variable) for pattern in order}
    read = reading or (lambda pattern, _: (templates[pattern.template].stream, ()))
    of = {pattern.variable: pattern.template for pattern in rule.positive}
    scope = Scope(templates, relations, operations, positive, of)
    placed = _Placed({variable: [] for variable in positive}, {variable: [] for variable in positive}, [], {})
    # Windows first: engines test conditions in this order, and these cost least and exclude most.
    for constraint in rule.constraints:
        if not constraint.negated:
            ends = scope.timestamp(constraint.subject), scope.timestamp(constraint.reference)
            placed.put({constraint.subject, constraint.reference}, within(*ends, constraint, operations))
    for variables, more in also:
        placed.put(variables, [more])
    conditions = [condition for pattern in rule.positive for condition in pattern.conditions]
    # What follows from an equality, engines infer in a join; said, it could make two scans equal, to be made once.
    unequal = [one for one in conditions if not (isinstance(one, core.Comparison) and one.operator == "=")]
    for pattern in rule.positive:
        for condition in (*pattern.conditions, *implied(unequal, pattern.variable, conditions)):
            for demand in scope.conditions(condition):
                # Predicates are subqueries or functions, which SQL engines do not want in the join of two.
                placed.put(demand.variables or {pattern.variable}, [demand.sql], late=demand.asks)
    constraints = [constraint for constraint in rule.constraints if not constraint.negated]
    for earlier, pattern in _with_earlier(order):
        variable = pattern.variable
        window = tightest(constraints, variable, earlier)
        if window is None or not sliceable(window):
            continue
        skewed = hot.get(rule.patterns.index(pattern))
        if skewed is None and next(keys_of(conditions, variable, earlier), None) is not None:
            continue
        hot_here, hot_there = _are_hot(skewed, scope)
        placed.slices[variable] = _Slices(window, hot_here)
        reference = scope.timestamp(window.reference)
        placed.joins[variable].append(in_bucket(positive[variable], reference, window, operations, hot_there))
    # Absences come after: to look for hot keys they are left out, as they cost what the rule does.
    scans = {pattern.variable: _scan(pattern, scope, placed.scans[pattern.variable], read) for pattern in order}
    probes = list(_probes(rule, order, scope, scans))
    negated = [(position, pattern) for position, pattern in enumerate(rule.patterns) if pattern.negated]
    for number, (position, pattern) in enumerate(negated, 1):
        absent = _absence(rule, pattern, scope, f"n{number}", hot.get(position), read)
        probes.extend(_probes_of_absence(position, absent, pattern, scope, scans))
        if len(absent.needed) == 1 and reading is None:
            placed.put(absent.needed, [absent.sql])
        else:
            placed.last.append(absent.sql)
    scans = {pattern.variable: _scan(pattern, scope, placed.scans[pattern.variable], read) for pattern in order}
    return _projected(rule, scope, _joined(scans, scope, placed), tuple(probes))


def _with_earlier(order: Sequence[core.Pattern]) -> Iterator[tuple[set[str], core.Pattern]]:
    """Each pattern after the variables that are joined before it."""
    for position, pattern in enumerate(order):
        yield {earlier.variable for earlier in order[:position]}, pattern


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
    return some(
        every(
            comparison("=", own, scope.operations.constant(value, key.type))
            for own, value, key in zip(sides, values, skewed.keys, strict=True)
        )
        for values in skewed.values
    )


def _are_hot(skewed: HotKeys | None, scope: Scope) -> tuple[exp.Expr | None, exp.Expr | None]:
    """That an event has a hot key, and that the events it is compared with do; nothing if all are sliced."""
    if skewed is None or not scope.operations.dialect.tells_hot_keys:
        return None, None
    return _is_hot(skewed, scope, lambda key: key.own), _is_hot(skewed, scope, lambda key: key.other)


def _probes(
    rule: core.Rule, order: Sequence[core.Pattern], scope: Scope, scans: Mapping[str, Filtered]
) -> Iterator[Probe]:
    """How to look for hot keys, for each variable that equalities join to one before it."""
    conditions = [condition for pattern in order for condition in pattern.conditions]
    for earlier, pattern in _with_earlier(order):
        if (found := joining(conditions, pattern.variable, earlier)) is not None:
            reference, keys = found
            own = _values(scope, pattern.variable, scans[pattern.variable], (key.own for key in keys))
            other = _values(scope, reference, scans[reference], (key.other for key in keys))
            yield Probe(rule.patterns.index(pattern), pattern.variable, reference, keys, own, other)


def _probes_of_absence(
    position: int, absent: _Absence, pattern: core.Pattern, scope: Scope, scans: Mapping[str, Filtered]
) -> Iterator[Probe]:
    """How to look for hot keys of a negated pattern that equalities join to a positive one."""
    variable = pattern.variable
    if (found := joining(pattern.conditions, variable, absent.needed)) is not None:
        reference, keys = found
        own = _values(absent.scope, variable, absent.scan, (key.own for key in keys))
        other = _values(scope, reference, scans[reference], (key.other for key in keys))
        yield Probe(position, variable, reference, keys, own, other)


def _values(scope: Scope, variable: str, scan: Filtered, sides: Iterable[core.Expression]) -> exp.Select:
    """The values of the sides of keys that are over a variable."""
    asked = {relation.name for relation in scope.relations.values() if isinstance(relation, Answers)}
    # A function from Python takes longer than all that hot keys could save.
    told = (condition for condition in scan.conditions if not _calls(condition, asked))
    # The event is called the same in all, so that those of variables with the same scan are equal.
    own = [of_event(scope.emitted(side), scope.aliases[variable]) for side in sides]
    named = [exp.alias_(side, f"key{number}") for number, side in enumerate(own)]
    return exp.Select(expressions=named).from_(_aliased(Filtered(scan.events, tuple(told)).sql, EVENT))


def _calls(condition: exp.Expr, functions: Set[str]) -> bool:
    return any(call.this in functions for call in condition.find_all(exp.Anonymous))


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


def _scan(pattern: core.Pattern, scope: Scope, conditions: Sequence[exp.Expr], read: Reading) -> Filtered:
    alias = scope.aliases[pattern.variable]
    relation, more = read(pattern, alias)
    return filtered(relation, [*more, *conditions], alias)


def _inner(scan: Scan) -> exp.Expr:
    """A scan where a relation stands."""
    return scan.subquery(copy=False) if isinstance(scan, exp.Select) else scan


def _aliased(source: exp.Expr, alias: str) -> exp.Expr:
    """A table or a query under an alias."""
    if isinstance(source, exp.Select):
        return source.subquery(exp.to_identifier(alias, quoted=True), copy=False)
    return exp.alias_(source, alias, table=True, quoted=True)


@dataclass(frozen=True, slots=True)
class _Absence:
    """That no event fills a negated pattern: the positive variables which that is about, and the scan of its own."""

    sql: exp.Expr
    needed: set[str]
    scope: Scope
    scan: Filtered


def _absence(
    rule: core.Rule, pattern: core.Pattern, scope: Scope, alias: str, skewed: HotKeys | None, read: Reading
) -> _Absence:
    """That no event fills a negated pattern.

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
    known = [condition for positive in rule.positive for condition in positive.conditions]
    for condition in implied(pattern.conditions, variable, known):
        own.extend(demand.sql for demand in inner.conditions(condition) if demand.sql not in own)
    scan = _scan(pattern, inner, own, read)
    source = scan.sql
    window = tightest(windows, variable, needed)
    keyed = next(keys_of(pattern.conditions, variable, needed - {variable}), None) is not None
    if window is not None and sliceable(window) and (skewed is not None or not keyed):
        hot_here, hot_there = _are_hot(skewed, inner)
        where = None if hot_here is None else of_event(hot_here, alias)
        conditions.insert(0, in_bucket(alias, inner.timestamp(window.reference), window, scope.operations, hot_there))
        source = doubled(_inner(source), EVENT, window, scope.operations, where)
    one = (
        exp.Select(expressions=[exp.Literal.number("1")])
        .from_(_aliased(source, alias))
        .where(every(conditions), copy=False)
    )
    return _Absence(exp.Not(this=exp.Exists(this=one)), needed, inner, scan)


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
    order = tuple(pattern for variable in scope.aliases for pattern in rule.positive if pattern.variable == variable)
    return RuleQuery(rule, select.select(*projections, copy=False), tuple(bindings), tuple(emissions), probes, order)
