"""Has a DataFrame the columns of a log, with the types that the program declares (specification: event-attributes)?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from parte.algebra.parte.relational.columns import COLUMNS, OPTIONAL, Field, fields
from parte.semantics.events.event import NO_LINE
from parte.semantics.events.problems import Problem, TraceError
from parte.semantics.events.strictjson import quoted
from parte.semantics.events.types import ListOf, Scalar, Type
from parte.semantics.events.values import type_name
from parte.semantics.parte.syntax import core

_SCALARS: Mapping[Scalar, T.DataType] = {
    Scalar.INTEGER: T.LongType(),
    Scalar.FLOAT: T.DoubleType(),
    Scalar.STRING: T.StringType(),
    Scalar.BOOLEAN: T.BooleanType(),
}
_WHOLE = (T.ByteType, T.ShortType, T.IntegerType, T.LongType)
_SHAPE = (
    "a log has the columns id, template, timestamp (integer milliseconds), attributes (a struct with a field for each "
    "attribute, null where a template has no such attribute) and, if it likes, source"
)


def spark_type(of: Type) -> T.DataType:
    """The type of the values of a type."""
    return T.ArrayType(_SCALARS[of.element]) if isinstance(of, ListOf) else _SCALARS[of]


def check_schema(program: core.Program, log: DataFrame, name: str) -> None:
    """TraceError with every column that is missing, surplus or of the wrong type."""
    problems = [Problem(name, NO_LINE, message, hint) for message, hint in _problems(program, log)]
    if problems:
        raise TraceError(problems)


def attribute(program_fields: Mapping[tuple[str, str], Field], template: str, name: str) -> Column:
    """An attribute as it stands in the log, with the type that the program declares."""
    field = program_fields[template, name]
    return F.col("attributes").getField(field.name).cast(spark_type(field.type))


def _problems(program: core.Program, log: DataFrame) -> Iterator[tuple[str, str]]:
    found = {field.name: field.dataType for field in log.schema.fields}
    declared = {field.name: field.type for field in fields(program).values()}
    if len(found) < len(log.columns):
        yield f"two columns have the same name: {', '.join(log.columns)}", "give every column a name of its own"
        return
    for name in found:
        if name not in COLUMNS:
            near = get_close_matches(name, COLUMNS, 1)
            hint = f"did you mean {near[0]}?" if near else f"leave it out: {_SHAPE}"
            yield f"the column {quoted(name)} is not one of a log", hint
    for name in COLUMNS:
        if name not in found:
            if name not in OPTIONAL and (name != "attributes" or declared):
                yield f"the column {quoted(name)} is missing", _SHAPE
        elif name == "attributes":
            yield from _attribute_problems(declared, found[name])
        elif name == "timestamp":
            if not isinstance(found[name], _WHOLE):
                hint = "timestamps are integer milliseconds: convert them, with unix_millis for example"
                yield f"the column timestamp: expected BIGINT, found {_shown(found[name])}", hint
        elif not _is_text(found[name]):
            yield f"the column {name}: expected STRING, found {_shown(found[name])}", _SHAPE


def _attribute_problems(declared: Mapping[str, Type], found: T.DataType) -> Iterator[tuple[str, str]]:
    if not isinstance(found, T.StructType):
        yield f"the column attributes: expected STRUCT, found {_shown(found)}", _SHAPE
        return
    given = {field.name: field.dataType for field in found.fields}
    for name in given:
        if name not in declared:
            near = get_close_matches(name, declared, 1)
            hint = f"did you mean {near[0]}?" if near else "leave the field out, or declare the attribute"
            yield f"attributes.{name}: no template of the program has such an attribute", hint
    for name, of in declared.items():
        if name not in given:
            yield f"attributes.{name}: the field is missing", f"the program declares it as {type_name(of)}"
        elif not _fits(of, given[name]):
            message = f"attributes.{name}: expected {_shown(spark_type(of))}, found {_shown(given[name])}"
            yield message, f"the program declares it as {type_name(of)}"


def _fits(of: Type, found: T.DataType) -> bool:
    if isinstance(of, ListOf):
        return isinstance(found, T.ArrayType) and _fits(of.element, found.elementType)
    match of:
        case Scalar.INTEGER:
            return isinstance(found, _WHOLE)
        case Scalar.FLOAT:
            return isinstance(found, (T.FloatType, T.DoubleType, *_WHOLE))
        case Scalar.STRING:
            return _is_text(found)
        case Scalar.BOOLEAN:
            return isinstance(found, T.BooleanType)


def _is_text(found: T.DataType) -> bool:
    # Another collation would compare by other rules than by code point.
    return type(found) is T.StringType and found == T.StringType()


def _shown(of: T.DataType) -> str:
    return of.simpleString().upper() if len(of.simpleString()) < 60 else of.typeName().upper()
