"""The rules of the machine as figures, for each model, read from the code.

The conclusion shows the entry of the rule in the rulebook (kind of node, side, with or without payload) and the result
of its function. Properties of a node that never change (its condition, windows, template) are left out of its data.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Sequence
from dataclasses import replace
from types import FunctionType, ModuleType

from parte.semantics.partelang import histories, kernel
from parte.semantics.partelang.histories import PlainHistory
from parte.semantics.partelang.network import Side
from parte.semantics.partelang.repairs import MODELS, Family, Repairs, family_of
from parte.semantics.partelang.rules import collection, negation, premises
from parte.semantics.partelang.rules.notation import AUXILIARY, CONVENTIONS, STATE, VOCABULARY, network
from parte.semantics.partelang.rules.registry import RULEBOOK, EntryData, Kind, LocalRule, MachineRule, TwoInputData
from parte.semantics.partelang.suppression import OnceData
from parte.semantics.rulebook import figures
from parte.semantics.rulebook.figures import Auxiliary, Figure, grouped
from parte.semantics.rulebook.models import Model
from parte.semantics.rulebook.notation import Notation, Symbols
from parte.semantics.rulebook.reading import Definition, Premise, Reading, SourceOf, read, source

_HOISTED = {
    "joined_bounds_after": "ℓmap_prop",
    "left_bounds_after": "ℓmap_result",
    "summarized_bounds_after": "ℓmap_set",
}
"""D names the bounds that are passed on in a separate premise."""

_STATEFUL = {
    Kind.ENTRY: EntryData.__struct_fields__,
    Kind.JOIN: TwoInputData.__struct_fields__,
    Kind.NOT: TwoInputData.__struct_fields__,
    Kind.SET: TwoInputData.__struct_fields__,
    Kind.ONCE: OnceData.__struct_fields__,
}
_RUDIMENTARY_FIELDS = ("left", "right")


def figure(info: MachineRule, model: Model, source_of: SourceOf = source) -> Figure:
    """Return the figure of a rule under the repairs of a model. Unreadable if its function has an unsupported form."""
    if isinstance(info, LocalRule):
        return _local(info, stated(info, model, source_of))
    reading = _read(info.function, model, source_of)
    notation = Notation(VOCABULARY, network(model))
    conclusion = ("N →g N′, in which", *figures.changes(notation, reading))
    return Figure(tuple(figures.premises(notation, reading.premises)), conclusion)


def _read(function: object, model: Model, source_of: SourceOf) -> Reading:
    assert isinstance(function, FunctionType)
    return read(function, Repairs.of(model), CONVENTIONS, source_of)


def by_figure(info: MachineRule) -> list[tuple[list[str], Figure]]:
    """Return the different figures of a rule, each with its models."""
    return grouped(info.models, lambda name: [figure(info, MODELS[name])])


def auxiliaries(model: Model, source_of: SourceOf = source) -> tuple[Auxiliary, ...]:
    """Return the functions that the rules of a model use, directly or not (D fig. 5.4 and 5.5), in code order."""
    functions = auxiliary_functions()
    rules = [_read(info.function, model, source_of) for info in RULEBOOK.values() if info.family is family_of(model)]
    used = figures.used(rules, functions, VOCABULARY.modules, lambda function: _read(function, model, source_of))
    notation = Notation(VOCABULARY, AUXILIARY)
    drawn = [figures.auxiliary(notation, function, reading) for function, reading in used.items()]
    return tuple(item for item in drawn if item.lines != (f"= {item.head}",))  # leaves out "min is min"


def auxiliary_functions() -> list[FunctionType]:
    """Return the functions that rules may use, in the order of the code."""
    functions = [function for module in (premises, negation, collection, kernel) for function in _functions_of(module)]
    functions[-1:-1] = _HISTORY
    return functions


_HISTORY = [
    function
    for function in (PlainHistory.overlapping, PlainHistory.passed, histories._overlaps)
    if isinstance(function, FunctionType)
]
"""The functions of a history that rules call, as the plain history implements them."""


def auxiliary_reading(function: FunctionType, model: Model, source_of: SourceOf = source) -> Reading:
    """Return the reading of an auxiliary function for its figure."""
    return _read(function, model, source_of)


def _functions_of(module: ModuleType) -> list[FunctionType]:
    rules = {info.function for info in RULEBOOK.values()}
    return [
        value
        for value in vars(module).values()
        if inspect.isfunction(value) and value.__module__ == module.__name__ and value not in rules
    ]


# --- Local rules -----------------------------------------------------------------------------------------------------


def stated(info: LocalRule, model: Model, source_of: SourceOf = source) -> Reading:
    """Return the reading of a rule of →l for its figure: a premise for each line above the line, and one result."""
    reading = _read(info.function, model, source_of)
    ((_, result),) = reading.results
    hoisted: list[Premise] = []
    for name, symbol in _HOISTED.items():
        calls = _calls(result, name)
        hoisted += [Definition(ast.Name(symbol), call) for call in calls.values()]
        result = _Named(dict.fromkeys(calls, symbol)).visit(result)
    return replace(reading, premises=(*reading.premises, *hoisted), results=((None, result),))


def _local(info: LocalRule, reading: Reading) -> Figure:
    notation = Notation(VOCABULARY, {**STATE, **_payload(info), **{symbol: symbol for symbol in _HOISTED.values()}})
    for premise in reading.premises:
        match premise:
            case Definition(
                ast.Name(id=symbol), ast.Call(func=ast.Name(id=name), args=[_, ast.Call(args=state)]) as call
            ):
                if symbol == _HOISTED.get(name):
                    text = f"{notation.of(ast.Name(name))}({', '.join(map(notation.of, state))})"
                    notation = notation.with_symbols({ast.unparse(call): text})
    ((_, result),) = reading.results
    assert isinstance(result, ast.Call)
    data, tokens = result.args[:2]
    before = f"⟨{_data(info, notation, None)}, {info.side.value}, {_token(info)}⟩"
    after = f"→l ⟨{_data(info, notation, data)}, {notation.of(tokens)}⟩"
    return Figure(tuple(figures.premises(notation, reading.premises)), (before, after))


class _Named(ast.NodeTransformer):
    """Replaces calls by names, by the source of the calls."""

    def __init__(self, names: Symbols) -> None:
        self.names = names

    def visit_Call(self, node: ast.Call) -> ast.expr:
        name = self.names.get(ast.unparse(node))
        if name is not None:
            return ast.Name(name)
        self.generic_visit(node)
        return node


def _calls(within: ast.expr, name: str) -> dict[str, ast.Call]:
    """Return the calls of a function with a site and the state after the step, by their source."""
    calls = {}
    for node in ast.walk(within):
        match node:
            case ast.Call(func=ast.Name(id=called), args=[_, ast.Call()]) if called == name:
                calls[ast.unparse(node)] = node
    return calls


def _payload(info: LocalRule) -> Symbols:
    """Return the names of the payload of the rule's tokens, which depend on their origin."""
    if info.payload is False:
        return {"token.payload": "⊥"}
    if info.kind in (Kind.ENTRY, Kind.ALPHA):
        return {"token.payload": "e", "(token.payload,)": "e"}
    if info.kind in (Kind.PRODUCTION, Kind.ONCE):
        return {"token.payload": "pm", "event": "e′", "bound": "ℓ"}
    return {"token.payload": "eₜ" if info.side is Side.RIGHT else "pmₜ"}


def _token(info: LocalRule) -> str:
    rudimentary = info.family is Family.RUDIMENTARY
    payload = "_" if info.payload is None else _payload(info)["token.payload"]
    if info.kind in (Kind.ENTRY, Kind.ALPHA):
        return f"𝒯α⟨{payload}⟩" if rudimentary else f"𝒯α⟨ιₛ, ℓ, {payload}⟩"
    if rudimentary:
        return f"𝒯β⟨{payload}⟩"
    return f"𝒯β⟨{'ℓₜ' if info.side is Side.RIGHT else 'ℓmapₜ'}, {payload}⟩"


def _data(info: LocalRule, notation: Notation, after: ast.expr | None) -> str:
    fields: Sequence[str] = _STATEFUL.get(info.kind, ())
    if info.family is Family.RUDIMENTARY and fields:
        fields = _RUDIMENTARY_FIELDS
    values = {name: STATE[f"data.{name}"] for name in fields}
    match after:
        case ast.Call(func=ast.Attribute(attr="_replace"), keywords=keywords):
            values |= {str(keyword.arg): notation.of(keyword.value) for keyword in keywords}
        case ast.Call(args=arguments):
            values = {name: notation.of(value) for name, value in zip(fields, arguments, strict=True)}
    return f"𝒟{info.kind.value}⟨{', '.join(values.values())}⟩"
