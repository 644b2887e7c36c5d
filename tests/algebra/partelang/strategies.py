"""Small programs and traces for the tests of the algebra: two strata, negation, values at the edges of their types.

Times and values are few, so that ties, equal contents and matches are frequent.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from hypothesis import strategies as st

from parte.semantics.events.domain import DomainTable, Predicates
from parte.semantics.events.event import Event, Value
from parte.semantics.events.types import Scalar
from parte.semantics.events.values import ScalarValue
from parte.semantics.partelang.syntax import core

ATTRIBUTES = {
    "i": Scalar.INTEGER,
    "f": Scalar.FLOAT,
    "s": Scalar.STRING,
    "b": Scalar.BOOLEAN,
    "o": Scalar.INTEGER,
    "p": Scalar.STRING,
}
OPTIONAL = ("o", "p")
TEMPLATES = tuple(
    core.Template(name, tuple(core.Attribute(own, of, own in OPTIONAL) for own, of in ATTRIBUTES.items()))
    for name in "TURS"
)
STRATA = (("T", 0), ("U", 0), ("R", 1), ("S", 2))
PREDICATES = (
    core.Predicate("near", (Scalar.INTEGER, Scalar.INTEGER)),
    core.Predicate("negative_zero", (Scalar.FLOAT,)),
    core.Predicate("empty_or", (Scalar.STRING, Scalar.BOOLEAN)),
)
DOMAIN: Predicates = {
    "near": lambda left, right: abs(left - right) <= 1,
    "negative_zero": lambda number: str(number) == "-0.0",
    "empty_or": lambda text, flag: not text or flag,
}

VALUES: dict[Scalar, st.SearchStrategy[Value]] = {
    Scalar.INTEGER: st.sampled_from([0, 0, 1, 1, 1, -1, 2, 2**63 - 1, -(2**63), 2**53, 2**53 + 1]),
    Scalar.FLOAT: st.sampled_from([0.0, -0.0, 1.0, 1.0, 1.0, 1.5, -2.0, 2.0**53, 1.7e308, -1.7e308, 5e-324]),
    Scalar.STRING: st.sampled_from(["", "a", "a", "a", "b", "\uffff", "\U00010000"]),
    Scalar.BOOLEAN: st.booleans(),
}
VARIABLES = ("x", "y", "z")


def events(templates: str = "TTU", most: int = 7) -> st.SearchStrategy[list[Event]]:
    """A trace: distinct ids, everything else free to coincide; optional attributes may be missing."""
    values = {name: VALUES[type_] for name, type_ in ATTRIBUTES.items()}
    optional = {name: values.pop(name) for name in OPTIONAL}
    contents = st.fixed_dictionaries(values, optional=optional)
    event = st.tuples(st.sampled_from(templates), st.integers(0, 8), contents)
    sizes = st.sampled_from([0, 1, *range(2, most + 1), most, most, most])
    return sizes.flatmap(lambda size: st.lists(event, min_size=size, max_size=size)).map(
        lambda drawn: [Event(f"e{number}", *parts) for number, parts in enumerate(drawn, start=1)]
    )


def attribute_of(variable: str, name: str) -> core.AttributeOf:
    """`variable.name`."""
    return core.AttributeOf(variable, name, ATTRIBUTES[name], name in OPTIONAL)


@st.composite
def expressions(
    draw: st.DrawFn, of: Scalar, variables: Sequence[str], depth: int = 2, temporal: bool = False
) -> core.Expression:
    """A well-typed expression; with `temporal` it may hold `v.timestamp`."""

    def operand(type_: Scalar) -> core.Expression:
        return draw(expressions(type_, variables, depth - 1, temporal))

    def several(type_: Scalar) -> tuple[core.Expression, ...]:
        return tuple(operand(type_) for _ in range(draw(st.integers(1, 3))))

    choice = draw(st.sampled_from(["attribute", "attribute", "constant", "operator", "function", "other"]))
    if choice == "attribute" or (depth <= 0 and choice != "constant"):
        names = [name for name, type_ in ATTRIBUTES.items() if type_ is of]
        return attribute_of(draw(st.sampled_from(variables)), draw(st.sampled_from(names)))
    if choice == "constant" or of is Scalar.STRING:
        value = draw(VALUES[of])
        assert not isinstance(value, tuple)
        return core.Constant(value, of)
    if of is Scalar.BOOLEAN:
        condition: core.Expression = draw(conditions(variables, depth - 1))
        return condition
    if choice == "operator":
        operator = draw(st.sampled_from("+-*" if of is Scalar.INTEGER else "+-*/"))
        return core.Arithmetic(operator, operand(of), operand(of), of)
    if choice == "function":
        name = draw(st.sampled_from(["min", "max", "sum", "abs"] if of is Scalar.INTEGER else ["min", "max", "avg"]))
        return core.FunctionCall(name, (operand(of),) if name == "abs" else several(of), of)
    if of is Scalar.FLOAT and draw(st.booleans()):
        return core.ToFloat(operand(Scalar.INTEGER))
    if temporal and of is Scalar.INTEGER:
        return core.TimestampOf(draw(st.sampled_from(variables)))
    return core.Negation(operand(of), of)


@st.composite
def conditions(draw: st.DrawFn, variables: Sequence[str], depth: int = 1) -> core.Expression:
    """A comparison or a predicate over some of the variables, whether a value is there, or conditions that are joined
    or negated."""
    kind = draw(st.integers(0, 7))
    if kind == 7:
        of = draw(st.sampled_from(list(Scalar)))
        return core.Presence(draw(expressions(of, variables, depth)), draw(st.booleans()))
    if kind == 6 and depth > 0:
        part = conditions(variables, depth - 1)
        connective = draw(st.sampled_from(["and", "or", "not"]))
        if connective == "not":
            return core.Not(draw(part))
        return core.Compound(connective, tuple(draw(st.lists(part, min_size=2, max_size=3))))
    if kind == 5:
        predicate = draw(st.sampled_from(PREDICATES))
        arguments = tuple(draw(expressions(type_, variables, depth)) for type_ in predicate.parameters)
        return core.PredicateCall(predicate.name, arguments)
    of = draw(st.sampled_from(list(Scalar)))
    operator = draw(st.sampled_from(["=", "!="] if of is Scalar.BOOLEAN else ["=", "!=", "<", "<=", ">", ">="]))
    return core.Comparison(operator, draw(expressions(of, variables, depth)), draw(expressions(of, variables, depth)))


def equalities(variable: str, others: Sequence[str]) -> st.SearchStrategy[core.Expression]:
    """The usual join: one attribute equal to that of an earlier event."""
    return st.builds(
        lambda partner, name: core.Comparison("=", attribute_of(variable, name), attribute_of(partner, name)),
        st.sampled_from(others),
        st.sampled_from(list(ATTRIBUTES)),
    )


def timestamps(variables: Sequence[str]) -> st.SearchStrategy[core.TimestampExpression]:
    """What `at` may hold, now and then out of range."""
    leaves: st.SearchStrategy[core.TimestampExpression] = st.sampled_from(variables).map(core.TimestampOf)
    shifts = st.sampled_from([*range(-3, 4), 2**63 - 1, -(2**63)])
    return st.recursive(
        leaves,
        lambda inner: (
            st.builds(core.Shift, inner, shifts)
            | st.builds(
                core.Combination,
                st.sampled_from(["min", "max", "avg"]),
                st.lists(inner, min_size=1, max_size=3).map(tuple),
            )
        ),
        max_leaves=4,
    )


@st.composite
def rules(draw: st.DrawFn, name: str, templates: str, emitted: str) -> core.Rule:
    """A rule of one to three positive patterns, negated ones anywhere after the first, and up to two emissions.

    A negated variable may be called like a positive one that comes later, as their scopes are apart.
    """
    kinds = draw(st.sampled_from(["+", "++", "+-", "++-", "+-+", "+++", "+-+-", "++-+"]))
    patterns: list[core.Pattern] = []
    constraints: list[core.Constraint] = []
    bound: list[str] = []
    for number, kind in enumerate(kinds):
        negated = kind == "-"
        variable = draw(st.sampled_from([f"n{number}", VARIABLES[-1]])) if negated else VARIABLES[len(bound)]
        if any(pattern.variable == variable and pattern.negated for pattern in patterns):
            variable = f"n{number}"
        if variable in bound:
            variable = f"n{number}"
        demands = [draw(conditions([variable, *bound]))] if draw(st.integers(0, 2)) == 0 else []
        if bound:
            demands += draw(st.lists(equalities(variable, bound), max_size=2 if negated else 1))
            references = draw(st.lists(st.sampled_from(bound), min_size=1, max_size=2, unique=True))
            for reference in references:
                lower = draw(st.integers(-4, 3))
                upper = lower + draw(st.integers(0, 7))
                ends = (variable, reference) if negated or draw(st.booleans()) else (reference, variable)
                constraints.append(core.Constraint(*ends, lower, upper, negated))
        template = draw(st.sampled_from(templates))
        patterns.append(core.Pattern(variable, template, negated, tuple(demands)))
        if not negated:
            bound.append(variable)
    emissions = tuple(draw(emission(emitted, bound)) for _ in range(draw(st.integers(0, 2))))
    return core.Rule(name, tuple(patterns), tuple(draw(st.permutations(constraints))), emissions)


@st.composite
def emission(draw: st.DrawFn, template: str, variables: Sequence[str]) -> core.Emission:
    """An emission, now and then without value."""
    assignments = tuple(
        core.Assignment(
            name, draw(expressions(type_, variables, 1 if name in "ibo" else 0, temporal=True)), name in OPTIONAL
        )
        for name, type_ in ATTRIBUTES.items()
        if name not in OPTIONAL or draw(st.integers(0, 3)) > 0
    )
    return core.Emission(template, draw(timestamps(variables)), assignments)


@st.composite
def programs(draw: st.DrawFn) -> core.Program:
    """Rules over external events, and perhaps one over what they emit."""
    drawn = [draw(rules("First", "TTU", "R"))]
    if draw(st.booleans()):
        drawn.append(draw(rules("Second", "TRR", "S")))
    if draw(st.integers(0, 3)) == 0:
        drawn.append(draw(rules("Third", "T", "R")))
    return core.Program(TEMPLATES, PREDICATES, tuple(drawn), STRATA, 2)


def tables() -> st.SearchStrategy[Predicates]:
    """Every predicate as a table, of either meaning."""

    def table(predicate: core.Predicate) -> st.SearchStrategy[DomainTable]:
        values: list[st.SearchStrategy[ScalarValue]] = [VALUES[of] for of in predicate.parameters]  # type: ignore[misc]
        return st.builds(DomainTable, st.frozensets(st.tuples(*values), max_size=5), st.booleans())

    return st.fixed_dictionaries({predicate.name: table(predicate) for predicate in PREDICATES})


# --- Rules that are alike --------------------------------------------------------------------------------------------


def varied(tree: Any, constants: random.Random) -> Any:
    """A tree with other constants, and other ends of windows."""
    match tree:
        case core.Constant(value=value, type=Scalar.INTEGER):
            return replace(tree, value=constants.choice([value, 0, 1, 2**53 + 1, 2**63 - 1, -(2**63)]))
        case core.Constant(value=value, type=Scalar.FLOAT):
            return replace(tree, value=constants.choice([value, 0.5, -0.0, 5e-324, 1e308]))
        case core.Constant(value=value, type=Scalar.STRING):
            return replace(tree, value=constants.choice([value, "", "it's \\u00e4", "it's ä", '"\\${x}\n']))
        case core.Constant(type=Scalar.BOOLEAN):
            return replace(tree, value=constants.random() < 0.5)
        case core.Constraint():
            upper = min(tree.upper + constants.choice([0, 1, 2, 2**63 - 1]), 2**63 - 1)
            return replace(tree, lower=constants.choice([tree.begins, min(tree.begins + 1, upper)]), upper=upper)
        case tuple():
            return tuple(varied(part, constants) for part in tree)
        case (
            core.Rule()
            | core.Pattern()
            | core.Emission()
            | core.Assignment()
            | core.Comparison()
            | core.Arithmetic()
            | core.PredicateCall()
            | core.FunctionCall()
        ):
            parts = {field.name: varied(getattr(tree, field.name), constants) for field in fields(tree)}
            return replace(tree, **parts)
    return tree


def with_copies(program: core.Program, seed: int) -> core.Program:
    """A program with rules that are alike: copies with other names and constants behind the rules."""
    constants = random.Random(seed)
    copies = [
        replace(varied(rule, constants), name=f"{rule.name}_{number}") for number in range(3) for rule in program.rules
    ]
    return replace(program, rules=(*program.rules, *copies))
