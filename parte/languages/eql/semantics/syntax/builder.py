"""Values of the rules of `grammar.lark` that do not have the name of a node class, and texts of strings and names."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.folding import regular_pattern
from parte.languages.eql.semantics.syntax.functions import FUNCTIONS, SPELLINGS
from parte.semantics.events.values import GREATEST_INTEGER
from parte.semantics.source.building import Builder, Made, Parts, boolean, number, report, span_over
from parte.semantics.source.scanner import span_of
from parte.semantics.source.spans import Span
from parte.semantics.source.tokens import Token

_ESCAPE = re.compile(r"\\(u\{([0-9A-Fa-f]{2,8})\}|.)")
_SIGNS = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "\\": "\\", '"': '"', "'": "'"}
_ADDRESS = re.compile("[0-9A-Fa-f.:]+")
_RAW = '"""'


def text_of(token: Token) -> str:
    """Return the text of a string; report an escape that there is not."""
    if token.startswith(_RAW) and len(token) >= 2 * len(_RAW):
        return str(token[len(_RAW) : -len(_RAW)])

    def character(escape: re.Match[str]) -> str:
        code = int(escape[2], 16) if escape[2] else None
        if code is not None and code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF:
            return chr(code)
        if code is None and escape[1] in _SIGNS:
            return _SIGNS[escape[1]]
        hint = r"""escapes are \n, \r, \t, \b, \f, \\, \", \' and \u{…}; raw strings have none"""
        report("invalid-escape", span_of(token), f"`{escape[0]}` is no escape", hint)
        return ""

    return _ESCAPE.sub(character, token[1:-1])


def name_of(token: Token) -> str:
    """Return the name that a token writes, without backquotes; report a `~` behind it."""
    if token.endswith("~"):
        report("misplaced-tilde", span_of(token), f"`{token}` is no name", "`~` stands behind functions and operators")
    return re.sub("`((?:[^`]|``)+)`", lambda quoted: quoted[1].replace("``", "`"), token.removesuffix("~"))


def string(span: Span, token: Token) -> tree.Literal:
    """Build a string."""
    return tree.Literal(text_of(token), span=span)


def field(span: Span, *parts: Token) -> tree.Field:
    """Build a field."""
    return tree.Field(name_of(parts[-1]), len(parts) > 1, span=span)


def event(span: Span, *parts: Any) -> tree.Event:
    """Build the events of a category."""
    token, _, condition = parts
    category = None if token.type == "ANY" else text_of(token) if token.type == "STRING" else name_of(token)
    return tree.Event(category, condition, span=span)


def call(span: Span, name: Token, *parts: Any) -> tree.Call:
    """Build a call of a function."""
    arguments = tuple(part for part in parts if not isinstance(part, Token))
    function = SPELLINGS.get(name.removesuffix("~").lower(), name.removesuffix("~"))
    if function in FUNCTIONS and FUNCTIONS[function].networks:
        arguments = (*arguments[:1], *map(_network, arguments[1:]))
    return tree.Call(function, name.endswith("~"), arguments, span=span)


def _network(node: Any) -> Any:
    """Return an address as a network of its own."""
    if isinstance(node, tree.Literal) and isinstance(node.value, str) and _ADDRESS.fullmatch(node.value):
        return replace(node, value=f"{node.value}/{128 if ':' in node.value else 32}")
    return node


def negative(span: Span, _: Token, operand: tree.Expression) -> tree.Expression:
    """Build a negated value; a number with a sign is a number."""
    if isinstance(operand, tree.Literal) and type(operand.value) in (int, float):
        return tree.Literal(-operand.value, span=span)  # type: ignore[operator]  # its type was looked at
    return tree.Negative(operand, span=span)


def comparison(span: Span, left: Any, token: Token, right: Any) -> tree.Expression:
    """Build a comparison; one with null asks whether there is a value."""
    relation = tree.Relation(token)
    if relation in (tree.Relation.EQUAL, tree.Relation.UNEQUAL):
        for null, operand in ((right, left), (left, right)):
            if isinstance(null, tree.Null):
                return tree.Presence(operand, relation is tree.Relation.UNEQUAL, span=span)
    return tree.Comparison(left, relation, right, span=span)


def matches(span: Span, operand: Any, token: Token, patterns: Parts) -> tree.Matches:
    """Build a comparison with patterns."""
    texts = map(regular_pattern, patterns[0].value) if token.startswith("regex") else patterns[0].value
    return tree.Matches(operand, tree.Matching(token), tuple(texts), span=span)


def patterns(span: Span, *parts: Token) -> Parts:
    """Return the texts of patterns."""
    texts = Parts([Made(tuple(text_of(part) for part in parts if part.type == "STRING"), span)])
    texts.span, texts.tokens = span, []
    return texts


def in_list(span: Span, operand: Any, *parts: Any) -> tree.InList:
    """Build a comparison with values."""
    kinds = {part.type for part in parts if isinstance(part, Token)}
    values = tuple(part for part in parts if not isinstance(part, Token))
    return tree.InList(operand, "NOT" in kinds, "IN_FOLDED" in kinds, values, span=span)


def span(place: Span, *parts: Token) -> tree.Span:
    """Build a maxspan; report one that is too long."""
    amount, unit = int(parts[3]), tree.Unit[parts[4].upper()]
    if amount * unit.value > GREATEST_INTEGER:
        message = "this maxspan does not fit 64 bit, in milliseconds"
        report("maxspan-out-of-range", place, message, "choose a shorter one, or leave it out")
        amount = 0
    return tree.Span(amount, unit, span=place)


def runs(place: Span, *parts: Token) -> Made:
    """Return how often a stage is repeated."""
    return Made(int(parts[-1]), place)


def stage(place: Span, *parts: Any) -> tree.Stage:
    """Build a stage."""
    missing = any(isinstance(part, Token) and part.type == "BANG" for part in parts)
    event = next(part for part in parts if isinstance(part, tree.Event))
    by = next((tuple(part) for part in parts if isinstance(part, Parts)), ())
    times = next((part.value for part in parts if isinstance(part, Made)), 1)
    return tree.Stage(event, missing, by, times, span=place)


def pipe(place: Span, _: Token, end: Token, count: Token) -> tree.Pipe:
    """Build a pipe."""
    return tree.Pipe(tree.End(end), int(count), span=place)


def header(place: Span, _: Token, *parts: Any) -> Made:
    """Return the common keys and the maxspan."""
    by = next((tuple(part) for part in parts if isinstance(part, Parts)), ())
    return Made((by, next((part for part in parts if isinstance(part, tree.Span)), None)), place)


def _joined(kind: type[tree.And] | type[tree.Or]) -> Any:
    def joined(_: Span, *parts: Any) -> tree.Expression:
        operands = tuple(part for part in parts if not isinstance(part, Token))
        return kind(operands, span=span_over(operands))

    return joined


BUILDER = Builder(
    tree,
    (),
    *(string, field, event, call, negative, comparison, matches, patterns, in_list, span, runs, pipe, number, boolean),
    stage_part=stage,
    until_part=stage,
    sequence_part=header,
    sample_part=header,
    arithmetic=lambda span, left, token, right: tree.Arithmetic(left, tree.Sign(token), right, span=span),
    **{"and": _joined(tree.And), "or": _joined(tree.Or), "null": lambda span, _: tree.Null(span=span)},
)
