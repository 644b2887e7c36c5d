"""The possible faults of the rows of a log: the rules of `parte.semantics.events.conformity` for a trace, in SQL.

Each fault is a condition on one row, with the message for the events for which it holds. `contents` runs the queries.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final, Protocol

from sqlglot import exp

from parte.algebra.partelang.relational.columns import fields
from parte.algebra.partelang.relational.dialects import Dialect
from parte.semantics.events.match import PRODUCTION_SOURCE
from parte.semantics.events.strictjson import quoted
from parte.semantics.events.types import ListOf, Scalar, Type
from parte.semantics.events.values import slot_text, type_name
from parte.semantics.partelang.syntax import core

_SHOWN = 60
"""The most characters of a value in a message."""

_RULES: Final = 16
"""With more rules, a first test is whether an id has a character that ids of emitted events have."""


class Rows(Protocol):
    """The rows of a log as an engine sees them: the columns of `columns`, with the types that the program declares."""

    @property
    def dialect(self) -> Dialect:
        """The SQL dialect of the engine."""

    @property
    def columns(self) -> Collection[str]:
        """The columns that are present."""

    @property
    def attributes(self) -> Mapping[str, exp.Expr]:
        """The fields of `attributes` that are present: a value of its declared type, or, if undeclared, of any type."""

    def is_text(self, text: exp.Expr) -> exp.Expr | None:
        """Return the condition that a string is valid UTF-8; None if all strings are known to be."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A condition that must not be true of an event; `detail` is a text that is inserted into the message.

    `suspect`, if present, is a cheaper condition that holds of every such event.
    """

    bad: exp.Expr
    message: Callable[[str], str]
    hint: str
    detail: exp.Expr | None = None
    suspect: exp.Expr | None = None


def named(name: str) -> exp.Expr:
    """Return a column of a log."""
    return exp.Column(this=exp.to_identifier(name, quoted=True))


def faults(program: core.Program, rows: Rows) -> Iterator[Fault]:
    """Yield all possible faults of a row."""
    yield from _ids(program, rows)
    if "source" in rows.columns:
        source, empty = named("source"), exp.EQ(this=named("source"), expression=rows.dialect.text(""))
        reserved = _begins(source, PRODUCTION_SOURCE, rows)
        yield Fault(
            either([empty, reserved, *_not_text(source, rows)]),
            lambda detail: f"the source {quoted(detail)}",
            f'a source is null, or a string that is not empty and does not begin with "{PRODUCTION_SOURCE}"',
            source,
        )
    timestamps = "timestamps are integer milliseconds"
    yield Fault(_is_null(named("timestamp")), _saying("the timestamp is missing"), timestamps)
    yield _template(program, rows)
    yield from _attributes(program, rows)
    yield from _surplus(program, rows)


def either(conditions: Sequence[exp.Expr]) -> exp.Expr:
    """Return the disjunction of conditions, used nowhere else, nested by halves: engines limit the depth of SQL."""
    if len(conditions) == 1:
        return conditions[0]
    middle = len(conditions) // 2
    left, right = either(conditions[:middle]), either(conditions[middle:])
    return exp.Or(this=exp.Paren(this=left), expression=exp.Paren(this=right))


# --- The faults ------------------------------------------------------------------------------------------------------


def _ids(program: core.Program, rows: Rows) -> Iterator[Fault]:
    identity = named("id")
    empty = exp.EQ(this=identity.copy(), expression=rows.dialect.text(""))
    no_id = either([_is_null(identity), empty, *_not_text(identity, rows)])
    yield Fault(no_id, _saying("the id is empty or not text"), "give every event an id of its own")
    # Hundreds of conditions take an engine seconds, even on an empty log.
    without = exp.Anonymous(this="TRANSLATE", expressions=[identity, rows.dialect.text("(#"), rows.dialect.text("")])
    marked = exp.NEQ(this=without, expression=identity.copy()) if len(program.rules) > _RULES else None
    for name in dict.fromkeys(rule.reported for rule in program.rules):
        yield Fault(
            either([_begins(identity, f"{name}(", rows), _begins(identity, f"{name}#", rows)]),
            _saying(f"the id has the form of the ids of events that rule {name} emits"),
            f'give the event another id, one that does not begin with "{name}(" or "{name}#"',
            suspect=marked,
        )


def _template(program: core.Program, rows: Rows) -> Fault:
    names = [declared.name for declared in program.templates]

    def unknown(detail: str) -> str:
        near = get_close_matches(detail, names, 1)
        suggestion = f"; did you mean {near[0]}?" if near else ""
        return f"the template {quoted(detail)} is not one that the program declares{suggestion}"

    declared = f"leave out what no rule reads, or declare it; declared are: {', '.join(names) or 'none'}"
    template = named("template")
    return Fault(either([_is_null(template), _not_one_of(names, rows)]), unknown, declared, template)


def _attributes(program: core.Program, rows: Rows) -> Iterator[Fault]:
    declared_fields = fields(program)
    for declared in program.templates:
        slots = ", ".join(map(slot_text, declared.attributes))
        hint = f"the program declares {declared.name} {{{slots}}}"
        here = exp.EQ(this=named("template"), expression=rows.dialect.text(declared.name))
        for slot in declared.attributes:
            value = rows.attributes.get(declared_fields[declared.name, slot.name].name)
            missing = here.copy() if value is None else _both(here, _is_null(value))
            message = f"the attribute {quoted(slot.name)} is missing"
            if not slot.optional:
                yield Fault(missing, _saying(message), hint)
            unfit = [] if value is None else _unfit(value, slot.type, rows)
            if value is not None and unfit:
                expected = f"attribute {quoted(slot.name)}: expected {_expected(slot.type)}, found "
                wrong = _both(here, either(unfit))
                yield Fault(wrong, _telling(expected), hint, value)


def _surplus(program: core.Program, rows: Rows) -> Iterator[Fault]:
    owners: dict[str, list[str]] = {}
    for (owner, _), field in fields(program).items():
        owners.setdefault(field.name, []).append(owner)
    template = named("template")
    for name, value in rows.attributes.items():
        present = exp.Not(this=_is_null(value))
        if name in owners:
            message = f"the attribute {quoted(name)} belongs to {', '.join(owners[name])}, not to "
            bad, hint = _both(_not_one_of(owners[name], rows), present), "make it null"
        else:
            message, bad = f"the attribute {quoted(name)} belongs to no template, so not to ", present
            near = get_close_matches(name, owners, 1)
            hint = f"did you mean {near[0]}?" if near else "make it null, leave the field out, or declare the attribute"
        yield Fault(bad, _telling(message), hint, template)


def _unfit(value: exp.Expr, of: Type, rows: Rows) -> list[exp.Expr]:
    """Return the conditions under which a value of the right engine type is invalid; empty if it cannot be."""
    match of:
        case ListOf():
            size, item = exp.ArraySize(this=value.copy()), exp.to_identifier("item")
            wrong = either([_is_null(item), *_unfit(item, of.element, rows)])
            bad_items = exp.ArrayFilter(this=value.copy(), expression=exp.Lambda(this=wrong, expressions=[item]))
            too_long = exp.GT(this=size, expression=exp.Literal.number(of.capacity))
            return [too_long, exp.GT(this=exp.ArraySize(this=bad_items), expression=exp.Literal.number(0))]
        case Scalar.FLOAT:
            present = exp.Not(this=_is_null(value))
            return [_both(present, exp.Not(this=exp.Paren(this=rows.dialect.is_finite(value.copy()))))]
        case Scalar.STRING:
            return _not_text(value, rows)
        case _:
            return []


def _expected(of: Type) -> str:
    match of:
        case ListOf(element=Scalar.FLOAT):
            return f"{type_name(of)} of finite numbers"
        case Scalar.FLOAT:
            return "a finite Float"
        case Scalar.STRING:
            return "Unicode text"
        case _:
            return type_name(of)


def _saying(message: str) -> Callable[[str], str]:
    """Return a message without details."""
    return lambda _detail: message


def _telling(message: str) -> Callable[[str], str]:
    """Return a message that ends with the detail."""
    return lambda detail: message + _cut(detail)


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


# --- Conditions ------------------------------------------------------------------------------------------------------


def _is_null(value: exp.Expr) -> exp.Expr:
    return exp.Is(this=value.copy(), expression=exp.Null())


def _both(left: exp.Expr, right: exp.Expr) -> exp.Expr:
    return exp.And(this=exp.Paren(this=left.copy()), expression=exp.Paren(this=right))


def _begins(text: exp.Expr, start: str, rows: Rows) -> exp.Expr:
    return exp.StartsWith(this=text.copy(), expression=rows.dialect.text(start))


def _not_text(text: exp.Expr, rows: Rows) -> list[exp.Expr]:
    valid = rows.is_text(text.copy())
    return [] if valid is None else [exp.Not(this=valid)]


def _not_one_of(names: Sequence[str], rows: Rows) -> exp.Expr:
    if not names:
        return exp.true()
    known = exp.In(this=named("template"), expressions=[rows.dialect.text(name) for name in names])
    return exp.Not(this=exp.Paren(this=known))
