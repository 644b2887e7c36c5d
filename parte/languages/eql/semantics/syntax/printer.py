"""The canonical layout of a query (specification: eql-text): parsing the printed text gives an equal tree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest

from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.lexis import KINDS
from parte.languages.eql.semantics.syntax.parser import Source
from parte.semantics.source.comments import Line, with_comments

_OR, _AND, _NOT, _RELATION, _SUM, _PRODUCT, _FACTOR = range(7)
_PLAIN = re.compile(r"[A-Za-z_@][A-Za-z0-9_@]*(\.[A-Za-z0-9_@]+)*", re.ASCII)
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_STRENGTHS: dict[type[tree.Expression], int] = {
    tree.Or: _OR,
    tree.And: _AND,
    tree.Not: _NOT,
    **dict.fromkeys((tree.Comparison, tree.Presence, tree.Matches, tree.InList), _RELATION),
}


def print_source(source: Source) -> str:
    """Return the text of a query with its comments."""
    lines = [Line(text, place) for text, place in zip_longest(_parts(source.query), source.places)]
    return "".join(f"{line}\n" for line in with_comments(lines, source.comments))


def print_query(query: tree.Query) -> str:
    """Return the text of a query, a line for each part."""
    return "".join(f"{line}\n" for line in _parts(query))


def _parts(query: tree.Query) -> Iterator[str]:
    match query:
        case tree.Single(event=event):
            yield _event(event)
        case tree.Sequence(by=by, maxspan=maxspan, stages=stages, until=until):
            span = "" if maxspan is None else f" with maxspan={maxspan.amount}{maxspan.unit.name.lower()}"
            yield f"sequence{_by(by)}{span}"
            yield from (f"  {stage_text(stage)}" for stage in stages)
            if until is not None:
                yield f"until {stage_text(until)}"
        case tree.Sample(by=by, items=items):
            yield f"sample{_by(by)}"
            yield from (f"  {stage_text(item)}" for item in items)
    if not isinstance(query, tree.Sample):
        yield from (f"| {pipe.end.value} {pipe.count}" for pipe in query.pipes)


def _by(fields: tuple[tree.Field, ...]) -> str:
    return f" by {', '.join(map(expression_text, fields))}" if fields else ""


def stage_text(stage: tree.Stage) -> str:
    """Return the text of a stage, in its brackets."""
    runs = "" if stage.runs == 1 else f" with runs={stage.runs}"
    return f"{'!' * stage.missing}[{_event(stage.event)}]{_by(stage.by)}{runs}"


def _event(event: tree.Event) -> str:
    category = "any" if event.category is None else event.category
    if event.category is not None and (not _PLAIN.fullmatch(category) or category in KINDS):
        category = _string(category)
    return f"{category} where {expression_text(event.condition)}"


def expression_text(node: tree.Expression, strength: int = _OR) -> str:
    """Return the text of an expression, in brackets where operators that bind less than `strength` need them."""
    own = _STRENGTHS.get(type(node), _FACTOR)
    match node:
        case tree.Literal(value=value):
            return _value(value)
        case tree.Null():
            return "null"
        case tree.Field(name=name, optional=optional):
            return f"{'?' * optional}{_name(name)}"
        case tree.Call(function=function, folded=folded, arguments=arguments):
            return f"{function}{'~' * folded}({', '.join(map(expression_text, arguments))})"
        case tree.Negative(operand=operand):
            inner = expression_text(operand, _FACTOR)
            text = f"-({inner})" if inner[0].isdigit() else f"-{inner}"
        case tree.Arithmetic(left=left, sign=sign, right=right):
            own = _SUM if sign in (tree.Sign.PLUS, tree.Sign.MINUS) else _PRODUCT
            text = f"{expression_text(left, own)} {sign.value} {expression_text(right, own + 1)}"
        case tree.Comparison(left=left, relation=relation, right=right):
            text = f"{expression_text(left, _SUM)} {relation.value} {expression_text(right, _SUM)}"
        case tree.Presence(operand=operand, present=present):
            text = f"{expression_text(operand, _SUM)} {'!=' if present else '=='} null"
        case tree.Matches(operand=operand, matching=matching, patterns=patterns):
            written = _string(patterns[0]) if len(patterns) == 1 else f"({', '.join(map(_string, patterns))})"
            text = f"{expression_text(operand, _SUM)} {matching.value} {written}"
        case tree.InList(operand=operand, negated=negated, folded=folded, values=values):
            listed = ", ".join(_value(literal.value) for literal in values)
            text = f"{expression_text(operand, _SUM)} {'not ' * negated}in{'~' * folded} ({listed})"
        case tree.Not(operand=operand):
            text = f"not {expression_text(operand, _NOT)}"
        case tree.And(parts=parts):
            text = " and ".join(expression_text(part, _NOT) for part in parts)
        case tree.Or(parts=parts):
            text = " or ".join(expression_text(part, _AND) for part in parts)
    return f"({text})" if own < strength else text


def _value(value: int | float | str | bool) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return _string(value) if isinstance(value, str) else repr(value)


def _string(text: str) -> str:
    def character(sign: str) -> str:
        return _ESCAPES.get(sign) or (sign if sign.isprintable() else f"\\u{{{ord(sign):04x}}}")

    return f'"{"".join(map(character, text))}"'


def _name(name: str) -> str:
    plain = _PLAIN.fullmatch(name) and name not in KINDS
    return name if plain else "`" + name.replace("`", "``") + "`"
