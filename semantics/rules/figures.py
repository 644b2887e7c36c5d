"""Inference rules as figures: premises over a line over the conclusion, for each model, read out of the code.

The conclusion says what the registry says of a rule (kind of node, side, with or without payload) and what its function
returns. What a node never changes (its condition, windows, template) is left out of its data.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import FunctionType, ModuleType

from semantics import histories, kernel
from semantics.histories import PlainHistory
from semantics.network import Side
from semantics.repairs import MODELS, Family, Model
from semantics.rules import negation, premises
from semantics.rules.notation import Notation, Symbols
from semantics.rules.reading import Definition, Implication, Premise, Reading, SourceOf, read, source
from semantics.rules.registry import EntryData, Kind, RuleInfo, TwoInputData, all_rules

_STATE: Symbols = {
    "data.bounds": "sℓmap", "bounds": "sℓmap′", "data.left_bounds": "ℓmap↘", "data.right_bound": "ℓ↙",
    "data.left": "p̅m̅", "data.right": "e̅", "left": "p̅m̅′", "right": "e̅′", "results": "p̅m̅_new",
    "expired": "p̅m̅_expired", "passed": "p̅m̅_passed", "event": "eₜ", "bound": "ℓₜ", "token.source": "ιₛ",
    "token.bound": "ℓ", "token.bounds": "ℓmapₜ", "token.payload[0]": "eₜ", "OWN_SLOT": "ιₛ",
    "token.payload.template": "ιₜₑ", "site.node.template": "ιₜₙ", "site.node.minima": "dist.min",
    "site.node.maxima": "dist.max", "(token.payload,)": "eₜ", "(token.bound,)": "ℓ",
}  # fmt: skip
_GLOBAL: Symbols = {
    "self.nodes[index]": "n", "self.nodes[index].inbox": "m̅", "self.nodes[index].outbox": "t̅",
    "self.nodes[index].data": "data", "self.nodes[index].outbox_capacity": "capacity", "token": "t",
    "outcome.data": "data′", "outcome.tokens": "t̅′", "(info, outcome)": "⟨rule, outcome⟩",
    "isinstance(outcome, Effect)": "outcome = ⟨data′, t̅′⟩", "self._fits(self.nodes[index], outcome)":
    "has-room-for(t̅, |t̅′|)", "self.nodes[index].outbox_capacity is not None": "t̅ is bounded",
    "successors": "s̅", "self.network.successors[index]": "successors(n)", "self.nodes[index].outbox[0]": "head(t̅)",
    "self.nodes[successor.node].inbox": "m̅(successor)", "self._room_at(successors)":
    "∀ successor ∈ s̅: has-room-for(m̅(successor), 1)", "self.nodes[index].site.node": "n",
}  # fmt: skip
_AUXILIARY: Symbols = {
    "history": "h", "self": "h", "self.entries": "h", "bound": "θ",
    "left_bounds": "ℓmap", "bounds": "ℓmap", "data.left_bounds": "ℓmap",
    "data.right_bound": "ℓ", "data.left": "p̅m̅", "data.right": "e̅", "data": "ℓmap, ℓ, p̅m̅, e̅", "node.minima": "dist.min",
    "node.maxima": "dist.max", "site.left_capacity": "capacity↘", "site.right_capacity": "capacity↙",
}  # fmt: skip
"""The names that figures use: of the state and the token of a node, of PROC and PROP, of auxiliary functions."""

_HOISTED = {"joined_bounds_after": "ℓmap_prop", "left_bounds_after": "ℓmap_result"}
"""D names the bounds that are passed on in a premise of their own."""

_ARROWS = {Side.LEFT: "↘", Side.RIGHT: "↙", Side.TOP: "↓"}
_STATEFUL = {Kind.ENTRY: EntryData._fields, Kind.JOIN: TwoInputData._fields, Kind.NOT: TwoInputData._fields}
_RUDIMENTARY_FIELDS = ("left", "right")


@dataclass(frozen=True, slots=True)
class Figure:
    """An inference rule: the lines over the line, and those under it."""

    premises: tuple[str, ...]
    conclusion: tuple[str, ...]

    def render(self) -> str:
        """The figure as text."""
        lines = [*self.premises, *self.conclusion]
        rule = "─" * max(map(_width, lines))
        return "\n".join([*self.premises, rule, *self.conclusion])


@dataclass(frozen=True, slots=True)
class Auxiliary:
    """A function that rules use: its head, and its cases, a line each."""

    name: str
    head: str
    lines: tuple[str, ...]


def figure(info: RuleInfo, model: Model, source_of: SourceOf = source) -> Figure:
    """The rule under the repairs of a model. Unreadable if its function has a form that cannot be shown."""
    function = info.function
    assert isinstance(function, FunctionType)
    reading = read(function, model.repairs, source_of)
    if info.kind is None:
        notation = Notation(_GLOBAL)
        return Figure(tuple(_premises(notation, reading.premises)), tuple(_changes(notation, reading)))
    return _local(info, reading)


def by_figure(info: RuleInfo) -> list[tuple[list[str], Figure]]:
    """The figures of a rule, each with the models in which it looks so."""
    found: list[tuple[list[str], Figure]] = []
    for name in info.models:
        drawn = figure(info, MODELS[name])
        same = [names for names, other in found if other == drawn]
        if same:
            same[0].append(name)
        else:
            found.append(([name], drawn))
    return found


def auxiliaries(model: Model, source_of: SourceOf = source) -> tuple[Auxiliary, ...]:
    """The functions that the rules of a model use, directly or not (D fig. 5.4 and 5.5), in the order of the code."""
    functions = [function for module in (premises, negation, kernel) for function in _functions_of(module)]
    functions[-1:-1] = _HISTORY
    readings: dict[FunctionType, Reading] = {}
    asked = [
        read(info.function, model.repairs, source_of)
        for info in all_rules()
        if info.family is model.family and isinstance(info.function, FunctionType)
    ]
    while asked:
        mentioned = _mentioned(asked.pop())
        for function in functions:
            if function.__name__ in mentioned and function not in readings:
                readings[function] = read(function, model.repairs, source_of)
                asked.append(readings[function])
    found = [_auxiliary(function, readings[function]) for function in functions if function in readings]
    return tuple(one for one in found if one.lines != (f"= {one.head}",))  # min is min


_HISTORY = [
    function
    for function in (PlainHistory.overlapping, PlainHistory.passed, histories._overlaps)
    if isinstance(function, FunctionType)
]
"""What rules ask of a history, as the plain one answers it."""


def _functions_of(module: ModuleType) -> list[FunctionType]:
    rules = {info.function for info in all_rules()}
    return [
        value
        for value in vars(module).values()
        if inspect.isfunction(value) and value.__module__ == module.__name__ and value not in rules
    ]


def _mentioned(reading: Reading) -> set[str]:
    parts: list[ast.AST] = [*reading.changes, *(value for result in reading.results for value in result if value)]
    for premise in reading.premises:
        match premise:
            case Definition(value=value):
                parts.append(value)
            case Implication(condition, guard):
                parts += [condition, guard]
            case ast.expr():
                parts.append(premise)
    nodes = [node for part in parts for node in ast.walk(part)]
    asked = {function.__name__ for function in _HISTORY}
    attributes = [node for node in nodes if isinstance(node, ast.Attribute)]
    called = {node.attr for node in attributes if node.attr in asked or ast.unparse(node.value) == "kernel"}
    return called | {node.id for node in nodes if isinstance(node, ast.Name)}


def _width(text: str) -> int:
    """Columns: the overlines are no characters of their own."""
    return sum(character != "\u0305" for character in text)


# --- Local rules -----------------------------------------------------------------------------------------------------


def _local(info: RuleInfo, reading: Reading) -> Figure:
    notation = Notation({**_STATE, **_payload(info)})
    lines = list(_premises(notation, reading.premises))
    ((_, result),) = reading.results
    assert isinstance(result, ast.Call)
    data, tokens = result.args
    for name, symbol in _HOISTED.items():
        for call, state in _calls(tokens, name).items():
            notation = Notation({**notation.symbols, call: symbol})
            arguments = [notation.of(argument) for argument in state.args]
            lines.append(f"{symbol} = {notation.of(ast.Name(name))}({', '.join(arguments)})")
    before = f"⟨{_data(info, notation, None)}, {_ARROWS[info.side or Side.TOP]}, {_token(info)}⟩"
    return Figure(tuple(lines), (before, f"→l ⟨{_data(info, notation, data)}, {notation.of(tokens)}⟩"))


def _calls(within: ast.expr, name: str) -> dict[str, ast.Call]:
    """The calls of a function of a site and the state after the step, by their source, and that state."""
    found = {}
    for node in ast.walk(within):
        match node:
            case ast.Call(func=ast.Name(id=called), args=[_, ast.Call() as state]) if called == name:
                found[ast.unparse(node)] = state
    return found


def _payload(info: RuleInfo) -> Symbols:
    """What the payload of the rule's tokens is called, which depends on where they come from."""
    if info.payload is False:
        return {"token.payload": "⊥"}
    if info.kind in (Kind.ENTRY, Kind.ALPHA):
        return {"token.payload": "e", "(token.payload,)": "e"}
    if info.kind is Kind.PRODUCTION:
        return {"token.payload": "pm", "event": "e′", "bound": "ℓ"}
    return {"token.payload": "eₜ" if info.side is Side.RIGHT else "pmₜ"}


def _token(info: RuleInfo) -> str:
    rudimentary = info.family is Family.RUDIMENTARY
    payload = "_" if info.payload is None else _payload(info)["token.payload"]
    if info.kind in (Kind.ENTRY, Kind.ALPHA):
        return f"𝒯α⟨{payload}⟩" if rudimentary else f"𝒯α⟨ιₛ, ℓ, {payload}⟩"
    if rudimentary:
        return f"𝒯β⟨{payload}⟩"
    return f"𝒯β⟨{'ℓₜ' if info.side is Side.RIGHT else 'ℓmapₜ'}, {payload}⟩"


def _data(info: RuleInfo, notation: Notation, after: ast.expr | None) -> str:
    assert info.kind is not None
    fields: Sequence[str] = _STATEFUL.get(info.kind, ())
    if info.family is Family.RUDIMENTARY and fields:
        fields = _RUDIMENTARY_FIELDS
    values = {name: _STATE[f"data.{name}"] for name in fields}
    match after:
        case ast.Call(func=ast.Attribute(attr="_replace"), keywords=keywords):
            values |= {str(keyword.arg): notation.of(keyword.value) for keyword in keywords}
        case ast.Call(args=arguments):
            values = {name: notation.of(value) for name, value in zip(fields, arguments, strict=True)}
    return f"𝒟{info.kind.value}⟨{', '.join(values.values())}⟩"


def _premises(notation: Notation, found: Sequence[Premise]) -> Iterator[str]:
    for premise in found:
        match premise:
            case Definition(ast.Tuple(elts=targets), value) if ast.unparse(ast.Tuple(targets)) not in notation.symbols:
                yield f"⟨{', '.join(map(notation.of, targets))}⟩ = {notation.of(value)}"
            case Definition(target, value):
                yield f"{notation.of(target)} = {notation.of(value)}"
            case Implication(condition, guard):
                yield f"{notation.holds(condition)} ⇒ {notation.holds(guard)}"
            case ast.expr():
                yield notation.holds(premise)


# --- Global rules ----------------------------------------------------------------------------------------------------


def _changes(notation: Notation, reading: Reading) -> Iterator[str]:
    yield "N →g N′, in which"
    for statement in reading.changes:
        yield from _change(notation, statement)


def _change(notation: Notation, statement: ast.stmt) -> Iterator[str]:
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=box, attr="pop" | "popleft"), args=slots)):
            arguments = ", ".join(map(notation.of, [box, *slots]))
            yield f"{notation.of(box)} := tail({arguments})"
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=box, attr="extend"), args=[tokens])):
            yield f"{notation.of(box)} := {notation.of(box)} ⋄ {notation.of(tokens)}"
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=box, attr="put"), args=[edge, token])):
            yield f"{notation.of(box)} := {notation.of(box)} · ⟨{notation.of(edge)}.side, {notation.of(token)}⟩"
        case ast.Assign(targets=[target], value=ast.Call(func=ast.Attribute(value=old), keywords=[keyword])):
            yield f"{notation.of(target)} := {notation.of(old)}[{keyword.arg} ↦ {notation.of(keyword.value)}]"
        case ast.Assign(targets=[target], value=value):
            yield f"{notation.of(target)} := {notation.of(value)}"
        case ast.For(target=target, iter=among, body=body):
            yield f"for each {notation.of(target)} ∈ {notation.of(among)}:"
            for part in body:
                yield from _change(notation, part)
        case ast.If(test=test, body=body, orelse=[]):
            changes = [change for part in body for change in _change(notation, part)]
            yield f"if {notation.holds(test)}: {', '.join(changes)}"
        case _:
            raise ValueError(f"there is no notation for `{ast.unparse(statement)}`: teach semantics.rules.figures it")


# --- Auxiliary functions ---------------------------------------------------------------------------------------------


def _auxiliary(function: FunctionType, reading: Reading) -> Auxiliary:
    notation = Notation(_AUXILIARY)
    parameters = [name for name in inspect.signature(function).parameters if name not in ("site", "node", "repairs")]
    name = ast.Name(function.__name__)
    arguments = ["history" if parameter == "self" else parameter for parameter in parameters]
    head = notation.of(ast.Call(name, [ast.Name(argument) for argument in arguments], []))
    lines = []
    for condition, value in reading.results:
        case = "" if condition is None else f" if {notation.holds(condition)}"
        lines.append(f"= {notation.of(value)}{case}")
    where = [*_premises(notation, reading.premises), *(text for part in reading.changes for text in _loop(part))]
    return Auxiliary(function.__name__, head, (*lines, *(f"where {text}" for text in where)))


def _loop(statement: ast.stmt) -> Iterator[str]:
    notation = Notation(_AUXILIARY)
    match statement:
        case ast.For(target=target, iter=among, body=body):
            changes = "; ".join(_one(notation, part) for part in body)
            yield f"for {notation.of(target)} ∈ {notation.of(among)}: {changes}"


def _one(notation: Notation, statement: ast.stmt) -> str:
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=box), args=[item])):
            return f"{notation.of(box)} := {notation.of(box)} · {notation.of(item)}"
        case ast.Assign(targets=[target], value=value):
            return f"{notation.of(target)} := {notation.of(value)}"
    raise ValueError(f"there is no notation for `{ast.unparse(statement)}`: teach semantics.rules.figures it")
