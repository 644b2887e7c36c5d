"""The elaborated program as JSON, for engines that do not read PARTElang (SPEC §7; `program.schema.json`).

Every node of an expression has a `kind`; types are explicit; times are in milliseconds. Integers are written as plain
JSON numbers and may need all of signed 64 bit: a reader that takes them for binary64 loses the last digits beyond
2^53. A constant of type Float may be written without a fraction by other writers, so its `type` counts, not its looks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from semantics.syntax import core
from semantics.syntax.temporal import closure, negated_bounds

FORMAT = "parte-program"
VERSION = 1

Json = dict[str, "Json"] | list["Json"] | str | int | float | bool | None


def program_to_json(program: core.Program) -> dict[str, Json]:
    """The program as a tree that the standard `json` module can write."""
    strata = dict(program.strata)
    return {
        "format": FORMAT,
        "version": VERSION,
        "templates": [_template(template, strata[template.name]) for template in program.templates],
        "predicates": [
            {"name": predicate.name, "parameters": [parameter.value for parameter in predicate.parameters]}
            for predicate in program.predicates
        ],
        "rules": [_rule(rule, strata) for rule in program.rules],
    }


def _template(template: core.Template, stratum: int) -> Json:
    attributes: list[Json] = [{"name": item.name, "type": _type(item.type)} for item in template.attributes]
    return {"name": template.name, "stratum": stratum, "attributes": attributes}


def _type(type_: core.Type) -> Json:
    if isinstance(type_, core.Scalar):
        return {"kind": "scalar", "name": type_.value}
    return {"kind": "list", "element": type_.element.value, "capacity": type_.capacity}


def _rule(rule: core.Rule, strata: Mapping[str, int]) -> Json:
    distances = closure([pattern.variable for pattern in rule.positive], rule.constraints)
    positive, negative = list[Json](), list[Json]()
    if not distances.contradictory:
        for number, reference in enumerate(distances.variables):
            for subject in distances.variables[number + 1 :]:
                if (bounds := distances.between(subject, reference)) is not None:
                    positive.append(_distance(subject, reference, bounds))
        for pattern in rule.patterns:
            if pattern.negated:
                for reference, bounds in negated_bounds(distances, pattern.variable, rule.constraints).items():
                    negative.append(_distance(pattern.variable, reference, bounds))
    return {
        "name": rule.name,
        "stratum": max((strata[pattern.template] for pattern in rule.patterns), default=0),
        "patterns": [
            {
                "variable": pattern.variable,
                "template": pattern.template,
                "negated": pattern.negated,
                "conditions": [expression_to_json(condition) for condition in pattern.conditions],
            }
            for pattern in rule.patterns
        ],
        "constraints": [
            {
                "negated": constraint.negated,
                "subject": constraint.subject,
                "reference": constraint.reference,
                "lower": constraint.lower,
                "upper": constraint.upper,
            }
            for constraint in rule.constraints
        ],
        "closure": {"contradictory": distances.contradictory, "positive": positive, "negated": negative},
        "emissions": [
            {
                "template": emission.template,
                "at": timestamp_to_json(emission.at),
                "assignments": [
                    {"attribute": item.attribute, "value": expression_to_json(item.value)}
                    for item in emission.assignments
                ],
            }
            for emission in rule.emissions
        ],
    }


def _distance(subject: str, reference: str, bounds: tuple[int, int]) -> Json:
    return {"subject": subject, "reference": reference, "lower": bounds[0], "upper": bounds[1]}


def expression_to_json(expression: core.Expression) -> Json:
    """An expression; each node says its `kind` and its `type`."""
    type_ = _type(core.type_of(expression))
    match expression:
        case core.Constant(value=value):
            return {"kind": "constant", "type": type_, "value": value}
        case core.AttributeOf(variable=variable, attribute=attribute):
            return {"kind": "attribute", "type": type_, "variable": variable, "attribute": attribute}
        case core.TimestampOf(variable=variable):
            return {"kind": "timestamp", "type": type_, "variable": variable}
        case core.ToFloat(operand=operand):
            return {"kind": "to-float", "type": type_, "operand": expression_to_json(operand)}
        case core.Negation(operand=operand):
            return {"kind": "negation", "type": type_, "operand": expression_to_json(operand)}
        case core.Arithmetic(operator=operator, left=left, right=right):
            return _binary("arithmetic", type_, operator, left, right)
        case core.Comparison(operator=operator, left=left, right=right):
            return _binary("comparison", type_, operator, left, right)
        case core.PredicateCall(predicate=name, arguments=arguments):
            return {"kind": "predicate-call", "type": type_, "predicate": name, "arguments": _all(arguments)}
        case core.FunctionCall(function=name, arguments=arguments):
            return {"kind": "function-call", "type": type_, "function": name, "arguments": _all(arguments)}
        case core.ListExpression(items=items):
            return {"kind": "list", "type": type_, "items": _all(items)}


def _binary(kind: str, type_: Json, operator: str, left: core.Expression, right: core.Expression) -> Json:
    parts: dict[str, Json] = {"kind": kind, "type": type_, "operator": operator}
    return parts | {"left": expression_to_json(left), "right": expression_to_json(right)}


def _all(expressions: Sequence[core.Expression]) -> list[Json]:
    return [expression_to_json(expression) for expression in expressions]


def timestamp_to_json(expression: core.TimestampExpression) -> Json:
    """A timestamp expression, as it stands after `at`."""
    match expression:
        case core.TimestampOf(variable=variable):
            return {"kind": "timestamp", "variable": variable}
        case core.Shift(operand=operand, milliseconds=milliseconds):
            return {"kind": "shift", "operand": timestamp_to_json(operand), "milliseconds": milliseconds}
        case core.Combination(function=function, operands=operands):
            parts: list[Json] = [timestamp_to_json(operand) for operand in operands]
            return {"kind": "combination", "function": function, "operands": parts}
