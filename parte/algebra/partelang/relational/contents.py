"""The check that the rows of a log are events of the program, by queries over all rows.

One query finds whether anything may be wrong, and how many events each template has; a second looks for ids that are
used twice. Only if something is wrong, two more queries find the problems, and the least event id of each.
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
"""The number of repeated ids that are reported."""


class Log(Rows, Protocol):
    """A log in an engine, which answers queries about all of its rows."""

    def aggregates(self, expressions: Sequence[exp.Expr]) -> Sequence[Any]:
        """Return the values of aggregates over all rows; a struct as its fields by name."""

    def repeated(self, most: int) -> Sequence[tuple[str, int]]:
        """Return the first repeated ids, in order, with their numbers of uses; the empty id is left out."""


@dataclass(frozen=True, slots=True)
class Contents:
    """The number of events of each template, and whether no id contains a delimiter of ids of emitted events."""

    counts: Mapping[str, int]
    plain_ids: bool


def contents_of(program: core.Program, log: Log, name: str) -> Contents:
    """Return the contents of a log with valid columns. Raise TraceError with everything that is wrong with its rows."""
    checks = list(faults(program, log))
    text = log.dialect.text
    wrong = either([_certain(check.bad) for check in checks])
    # Each condition once, because rules share theirs.
    suspect = either(list(dict.fromkeys(_certain(check.suspect or check.bad) for check in checks)))
    without = exp.Anonymous(this="TRANSLATE", expressions=[named("id"), text(DELIMITERS), text("")])
    with_delimiters = exp.NEQ(this=without, expression=named("id"))
    templates = [template.name for template in program.templates]
    of_template = [exp.EQ(this=named("template"), expression=text(template)) for template in templates]
    counted = [exp.CountIf(this=condition) for condition in (suspect, with_delimiters, *of_template)]
    bad, quoted_count, *numbers = log.aggregates(counted)
    if bad and suspect != wrong:
        (bad,) = log.aggregates([exp.CountIf(this=wrong)])
    problems = [Problem(name, NO_LINE, *problem) for problem in (_problems_of(checks, log) if bad else ())]
    problems.extend(Problem(name, NO_LINE, *problem) for problem in _repeated(log))
    if problems:
        raise TraceError(problems)
    return Contents(dict(zip(templates, numbers, strict=True)), quoted_count == 0)


def _problems_of(checks: Sequence[Fault], log: Log) -> Iterator[tuple[str, str]]:
    """Yield the problems with their hints. Only called if there are some: it takes much longer than to detect them."""
    counts = log.aggregates([exp.CountIf(this=_certain(check.bad)) for check in checks])
    failing = [(check, count) for check, count in zip(checks, counts, strict=True) if count]
    examples = log.aggregates([_example(check, log) for check, _ in failing])
    for (check, count), example in zip(failing, examples, strict=True):
        others = count - 1
        more = f"; and so for {others:,} more event{'' if others == 1 else 's'}" if others else ""
        yield f"event {quoted(example['id'])}: {check.message(example['detail'])}{more}", check.hint


def _example(check: Fault, log: Log) -> exp.Expr:
    """Return the least id of an event with a fault, and the least detail with that id."""
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
    """Return the condition, false where it is NULL."""
    return _else(condition.copy(), exp.false())


def _else(value: exp.Expr, default: exp.Expr) -> exp.Expr:
    return exp.Coalesce(this=value, expressions=[default])
