"""Builders for those rules of `grammar.lark` that do not have the name of a node class."""

from __future__ import annotations

from typing import Any

from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.lexis import UNITS
from parte.semantics.events.values import GREATEST_INTEGER
from parte.semantics.source.building import (
    Builder,
    Made,
    boolean,
    integer_of,
    number,
    report,
    span_over,
    string,
)
from parte.semantics.source.scanner import span_of
from parte.semantics.source.spans import Span
from parte.semantics.source.tokens import Token

# --- Patterns ---------------------------------------------------------------------------------------------------------


def sequence(_: Span, *parts: tree.Pattern | Token) -> tree.Pattern:
    """Return a sequence, in which the part after an open part ends it."""
    several = _ended([part for part in parts if not isinstance(part, Token)])
    return tree.Sequence(several, span=span_over(several)) if len(several) > 1 else several[0]


def conjunction(_: Span, *parts: tree.Pattern | Token) -> tree.Pattern:
    """Return a conjunction without nested conjunctions."""
    several: list[tree.Pattern] = []
    for part in parts:
        if not isinstance(part, Token):
            several.extend(part.parts if isinstance(part, tree.And) else (part,))
    return tree.And(tuple(several), span=span_over(several))


def subcontext(span: Span, operand: tree.Pattern, *parts: Any) -> tree.Pattern:
    """Return a sub-context. Behind the names come a range, a condition, the branch, and a condition that stops it."""
    item, items, name = (str(part) for part in parts if isinstance(part, Token) and part.type == "NAME")
    several = [part for part in parts if not isinstance(part, Token)]
    first, last = several.pop(0).value if isinstance(several[0], Made) else (None, None)
    condition = None if isinstance(several[0], tree.Branch) else several.pop(0)
    branch, stop = [*several, None][:2]
    return tree.Subcontext(operand, item, items, first, last, condition, branch, stop, name, span=span)


def repeat(span: Span, keyword: Token, begin: Token, *rest: Any) -> tree.Pattern:
    """Return a repetition. Its conditions stand in any order, each once."""
    operand = next(part for part in rest if not isinstance(part, Token))
    names, limits = dict[str, str](), dict[str, tree.Expression]()
    before = ""
    for part in rest:
        if isinstance(part, Made):
            kind, condition = part.value
            if kind.type in limits:
                message = f"there is a condition {kind.lower()} already"
                report("syntax-error", span_of(kind), message, "join the two by `and` or `or`")
            limits[kind.type] = condition
        elif isinstance(part, Token):
            if part.type == "NAME":
                names[before] = str(part)
            before = part.type
    if rest[0] is not operand:
        operand = tree.Policy(tree.Choice.EVERY, operand, (), span=operand.span)
    if "LPAR" in names:
        operand = tree.Policy(tree.Choice.ALL, operand, (names["LPAR"],), span=operand.span)
    accept, terminate, invalidate = map(limits.get, ("ACCEPT", "TERMINATE", "INVALIDATE"))
    return tree.Collect(operand, accept, terminate, invalidate, names.get("AS"), span=span)


# --- Expressions ------------------------------------------------------------------------------------------------------


def sum(_: Span, *parts: tree.Expression | Token) -> tree.Expression:
    """Return a sum, in which subtracted terms are negative."""
    several: list[tree.Expression] = []
    sign: Token | None = None
    for part in parts:
        if isinstance(part, Token):
            sign = part
        elif sign is not None and sign.type == "MINUS":
            several.append(tree.Negative(part, span=span_over((sign, part))))
        else:
            several.append(part)
    return tree.Sum(tuple(several), span=span_over(several))


def quantifier(span: Span, word: Token, *rest: Token) -> Made:
    """Return the least and the greatest number of items."""
    numbers = [_whole(part) for part in rest if part.type == "INTEGER"]
    if word.type == "BETWEEN":
        return Made((numbers[0], numbers[1]), span)
    if word.type == "AT":
        return Made((numbers[0], None) if rest[0].type == "LEAST" else (None, numbers[0]), span)
    return Made((None if word.type == "ALL" else 1, None), span)


def _ended(parts: list[tree.Pattern]) -> tuple[tree.Pattern, ...]:
    """Return the parts of a sequence, without inner sequences that end with an open part, which the next part ends:
    `(A -> not B) -> C` is `A -> not B -> C`, `not P -> (A -> not B) -> C` is `not P -> (A -> not B -> C)`
    (specification: lead-open)."""
    flat: list[tree.Pattern] = []
    while parts:
        part, *parts = parts
        if not (parts and isinstance(part, tree.Sequence) and tree.open_end(part)):
            flat.append(part)
        elif flat and tree.is_open(flat[-1]):
            # The whole of it ends the open part before it.
            closed = next((place for place, later in enumerate(parts) if tree.open_end(later) is None), len(parts) - 1)
            whole = _ended([*part.parts, *parts[: closed + 1]])
            flat.append(tree.Sequence(whole, span=span_over(whole)))
            parts = parts[closed + 1 :]
        else:
            parts = [*part.parts, *parts]
    return tuple(flat)


def _whole(digits: Token) -> int:
    return integer_of(int(digits), span_of(digits))


def _duration(amount: Token, unit: Token) -> tree.Duration:
    duration = tree.Duration(int(amount), tree.Unit[UNITS[unit.upper()]], span=span_of(amount, unit))
    if duration.milliseconds > GREATEST_INTEGER:
        message = "this duration does not fit 64 bit, in milliseconds"
        report("duration-out-of-range", duration.span, message, "choose a shorter one")
        return tree.Duration(1, tree.Unit.MS, span=duration.span)
    return duration


BUILDER = Builder(
    tree,
    ("NAME", "OPERATOR"),
    *(sequence, conjunction, subcontext, repeat, sum, quantifier, number, string, boolean),
    flags=("FIRST", "MAX"),
    stream=lambda span, name, *rest: tree.Stream(str(name), str((name, *rest)[-1]), span=span),
    enriched=lambda span, name, *rest: tree.EventType(
        str(name), tuple(part for part in rest if isinstance(part, tree.Attribute)), True, span=span
    ),
    window_key=lambda span, *parts: tree.Key(
        "", "", _duration(*parts[2:4]) if len(parts) > 4 else _whole(parts[2]), span=span
    ),
    range=lambda span, *parts: Made([_whole(part) for part in parts if part.type == "INTEGER"], span),
    choice=lambda span, token: Made(tree.Choice[token.type], span),
    limit=lambda span, kind, _begin, condition, _end: Made((kind, condition), span),
    duration=lambda _, amount, unit: _duration(amount, unit),
    function=lambda span, name: Made(tree.Function[name.type], span),
    counted=lambda span, name, *_: tree.Aggregate(tree.Function.COUNT, (str(name),), span=span),
    quantified=lambda span, bounds, _begin, condition, _end: tree.Quantified(
        bounds.value[0], bounds.value[1], condition, span=span
    ),
)
