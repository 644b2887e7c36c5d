"""From the rules of `grammar.lark` to the tree. Every method has the values of its grammar rule's children."""

from __future__ import annotations

from contextvars import ContextVar
from typing import cast

from lark import Token, Transformer, v_args

from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.lexis import UNITS
from parte.semantics.events.values import GREATEST_INTEGER, fits_float, fits_integer
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.scanner import end_of, span_of, start_of
from parte.semantics.source.spans import Span

REPORTER: ContextVar[Reporter] = ContextVar("reporter")
"""Where the builder reports: the parser and its builder are shared by all texts, the reporter belongs to one."""

_OPERATORS = {operator.value: operator for operator in tree.Operator}
Clause = tuple[str, object]


def _over(parts: tuple[tree.Node, ...]) -> Span:
    return Span(parts[0].span.start, parts[-1].span.end)


def _from(start: Token, last: Token | tree.Node) -> Span:
    return Span(start_of(start), end_of(last) if isinstance(last, Token) else last.span.end)


def _behind(operand: tree.Node, last: Token) -> Span:
    return Span(operand.span.start, end_of(last))


@v_args(inline=True)
class Builder(Transformer[Token, object]):
    """Builds clauses bottom-up while they are parsed."""

    # --- Clauses -----------------------------------------------------------------------------------------------------

    def from_clause(self, keyword: Token, *streams: tree.Stream) -> tuple[tree.Stream, ...]:
        return streams

    def stream(self, name: Token, _as: Token | None, alias: Token | None) -> tree.Stream:
        return tree.Stream(str(name), str(alias or name), span=span_of(name, alias or name))

    def define_clause(self, keyword: Token, *definitions: object) -> tuple[object, ...]:
        return definitions

    def time_event(
        self, keyword: Token, name: Token, _begin: Token, start: tree.Expression, end: tree.Expression, close: Token
    ) -> tree.TimeEvent:
        return tree.TimeEvent(str(name), start, end, span=span_of(keyword, close))

    def event_type(self, *parts: Token | tree.Attribute | None) -> tree.EventType:
        tokens = [part for part in parts if isinstance(part, Token)]
        enriched = tokens[0].type == "NAME"
        name = tokens[0] if enriched else tokens[1]
        attributes = tuple(part for part in parts if isinstance(part, tree.Attribute))
        return tree.EventType(str(name), attributes, enriched, span=span_of(tokens[0], tokens[-1]))

    def enrich_clause(self, keyword: Token, *types: tree.EventType) -> tuple[object, ...]:
        return types

    def attribute(
        self, kind: Token, name: Token, _begin: Token | None, default: tree.Literal | None, end: Token | None
    ) -> tree.Attribute:
        return tree.Attribute(str(kind), str(name), default, span=span_of(kind, end or name))

    def match_clause(self, keyword: Token, pattern: tree.Pattern) -> tree.Pattern:
        return pattern

    def partition_clause(self, keyword: Token, by: Token, *keys: tree.Key) -> tuple[tree.Key, ...]:
        return keys

    def attribute_key(self, alias: Token, dot: Token, attribute: Token) -> tree.Key:
        return tree.Key(str(alias), str(attribute), None, span=span_of(alias, attribute))

    def window_key(self, keyword: Token, _begin: Token, amount: Token, unit: Token | None, end: Token) -> tree.Key:
        length = _duration(amount, unit) if unit is not None else _whole(amount)
        return tree.Key("", "", length, span=span_of(keyword, end))

    def outcome_clause(self, *outcome: tree.Outcome) -> tuple[tree.Outcome, ...]:
        return outcome

    def check(self, keyword: Token, kind: Token, *rest: tree.Where | Token) -> tree.Check:
        clauses = tuple(each for each in rest if isinstance(each, tree.Where))
        return tree.Check(kind.type == "FIRST", clauses, span=_from(keyword, cast(Token, rest[-1])))

    def where(
        self, keyword: Token, _begin: Token, condition: tree.Expression, end: Token, *outcome: tree.Outcome
    ) -> tree.Where:
        return tree.Where(condition, outcome, span=_from(keyword, outcome[-1]))

    def emission(
        self, emit: Token, event: Token, name: Token, _begin: Token, *rest: tree.Expression | Token | None
    ) -> tree.Emission:
        arguments = tuple(each for each in rest[:-1] if each is not None and not isinstance(each, Token))
        return tree.Emission(str(name), arguments, span=span_of(emit, cast(Token, rest[-1])))

    # --- Patterns ----------------------------------------------------------------------------------------------------

    def atom(self, stream: Token, _as: Token | None, name: Token | None) -> tree.Pattern:
        return tree.Atom(str(stream), None if name is None else str(name), span=span_of(stream, name or stream))

    def grouped(self, begin: Token, inner: tree.Node, end: Token) -> tree.Node:
        return inner

    def sequence(self, *parts: tree.Pattern | Token) -> tree.Pattern:
        found = _ended([part for part in parts if not isinstance(part, Token)])
        return tree.Sequence(found, span=_over(found)) if len(found) > 1 else found[0]

    def disjunction(self, *parts: tree.Pattern | Token) -> tree.Pattern:
        found = tuple(part for part in parts if not isinstance(part, Token))
        return tree.Or(found, span=_over(found))

    def conjunction(self, *parts: tree.Pattern | Token) -> tree.Pattern:
        found: list[tree.Pattern] = []
        for part in parts:
            if not isinstance(part, Token):
                found.extend(part.parts if isinstance(part, tree.And) else (part,))
        return tree.And(tuple(found), span=_over(tuple(found)))

    def within(
        self,
        operand: tree.Pattern,
        keyword: Token,
        duration: tree.Duration,
        _from: Token | None,
        source: tree.Pattern | None,
    ) -> tree.Pattern:
        end = (source or duration).span.end
        return tree.Within(operand, duration, source, span=Span(operand.span.start, end))

    def negation(self, keyword: Token, operand: tree.Pattern) -> tree.Pattern:
        return tree.Not(operand, span=_from(keyword, operand))

    def filtered(
        self, operand: tree.Pattern, keyword: Token, _begin: Token, condition: tree.Expression, end: Token
    ) -> tree.Pattern:
        return tree.Filtered(operand, condition, span=_behind(operand, end))

    def subcontext(self, operand: tree.Pattern, *parts: object) -> tree.Pattern:
        names = [part for part in parts if isinstance(part, Token) and part.type == "NAME"]
        bounds, condition, branch, stop = (parts[index] for index in (5, 6, 8, 11))
        first, last = cast(tuple[int, int], bounds) if bounds is not None else (None, None)
        return tree.Subcontext(
            operand,
            str(names[0]),
            str(names[1]),
            first,
            last,
            cast(tree.Expression | None, condition),
            cast(tree.Branch, branch),
            cast(tree.Expression | None, stop),
            str(names[2]),
            span=_behind(operand, names[2]),
        )

    def range(
        self, _dot: Token, _range: Token, _begin: Token, first: Token, last: Token, _end: Token
    ) -> tuple[int, int]:
        return _whole(first), _whole(last)

    def selection(
        self, _dot: Token, _filter: Token, _begin: Token, condition: tree.Expression, _end: Token
    ) -> tree.Expression:
        return condition

    def branch(self, keyword: Token, pattern: tree.Pattern, *actions: tree.Emission) -> tree.Branch:
        return tree.Branch(pattern, actions, span=_from(keyword, actions[-1] if actions else pattern))

    def stop(self, _keyword: Token, _begin: Token, condition: tree.Expression, _end: Token) -> tree.Expression:
        return condition

    def pick(
        self, kind: Token, _begin: Token, collect: tree.Collect, aggregate: tree.Aggregate, end: Token
    ) -> tree.Pattern:
        return tree.Pick(kind.type == "MAX", collect, aggregate, span=span_of(kind, end))

    def wait(
        self, keyword: Token, _begin: Token, operand: tree.Pattern, duration: tree.Duration, end: Token
    ) -> tree.Pattern:
        return tree.Wait(operand, duration, span=span_of(keyword, end))

    def policy(
        self, kind: Token, _begin: Token, operand: tree.Pattern, end: Token, *consume: Token | None
    ) -> tree.Pattern:
        names = tuple(str(each) for each in consume if each is not None and each.type == "NAME")
        last = consume[-1] or end
        return tree.Policy(tree.Choice[kind.type], operand, names, span=span_of(kind, last))

    def repeat(
        self, keyword: Token, _begin: Token, every: Token | None, operand: tree.Pattern, end: Token, *rest: object
    ) -> tree.Pattern:
        _consume, _open, consumed, close, *others = rest
        limits: dict[str, tree.Expression] = {}
        last = cast(Token | None, close) or end
        for each in others[:-2]:
            kind, condition, last = cast(tuple[Token, tree.Expression, Token], each)
            if kind.type in limits:
                message = f"there is a condition {kind.lower()} already"
                _report("syntax-error", span_of(kind), message, "join the two by `and` or `or`")
            limits[kind.type] = condition
        name = cast(Token | None, others[-1])
        if every is not None:
            operand = tree.Policy(tree.Choice.EVERY, operand, (), span=operand.span)
        if consumed is not None:
            operand = tree.Policy(tree.Choice.ALL, operand, (str(consumed),), span=operand.span)
        return tree.Collect(
            operand,
            limits.get("ACCEPT"),
            limits.get("TERMINATE"),
            limits.get("INVALIDATE"),
            None if name is None else str(name),
            span=span_of(keyword, name or last),
        )

    def limit(
        self, kind: Token, _begin: Token, condition: tree.Expression, end: Token
    ) -> tuple[Token, tree.Expression, Token]:
        return kind, condition, end

    def duration(self, amount: Token, unit: Token) -> tree.Duration:
        return _duration(amount, unit)

    # --- Expressions -------------------------------------------------------------------------------------------------

    def either(self, *parts: tree.Expression | Token) -> tree.Expression:
        found = tuple(part for part in parts if not isinstance(part, Token))
        return tree.Either(found, span=_over(found)) if len(found) > 1 else found[0]

    def both(self, *parts: tree.Expression | Token) -> tree.Expression:
        found = tuple(part for part in parts if not isinstance(part, Token))
        return tree.Both(found, span=_over(found))

    def inverse(self, keyword: Token, operand: tree.Expression) -> tree.Expression:
        return tree.Negation(operand, span=_from(keyword, operand))

    def comparison(
        self, left: tree.Expression, operator: Token | None, right: tree.Expression | None
    ) -> tree.Expression:
        if operator is None or right is None:
            return left
        return tree.Comparison(left, _OPERATORS[operator], right, span=_over((left, right)))

    def sum(self, *parts: tree.Expression | Token) -> tree.Expression:
        found: list[tree.Expression] = []
        negative: Token | None = None
        for part in parts:
            if isinstance(part, Token):
                negative = part if part.type == "MINUS" else None
            elif negative is not None:
                found.append(tree.Negative(part, span=_from(negative, part)))
            else:
                found.append(part)
        return tree.Sum(tuple(found), span=_over(tuple(found)))

    def product(self, *parts: tree.Expression | Token) -> tree.Expression:
        found = tuple(part for part in parts if not isinstance(part, Token))
        return tree.Product(found, span=_over(found))

    def negative(self, minus: Token, operand: tree.Expression) -> tree.Expression:
        return tree.Negative(operand, span=_from(minus, operand))

    def reference(self, *parts: Token) -> tree.Expression:
        return tree.Reference(_path(parts), span=span_of(parts[0], parts[-1]))

    def called(self, function: Token, *parts: Token | None) -> tree.Aggregate:
        tokens = tuple(part for part in parts if part is not None)
        return tree.Aggregate(tree.Function[function.type], _path(tokens), span=span_of(function, tokens[-1]))

    def counted(self, name: Token, _dot: Token, _count: Token, _begin: Token, end: Token) -> tree.Aggregate:
        return tree.Aggregate(tree.Function.COUNT, (str(name),), span=span_of(name, end))

    def function(self, name: Token) -> Token:
        return name

    def outside(self, bang: Token, name: Token) -> tree.Expression:
        return tree.Outside(str(name), span=span_of(bang, name))

    def quantified(
        self, bounds: tuple[int | None, int | None, Token], _begin: Token, condition: tree.Expression, end: Token
    ) -> tree.Expression:
        return tree.Quantified(bounds[0], bounds[1], condition, span=span_of(bounds[2], end))

    def every_item(self, keyword: Token) -> tuple[int | None, int | None, Token]:
        return None, None, keyword

    def some_item(self, keyword: Token) -> tuple[int | None, int | None, Token]:
        return 1, None, keyword

    def at_least(self, keyword: Token, _least: Token, number: Token) -> tuple[int | None, int | None, Token]:
        return _whole(number), None, keyword

    def at_most(self, keyword: Token, _most: Token, number: Token) -> tuple[int | None, int | None, Token]:
        return None, _whole(number), keyword

    def between(self, keyword: Token, least: Token, _and: Token, most: Token) -> tuple[int | None, int | None, Token]:
        return _whole(least), _whole(most), keyword

    def integer(self, digits: Token) -> tree.Literal:
        return tree.Literal(_whole(digits), span=span_of(digits))

    def decimal(self, digits: Token) -> tree.Literal:
        value = float(digits)
        if not fits_float(value):
            message = f"{digits} is beyond the finite numbers"
            _report("float-out-of-range", span_of(digits), message, "the greatest is about 1.8e308")
            value = 0.0
        return tree.Literal(value, span=span_of(digits))

    def string(self, token: Token) -> tree.Literal:
        return tree.Literal(token[1:-1].replace("''", "'"), span=span_of(token))

    def boolean(self, token: Token) -> tree.Literal:
        return tree.Literal(token.type == "TRUE", span=span_of(token))


def _ended(parts: list[tree.Pattern]) -> tuple[tree.Pattern, ...]:
    """The parts of a sequence, without sequences that end with an open part, which the next part ends: `(A -> not B) ->
    C` is `A -> not B -> C`, `not P -> (A -> not B) -> C` is `not P -> (A -> not B -> C)` (specification: lead-open)."""
    found: list[tree.Pattern] = []
    while parts:
        part, *parts = parts
        if not (parts and isinstance(part, tree.Sequence) and tree.open_end(part)):
            found.append(part)
        elif found and tree.is_open(found[-1]):
            # All of it ends what is open before it.
            closed = next((place for place, each in enumerate(parts) if tree.open_end(each) is None), len(parts) - 1)
            whole = _ended([*part.parts, *parts[: closed + 1]])
            found.append(tree.Sequence(whole, span=_over(whole)))
            parts = parts[closed + 1 :]
        else:
            parts = [*part.parts, *parts]
    return tuple(found)


def _path(parts: tuple[Token, ...]) -> tuple[str, ...]:
    return tuple(str(part) for part in parts if part.type == "NAME")


def _whole(digits: Token) -> int:
    value = int(digits)
    if not fits_integer(value):
        message = f"{value} does not fit 64 bit"
        _report("integer-out-of-range", span_of(digits), message, f"write `{value}.0`, if the nearest number will do")
        return 0
    return value


def _duration(amount: Token, unit: Token) -> tree.Duration:
    duration = tree.Duration(int(amount), tree.Unit[UNITS[unit.upper()]], span=span_of(amount, unit))
    if duration.milliseconds > GREATEST_INTEGER:
        message = "this duration does not fit 64 bit, in milliseconds"
        _report("duration-out-of-range", duration.span, message, "choose a shorter one")
        return tree.Duration(1, tree.Unit.MS, span=duration.span)
    return duration


def _report(code: str, span: Span, message: str, hint: str) -> None:
    REPORTER.get().report(code, span, message, hint)
