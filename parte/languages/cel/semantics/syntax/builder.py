"""Values of the rules of `grammar.lark` that do not have the name of a node class."""

from __future__ import annotations

from typing import Any

from parte.languages.cel.semantics.syntax import tree
from parte.languages.cel.semantics.syntax.lexis import UNITS
from parte.semantics.events.values import GREATEST_INTEGER
from parte.semantics.source.building import Builder, Parts, boolean, number, report, string
from parte.semantics.source.spans import Span
from parte.semantics.source.tokens import Token

_STRATEGIES = {strategy.value: strategy for strategy in tree.Strategy} | {"NEXT": tree.Strategy.NXT}


def select_clause(_: Span, *parts: Token | Parts) -> tuple[tree.Strategy, tuple[str, ...] | None]:
    """Return the strategy, and the selected variables: None for all."""
    chosen = parts[-1]
    strategy = _STRATEGIES[parts[1].upper()] if isinstance(parts[1], Token) and len(parts) > 2 else tree.Strategy.ALL
    if isinstance(chosen, Token):
        return strategy, None if chosen.type == "STAR" else ()
    return strategy, tuple(map(str, chosen))


def time_window(span: Span, *parts: Token) -> tree.TimeWindow:
    """Return a window of time; its length is the sum of the parts."""
    pairs = zip(parts[::2], parts[1::2], strict=True)
    window = tree.TimeWindow(tuple((int(amount), tree.Unit[UNITS[unit.upper()]]) for amount, unit in pairs), span=span)
    if _length(window.milliseconds, span) != window.milliseconds:
        return tree.TimeWindow(((0, tree.Unit.MS),), span=span)
    return window


def link(span: Span, *parts: Any) -> tree.Link:
    """Return a comparison of attributes of two variables."""
    left, _, left_attribute, _, operator, right, _, right_attribute, _ = parts
    relation = tree.Operator(_SPELLINGS.get(operator, operator))
    return tree.Link(str(left), left_attribute.name, relation, str(right), right_attribute.name, span=span)


def _length(length: int, span: Span) -> int:
    """Return the length of a window; report a length that is out of range, and return 0."""
    if length <= GREATEST_INTEGER:
        return length
    message = "the length of this window does not fit 64 bit"
    report("window-out-of-range", span, message, "choose a shorter one, or leave WITHIN out")
    return 0


_SPELLINGS = {"==": "=", "<>": "!="}
BUILDER = Builder(
    tree,
    ("NAME", "OPERATOR"),
    *(select_clause, time_window, link, number, string, boolean),
    flags=("COLON", "CONTIGUOUS_PLUS"),
    spellings=_SPELLINGS,
    consume_clause=lambda _, *parts: tree.Consumption[parts[-1].upper()],
    event_window=lambda span, amount, _: tree.EventWindow(_length(int(amount), span), span=span),
)
