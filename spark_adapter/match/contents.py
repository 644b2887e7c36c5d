"""Are the rows of a log events of the program: what `semantics.events.conformity` asks of a trace, asked by Spark.

One pass over the log sees whether anything is wrong, and how many events each template has; a second looks for ids that
are used twice. Only if something is wrong, another counts what, with the least event id for each problem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import reduce

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F

from algebra.relational.columns import Field, fields
from algebra.relational.components import DELIMITERS
from semantics.events.event import NO_LINE
from semantics.events.match import PRODUCTION_SOURCE
from semantics.events.problems import Problem, TraceError
from semantics.events.strictjson import quoted
from semantics.events.values import type_name
from semantics.syntax import core
from semantics.syntax.core import ListOf, Scalar
from spark_adapter.match.schema import attribute

_SHOWN = 5
_SUSPECTS = 1000
"""Hashes of ids that are looked at again. A collision is rarer than one in a million for ten million ids."""


@dataclass(frozen=True, slots=True)
class _Check:
    """What must not be true of an event; `detail` is a text that the message is made with."""

    bad: Column
    message: Callable[[str], str]
    hint: str
    detail: Column | None = None


@dataclass(frozen=True, slots=True)
class Contents:
    """How many events each template has, and whether no id holds a delimiter of ids of emitted events."""

    counts: Mapping[str, int]
    plain_ids: bool


def check_contents(program: core.Program, log: DataFrame, name: str) -> Contents:
    """What is in a log that has the columns of one. TraceError with everything that is wrong with its rows."""
    checks = list(_checks(program, log))
    wrong = reduce(lambda left, right: left | right, (F.coalesce(check.bad, F.lit(False)) for check in checks))
    quoted_ids = F.translate("id", DELIMITERS, "") != F.col("id")
    counts = [F.col("template") == F.lit(template.name) for template in program.templates]
    (row,) = log.agg(*(F.count_if(condition) for condition in (wrong, quoted_ids, *counts))).collect()
    bad, quoted_count, *found = row
    problems = [Problem(name, NO_LINE, *text) for text in (_found(checks, log) if bad else ())]
    problems.extend(Problem(name, NO_LINE, message, hint) for message, hint in _repeated(log))
    if problems:
        raise TraceError(problems)
    names = (template.name for template in program.templates)
    return Contents(dict(zip(names, found, strict=True)), quoted_count == 0)


def _found(checks: Sequence[_Check], log: DataFrame) -> Iterator[tuple[str, str]]:
    """What is wrong, and what to do about it. Only asked if something is: it takes much longer than to see that."""
    aggregates = []
    for number, check in enumerate(checks):
        detail = F.lit("") if check.detail is None else check.detail.cast("string")
        example = F.min(F.when(check.bad, F.struct(F.coalesce("id", F.lit("")), F.coalesce(detail, F.lit("null")))))
        aggregates += [F.count_if(check.bad).alias(f"bad{number}"), example.alias(f"example{number}")]
    (row,) = log.agg(*aggregates).collect()
    return (_described(check, number, row) for number, check in enumerate(checks) if row[f"bad{number}"])


def _described(check: _Check, number: int, row: Row) -> tuple[str, str]:
    identity, detail = row[f"example{number}"]
    others = row[f"bad{number}"] - 1
    more = f"; and so for {others:,} more event{'' if others == 1 else 's'}" if others else ""
    return f"event {quoted(identity)}: {check.message(detail)}{more}", check.hint


def _checks(program: core.Program, log: DataFrame) -> Iterator[_Check]:
    id_, template = F.col("id"), F.col("template")
    ids = "give every event an id of its own"
    yield _Check(id_.isNull() | (id_ == "") | ~F.is_valid_utf8(id_), lambda _: "the id is empty or not text", ids)
    for rule in program.rules:
        emitted = id_.startswith(F.lit(f"{rule.name}(")) | id_.startswith(F.lit(f"{rule.name}#"))
        yield _Check(
            emitted,
            lambda _, rule=rule.name: f"the id has the form of the ids of events that rule {rule} emits",  # type: ignore[misc]
            f'give the event another id, one that does not begin with "{rule.name}(" or "{rule.name}#"',
        )
    if "source" in log.columns:
        source = F.col("source")
        yield _Check(
            (source == "") | source.startswith(F.lit(PRODUCTION_SOURCE)),
            lambda detail: f"the source {quoted(detail)}",
            f'a source is null, or a string that is not empty and does not begin with "{PRODUCTION_SOURCE}"',
            source,
        )
    timestamps = "timestamps are integer milliseconds"
    yield _Check(F.col("timestamp").isNull(), lambda _: "the timestamp is missing", timestamps)
    yield _template_check(program, template)
    yield from _attribute_checks(program, template)


def _template_check(program: core.Program, template: Column) -> _Check:
    names = [declared.name for declared in program.templates]

    def unknown(detail: str) -> str:
        near = get_close_matches(detail, names, 1)
        asked = f"; did you mean {near[0]}?" if near else ""
        return f"the template {quoted(detail)} is not one that the program declares{asked}"

    declared = f"leave out what no rule reads, or declare it; declared are: {', '.join(names) or 'none'}"
    return _Check(template.isNull() | ~template.isin(names), unknown, declared, template)


def _attribute_checks(program: core.Program, template: Column) -> Iterator[_Check]:
    given = fields(program)
    users: dict[str, list[str]] = {}
    for (user, _), field in given.items():
        users.setdefault(field.name, []).append(user)
    for declared in program.templates:
        slots = ", ".join(f"{slot.name}: {type_name(slot.type)}" for slot in declared.attributes)
        hint = f"the program declares {declared.name} {{{slots}}}"
        here = template == F.lit(declared.name)
        for slot in declared.attributes:
            value, name = attribute(given, declared.name, slot.name), quoted(slot.name)
            missing = f"the attribute {name} is missing"
            yield _Check(here & value.isNull(), lambda _, message=missing: message, hint)  # type: ignore[misc]
            wrong = _unfit(value, given[declared.name, slot.name])
            if wrong is not None:
                expected = f"attribute {name}: expected {_expected(slot.type)}, found "
                yield _Check(here & wrong, lambda found, text=expected: text + found, hint, value)  # type: ignore[misc]
    for name, owners in users.items():
        surplus = ~template.isin(owners) & F.col("attributes").getField(name).isNotNull()
        message = f"the attribute {quoted(name)} belongs to {', '.join(owners)}, not to "
        yield _Check(surplus, lambda found, text=message: text + found, "make it null", template)  # type: ignore[misc]


def _expected(of: core.Type) -> str:
    match of:
        case ListOf(element=Scalar.FLOAT):
            return f"{type_name(of)} of finite numbers"
        case Scalar.FLOAT:
            return "a finite Float"
        case Scalar.STRING:
            return "Unicode text"
        case _:
            return type_name(of)


def _unfit(value: Column, field: Field) -> Column | None:
    """That a value which has the type in Spark is none of the program's; None if that cannot be."""
    if isinstance(field.type, ListOf):
        inner = Field(field.name, field.type.element)
        wrong = F.size(value) > field.type.capacity

        def item_is_wrong(item: Column) -> Column:
            unfit = _unfit(item, inner)
            return item.isNull() if unfit is None else item.isNull() | unfit

        return wrong | F.exists(value, item_is_wrong)
    match field.type:
        case Scalar.FLOAT:
            return value.isNotNull() & ~(F.abs(value) <= F.lit(1.7976931348623157e308))
        case Scalar.STRING:
            return ~F.is_valid_utf8(value)
        case _:
            return None


def _repeated(log: DataFrame) -> Iterator[tuple[str, str]]:
    """Ids that are used more than once, found by their hashes, which are shorter."""
    hashed = log.select(F.xxhash64("id").alias("hash"))
    suspects = [row.hash for row in hashed.groupBy("hash").count().where("count > 1").limit(_SUSPECTS).collect()]
    if not suspects:
        return
    ids = log.select("id")
    if len(suspects) < _SUSPECTS:
        ids = ids.where(F.xxhash64("id").isin(suspects))
    repeated = ids.where(F.col("id") != "").groupBy("id").count().where("count > 1")
    for row in repeated.orderBy("id").limit(_SHOWN + 1).collect()[:_SHOWN]:
        yield f"event {quoted(row.id)}: the id is used {row['count']} times", "an id is the identity of one event"
