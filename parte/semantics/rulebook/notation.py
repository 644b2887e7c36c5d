"""Expressions of rules' code as formulas, in plain text.

Logic, sets and sequences are written alike in all systems. A system's notation replaces the names that it covers
(`Vocabulary`); other names stay, with hyphens. Arguments that all its rules share are left out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

Symbols = Mapping[str, str]
"""Symbols for expressions, by the source of the expression."""

OPERATORS: Mapping[type[ast.AST], str] = {
    ast.Eq: "=", ast.NotEq: "≠", ast.Lt: "<", ast.LtE: "≤", ast.Gt: ">", ast.GtE: "≥", ast.In: "∈", ast.NotIn: "∉",
    ast.Is: "=", ast.IsNot: "≠", ast.And: " ∧ ", ast.Or: " ∨ ", ast.Add: "+", ast.Sub: "−", ast.Mult: "×",
}  # fmt: skip

COMMON: Symbols = {
    "NEGATIVE_INFINITY": "−∞", "POSITIVE_INFINITY": "+∞", "highest": "max", "lowest": "min", "greater": "max",
    "lesser": "min", "mean": "avg", "tuple": "",
    "list": "",
}  # fmt: skip
"""The symbols that every system uses for the names of `connectives` and of the modules below all languages."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The notation of a system for the names in its code.

    `names` are those of functions and attributes, `constructors` those whose arguments stand in ⟨ ⟩, and `methods` have
    a pattern for the text of their owner and of their arguments, in order. `sequences` are the functions and names
    whose values are tested for emptiness. A sum of `lists` (attributes) is a concatenation. `implicit` names are not
    shown as arguments or owners; names of `modules` are not shown as owners.
    """

    names: Symbols = field(default_factory=dict)
    constructors: Symbols = field(default_factory=dict)
    methods: Symbols = field(default_factory=dict)
    sequences: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    implicit: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()


class Notation:
    """Writes expressions as text; `symbols` replaces some of them as a whole."""

    def __init__(self, vocabulary: Vocabulary, symbols: Symbols) -> None:
        self.vocabulary = vocabulary
        self.symbols = symbols

    def with_symbols(self, symbols: Symbols) -> Notation:
        """Return this notation with more symbols."""
        return Notation(self.vocabulary, {**self.symbols, **symbols})

    def of(self, node: ast.expr) -> str:
        """Return the text of an expression."""
        source = ast.unparse(node)
        if source in self.symbols:
            return self.symbols[source]
        match node:
            case ast.Name(id=name):
                return self._named(name)
            case ast.Constant(value=value):
                return "⊥" if value is None else str(value).lower()
            case ast.Attribute(value=value, attr=attribute):
                return self._attribute(value, attribute)
            case ast.Call(func=function, args=arguments, keywords=keywords):
                return self._call(
                    function, [*arguments, *(keyword.value for keyword in keywords if keyword.arg != "strict")]
                )
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                return self._sequence(parts)
            case ast.BoolOp(op=operator, values=values):
                return OPERATORS[type(operator)].join(map(self._inside, values))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self.denied(operand)
            case ast.UnaryOp(operand=operand):
                return f"−{self._inside(operand)}"
            case ast.BinOp(
                left=ast.BinOp(
                    left=ast.Subscript(value=whole, slice=ast.Slice(lower=None, upper=ast.expr() as place)),
                    op=ast.Add(),
                    right=ast.Tuple(elts=[value]),
                ),
                op=ast.Add(),
                right=ast.Subscript(),
            ):
                # xs[:i] + (x,) + xs[i + 1:]: xs with x at i.
                return f"{self.of(whole)}[{self.of(place)} ↦ {self.of(value)}]"
            case ast.BinOp(left=left, op=ast.Add(), right=ast.Tuple(elts=[value])):
                return f"{self._inside(left)} · {self.of(value)}"
            case ast.BinOp(left=left, op=operator, right=right):
                joined = isinstance(left, ast.Attribute) and left.attr in self.vocabulary.lists
                return f"{self._inside(left)} {'·' if joined else OPERATORS[type(operator)]} {self._inside(right)}"
            case ast.Compare(left=left, ops=[operator], comparators=[right]):
                return f"{self._inside(left)} {OPERATORS[type(operator)]} {self._inside(right)}"
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return f"{self.of(body)} if {self.holds(test)}, else {self.of(orelse)}"
            case ast.ListComp(elt=element, generators=[among]) | ast.GeneratorExp(elt=element, generators=[among]):
                return f"[{self.of(element)} | {self._among(among)}]"
            case ast.Lambda(args=parameters, body=body):
                return f"λ {', '.join(parameter.arg for parameter in parameters.args)}. {self.of(body)}"
            case ast.Subscript(value=value, slice=ast.Constant(value=0)):
                return f"first({self.of(value)})"
            case ast.Slice(lower=lower, upper=upper, step=None):
                return f"{self.of(lower) if lower else ''}:{self.of(upper) if upper else ''}"
            case ast.Subscript(value=value, slice=index):
                return f"{self.of(value)}[{self.of(index)}]"
            case ast.Starred(value=value):
                return self.of(value)
        raise ValueError(f"there is no notation for `{source}`: teach parte.semantics.rulebook.notation this form")

    def holds(self, node: ast.expr) -> str:
        """Return the text of an expression that is tested for truth, or for having elements."""
        return f"{self.of(node)} ≠ ∅" if self._is_sequence(node) else self.of(node)

    def denied(self, node: ast.expr) -> str:
        """Return the text of the negated expression."""
        return f"{self.of(node)} = ∅" if self._is_sequence(node) else f"¬{self._inside(node)}"

    def _inside(self, node: ast.expr) -> str:
        text = self.holds(node) if self._is_sequence(node) else self.of(node)
        open_ended = isinstance(node, ast.BoolOp | ast.IfExp | ast.Compare | ast.Lambda)
        return f"({text})" if open_ended and ast.unparse(node) not in self.symbols else text

    def _attribute(self, value: ast.expr, attribute: str) -> str:
        return self._named(attribute) if self._is_silent(value) else f"{self.of(value)}.{self._named(attribute)}"

    def _named(self, name: str) -> str:
        return self.vocabulary.names.get(name) or COMMON.get(name, name.strip("_").replace("_", "-"))

    def _sequence(self, parts: Sequence[ast.expr]) -> str:
        match parts:
            case [ast.Starred(value=whole), value]:
                return f"{self._inside(whole)} · {self.of(value)}"
        return f"[{', '.join(map(self.of, parts))}]"

    def _among(self, among: ast.comprehension) -> str:
        conditions = [self.holds(condition) for condition in among.ifs]
        return ", ".join([f"{self.of(among.target)} ∈ {self.of(among.iter)}", *conditions])

    def _call(self, function: ast.expr, arguments: Sequence[ast.expr]) -> str:
        written = [self.of(argument) for argument in arguments if ast.unparse(argument) not in self.vocabulary.implicit]
        match function, arguments:
            case ast.Name(id="len"), _:
                return f"|{written[0]}|"
            case ast.Name(id="isinstance"), _:
                return f"{written[0]} is {written[1]}"
            case ast.Name(id="tuple" | "list"), _:
                return written[0]
            case ast.Name(id="map"), [ast.Name(id="add"), first, second]:
                return f"{self.of(first)} + {self.of(second)}"
            case ast.Name(id="map"), [of_each, *sequences]:
                return f"[{self._mapped(of_each, sequences)}]"
            case ast.Name(id="all"), [ast.Call(func=ast.Name(id="map"), args=[of_each, *sequences])]:
                element, among = self._mapped(of_each, sequences).split(" | ")
                return f"(∀ {among}: {element})"
            case ast.Name(id="conj"), _:
                return " ∧ ".join(map(self._inside, arguments))
            case ast.Name(id="neg"), [argument]:
                return self.denied(argument)
            case ast.Name(id="all" | "any" as name), [ast.GeneratorExp(elt=element, generators=[among])]:
                return f"({'∀' if name == 'all' else '∃'} {self._among(among)}: {self.of(element)})"
            case ast.Name(id=name), _ if name in self.vocabulary.constructors:
                return f"{self.vocabulary.constructors[name]}⟨{', '.join(written)}⟩"
            case ast.Attribute(value=owner, attr=method), _ if ast.unparse(
                owner
            ) in self.symbols or not self._is_silent(owner):
                return self._method(method, [self._inside(owner), *written])
        return f"{self.of(function)}({', '.join(written)})"

    def _mapped(self, of_each: ast.expr, sequences: Sequence[ast.expr]) -> str:
        """Return the text of `map` as a comprehension.

        For a sequence that is itself mapped, its element is written; for one that repeats a value, the value.
        """
        names, sources = iter("xyz"), list[ast.expr]()
        element = self._element(of_each, sequences, names, sources)
        variables = ", ".join("xyz"[: len(sources)])
        if len(sources) == 1:
            return f"{self.of(element)} | {variables} ∈ {self.of(sources[0])}"
        return f"{self.of(element)} | [{variables}] ∈ zip({', '.join(map(self.of, sources))})"

    def _element(
        self, of_each: ast.expr, sequences: Sequence[ast.expr], names: Iterator[str], sources: list[ast.expr]
    ) -> ast.expr:
        elements: list[ast.expr] = []
        for sequence in sequences:
            match sequence:
                case ast.Call(func=ast.Name(id="repeat"), args=[value]):
                    elements.append(value)
                case ast.Call(func=ast.Name(id="map"), args=[inner, *more]):
                    elements.append(self._element(inner, more, names, sources))
                case _:
                    elements.append(ast.Name(next(names)))
                    sources.append(sequence)
        match of_each:
            case ast.Attribute(value=owner, attr="__getitem__"):
                return ast.Subscript(owner, elements[0])
        return ast.Call(of_each, elements, [])

    def _is_silent(self, owner: ast.expr) -> bool:
        return ast.unparse(owner) in (*self.vocabulary.implicit, *self.vocabulary.modules)

    def _method(self, method: str, operands: Sequence[str]) -> str:
        if method in self.vocabulary.methods:
            return self.vocabulary.methods[method].format(*operands)
        return f"{method.replace('_', '-')}({', '.join(operands)})"

    def _is_sequence(self, node: ast.expr) -> bool:
        match node:
            case ast.Call(func=ast.Name(id=name)) | ast.Name(id=name):
                return name in self.vocabulary.sequences
        return False
