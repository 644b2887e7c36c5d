"""Programs on DuckDB, in process (specification: relational-evaluator).

DuckDB reads nothing from disk or network. Data that exceed the memory are written to a temporary directory of this
database, which is removed at the end.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cache
from inspect import Parameter, Signature
from itertools import islice
from math import prod
from typing import Any, Final

import duckdb
import numpy as numpy  # DuckDB needs it to call Python functions
import pyarrow
from duckdb.func import FunctionNullHandling
from sqlglot import exp

from parte.algebra.partelang.effort import TooMuch
from parte.algebra.partelang.relational import skew
from parte.algebra.partelang.relational.alike import Alike
from parte.algebra.partelang.relational.arrow import arrow_type
from parte.algebra.partelang.relational.components import DELIMITERS, expanded
from parte.algebra.partelang.relational.dialects import DuckDB
from parte.algebra.partelang.relational.errors import Unsupported
from parte.algebra.partelang.relational.exact import FUNCTIONS, called
from parte.algebra.partelang.relational.limits import database_memory, free_memory, process_memory, resident, spill
from parte.algebra.partelang.relational.programs import Plan, Stage, apart, compile_program, nearer
from parte.algebra.partelang.relational.python_functions import PYTHON_FUNCTIONS
from parte.algebra.partelang.relational.relations import Answers, Events, Relation, Table, table
from parte.algebra.partelang.relational.rows import matches_of, without_suppressed
from parte.algebra.partelang.relational.rules import RuleQuery
from parte.algebra.partelang.relational.skew import Ask, Hot, hot_keys, large_probes, sliced
from parte.algebra.partelang.relational.statements import create_as, create_table, insert_all, select_all
from parte.algebra.partelang.relational.suppressed import (
    IDENTITY,
    PASSED,
    in_order_of_time,
    relation_of_suppressed,
    suppressing,
    walk,
)
from parte.algebra.partelang.relational.work import Sizes, Trial, ordered, sizes_of, trials
from parte.semantics.events.domain import DomainTable, Predicates, require_predicates
from parte.semantics.events.event import Event, TraceItem, Value
from parte.semantics.events.match import Match, canonical, production_source
from parte.semantics.events.outcome import EmissionFailure, Outcome, SuppressedEmission, in_order
from parte.semantics.events.types import ListOf, Scalar, Type
from parte.semantics.partelang.syntax import core
from parte.semantics.source.collection import paused_collection
from parte.semantics.source.scratch import remove, scratch_directory

THREADS: Final = 2
_BATCH: Final = 2**17
"""The number of rows that are passed to DuckDB at a time."""
_FETCHED: Final = 2**14
"""The number of rows that are fetched at a time, and of matches after which their memory is checked."""
_TOGETHER: Final = 1_000_000
"""The most rows of a scan of rules that run together (rules times events): memory must hold them."""
_LOOKED_AT: Final = 2**14
"""The sample for hot keys: of more events of a template than twice this number, so many to twice so many, ..."""
_SPARSEST: Final = 64
"""... but at least one in so many: of a key that is just hot, that leaves more than a dozen events."""
_SMALL: Final = 1_000_000
"""A rule with at most so many combinations of events is run without a look at the events."""
_PATIENCE: Final = 20.0
"""The seconds after which a trial is stopped: if it takes so long to find few matches, time is short, not memory."""
OWN_ORDER: Final = "'join_order,build_side_probe_side'"
"""The optimizers that are switched off (setting `disabled_optimizers`): DuckDB's order of joins, which ignores windows,
and its choice of the side that it keeps in memory, which depends on that order."""
_HANDED: Final = "handed over"
"""The name under which DuckDB sees an Arrow table of ours."""
_DIALECT: Final = DuckDB()
_SPECIAL: Final[Any] = "special"
_DELIMITERS: Final = frozenset(DELIMITERS)


def run(
    program: core.Program, events: Iterable[TraceItem], domain: Predicates | None = None, *, threads: int = THREADS
) -> Outcome:
    """Return all matches of a program over a trace, as `parte.algebra.partelang.programs.run` defines them.

    Raise MissingPredicate if `domain` lacks a declared predicate, Unsupported if SQL cannot express the program. An
    exception of a callable of the domain is passed on.
    """
    plan = planned(program, domain or {})
    asks = any(isinstance(relation, Answers) for relation in plan.relations.values())
    exact = called(stage.query for stage in plan.stages)
    with Connection(threads, shared=not (asks or exact), spills=True) as connection:
        connection.supply_exact(exact)
        connection.supply(program.predicates, plan.relations, domain or {})
        connection.load(plan, events)
        return connection.outcome(connection.prepared(plan))


def planned(program: core.Program, domain: Predicates) -> Plan:
    """Return the plan of a program for DuckDB. Raise MissingPredicate or Unsupported if there is none."""
    require_predicates(program, domain)
    return compile_program(program, domain, _DIALECT, together=True)


def explain(program: core.Program, domain: Predicates | None = None) -> dict[str, str]:
    """Return the SQL of each stage by the name of its relation, in the order of creation.

    Predicates that the domain lacks are shown as tables of the arguments for which they are true.
    """
    supplied = {predicate.name: _some_table(predicate) for predicate in program.predicates} | dict(domain or {})
    plan = compile_program(program, supplied, _DIALECT, together=True)
    return {stage.name: plan.sql_text(stage, _DIALECT.name) for stage in plan.stages}


def _some_table(predicate: core.Predicate) -> Callable[..., bool]:
    return DomainTable(frozenset({tuple("" for _ in predicate.parameters)}), True)


# --- The connection --------------------------------------------------------------------------------------------------


def _database(threads: int, *, spills: bool) -> duckdb.DuckDBPyConnection:
    """Return a database. If it `spills`, it uses a share of the free memory and writes to disk what exceeds that."""
    config: dict[str, str | bool | int | float | list[str]] = {
        "threads": threads,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "temp_directory": "",
    }
    directory = scratch_directory("parte-duckdb-") if spills else None
    if spills:
        config["memory_limit"] = f"{database_memory(free_memory())}B"
    if directory is not None:
        # A subdirectory, which DuckDB creates when it needs it.
        config |= {
            "temp_directory": os.path.join(directory, "spilled"),
            "max_temp_directory_size": f"{spill(directory)}B",
        }
    database = duckdb.connect(":memory:", config=config)
    if directory is not None:
        weakref.finalize(database, remove, directory)
    for name, function in PYTHON_FUNCTIONS.items():
        parameters: list[Any] = [_DIALECT.type(of).sql(_DIALECT.name) for of in (function.parameter, Scalar.STRING)]
        result: Any = _DIALECT.type(function.result).sql(_DIALECT.name)
        # DuckDB counts the parameters; and only a `special` function may return NULL.
        database.create_function(name, function.__call__, parameters, result, null_handling=_SPECIAL)
    # In this order: the later switches prevent changes of the earlier ones.
    for setting, value in (
        # Standard output is for matches: DuckDB would draw a progress bar there during a long query.
        ("enable_progress_bar", "false"),
        ("disabled_optimizers", OWN_ORDER),
        ("enable_external_access", "false"),
        ("lock_configuration", "true"),
    ):
        database.execute(f"SET {setting} = {value}")
    return database


@cache
def _shared_database(threads: int, spills: bool, process: int) -> duckdb.DuckDBPyConnection:  # noqa: ARG001 - see below
    return _database(threads, spills=spills)  # a fork has its own


class Connection:
    """A connection with tables of its own, closed at the end together with all that was registered.

    The database is `shared` by the connections of this process, because to start one takes longer than a small program.
    Or it is this connection's own: every connection to a database sees the functions that are registered with one.
    """

    def __init__(self, threads: int, *, shared: bool = False, spills: bool = False) -> None:
        self._database = (
            _shared_database(threads, spills, os.getpid()).cursor() if shared else _database(threads, spills=spills)
        )
        self._room = process_memory(free_memory()) if spills else None
        self._before = resident()
        self._functions: list[str] = []
        self._raised: list[Exception] = []
        self._plain_ids = True
        self._suppressed: dict[str, Mapping[str, str]] = {}

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Unregister the functions, and close the connection with its tables."""
        for function in self._functions:  # a function that is still registered would outlive the connection
            self._database.remove_function(function)
        self._database.close()

    def supply(
        self, predicates: Iterable[core.Predicate], relations: Mapping[str, Relation], domain: Predicates
    ) -> None:
        """Create the tables and functions of the domain predicates."""
        for predicate in predicates:
            relation, member = relations[predicate.name], domain[predicate.name]
            if isinstance(relation, Table) and isinstance(member, DomainTable):
                types = dict(zip(relation.columns, predicate.parameters, strict=True))
                self.create(relation.name, types)
                columns = list(zip(*member.rows, strict=True))
                self._insert(relation.name, types, columns)
            elif isinstance(relation, Answers):
                parameters: list[Any] = [
                    _DIALECT.type(parameter).sql(_DIALECT.name) for parameter in predicate.parameters
                ]
                self._database.create_function(relation.name, self._answering(predicate, member), parameters, "BOOLEAN")
                self._functions.append(relation.name)

    def supply_exact(self, names: Iterable[str]) -> None:
        """Register the functions of ours that plans call."""
        for name in names:
            function, of = FUNCTIONS[name]
            listed: Any = [_DIALECT.type(ListOf(of, 1)).sql(_DIALECT.name)]
            self._database.create_function(name, function, listed, "DOUBLE", null_handling=FunctionNullHandling.SPECIAL)
            self._functions.append(name)

    def _answering(self, predicate: core.Predicate, member: Callable[..., bool]) -> Callable[..., bool]:
        def answer(*arguments: Value) -> bool:
            try:
                return bool(member(*arguments))
            except Exception as error:
                self._raised.append(error)  # DuckDB would keep only its text
                raise

        # DuckDB counts the parameters.
        kind = Parameter.POSITIONAL_ONLY
        parameters = [Parameter(f"argument{number}", kind) for number in range(len(predicate.parameters))]
        answer.__signature__ = Signature(parameters)  # type: ignore[attr-defined] # inspect reads it
        return answer

    def load(self, plan: Plan, events: Iterable[TraceItem]) -> None:
        """Create the relations of the trace."""
        templates = plan.templates
        types: dict[str, dict[str, Type]] = {}
        for name in plan.read:
            stream = templates[name]
            attributes = {stream.columns[attribute.name]: attribute.type for attribute in stream.template.attributes}
            types[name] = {templates.identity: Scalar.STRING, templates.timestamp: Scalar.INTEGER, **attributes}
            self.create(stream.trace, types[name])
        arriving = (item for item in events if isinstance(item, Event) and item.template in types)
        while batch := list(islice(arriving, _BATCH)):
            sorted_out: dict[str, list[Event]] = {}
            for event in batch:
                sorted_out.setdefault(event.template, []).append(event)
            self._plain_ids &= all(event.id.isalnum() or _DELIMITERS.isdisjoint(event.id) for event in batch)
            for name, some in sorted_out.items():
                self._insert(templates[name].trace, types[name], _columns(templates[name], some))

    @contextmanager
    def seeing(self, name: str, columns: Any) -> Iterator[None]:
        """Make an Arrow table visible as a relation of that name inside the `with` block; nothing is copied."""
        self._database.register(name, columns)
        try:
            yield
        finally:
            self._database.unregister(name)

    def create_like(self, relation: str, rows: Any) -> None:
        """Create an empty relation with the columns of an Arrow table."""
        with self.seeing(_HANDED, rows):
            self.execute(create_as(relation, select_all(_HANDED)))

    def append(self, relation: str, rows: Any) -> None:
        """Append the rows of an Arrow table, column by column, without a copy."""
        with self.seeing(_HANDED, rows):
            self.execute(insert_all(relation, _HANDED))

    def keep(self, relation: str, events: exp.Query, *, plain_ids: bool) -> None:
        """Create a relation of the trace from the result of a query."""
        self.execute(create_as(relation, events.copy()))
        self._plain_ids &= plain_ids

    def answers(self, query: exp.Query) -> list[tuple[Any, ...]]:
        """Return the rows of a query that has few."""
        return self._database.execute(query.sql(_DIALECT.name)).fetchall()

    def prepared(self, plan: Plan) -> Plan:
        """Return the plan for the events in the database: joins in a suitable order, hot keys by slices of time.

        Similar rules have a query each if there are too many events. Raise TooMuch if a rule has more matches than fit
        in memory.
        """
        together = any(stage.rule is not None and stage.rule.alike is not None for stage in plan.stages)
        if together and 2 * sum(_count(plan.templates[name].trace, self.answers) for name in plan.read) > _TOGETHER:
            plan = apart(plan, _DIALECT)
        plan = nearer(plan, self.answers, _DIALECT)
        look = _look(plan, self.answers)
        if look is None:
            return plan
        if self._room is not None:
            room = self._room
            for trial in look.trials(lambda query: room // _bytes(query)):
                if (excess := trial.too_many(self._counted(trial))) is not None:
                    raise TooMuch(f"{excess}, and there is room for {room / 2**30:,.1f} GiB")
        return look.plan

    def _counted(self, trial: Trial) -> int | None:
        """Return the count of a trial, at most `trial.most`, or None if it takes too long.

        The rows are counted here as they come: DuckDB 2.0.0 waits for ever on a LIMIT over scans of one materialized
        relation.
        """
        query = trial.stage.rule
        assert query is not None
        group = query.alike
        timer = threading.Timer(_PATIENCE, self._database.interrupt)
        with nullcontext() if group is None else self.seeing(group.relation, group.table()):
            timer.start()
            try:
                result = self._database.execute(_text(expanded(trial.query, _DIALECT, plain=self._plain_ids)))
                counted = 0
                while counted < trial.most and (rows := result.fetchmany(_FETCHED)):
                    counted += len(rows)
                self._database.abort()
            except duckdb.InterruptException:
                if timer.is_alive():
                    raise
                return None
            finally:
                timer.cancel()
        return min(counted, trial.most)

    def outcome(self, plan: Plan) -> Outcome:
        """Return all matches, once the relations that the plan reads exist. Raise TooMuch if memory is too small."""
        matches: list[Match] = []
        failures: list[EmissionFailure] = []
        suppressed: list[SuppressedEmission] = []
        with paused_collection():
            for rule, rows in self._rows_by_rule(plan):
                for match, failed in matches_of(rule, rows):
                    failures.extend(failed)
                    if self._suppressed:
                        match, lost = without_suppressed(match, self._suppressed)
                        suppressed.extend(lost)
                    matches.append(match)
                    if len(matches) % _FETCHED == 0:
                        self._check_room(len(matches), rule)
        return Outcome(tuple(canonical(matches)), in_order(failures), suppressed=in_order(suppressed))

    def _check_room(self, count: int, query: RuleQuery) -> None:
        if self._room is not None and (taken := resident() - self._before) > self._room:
            raise TooMuch(
                f"the first {count:,} matches take {taken / 2**30:,.1f} GiB, there is room for "
                f"{self._room / 2**30:,.1f} GiB, and rule {query.rule.name} has more"
            )

    def _rows_by_rule(self, plan: Plan) -> Iterator[tuple[RuleQuery, Iterable[Sequence[Value | None]]]]:
        """Yield the rows of each rule, or of a group of similar rules."""
        for stage in plan.stages:
            if stage.rule is not None and stage.rule.alike is not None:
                read = {pattern.template for pattern in stage.rule.rule.patterns}
                events = sum(_count(plan.templates[name].stream, self.answers) for name in read)
                yield from self._alike(stage, stage.rule, stage.rule.alike, max(1, _TOGETHER // max(1, events)))
                continue
            once = [] if stage.rule is None else [*suppressing(stage.rule.rule)]
            if stage.rule is not None and stage.rule.rule.name not in plan.feeding and not once:
                yield stage.rule, self._rows(_text(expanded(stage.query, _DIALECT, plain=self._plain_ids)))
                continue
            self.make(stage)
            if stage.rule is None:
                continue
            cases = plan.stages_of_cases(stage.rule.rule)
            if once and stage is not cases[-1]:
                continue  # the events of all cases are suppressed together
            for position, suppression in once:
                self._suppress(cases, position, suppression)
            for case in cases if once else [stage]:
                assert case.rule is not None
                yield case.rule, self.rows(case.name)

    def _alike(
        self, stage: Stage, query: RuleQuery, group: Alike, most: int
    ) -> Iterator[tuple[RuleQuery, Iterable[Sequence[Value | None]]]]:
        text = expanded(stage.query, _DIALECT, plain=self._plain_ids)
        for start in range(0, len(group.rules), most):
            name = f"{stage.name}${start}"
            with self.seeing(group.relation, group.table(start, most)):
                self.execute(create_as(name, text))
            rows_by_rule: dict[Value | None, list[Sequence[Value | None]]] = {}
            for named, *row in self.rows(name):
                rows_by_rule.setdefault(named, []).append(row)
            for rule in group.rules[start : start + most]:
                if rule.reported in rows_by_rule:
                    yield replace(query, rule=rule), rows_by_rule[rule.reported]

    def _suppress(self, cases: Sequence[Stage], position: int, once: core.Suppression) -> None:
        """Create the relation of the suppressed events of an emission of a rule, the stages of whose cases exist."""
        queries = [(stage.name, stage.rule) for stage in cases if stage.rule is not None]
        rule = queries[0][1].rule
        sorted_rows = in_order_of_time(
            [(name, query.emissions[position - 1]) for name, query in queries], rule.emissions[position - 1], once
        )
        pairs = [*walk(once.milliseconds, self._rows(_text(sorted_rows)))]
        self._suppressed[production_source(rule.reported, position)] = dict(pairs)
        types = {IDENTITY: Scalar.STRING, PASSED: Scalar.STRING}
        relation = relation_of_suppressed(rule.reported, position)
        self.create(relation, types)
        self._insert(relation, types, list(zip(*pairs, strict=True)) or [(), ()])

    def make(self, stage: Stage) -> None:
        """Create the relation of a stage."""
        self.execute(create_as(stage.name, expanded(stage.query, _DIALECT, plain=self._plain_ids)))

    def rows(self, name: str) -> Iterator[tuple[Value | None, ...]]:
        """Yield the rows of a relation."""
        return self._rows(_text(select_all(name)))

    def _rows(self, query: str) -> Iterator[tuple[Value | None, ...]]:
        """Yield the rows of a query, some at a time. Raise what `execute` raises."""
        with self._raising():
            result = self._database.execute(query)
        while True:
            with self._raising():
                rows = result.fetchmany(_FETCHED)
            if not rows:
                return
            yield from rows

    def execute(self, statement: exp.Expr) -> None:
        """Run a statement, which is of no use after that.

        Raise Unsupported, MemoryError, or the exception of a callable of the domain.
        """
        with self._raising():
            self._database.execute(_text(statement))

    def rows_of(self, text: str, parameters: Mapping[str, int]) -> list[tuple[Value | None, ...]]:
        """Return the rows of a query with parameters."""
        with self._raising():
            return self._database.execute(text, dict(parameters)).fetchall()

    @contextmanager
    def _raising(self) -> Iterator[None]:
        try:
            yield
        except duckdb.Error as error:
            if self._raised:
                raise self._raised[0] from None
            if isinstance(error, duckdb.NotImplementedException | duckdb.BinderException | duckdb.ParserException):
                raise Unsupported(f"DuckDB cannot express the program: {error}") from error
            if isinstance(error, duckdb.OutOfMemoryException):
                raise TooMuch(f"DuckDB ran out of memory: {error}") from error
            raise

    def create(self, name: str, types: Mapping[str, Type]) -> None:
        """Create an empty relation."""
        self.execute(create_table(name, {column: _DIALECT.type(of) for column, of in types.items()}))

    def _insert(self, name: str, types: Mapping[str, Type], columns: Iterable[Sequence[object]]) -> None:
        """Append rows as an Arrow table; row by row takes a hundred times as long."""
        arrays = [pyarrow.array(values, arrow_type(of)) for values, of in zip(columns, types.values(), strict=True)]
        self.append(name, pyarrow.table(dict(zip(types, arrays, strict=True))))


# --- What the events are like ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Look:
    """The plan that suits the events, and the results of the look at them: `ask` sees a `fraction` of the events."""

    plan: Plan
    sizes: Sizes
    hot: tuple[Hot, ...]
    ask: Ask
    counts: Mapping[str, int]
    fraction: float

    def trials(self, most: Callable[[RuleQuery], int]) -> Iterator[Trial]:
        """Yield the trials that are necessary if there is room for `most` matches of a rule."""
        probes = large_probes(self.plan, self.counts)
        return trials(self.plan, self.sizes, self.hot, probes, self.ask, self.fraction, _DIALECT, most)


def looked_at(plan: Plan, ask: Ask) -> Plan:
    """Return the plan for the events in the database: joins in a suitable order, hot keys by slices of time.

    `ask` returns the rows of a query over the relations of the trace, which are tables. If there are many events, a
    sample is searched for hot keys: the same events in every run.
    """
    look = _look(plan, ask)
    return plan if look is None else look.plan


def _look(plan: Plan, ask: Ask) -> _Look | None:
    traces = [plan.templates[name].trace for name in plan.read]
    counts = dict(zip(plan.read, (_count(trace, ask) for trace in traces), strict=True))
    if max(counts.values(), default=0) < skew.EVENTS and _combinations(plan, counts) <= _SMALL:
        return None
    sizes = sizes_of(plan, counts, ask)
    plan = ordered(plan, sizes, _DIALECT)
    probes = large_probes(plan, counts)
    every = _power_of_two(min(max(counts.values()) // _LOOKED_AT, _SPARSEST))

    def some(query: exp.Query) -> Sequence[Sequence[Any]]:
        return ask(_one_in(every, query, traces))

    hot = hot_keys(probes, _DIALECT, some, 1 / every)
    return _Look(sliced(plan, hot, _DIALECT), sizes, hot, some, counts, 1 / every)


def _combinations(plan: Plan, counts: Mapping[str, int]) -> int:
    """Return the most combinations of events that a rule may have to look at; emitted events are not known yet."""
    return max(
        (
            prod(counts[pattern.template] for pattern in stage.rule.rule.positive)
            for stage in plan.stages
            if stage.rule is not None
        ),
        default=0,
    )


def _power_of_two(most: int) -> int:
    """Return the greatest power of two that is not greater than `most`, and at least 1."""
    return 1 << max(most.bit_length() - 1, 0)


def _count(relation: str, ask: Ask) -> int:
    ((count,),) = ask(exp.Select(expressions=[exp.Count(this=exp.Star())]).from_(table(relation), copy=False))
    return int(count)


def _one_in(every: int, query: exp.Query, traces: Container[str]) -> exp.Query:
    """Return a query over one in `every` rows of each trace, a power of two, chosen by a hash of their numbers."""
    if every == 1:
        return query
    query = query.copy()
    for relation in [scanned for scanned in query.find_all(exp.Table) if scanned.name in traces]:
        number = exp.Anonymous(this="HASH", expressions=[exp.column("rowid")])
        rest = exp.BitwiseAnd(this=number, expression=exp.Literal.number(every - 1))
        chosen = exp.EQ(this=exp.Paren(this=rest), expression=exp.Literal.number(0))
        some = exp.Select(expressions=[exp.Star()]).from_(table(relation.name), copy=False).where(chosen, copy=False)
        relation.replace(exp.Subquery(this=some, alias=relation.args.get("alias")))
    return query


def _bytes(query: RuleQuery) -> int:
    """Return about the bytes that a match of a rule takes in Python, with its row."""
    rule = query.rule
    values = sum(len(emission.assignments) for emission in rule.emissions)
    return 300 + 200 * len(rule.positive) + 1_000 * len(rule.emissions) + 100 * values


def _text(statement: exp.Expr) -> str:
    """Return the SQL of a statement that nobody else has: it may be changed, and no copy is made."""
    return statement.sql(_DIALECT.name, copy=False)


# --- Rows ------------------------------------------------------------------------------------------------------------


def _columns(relation: Events, events: Sequence[Event]) -> Iterator[Sequence[object]]:
    """Yield the columns of events of one template, in the order of `Templates`."""
    yield [event.id for event in events]
    yield [event.timestamp for event in events]
    for name in relation.columns:
        yield [event.attributes.get(name) for event in events]
