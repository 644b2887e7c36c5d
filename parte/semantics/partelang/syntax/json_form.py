"""The elaborated program as JSON, for engines that do not read PARTElang (`program.schema.json`;
specification: json-format).

Every node of an expression has a `kind`; types are explicit; times are in milliseconds. Integers are written as plain
JSON numbers and may need all of signed 64 bit: a reader that takes them for binary64 loses the last digits beyond
2^53. Other writers may write a constant of type Float without a fraction, so its `type` counts, not its form.

This module adds to the tree of the program (`core`): tags, and values that are computed for other engines.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, cast

from parte.semantics.events.bounds import Bounds, Name, Natural
from parte.semantics.events.codec import Codec, FormatError, Json, Tagged
from parte.semantics.events.event import NEGATIVE_INFINITY
from parte.semantics.events.values import describe
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.partelang.syntax.limits import MAX_PATTERNS
from parte.semantics.partelang.syntax.printer import print_program
from parte.semantics.partelang.syntax.source_form import source_of
from parte.semantics.partelang.syntax.temporal import closure, negated_bounds
from parte.semantics.source.diagnostics import ProgramError

FORMAT, VERSION = "parte-program", 1
NO_TEXT = "no text means this program"


@dataclass(frozen=True, slots=True)
class _Template:
    """A kind of events. Stratum 0: no rule emits it."""

    name: Name
    stratum: Natural
    attributes: tuple[core.Attribute, ...]


@dataclass(frozen=True, slots=True)
class _Distance:
    """lower <= subject.timestamp - reference.timestamp <= upper; sums of several lengths, which may exceed 64 bit.

    Without a lower end, which is null, the window has no beginning."""

    subject: core.Variable
    reference: core.Variable
    lower: int | None
    upper: int


@dataclass(frozen=True, slots=True)
class _Closure:
    """The consequences of all constraints of the rule together.

    For every two positive variables, and for every negated or collected variable and every positive one. Both lists are
    empty if the constraints contradict each other.
    """

    contradictory: bool
    positive: tuple[_Distance, ...]
    negated: tuple[_Distance, ...]


@dataclass(frozen=True, slots=True)
class _Rule:
    """Patterns, windows and emissions; the first pattern is positive.

    A rule with alternatives is written as its cases, one for each choice of templates, which have its name. The `case`
    lists these templates. Matches of cases are matches of the rule, and `once` is about the events of all cases.
    """

    name: Name
    stratum: Natural
    patterns: Annotated[tuple[core.Pattern, ...], Bounds(shortest=1, longest=2 * MAX_PATTERNS)]
    constraints: tuple[core.Constraint, ...]
    closure: _Closure
    emissions: tuple[core.Emission, ...]
    having: tuple[core.Expression, ...] = ()
    case: tuple[Name, ...] = ()


@dataclass(frozen=True, slots=True)
class _Program:
    """All names are resolved, all types explicit, all conversions written out. Times are in milliseconds. Integers use
    all of signed 64 bit."""

    templates: tuple[_Template, ...]
    predicates: tuple[core.Predicate, ...]
    rules: tuple[_Rule, ...]
    level: Annotated[int, Bounds(least=1, greatest=2)] = 1


_UNIONS = (
    Tagged.of("type", core.Type, ListOf="list"),
    Tagged.of(
        "expression",
        core.Expression,
        {"type": (core.Type, core.type_of)},
        AttributeOf="attribute",
        TimestampOf="timestamp",
        ListExpression="list",
    ),
    Tagged.of("timestampExpression", core.TimestampExpression, TimestampOf="timestamp"),
)


_SPARSE: Mapping[type, Collection[str]] = {
    kind: ["optional"] for kind in (core.Attribute, core.AttributeOf, core.Assignment)
}
"""Members of level 2, which are left out if they have the value that they have at level 1."""


def _constant(value: int | float | str | bool, type: core.Scalar) -> core.Constant:
    kind = {core.Scalar.INTEGER: int, core.Scalar.STRING: str, core.Scalar.BOOLEAN: bool}.get(type, float)
    number = float(value) if kind is float and isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(number, kind) or isinstance(number, bool) is not (kind is bool):
        raise ValueError(f"expected a value of type {type.value}, found {describe(value)}")
    return core.Constant(number, type)


CODEC: Codec[_Program] = Codec(
    _Program,
    *_UNIONS,
    first={core.Constraint: ["negated"]},
    constructors={core.Constant: _constant},
    sparse={
        _Program: ["level"],
        _Rule: ["having", "case"],
        core.Pattern: ["collected", "selects"],
        core.Emission: ["once"],
        **_SPARSE,
    },
    header=(FORMAT, VERSION),
)
schema = partial(CODEC.schema, "https://parte.example/schemas/program-1.json", "An elaborated PARTElang program")
expression_to_json = Codec[core.Expression](core.Expression, *_UNIONS, sparse=_SPARSE).encode
timestamp_to_json = Codec[core.TimestampExpression](core.TimestampExpression, *_UNIONS).encode


def program_to_json(program: core.Program) -> dict[str, Json]:
    """Return the program as a tree that the standard `json` module can write."""
    strata = dict(program.strata)
    templates = tuple(_Template(item.name, strata[item.name], item.attributes) for item in program.templates)
    rules = tuple(_rule(rule, program.stratum(rule)) for rule in program.rules)
    return cast(dict[str, Json], CODEC.encode(_Program(templates, program.predicates, rules, program.level)))


def program_from_json(data: object) -> core.Program:
    """Return the program from `program_to_json`, without spans, warnings and source. Raise FormatError if invalid.

    Strata and closures, which follow from the rest, must be the right ones.
    """
    form = CODEC.decode(data)
    program = core.Program(
        tuple(core.Template(item.name, item.attributes) for item in form.templates),
        form.predicates,
        tuple(
            core.Rule(
                core.name_of_case(item.name, item.case), item.patterns, item.constraints, item.emissions, item.having
            )
            for item in form.rules
        ),
        tuple((item.name, item.stratum) for item in form.templates),
        form.level,
    )
    plain = replace(program, rules=tuple(map(core.with_plain_variables, program.rules)))
    try:
        meant = parse(print_program(source_of(plain)))
    except ProgramError as error:
        first = error.diagnostics[0]
        raise FormatError(f"{NO_TEXT}: {first.code}: {first.message}") from None
    except RecursionError:
        raise FormatError("it nests too deeply") from None
    dotted = any("." in pattern.variable for rule in program.rules for pattern in rule.patterns)
    if meant != plain or CODEC.encode(form) != program_to_json(program) or (dotted and program.level == 1):
        raise FormatError(
            f"{NO_TEXT}: a name, a type, a conversion, a stratum or a closure is not what follows from the rest"
        )
    return program


def _rule(rule: core.Rule, stratum: int) -> _Rule:
    return _Rule(
        rule.reported,
        stratum,
        rule.patterns,
        rule.constraints,
        _closure(rule),
        rule.emissions,
        rule.having,
        rule.case,
    )


def _closure(rule: core.Rule) -> _Closure:
    distances = closure([pattern.variable for pattern in rule.positive], rule.constraints)
    if distances.contradictory:
        return _Closure(True, (), ())
    positive = [
        _Distance(subject, reference, *bounds)
        for number, reference in enumerate(distances.variables)
        for subject in distances.variables[number + 1 :]
        if (bounds := distances.between(subject, reference)) is not None
    ]
    negated = [
        _Distance(pattern.variable, reference, None if lower == NEGATIVE_INFINITY else lower, upper)
        for pattern in rule.patterns
        if not pattern.positive
        for reference, (lower, upper) in negated_bounds(distances, pattern.variable, rule.constraints).items()
    ]
    return _Closure(False, tuple(positive), tuple(negated))
