"""Build trees from the rules of a grammar: a rule with the name of a node class builds a node of that class.

The nodes are built while the text is parsed, each with its span.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import fields
from enum import Enum
from functools import cache
from types import MappingProxyType, ModuleType
from typing import Any, NamedTuple, cast, get_origin, get_type_hints

from parte.semantics.events.values import fits_float, fits_integer
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.scanner import end_of, span_of, start_of
from parte.semantics.source.spans import NOWHERE, Span, Spanned
from parte.semantics.source.tokens import Token
from parte.semantics.source.trees import Literal

_REPORTER: ContextVar[Reporter] = ContextVar("reporter")
"""The reporter of the text that is being parsed: all texts share one parser and its builder."""


@contextmanager
def reporting_to(reporter: Reporter) -> Iterator[None]:
    """Make builders report to `reporter` inside this context."""
    token = _REPORTER.set(reporter)
    try:
        yield
    finally:
        _REPORTER.reset(token)


def report(code: str, span: Span, message: str, hint: str) -> None:
    """Report an error in the text that is being parsed."""
    _REPORTER.get().report(code, span, message, hint)


class Parts(tuple[Any, ...]):
    """The values of a rule that builds no node, with its tokens. An empty rule has no span."""

    span: Span | None
    tokens: list[Token]


class Made(NamedTuple):
    """Any value with its span."""

    value: Any
    span: Span


class Sized(NamedTuple):
    """An expression with the height of its tree. Expressions too high for recursion are rejected by this height."""

    value: Any
    height: int

    @property
    def span(self) -> Span:
        """The span of the expression."""
        place: Span = self.value.span
        return place


class Builder:
    """The actions of the rules of a grammar.

    An action has the name or alias of its rule and receives all children of the rule, tokens included.

    - `specials`, and `more` by the names of rules: functions from the span and the children of a rule to its value.
    - A rule with the name of a node class in `tree` (`event_pattern` for `EventPattern`) builds that node. The children
      fill the fields in order, without the tokens whose kind is not in `words`: a token becomes a string or a member of
      an enumeration (`spellings` are synonyms), a tuple takes all children that are left. A Boolean field is true if
      there is a token whose kind is in `flags`. A field `x_span` is the span of the field `x`, or of a token X.
    - The rule `only` has the value of its only child.
    - Any other rule gathers the values of its children in `Parts`.
    """

    def __init__(
        self,
        tree: ModuleType,
        words: Collection[str],
        *specials: Callable[..., object],
        flags: Collection[str] = (),
        spellings: Mapping[str, str] = MappingProxyType({}),
        **more: Callable[..., object],
    ) -> None:
        self._tree, self._words, self._flags, self._others = tree, frozenset(words), frozenset(flags), spellings
        self._specials = {special.__name__: special for special in specials} | more

    def __getattr__(self, rule: str) -> Callable[[Sequence[Any]], object]:
        if rule.startswith("_"):
            raise AttributeError(rule)
        if rule in self._specials:
            special = self._specials[rule]
            return lambda children: special(span_over(children), *children)
        kind = getattr(self._tree, "".join(map(str.capitalize, rule.split("_"))), None)
        if isinstance(kind, type) and issubclass(kind, Spanned):
            return self._node(kind)
        return self._only if rule == "only" else self._gathered

    def _values(self, children: Sequence[Any]) -> list[Any]:
        words = self._words
        return [child for child in children if not isinstance(child, Token) or child.type in words]

    def _only(self, children: Sequence[Any]) -> object:
        (value,) = self._values(children)
        return value

    def _gathered(self, children: Sequence[Any]) -> object:
        values = self._values(children)
        if len(values) == 1 and isinstance(values[0], Parts):
            (values,) = values
        parts = Parts(values)
        parts.tokens = [child for child in children if isinstance(child, Token)]
        if children and parts.tokens and children[-1] is parts.tokens[-1] and children[-1].type == "_COMMA":
            children = children[:-1]  # a comma at the end belongs to no part
        parts.span = span_if_any(children)
        return parts

    def _node(self, kind: type[Spanned]) -> Callable[[Sequence[Any]], object]:
        @cache
        def plan() -> tuple[list[tuple[Any, str]], list[str]]:
            hints, named = get_type_hints(kind), fields(cast(Any, kind))
            spans = [field.name for field in named if field.kw_only and field.name != "span"]
            members = [(self._taking(hints[field.name]), f"{field.name}_span") for field in named if not field.kw_only]
            return [(take, name if name in spans else "") for take, name in members], spans

        def build(children: Sequence[Any]) -> object:
            members, spans = plan()
            values, span = self._values(children), span_over(children)
            filled, places, index = list[object](), dict[str, Span](), 0
            for take, place in members:
                if take is None:
                    filled.append(any(isinstance(child, Token) and child.type in self._flags for child in children))
                    continue
                value: Any = values[index] if index < len(values) else None
                filled.append(take(value, values, index))
                index += 1
                if place:
                    places[place] = span_of(value)
            for place in spans:
                if place not in places:
                    inner = (token for child in children if isinstance(child, Parts) for token in child.tokens)
                    token = next((token for token in inner if token.type == place.removesuffix("_span").upper()), None)
                    places[place] = Span(span.end, span.end) if token is None else span_of(token)
            return kind(*filled, span=span, **places)

        return build

    def _taking(self, hint: Any) -> Callable[[Any, list[Any], int], object] | None:
        """Return the function that fills a field of a type; None for a Boolean."""
        if hint is bool:
            return None
        if get_origin(hint) is tuple:
            return lambda value, values, place: tuple(
                [plain(child) for child in (value if isinstance(value, Parts) else values[place:])]
            )
        if isinstance(hint, type) and issubclass(hint, Enum):
            return lambda value, *_: self._member(hint, value)
        return lambda value, *_: plain(value)

    def _member(self, kind: type[Enum], value: Any) -> object:
        if not isinstance(value, Token):
            return plain(value)
        return kind(self._others.get(value, value.upper()))


def plain(value: Any) -> Any:
    """Return the value that a field holds for a child of a rule."""
    if isinstance(value, Token):
        return str(value)
    return value.value if isinstance(value, (Sized, Made)) else value


def span_over(children: Sequence[Any]) -> Span:
    """Return the span from the first child of a rule to the last; `NOWHERE` for an empty rule."""
    return span_if_any(children) or NOWHERE


def span_if_any(children: Sequence[Any]) -> Span | None:
    """Return the span from the first child of a rule to the last; None for an empty rule."""
    for first in children:
        if isinstance(first, Token):
            start = start_of(first)
        elif first.span is None:
            continue
        else:
            start = first.span.start
        last = next(child for child in reversed(children) if isinstance(child, Token) or child.span is not None)
        return Span(start, end_of(last) if isinstance(last, Token) else last.span.end)
    return None


# --- Numbers and strings ----------------------------------------------------------------------------------------------


def integer_of(value: int, span: Span) -> int:
    """Return the integer; report an integer that does not fit 64 bit, and return 0 for it."""
    if fits_integer(value):
        return value
    message = f"{value} does not fit 64 bit"
    report("integer-out-of-range", span, message, f"write `{value}.0`, if the nearest number will do")
    return 0


def float_of(digits: str, span: Span, *, negative: bool = False) -> float:
    """Return the number; report a number that is not finite, and return 0.0 for it."""
    value = -float(digits) if negative else float(digits)
    if fits_float(value):
        return value
    report("float-out-of-range", span, f"{digits} is beyond the finite numbers", "the greatest is about 1.8e308")
    return 0.0


def number(span: Span, *parts: Token) -> Literal:
    """Build a number, with or without a sign."""
    digits, negative = parts[-1], len(parts) > 1
    if digits.type == "INTEGER":
        return Literal(integer_of(-int(digits) if negative else int(digits), span), span=span)
    return Literal(float_of(digits, span, negative=negative), span=span)


def string(span: Span, token: Token) -> Literal:
    """Build a string in single quotes; a doubled quote stands for a quote."""
    return Literal(token[1:-1].replace("''", "'"), span=span)


def boolean(span: Span, token: Token) -> Literal:
    """Build TRUE or FALSE."""
    return Literal(token.type == "TRUE", span=span)
