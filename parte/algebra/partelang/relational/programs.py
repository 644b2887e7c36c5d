"""A program as a sequence of relations, each defined by a query over the events and the relations before it.

The rules of a stratum come first, then the streams of the templates that no later rule emits: strata are stages
(specification: strata-in-order). An engine may create each relation as a table or as a view.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from sqlglot import exp

from parte.algebra.partelang.relational.alike import Alike, alike
from parte.algebra.partelang.relational.dialects import Dialect
from parte.algebra.partelang.relational.keys import HotKeys
from parte.algebra.partelang.relational.order import joins_of
from parte.algebra.partelang.relational.relations import NEAR, Answers, Relation, Templates, column, relation_of, table
from parte.algebra.partelang.relational.rules import RuleQuery, rule_query
from parte.algebra.partelang.relational.suppressed import emitted, not_suppressed, suppressing
from parte.algebra.partelang.relational.terms import Operations, every
from parte.semantics.events.domain import Predicates
from parte.semantics.partelang.syntax import core


@dataclass(frozen=True, slots=True)
class Stage:
    """A relation to be created: the matches of `rule`, or, without one, the stream of a template that rules emit."""

    name: str
    query: exp.Query
    rule: RuleQuery | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """A compiled program: the relations that it reads, and its stages in the order of creation."""

    program: core.Program
    templates: Templates
    relations: Mapping[str, Relation]
    stages: tuple[Stage, ...]

    def sql_text(self, stage: Stage, dialect: str) -> str:
        """Return the SQL of a stage for people, after comments that explain its names."""
        comments, read = [], [name for name, events in self.templates.items() if events.stream == stage.name]
        if stage.rule is not None:
            rule, group = stage.rule.rule, stage.rule.alike
            read = list(dict.fromkeys(pattern.template for pattern in rule.patterns))
            variables = _legend(zip(stage.rule.bindings, (pattern.variable for pattern in rule.positive), strict=True))
            named = "rule " + rule.name if group is None else f"the rules of {group.relation}"
            comments.append(f"-- {stage.name}: {named}; {variables}\n")
            comments += [] if group is None else [f"-- {group.relation}: {row}\n" for row in group.lines]
        for name in read:
            columns = ((numbered, attribute) for attribute, numbered in self.templates[name].columns.items())
            comments.append(f"-- {self.templates[name].stream}: template {name}; {_legend(columns)}\n")
        return "".join(comments) + stage.query.sql(dialect=dialect, pretty=True)

    def stages_of_cases(self, rule: core.Rule) -> list[Stage]:
        """Return the stages of all cases of a rule, each of which has a query of its own."""
        return [stage for stage in self.stages if stage.rule and stage.rule.rule.reported == rule.reported]

    @property
    def read(self) -> tuple[str, ...]:
        """Return the templates whose events matter, in the order of the program."""
        read = {pattern.template for rule in self.program.rules for pattern in rule.patterns}
        return tuple(name for name in self.templates if name in read)

    @property
    def feeding(self) -> frozenset[str]:
        """Return the names of the rules that emit events that a rule reads."""
        return _feeding(self.program, set(self.read))


def _legend(names: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"{numbered} is {name}" for numbered, name in names)


def compile_program(
    program: core.Program,
    domain: Predicates,
    dialect: Dialect,
    *,
    counts: Mapping[str, int] | None = None,
    together: bool = False,
) -> Plan:
    """Return the plan of a program. Raise Unsupported if it has none.

    `counts` of events by template change no result and help to order joins. `together` makes one stage of similar rules
    whose emissions no other rule reads.
    """
    templates = Templates(program)
    relations = {
        predicate.name: relation_of(predicate, domain[predicate.name], number)
        for number, predicate in enumerate(program.predicates, 1)
    }
    operations = Operations(dialect)
    read = {pattern.template for rule in program.rules for pattern in rule.patterns}
    stages: list[Stage] = []
    stages_by_rule: dict[str, Stage] = {}
    feeding, numbers = _feeding(program, read), count(1)
    waiting = [name for name in templates if name in read and templates[name].mixed]
    strata = dict(program.strata)
    for rules in program.rules_by_stratum():
        # The strata below have emitted everything that the rules of this stratum read.
        for name in [name for name in waiting if strata[name] <= program.stratum(rules[0])]:
            waiting.remove(name)
            stages.append(Stage(templates[name].stream, _stream(program, name, templates, stages_by_rule, dialect)))
        apart = [
            rule
            for rule in rules
            if not together
            or rule.name in feeding
            or rule.collected
            or _asks_python(rule, relations)
            or any(suppressing(rule))
        ]
        others = {rule.name: rule for rule in rules}
        for rule in apart:
            del others[rule.name]
        for member in (*apart, *alike(others.values(), numbers)):
            group = member if isinstance(member, Alike) else None
            rule = member.rule if isinstance(member, Alike) else member
            sizes = {pattern.variable: (counts or {}).get(pattern.template, 0) for pattern in rule.positive}
            query = rule_query(rule, templates, relations, operations, joins_of(rule, sizes), {}, alike=group)
            stages_by_rule[rule.name] = Stage(f"matches{len(stages_by_rule) + 1}", query.select, query)
            stages.append(stages_by_rule[rule.name])
    return Plan(program, templates, relations, tuple(stages))


def with_hot_keys(plan: Plan, hot: Mapping[str, Mapping[int, HotKeys]], dialect: Dialect) -> Plan:
    """Return the plan with `hot` keys, by rule and pattern position, joined by slices of time; the result is the same.

    Only the queries of these rules are compiled again; the names of their columns stay.
    """
    operations = Operations(dialect)

    def again(stage: Stage) -> Stage:
        if stage.rule is None or (skewed := hot.get(stage.rule.rule.name)) is None:
            return stage
        compiled = stage.rule
        query = rule_query(
            compiled.rule, plan.templates, plan.relations, operations, compiled.joins, skewed, alike=compiled.alike
        )
        return Stage(stage.name, query.select, query)

    return replace(plan, stages=tuple(map(again, plan.stages)))


def apart(plan: Plan, dialect: Dialect) -> Plan:
    """Return the plan with a query for each rule."""
    operations = Operations(dialect)
    stages: list[Stage] = []
    for stage in plan.stages:
        if stage.rule is None or stage.rule.alike is None:
            stages.append(stage)
            continue
        joins = stage.rule.joins
        places = [stage.rule.rule.positive.index(pattern) for pattern in joins.order]
        for number, rule in enumerate(stage.rule.rules, 1):
            order = [rule.positive[place] for place in places]
            own = replace(joins, order=tuple(order))
            query = rule_query(rule, plan.templates, plan.relations, operations, own, {})
            stages.append(Stage(f"{stage.name}_{number}", query.select, query))
    return replace(plan, stages=tuple(stages))


def nearer(plan: Plan, ask: Callable[[exp.Query], Sequence[Sequence[Any]]], dialect: Dialect) -> Plan:
    """Return the plan with window frames over times in 64 bit, where the log shows that none overflows.

    `ask` returns the rows of a query over the relations of the trace. Only frames ask for a look at the log.
    """
    frames = [frame for stage in plan.stages if stage.rule is not None for frame in stage.rule.frames]
    near = set()
    for name in frozenset[str]().union(*frames):
        if not plan.templates[name].mixed:
            time = column(plan.templates[name].trace, Templates.timestamp)
            ends = exp.Select(expressions=[exp.Min(this=time), exp.Max(this=time.copy())])
            ((least, greatest),) = ask(ends.from_(table(plan.templates[name].trace), copy=False))
            if least is None or -NEAR <= least <= greatest <= NEAR:
                near.add(name)
    if not near:
        return plan
    operations, templates = Operations(dialect), Templates(plan.program, frozenset(near))

    def again(stage: Stage) -> Stage:
        if stage.rule is None or not any(frame <= near for frame in stage.rule.frames):
            return stage
        query = rule_query(stage.rule.rule, templates, plan.relations, operations, stage.rule.joins, {})
        return Stage(stage.name, query.select, query)

    return replace(plan, templates=templates, stages=tuple(map(again, plan.stages)))


def _feeding(program: core.Program, read: Set[str]) -> frozenset[str]:
    """Return the names of the rules that emit events that are read."""
    rules = program.rules
    return frozenset(rule.name for rule in rules if any(emission.template in read for emission in rule.emissions))


def _asks_python(rule: core.Rule, relations: Mapping[str, Relation]) -> bool:
    """Return whether a rule asks a callable, which must be asked what the rule says, not what a join makes of it."""
    expressions = [*rule.having, *(condition for pattern in rule.patterns for condition in pattern.conditions)]
    expressions += [assignment.value for emission in rule.emissions for assignment in emission.assignments]
    parts = [part for expression in expressions for part in core.EXPRESSIONS.within(expression)]
    predicates = {part.predicate for part in parts if isinstance(part, core.PredicateCall)}
    return any(isinstance(relations[name], Answers) for name in predicates)


def _stream(
    program: core.Program, name: str, templates: Templates, stages_by_rule: Mapping[str, Stage], dialect: Dialect
) -> exp.Query:
    """Return the events of a template that arrive, and those that the rules so far have emitted."""
    events = templates[name]
    columns = [templates.identity, templates.timestamp, *events.columns.values()]
    arriving = exp.Select(expressions=[column(events.trace, name_of_column) for name_of_column in columns])
    arriving = arriving.select(exp.alias_(exp.false(), templates.emitted, quoted=True), copy=False)
    union: exp.Query = arriving.from_(table(events.trace), copy=False)
    for query in _emitting(program, name, columns, stages_by_rule, dialect):
        query = query.select(exp.alias_(exp.true(), Templates.emitted, quoted=True), copy=False)
        union = exp.Union(this=union, expression=query, distinct=False)
    return union


def _emitting(
    program: core.Program, name: str, columns: list[str], stages_by_rule: Mapping[str, Stage], dialect: Dialect
) -> Iterator[exp.Select]:
    """Yield, for each emission of a template, the events that it emitted: the rows where no needed value is missing."""
    template = program.template(name)
    for rule in program.rules:
        stage = stages_by_rule.get(rule.name)
        if stage is None or stage.rule is None:
            continue
        pairs = zip(rule.emissions, stage.rule.emissions, strict=True)
        for position, (emission, columns_of_emission) in enumerate(pairs, start=1):
            if emission.template == name:
                assigned = [assignment.attribute for assignment in emission.assignments]
                sources = dict(zip(assigned, columns_of_emission.attributes, strict=True))
                values = [
                    column(stage.name, columns_of_emission.identity),
                    column(stage.name, columns_of_emission.timestamp),
                ]
                values += [
                    column(stage.name, sources[slot.name])
                    if slot.name in sources
                    else exp.Cast(this=exp.Null(), to=dialect.type(slot.type))
                    for slot in template.attributes
                ]
                present = [emitted(stage.name, emission, columns_of_emission)]
                if emission.once is not None:
                    present.append(not_suppressed(stage.name, rule, position, columns_of_emission))
                named = [exp.alias_(value, wanted, quoted=True) for value, wanted in zip(values, columns, strict=True)]
                yield (
                    exp.Select(expressions=named).from_(table(stage.name), copy=False).where(every(present), copy=False)
                )
