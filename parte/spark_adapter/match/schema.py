"""Check that a DataFrame has the columns of a log, with the types that the program declares
(specification: event-attributes)."""

from __future__ import annotations

from collections.abc import Mapping, Set
from functools import partial

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from parte.algebra.partelang.relational.columns import Field, fields, synonyms
from parte.semantics.events.types import ListOf, Scalar, Type
from parte.semantics.events.values import type_name
from parte.semantics.partelang.syntax import core
from parte.spark_adapter.columns import SHAPE, WHOLE, Found, check_columns, is_text, type_text

_SCALARS: Mapping[Scalar, T.DataType] = {
    Scalar.INTEGER: T.LongType(),
    Scalar.FLOAT: T.DoubleType(),
    Scalar.STRING: T.StringType(),
    Scalar.BOOLEAN: T.BooleanType(),
}


def spark_type(of: Type) -> T.DataType:
    """Return the Spark type of the values of a type."""
    return T.ArrayType(_SCALARS[of.element]) if isinstance(of, ListOf) else _SCALARS[of]


def check_schema(program: core.Program, log: DataFrame, name: str) -> None:
    """Raise TraceError with every column that is missing, surplus or of the wrong type."""
    declared = {field.name: field.type for field in fields(program).values()}
    needed = _needed(program)
    check_columns(log, name, partial(_attribute_problems, declared, needed), needed=bool(needed))


def of_program(program: core.Program, log: DataFrame) -> DataFrame:
    """Return the rows of a log whose template the program declares, or is null, with the fields of the program: a log
    of more or fewer templates may call them by synonyms."""
    if dict(log.dtypes).get("template") != "string":
        return log
    template = F.col("template")
    log = log.where(template.isNull() | template.isin([declared.name for declared in program.templates]))
    struct = log.schema["attributes"].dataType if "attributes" in log.columns else None
    if not isinstance(struct, T.StructType):
        return log
    present, attributes = set(struct.names), F.col("attributes")
    renamed: dict[str, list[Column]] = {}
    for (owner, attribute_name), field in fields(program).items():
        synonym = next((name for name in synonyms(owner, attribute_name) if name in present), None)
        if field.name not in present and synonym is not None:
            value = F.col("attributes").getField(synonym)
            renamed.setdefault(field.name, []).append(F.when(template == owner, value))
            attributes = attributes.withField(f"`{synonym}`", F.when(~template.eqNullSafe(owner), value))
    for name, values in renamed.items():
        attributes = attributes.withField(f"`{name}`", F.coalesce(*values))
    return log.withColumn("attributes", attributes) if renamed else log


def completed(program: core.Program, log: DataFrame) -> DataFrame:
    """Return a log that `check_schema` accepts with the fields of optional attributes that it lacks, which are null."""
    types = {field.name: spark_type(field.type) for field in fields(program).values()}
    if "attributes" not in log.columns:
        if not types:
            return log
        nothing = T.StructType([T.StructField(name, of) for name, of in types.items()])
        return log.withColumn("attributes", F.lit(None).cast(nothing))
    actual = log.schema["attributes"].dataType
    assert isinstance(actual, T.StructType)
    attributes, lacking = F.col("attributes"), [name for name in types if name not in actual.names]
    for name in lacking:
        attributes = attributes.withField(f"`{name}`", F.lit(None).cast(types[name]))
    return log.withColumn("attributes", attributes) if lacking else log


def _needed(program: core.Program) -> Set[str]:
    """Return the fields that a log must have: those of attributes that are not optional in some template."""
    optional = {(t.name, slot.name) for t in program.templates for slot in t.attributes if slot.optional}
    return {field.name for place, field in fields(program).items() if place not in optional}


def attribute(program_fields: Mapping[tuple[str, str], Field], template: str, name: str) -> Column:
    """Return an attribute of the log, with the type that the program declares."""
    field = program_fields[template, name]
    return F.col("attributes").getField(field.name).cast(spark_type(field.type))


def _attribute_problems(declared: Mapping[str, Type], needed: Set[str], actual: T.DataType) -> Found:
    if not isinstance(actual, T.StructType):
        yield f"the column attributes: expected STRUCT, found {type_text(actual)}", SHAPE
        return
    types = {field.name: field.dataType for field in actual.fields}
    for name, of in declared.items():
        if name not in types:
            if name not in needed:
                continue
            yield f"attributes.{name}: the field is missing", f"the program declares it as {type_name(of)}"
        elif not _fits(of, types[name]):
            message = f"attributes.{name}: expected {type_text(spark_type(of))}, found {type_text(types[name])}"
            yield message, f"the program declares it as {type_name(of)}"


def _fits(of: Type, actual: T.DataType) -> bool:
    if isinstance(of, ListOf):
        return isinstance(actual, T.ArrayType) and _fits(of.element, actual.elementType)
    match of:
        case Scalar.INTEGER:
            return isinstance(actual, WHOLE)
        case Scalar.FLOAT:
            return isinstance(actual, (T.FloatType, T.DoubleType, *WHOLE))
        case Scalar.STRING:
            return is_text(actual)
        case Scalar.BOOLEAN:
            return isinstance(actual, T.BooleanType)
