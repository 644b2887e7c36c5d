"""Are the rows of a log events of the program? An engine is asked, which sees them all.

One question sees whether anything may be wrong, and how many events each template has; a second looks for ids that are
used twice. Only if something is wrong, two more ask what, and for the least event id of each problem.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from sqlglot import exp

from parte.algebra.partelang.relational.components import DELIMITERS
from parte.algebra.partelang.relational.row_checks import Fault, Rows, either, faults, named
from parte.semantics.events.event import NO_LINE
from parte.semantics.events.problems import Problem, TraceError
from parte.semantics.events.strictjson import quoted
from parte.semantics.events.types import Scalar
from parte.semantics.partelang.syntax import core

_REPEATED: Final = 5
"""Ids that are shown of those which are used more than once."""


class Log(Rows, Protocol):
    """A log in an engine, which answers questions about all of its rows."""

    def aggregates(self, expressions: Sequence[exp.Expr]) -> Sequence[Any]:
        """The values of aggregates over all rows; of a struct, its fields by name."""

    def repeated(self, most: int) -> Sequence[tuple[str, int]]:
        """The first ids, in order, that are used more than once, and how often; not the empty one."""


@dataclass(frozen=True, slots=True)
class Contents:
    """How many events each template has, and whether no id holds a delimiter of ids of emitted events."""

    counts: Mapping[str, int]
    plain_ids: bool


def contents_of(program: core.Program, log: Log, name: str) -> Contents:
    """What is in a log that has the columns of one. TraceError with everything that is wrong with its rows."""
    checks = list(faults(program, log))
    text = log.dialect.text
    wrong = either([_certain(check.bad) for check in checks])
    # Each once, for rules share theirs.
    suspect = either(list(dict.fromkeys(_certain(check.suspect or check.bad) for check in checks)))
    without = exp.Anonymous(this="TRANSLATE", expressions=[named("id"), text(DELIMITERS), text("")])
    with_delimiters = exp.NEQ(this=without, expression=named("id"))
    templates = [template.name for template in program.templates]
    of_template = [exp.EQ(this=named("template"), expression=text(template)) for template in templates]
    counted = [exp.CountIf(this=condition) for condition in (suspect, with_delimiters, *of_template)]
    bad, quoted_count, *found = log.aggregates(counted)
    if bad and suspect != wrong:
        (bad,) = log.aggregates([exp.CountIf(this=wrong)])
    problems = [Problem(name, NO_LINE, *told) for told in (_found(checks, log) if bad else ())]
    problems.extend(Problem(name, NO_LINE, *told) for told in _repeated(log))
    if problems:
        raise TraceError(problems)
    return Contents(dict(zip(templates, found, strict=True)), quoted_count == 0)


def _found(checks: Sequence[Fault], log: Log) -> Iterator[tuple[str, str]]:
    """What is wrong, and what to do about it. Only asked if something is: it takes much longer than to see that."""
    counts = log.aggregates([exp.CountIf(this=_certain(check.bad)) for check in checks])
    found = [(check, count) for check, count in zip(checks, counts, strict=True) if count]
    examples = log.aggregates([_example(check, log) for check, _ in found])
    for (check, count), example in zip(found, examples, strict=True):
        others = count - 1
        more = f"; and so for {others:,} more event{'' if others == 1 else 's'}" if others else ""
        yield f"event {quoted(example['id'])}: {check.message(example['detail'])}{more}", check.hint


def _example(check: Fault, log: Log) -> exp.Expr:
    """The least id of an event with a fault, and the least detail with that id."""
    text = log.dialect.text
    detail = (
        text("") if check.detail is None else exp.Cast(this=check.detail.copy(), to=log.dialect.type(Scalar.STRING))
    )
    parts = {"id": _else(named("id"), text("")), "detail": _else(detail, text("null"))}
    named_parts = [exp.PropertyEQ(this=exp.to_identifier(name), expression=part) for name, part in parts.items()]
    example = exp.If(this=_certain(check.bad), true=exp.Struct(expressions=named_parts))
    return exp.Min(this=exp.Case(ifs=[example]))


def _repeated(log: Log) -> Iterator[tuple[str, str]]:
    repeated = log.repeated(_REPEATED + 1)
    for identity, count in repeated[:_REPEATED]:
        yield f"event {quoted(identity)}: the id is used {count} times", "an id is the identity of one event"
    if len(repeated) > _REPEATED:
        yield "more ids are used more than once", "an id is the identity of one event"


def _certain(condition: exp.Expr) -> exp.Expr:
    """The condition, false where it is NULL."""
    return _else(condition.copy(), exp.false())


def _else(value: exp.Expr, default: exp.Expr) -> exp.Expr:
    return exp.Coalesce(this=value, expressions=[default])
