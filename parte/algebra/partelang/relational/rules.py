"""A rule as one query: its matches, with their emissions (D def. 12; specification: meaning-rule).

Conditions on one variable filter its scan, those on several variables are conditions of joins. `order` chooses the
order of the joins, and `closure` the conditions that join each variable to those before. Scans with the same conditions
are computed once. No event is consumed: each variable is a relation of its own, whatever the others are bound to. A
negated pattern is a NOT EXISTS over its conditions and constraints; if it mentions a single positive variable, it
belongs to the scan of that variable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from sqlglot import exp

from parte.algebra.partelang.relational.alike import RULE, Alike
from parte.algebra.partelang.relational.closure import closed, closed_windows
from parte.algebra.partelang.relational.components import emitted_id
from parte.algebra.partelang.relational.errors import SETS, Unsupported
from parte.algebra.partelang.relational.expressions import Scope, asks
from parte.algebra.partelang.relational.frames import Framed, frame_of
from parte.algebra.partelang.relational.implied import implied
from parte.algebra.partelang.relational.keys import HotKeys, Key, Probe, joining, keys_of
from parte.algebra.partelang.relational.names import Names
from parte.algebra.partelang.relational.order import Joins
from parte.algebra.partelang.relational.python_functions import PYTHON_FUNCTIONS
from parte.algebra.partelang.relational.relations import CONSTANTS, Answers, Relation, Templates, column, table
from parte.algebra.partelang.relational.scans import EVENT, Filtered, Scan, filtered, of_event, shared
from parte.algebra.partelang.relational.sets import SetQuery, aggregates_of, terms_of, with_sets
from parte.algebra.partelang.relational.terms import Operations, Term, comparison, every, some
from parte.algebra.partelang.relational.windows import doubled, in_bucket, sliceable, tightest, within
from parte.semantics.events.types import Scalar
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.aggregates import TIMESTAMP


@dataclass(frozen=True, slots=True)
class EmissionColumns:
    """The columns of an emission in a query: the timestamp or an attribute is NULL if it has no value."""

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
    joins: Joins
    scans: Mapping[str, Filtered]
    """The events that may fill each positive variable, as far as the variable alone decides that."""
    hot: Mapping[int, HotKeys]
    alike: Alike | None = None
    """If set, the query finds the matches of all its rules, and its first column is the name of the rule."""
    frames: tuple[frozenset[str], ...] = ()
    """The templates of each window frame that fits 64 bit if the events of these templates are `near`."""

    @property
    def rules(self) -> tuple[core.Rule, ...]:
        """Return the rules whose matches the query finds."""
        return (self.rule,) if self.alike is None else self.alike.rules

    @property
    def titles(self) -> tuple[str, ...]:
        """Return readable names of the columns: variables, then `1$id`, `1$timestamp`, `1$attribute` by emission."""
        names = Names()
        titles = [names.fresh(pattern.variable) for pattern in self.rule.positive]
        for position, emission in enumerate(self.rule.emissions, start=1):
            parts = ["id", "timestamp", *(assignment.attribute for assignment in emission.assignments)]
            titles += [names.fresh(f"{position}${part}") for part in parts]
        return tuple(titles)


Reading = Callable[[core.Pattern, str], tuple[str, Sequence[exp.Expr]]]
"""The function that returns the relation that a pattern reads under an alias, and further conditions on it."""
Also = Sequence[tuple[frozenset[str], exp.Expr]]
"""Conditions beyond those of a rule, each with the positive variables that it mentions."""


def alias_of(rule: core.Rule, variable: str) -> str:
    """Return the alias of a positive variable in the query of its rule."""
    return f"p{[pattern.variable for pattern in rule.positive].index(variable) + 1}"


def rule_query(
    rule: core.Rule,
    templates: Templates,
    relations: Mapping[str, Relation],
    operations: Operations,
    joins: Joins,
    hot: Mapping[int, HotKeys],
    *,
    reading: Reading | None = None,
    also: Also = (),
    alike: Alike | None = None,
    one_in: int = 1,
) -> RuleQuery:
    """Return the query of a rule, with its positive patterns joined by `joins`; `hot` keys are by pattern position.

    A pattern reads the stream of its template, unless `reading` returns another relation. With `reading`, the matches
    are few in relation to the events, and negated patterns are tested last. With `alike`, whose rule `rule` then is,
    the query is that of all its rules. Of the events of the variable that is joined first, one in `one_in` is taken, a
    power of two.
    """
    original, rule = rule, closed(rule, joins.order)
    patterns = {pattern.variable: pattern for pattern in rule.positive}
    order = [patterns[pattern.variable] for pattern in joins.order]
    positive = {pattern.variable: alias_of(rule, pattern.variable) for pattern in order}
    if alike is not None:
        positive = _with_constants(rule, order, alike, positive)
    read = reading or (lambda pattern, _: (templates[pattern.template].stream, ()))
    of = {pattern.variable: pattern.template for pattern in rule.positive}
    scope = Scope(templates, relations, operations, positive, of)
    placed = _Placed({variable: [] for variable in positive}, {variable: [] for variable in positive}, [], {})
    # Windows first: engines test conditions in this order, and windows cost least and exclude most.
    for position, constraint in enumerate(rule.constraints):
        if not constraint.negated:
            for needed, window_conditions in _windows(position, constraint, scope, alike):
                placed.put(needed | {constraint.subject}, window_conditions)
    for variables, more in also:
        placed.put(variables, [more])
    conditions = [condition for pattern in rule.positive for condition in pattern.conditions]
    # Engines infer the consequences of an equality in a join; written here, they could make two scans equal and
    # shared.
    unequal = [
        candidate
        for candidate in conditions
        if not (isinstance(candidate, core.Comparison) and candidate.operator == "=")
    ]
    for pattern in rule.positive:
        for condition in (*pattern.conditions, *implied(unequal, pattern.variable, conditions)):
            for demand in scope.conditions(condition):
                # Predicates are subqueries or functions, which SQL engines reject in the join of two relations.
                placed.put(demand.variables or {pattern.variable}, [demand.sql], late=demand.asks)
    windows = closed_windows(rule)
    for earlier, pattern in _with_earlier(order):
        variable = pattern.variable
        window = tightest(windows, variable, earlier)
        if window is None:
            continue
        if tightest(rule.constraints, variable, earlier) is None:
            # No window of its own relates it to those before: the derived window is a condition of the join.
            ends = scope.timestamp(variable), scope.timestamp(window.reference)
            placed.put({variable, window.reference}, within(*ends, window.begins, window.upper, operations))
        if not sliceable(window):
            continue
        skewed = hot.get(rule.patterns.index(pattern))
        if skewed is None and next(keys_of(conditions, variable, earlier), None) is not None:
            continue
        hot_here, hot_there = _are_hot(skewed, scope)
        placed.slices[variable] = _Slices(window, hot_here)
        reference = scope.timestamp(window.reference)
        placed.joins[variable].append(in_bucket(positive[variable], reference, window, operations, hot_there))
    # Negated patterns come after: the search for hot keys leaves them out, because they cost as much as the rule.
    scans = _scans(order, scope, placed, read, alike)
    probes = list(_probes(rule, order, scope, scans))
    negated = [(position, pattern) for position, pattern in enumerate(rule.patterns) if pattern.negated]
    if reading is not None and rule.collected:
        raise Unsupported(SETS)
    for number, (position, pattern) in enumerate(negated, 1):
        absent = _absence(rule, pattern, scope, f"n{number}", hot.get(position), read, alike)
        probes.extend(_probes_of_absence(position, absent, pattern, scope, scans))
        if len(absent.needed) == 1 and reading is None:
            placed.put(absent.needed, [absent.sql])
        else:
            placed.last.append(absent.sql)
    if alike is not None and operations.dialect.distributed:
        # The engine moves events that are joined later, so only those that some rule accepts.
        for pattern in order[1:]:
            placed.scans[pattern.variable].extend(_asked_by_some(pattern.conditions, pattern.variable, scope, alike))
    if one_in > 1:
        first = order[0].variable
        placed.put({first}, [_chosen(column(positive[first], templates.identity), one_in, operations)])
    into = frozenset() if operations.dialect.distributed else joins.into
    select = _joined(_scans(order, scope, placed, read, alike), scope, placed, into)
    frames: list[frozenset[str]] = []
    if rule.collected:
        plain = not (placed.last or also or one_in > 1)
        anchors = _scans(order, scope, placed, read, alike) if plain else {}
        sets = [
            _set(rule, pattern, scope, f"s{number}", read, anchors) for number, pattern in enumerate(rule.collected, 1)
        ]
        frames = [
            frozenset({pattern.template, rule.positive[0].template})
            for pattern, set_query in zip(rule.collected, sets, strict=True)
            if isinstance(set_query, Framed) and set_query.frame.near
        ]
        aggregates = {name: term for set_query in sets for name, term in terms_of(set_query, operations).items()}
        scope = replace(scope, aggregates=aggregates)
        select = with_sets(select, tuple(scope.aliases.values()), templates.identity, sets, operations)
        having = [demand.sql for condition in rule.having for demand in scope.conditions(condition)]
        if having:
            select = select.where(every(having), copy=False)
    projected, bindings, emissions = _projected(rule, scope, select, alike)
    return RuleQuery(original, projected, bindings, emissions, tuple(probes), joins, scans, hot, alike, tuple(frames))


def _scans(
    order: Sequence[core.Pattern], scope: Scope, placed: _Placed, read: Reading, alike: Alike | None
) -> dict[str, Filtered]:
    """Return the scans of the variables, and of the constants, in the order in which they are joined."""
    patterns = {pattern.variable: pattern for pattern in order}
    return {
        variable: filtered(alike.relation, conditions, CONSTANTS)
        if alike is not None and variable == CONSTANTS
        else _scan(patterns[variable], scope, conditions, read)
        for variable, conditions in placed.scans.items()
    }


def _chosen(identity: exp.Expr, one_in: int, operations: Operations) -> exp.Expr:
    """Return the condition that an event is among one in so many, by its id."""
    rest = exp.BitwiseAnd(this=operations.dialect.hashed(identity), expression=exp.Literal.number(one_in - 1))
    return exp.EQ(this=exp.Paren(this=rest), expression=exp.Literal.number(0))


# --- Rules that are alike --------------------------------------------------------------------------------------------


def _with_constants(
    rule: core.Rule, order: Sequence[core.Pattern], alike: Alike, positive: Mapping[str, str]
) -> dict[str, str]:
    """Return the aliases with that of the constants, which are joined as soon as a condition restricts the rules."""
    mentioned = [core.variables_of(condition) for pattern in rule.positive for condition in pattern.conditions] + [
        frozenset({rule.constraints[place].subject, rule.constraints[place].reference, CONSTANTS})
        for place in alike.windows
    ]
    telling = [variables - {CONSTANTS} for variables in mentioned if CONSTANTS in variables]
    aliases: dict[str, str] = {}
    for pattern in order:
        aliases[pattern.variable] = positive[pattern.variable]
        if CONSTANTS not in aliases and any(variables and variables <= aliases.keys() for variables in telling):
            aliases[CONSTANTS] = CONSTANTS
    aliases.setdefault(CONSTANTS, CONSTANTS)
    return aliases


def _windows(
    position: int, constraint: core.Constraint, scope: Scope, alike: Alike | None
) -> Iterator[tuple[set[str], list[exp.Expr]]]:
    """Yield the conditions of a constraint, with the variables that they need besides its subject."""
    ends = scope.timestamp(constraint.subject), scope.timestamp(constraint.reference)
    yield {constraint.reference}, within(*ends, constraint.begins, constraint.upper, scope.operations)
    if alike is not None and position in alike.windows:
        yield {constraint.reference, CONSTANTS}, within(*ends, *alike.windows[position], scope.operations)


def _asked_by_some(
    conditions: Iterable[core.Expression], variable: str, scope: Scope, alike: Alike
) -> Iterator[exp.Expr]:
    """Yield the condition that an event alone satisfies some rule, if that depends on the rule."""
    own = [
        demand.sql
        for condition in conditions
        if not asks(condition) and core.variables_of(condition) == {variable, CONSTANTS}
        for demand in scope.conditions(condition)
    ]
    if own:
        constants = _aliased(table(alike.relation), CONSTANTS)
        fulfilled = exp.Select(expressions=[exp.Literal.number("1")]).from_(constants, copy=False)
        yield exp.Exists(this=fulfilled.where(every(own), copy=False))


def _with_earlier(order: Sequence[core.Pattern]) -> Iterator[tuple[set[str], core.Pattern]]:
    """Yield each pattern after the variables that are joined before it."""
    for position, pattern in enumerate(order):
        yield {earlier.variable for earlier in order[:position]}, pattern


@dataclass(frozen=True, slots=True)
class _Slices:
    """A join of a variable by buckets of time, as wide as a window; only for the events for which `where` is true."""

    window: core.Constraint
    where: exp.Expr | None


@dataclass(frozen=True, slots=True)
class _Placed:
    """Conditions by their place: in the scan of a variable, in the join that binds it, or after all joins."""

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
    """Return the condition that a side of some keys has hot values; not true if it has no value."""
    sides = [Term(scope.emitted(side(key))) for key in skewed.keys]
    return some(
        every(
            comparison("=", own, scope.operations.constant(value, key.type))
            for own, value, key in zip(sides, values, skewed.keys, strict=True)
        )
        for values in skewed.values
    )


def _are_hot(skewed: HotKeys | None, scope: Scope) -> tuple[exp.Expr | None, exp.Expr | None]:
    """Return the conditions that an event and its partner in the join have a hot key; None if all events are sliced."""
    if skewed is None or not scope.operations.dialect.tells_hot_keys:
        return None, None
    return _is_hot(skewed, scope, lambda key: key.own), _is_hot(skewed, scope, lambda key: key.counterpart)


def _probes(
    rule: core.Rule, order: Sequence[core.Pattern], scope: Scope, scans: Mapping[str, Filtered]
) -> Iterator[Probe]:
    """Yield the searches for hot keys, one for each variable that equalities join to an earlier one."""
    conditions = [condition for pattern in order for condition in pattern.conditions]
    for earlier, pattern in _with_earlier(order):
        if (join := joining(conditions, pattern.variable, earlier)) is not None:
            reference, keys = join
            own = _values(scope, pattern.variable, scans[pattern.variable], (key.own for key in keys))
            other_side = _values(scope, reference, scans[reference], (key.counterpart for key in keys))
            yield Probe(rule.patterns.index(pattern), pattern.variable, reference, keys, own, other_side)


def _probes_of_absence(
    position: int, absent: _Absence, pattern: core.Pattern, scope: Scope, scans: Mapping[str, Filtered]
) -> Iterator[Probe]:
    """Yield the search for hot keys of a negated pattern that equalities join to a positive one."""
    variable = pattern.variable
    if (join := joining(pattern.conditions, variable, absent.needed - {CONSTANTS})) is not None:
        reference, keys = join
        own = _values(absent.scope, variable, absent.scan, (key.own for key in keys))
        other_side = _values(scope, reference, scans[reference], (key.counterpart for key in keys))
        yield Probe(position, variable, reference, keys, own, other_side)


def _values(scope: Scope, variable: str, scan: Filtered, sides: Iterable[core.Expression]) -> exp.Select:
    """Return the query for the values of the sides of keys that are over a variable."""
    functions = {*PYTHON_FUNCTIONS}
    functions |= {relation.name for relation in scope.relations.values() if isinstance(relation, Answers)}
    # A Python function takes longer than all that hot keys could save.
    cheap = (condition for condition in scan.conditions if not _calls(condition, functions))
    # The event has the same name in all, so that the queries of variables with the same scan are equal.
    own = [of_event(scope.emitted(side), scope.aliases[variable]) for side in sides]
    named = [exp.alias_(side, f"key{number}") for number, side in enumerate(own)]
    return exp.Select(expressions=named).from_(_aliased(Filtered(scan.events, tuple(cheap)).sql, EVENT), copy=False)


def _calls(condition: exp.Expr, functions: Set[str]) -> bool:
    return any(call.this in functions for call in condition.find_all(exp.Anonymous))


def _joined(scans: Mapping[str, Filtered], scope: Scope, placed: _Placed, into: Set[str]) -> exp.Select:
    """Return the joins of the scans, in their order.

    The engine keeps the right side of each join in memory; at the joins of `into`, that is what was joined before.
    """
    scans_by_variable, common = shared(scans, scope.relations)

    def source(variable: str) -> exp.Expr:
        alias, scan = scope.aliases[variable], scans_by_variable[variable].sql
        if (slices := placed.slices.get(variable)) is not None:
            where = None if slices.where is None else of_event(slices.where, alias)
            scan = doubled(_inner(scan), EVENT, slices.window, scope.operations, where)
        return _aliased(scan, alias)

    first, *others = scans
    left, joins = source(first), list[exp.Join]()
    for variable in others:
        right = source(variable)
        if variable in into:
            left.set("joins", joins)
            left, right, joins = right, exp.Paren(this=left) if joins else left, []
        if conditions := placed.joins[variable]:
            joins.append(exp.Join(this=right, kind="INNER", on=every(conditions)))
        else:
            joins.append(exp.Join(this=right, kind="CROSS"))
    select = exp.Select().from_(left, copy=False)
    select.set("joins", joins)
    once = scope.operations.dialect.materializes or None
    for name, scan in common.items():
        select = select.with_(exp.to_identifier(name, quoted=True), as_=scan.sql, materialized=once, copy=False)
    return select.where(every(placed.last), copy=False) if placed.last else select


def _scan(pattern: core.Pattern, scope: Scope, conditions: Sequence[exp.Expr], read: Reading) -> Filtered:
    alias = scope.aliases[pattern.variable]
    relation, more = read(pattern, alias)
    return filtered(relation, [*more, *conditions], alias)


def _inner(scan: Scan) -> exp.Expr:
    """Return a scan in a form that can stand in place of a relation."""
    return scan.subquery(copy=False) if isinstance(scan, exp.Select) else scan


def _aliased(source: exp.Expr, alias: str) -> exp.Expr:
    """Return a table or a query under an alias."""
    if isinstance(source, exp.Select):
        return source.subquery(exp.to_identifier(alias, quoted=True), copy=False)
    return exp.alias_(source, alias, table=True, quoted=True, copy=False)


@dataclass(frozen=True, slots=True)
class _Absence:
    """The condition that no event fills a negated pattern, the positive variables that it mentions, and its scan."""

    sql: exp.Expr
    needed: set[str]
    scope: Scope
    scan: Filtered


@dataclass(frozen=True, slots=True)
class _Beside:
    """The events that may fill a pattern that a match binds no event to, and the conditions beside the positive ones.

    `late` conditions ask a predicate.
    """

    source: exp.Expr
    conditions: list[exp.Expr]
    late: list[exp.Expr]
    needed: set[str]
    scope: Scope
    scan: Filtered


def _absence(
    rule: core.Rule,
    pattern: core.Pattern,
    scope: Scope,
    alias: str,
    skewed: HotKeys | None,
    read: Reading,
    alike: Alike | None,
) -> _Absence:
    """Return the condition that no event fills a negated pattern.

    Its variable hides a positive one of the same name, which is outside its scope (specification: scope-negated).
    """
    beside = _beside(
        rule, pattern, replace(scope, outer=frozenset(scope.aliases) - {pattern.variable}), alias, skewed, read, alike
    )
    filler = (
        exp.Select(expressions=[exp.Literal.number("1")])
        .from_(_aliased(beside.source, alias), copy=False)
        .where(every([*beside.conditions, *beside.late]), copy=False)
    )
    return _Absence(exp.Not(this=exp.Exists(this=filler)), beside.needed, beside.scope, beside.scan)


def _set(
    rule: core.Rule, pattern: core.Pattern, scope: Scope, alias: str, read: Reading, anchors: Mapping[str, Filtered]
) -> SetQuery | Framed:
    """Return a set with the aggregates of it that a rule uses.

    `anchors` are the scans of the positive patterns, where these are all that there is to their matches.
    """
    beside = _beside(rule, pattern, scope, alias, None, read, None)
    aggregates = aggregates_of(rule, pattern.variable)
    instant = beside.scope.timestamp(pattern.variable)
    attributes = {attribute.name: attribute.type for attribute in scope.templates[pattern.template].template.attributes}
    zero = scope.operations.constant(0.0, Scalar.FLOAT).sql

    def value(aggregate: core.Aggregate) -> tuple[exp.Expr, Scalar] | None:
        if aggregate.attribute is None:
            return None
        if aggregate.attribute == TIMESTAMP:
            return instant, Scalar.INTEGER
        of = attributes[aggregate.attribute]
        assert isinstance(of, Scalar)
        term = beside.scope.value(core.AttributeOf(pattern.variable, aggregate.attribute, of))
        return exp.Add(this=term.sql, expression=zero.copy()) if of is Scalar.FLOAT else term.sql, of

    values = tuple(map(value, aggregates))
    frame = frame_of(rule, pattern, aggregates) if scope.operations.dialect.frames else None
    if frame is not None:
        anchor = rule.positive[0].variable
        own = [beside.scope.value(key.own) for key in frame.keys]
        same = (
            anchors.get(anchor) == beside.scan
            and all(term.total and term.finite for term in own)
            and all(core.renamed(key.own, {pattern.variable: anchor}) == key.counterpart for key in frame.keys)
        )
        of_anchor = {alias: scope.aliases[anchor]}
        return Framed(
            frame,
            alias,
            scope.aliases[anchor],
            None if same else _aliased(beside.scan.sql, alias),
            tuple(scope.emitted(key.counterpart) for key in frame.keys),
            tuple(beside.scope.emitted(key.own) for key in frame.keys),
            (scope.timestamp(anchor), instant),
            aggregates,
            tuple(None if pair is None else _moved(pair[0], of_anchor) if same else pair[0] for pair in values),
            frame.near and {pattern.template, rule.positive[0].template} <= scope.templates.near,
        )
    events = _aliased(beside.source, alias)
    return SetQuery(alias, events, tuple(beside.conditions), tuple(beside.late), aggregates, instant, values)


def _moved(value: exp.Expr, aliases: Mapping[str, str]) -> exp.Expr:
    """Return a value with other aliases."""
    moved = value.copy()
    for mention in moved.find_all(exp.Column):
        if mention.table in aliases:
            mention.set("table", exp.to_identifier(aliases[mention.table], quoted=True))
    return moved


def _beside(
    rule: core.Rule,
    pattern: core.Pattern,
    scope: Scope,
    alias: str,
    skewed: HotKeys | None,
    read: Reading,
    alike: Alike | None,
) -> _Beside:
    variable = pattern.variable
    inner = replace(
        scope,
        aliases={**scope.aliases, variable: alias},
        of={**scope.of, variable: pattern.template},
    )
    own: list[exp.Expr] = []
    conditions: list[exp.Expr] = []
    late: list[exp.Expr] = []
    needed: set[str] = set()
    windows: list[core.Constraint] = []
    for position, constraint in enumerate(rule.constraints):
        if constraint.negated and constraint.subject == variable:
            windows.append(constraint)
            for mentioned, window_conditions in _windows(position, constraint, inner, alike):
                needed |= mentioned
                conditions.extend(window_conditions)
    for condition in pattern.conditions:
        needed |= core.variables_of(condition) - {variable}
        for demand in inner.conditions(condition):
            place = own if demand.variables <= {variable} else late if demand.asks else conditions
            place.append(demand.sql)
    known = [condition for positive in rule.positive for condition in positive.conditions]
    for condition in implied(pattern.conditions, variable, known):
        own.extend(demand.sql for demand in inner.conditions(condition) if demand.sql not in own)
    scan = _scan(pattern, inner, own, read)
    if alike is not None and scope.operations.dialect.distributed:
        own.extend(_asked_by_some(pattern.conditions, variable, inner, alike))
    source = _scan(pattern, inner, own, read).sql
    window = tightest(windows, variable, needed)
    keyed = next(keys_of(pattern.conditions, variable, needed - {variable, CONSTANTS}), None) is not None
    if window is not None and sliceable(window) and (skewed is not None or not keyed):
        hot_here, hot_there = _are_hot(skewed, inner)
        where = None if hot_here is None else of_event(hot_here, alias)
        conditions.insert(0, in_bucket(alias, inner.timestamp(window.reference), window, scope.operations, hot_there))
        source = doubled(_inner(source), EVENT, window, scope.operations, where)
    return _Beside(source, conditions, late, needed, inner, scan)


def _projected(
    rule: core.Rule, scope: Scope, select: exp.Select, alike: Alike | None
) -> tuple[exp.Select, tuple[str, ...], tuple[EmissionColumns, ...]]:
    """Return the query with its columns: those of the bindings, and those of the emissions."""
    templates = scope.templates
    projections: list[exp.Expr] = []

    def project(name: str, value: exp.Expr) -> str:
        projections.append(exp.alias_(value, name, quoted=True, copy=False))
        return name

    rule_name = None if alike is None else column(CONSTANTS, RULE)
    if rule_name is not None:
        project(RULE, rule_name)
    aliases = [scope.aliases[pattern.variable] for pattern in rule.positive]
    bindings = [project(alias, column(alias, templates.identity)) for alias in aliases]
    emissions = []
    for position, emission in enumerate(rule.emissions, start=1):
        named = position if len(rule.emissions) > 1 else None
        identity = project(f"{position}$id", emitted_id(rule, named, scope.aliases, templates, rule_name))
        timestamp = project(f"{position}$timestamp", scope.emitted(emission.at))
        attributes = [
            project(f"{position}${number}", scope.emitted(assignment.value))
            for number, assignment in enumerate(emission.assignments, 1)
        ]
        emissions.append(EmissionColumns(identity, timestamp, tuple(attributes)))
    return select.select(*projections, copy=False), tuple(bindings), tuple(emissions)
