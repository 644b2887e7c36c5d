"""The elaborated program from JSON (`json_form.py`); the text it came from is not part of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from semantics.syntax import core
from semantics.syntax.json_form import FORMAT, VERSION, Json

T = TypeVar("T")


class FormatError(ValueError):
    """The JSON is no program in this format and version."""


def program_from_json(data: Mapping[str, Json]) -> core.Program:
    """The program that `program_to_json` wrote, without spans, warnings and source. FormatError if it is none.

    The shape is checked here, not the meaning: names are not resolved and types not checked again.
    """
    try:
        if data["format"] != FORMAT or data["version"] != VERSION:
            raise FormatError(f"expected {FORMAT} version {VERSION}")
        templates = _list(data["templates"])
        return core.Program(
            tuple(_template(item) for item in templates),
            tuple(_predicate(item) for item in _list(data["predicates"])),
            tuple(_rule(item) for item in _list(data["rules"])),
            tuple((_text(_object(item)["name"]), _integer(_object(item)["stratum"])) for item in templates),
        )
    except KeyError as error:
        raise FormatError(f"{error} is missing") from error
    except RecursionError as error:
        raise FormatError("an expression is nested too deeply") from error


def _object(data: Json) -> Mapping[str, Json]:
    return _checked(data, dict)


def _list(data: Json) -> Sequence[Json]:
    return _checked(data, list)


def _text(data: Json) -> str:
    return _checked(data, str)


def _integer(data: Json) -> int:
    return _checked(data, int)


def _flag(data: Json) -> bool:
    return _checked(data, bool)


def _checked(data: Json, expected: type[T]) -> T:
    if type(data) is not expected:
        raise FormatError(f"expected {expected.__name__}, found {type(data).__name__}")
    return data


def _scalar(data: Json) -> core.Scalar:
    try:
        return core.Scalar(data)
    except ValueError as error:
        raise FormatError(f"{data!r} is no scalar type") from error


def _type(data: Json) -> core.Type:
    item = _object(data)
    if item["kind"] == "scalar":
        return _scalar(item["name"])
    return core.ListOf(_scalar(item["element"]), _integer(item["capacity"]))


def _scalar_type(data: Json) -> core.Scalar:
    return _scalar(_object(data)["name"])


def _template(data: Json) -> core.Template:
    item = _object(data)
    attributes = (_object(attribute) for attribute in _list(item["attributes"]))
    return core.Template(
        _text(item["name"]), tuple(core.Attribute(_text(part["name"]), _type(part["type"])) for part in attributes)
    )


def _predicate(data: Json) -> core.Predicate:
    item = _object(data)
    return core.Predicate(_text(item["name"]), tuple(_scalar(part) for part in _list(item["parameters"])))


def _rule(data: Json) -> core.Rule:
    item = _object(data)
    return core.Rule(
        _text(item["name"]),
        tuple(_pattern(_object(part)) for part in _list(item["patterns"])),
        tuple(_constraint(_object(part)) for part in _list(item["constraints"])),
        tuple(_emission(_object(part)) for part in _list(item["emissions"])),
    )


def _pattern(item: Mapping[str, Json]) -> core.Pattern:
    return core.Pattern(
        _text(item["variable"]), _text(item["template"]), _flag(item["negated"]), _expressions(item["conditions"])
    )


def _constraint(item: Mapping[str, Json]) -> core.Constraint:
    return core.Constraint(
        _text(item["subject"]),
        _text(item["reference"]),
        _integer(item["lower"]),
        _integer(item["upper"]),
        _flag(item["negated"]),
    )


def _emission(item: Mapping[str, Json]) -> core.Emission:
    assignments = (_object(part) for part in _list(item["assignments"]))
    return core.Emission(
        _text(item["template"]),
        _timestamp(item["at"]),
        tuple(core.Assignment(_text(part["attribute"]), _expression(part["value"])) for part in assignments),
    )


def _timestamp(data: Json) -> core.TimestampExpression:
    item = _object(data)
    match item["kind"]:
        case "timestamp":
            return core.TimestampOf(_text(item["variable"]))
        case "shift":
            return core.Shift(_timestamp(item["operand"]), _integer(item["milliseconds"]))
        case "combination":
            operands = tuple(_timestamp(part) for part in _list(item["operands"]))
            return core.Combination(_text(item["function"]), operands)
        case kind:
            raise FormatError(f"{kind!r} is no kind of timestamp expression")


def _expressions(data: Json) -> tuple[core.Expression, ...]:
    return tuple(_expression(part) for part in _list(data))


def _expression(data: Json) -> core.Expression:
    item = _object(data)
    reader = _KINDS.get(_text(item["kind"]))
    if reader is None:
        raise FormatError(f"{item['kind']!r} is no kind of expression")
    return reader(item)


def _constant(item: Mapping[str, Json]) -> core.Expression:
    type_, value = _scalar_type(item["type"]), item["value"]
    match type_:
        case core.Scalar.INTEGER:
            return core.Constant(_integer(value), type_)
        case core.Scalar.FLOAT:
            return core.Constant(float(_integer(value)) if type(value) is int else _checked(value, float), type_)
        case core.Scalar.STRING:
            return core.Constant(_text(value), type_)
        case core.Scalar.BOOLEAN:
            return core.Constant(_flag(value), type_)


def _list_type(data: Json) -> core.ListOf:
    type_ = _type(data)
    if isinstance(type_, core.Scalar):
        raise FormatError("a list has a list type")
    return type_


_KINDS: dict[str, Callable[[Mapping[str, Json]], core.Expression]] = {
    "constant": _constant,
    "attribute": lambda item: core.AttributeOf(_text(item["variable"]), _text(item["attribute"]), _type(item["type"])),
    "timestamp": lambda item: core.TimestampOf(_text(item["variable"])),
    "to-float": lambda item: core.ToFloat(_expression(item["operand"])),
    "negation": lambda item: core.Negation(_expression(item["operand"]), _scalar_type(item["type"])),
    "arithmetic": lambda item: core.Arithmetic(
        _text(item["operator"]), _expression(item["left"]), _expression(item["right"]), _scalar_type(item["type"])
    ),
    "comparison": lambda item: core.Comparison(
        _text(item["operator"]), _expression(item["left"]), _expression(item["right"])
    ),
    "predicate-call": lambda item: core.PredicateCall(_text(item["predicate"]), _expressions(item["arguments"])),
    "function-call": lambda item: core.FunctionCall(
        _text(item["function"]), _expressions(item["arguments"]), _scalar_type(item["type"])
    ),
    "list": lambda item: core.ListExpression(_expressions(item["items"]), _list_type(item["type"])),
}
