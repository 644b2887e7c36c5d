"""Values in rules, as text in the style of figures: events by their ids, times as dates if they look like dates."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from msgspec.structs import astuple

from parte.drawing.svg import shortened
from parte.semantics.events.duration import duration_text
from parte.semantics.events.event import Event
from parte.semantics.partelang.histories import Entry, PlainHistory
from parte.semantics.partelang.network import Once
from parte.semantics.partelang.rules.registry import Effect, EntryData, TwoInputData
from parte.semantics.partelang.suppression import Decision, OnceData, Passed
from parte.semantics.partelang.tokens import AlphaToken, BetaToken

_EPOCH_LIKE = 10**11
"""The least integer that is shown as a date (1973)."""

_MOST = 8
"""The number of elements of a list that are shown."""
_LONGEST = 400


def time_text(time: int) -> str:
    """Return a timestamp, or a bound on timestamps, as text."""
    if abs(time) >= 2**90:
        return "+∞" if time > 0 else "−∞"
    if abs(time) < _EPOCH_LIKE:
        return str(time).replace("-", "−")
    try:
        moment = datetime.fromtimestamp(time // 1000, UTC)
    except (OverflowError, ValueError, OSError):
        return str(time)
    return moment.strftime("%Y-%m-%d %H:%M:%S") + (f".{time % 1000:03}" if time % 1000 else "")


def value_text(value: object) -> str:
    """Return a value as text of at most `_LONGEST` characters."""
    return shortened(_text(value), _LONGEST)


def _text(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case None:
            return "⊥"
        case int():
            return time_text(value)
        case Event():
            return value.id
        case Entry():
            live = (
                time_text(value.opens)
                if value.opens == value.closes
                else f"{time_text(value.opens)}, {time_text(value.closes)}"
            )
            return f"⟨{_listed(value.events)} live [{live}]⟩"
        case PlainHistory():
            return f"{{{_listed(value)}}}" if len(value) else "∅"
        case AlphaToken() | BetaToken():
            bounds = (value.bound,) if isinstance(value, AlphaToken) else value.bounds
            payload = value.payload if isinstance(value.payload, tuple) else (value.payload,)
            return f"⟨{_listed(payload)}; {_listed(bounds)}⟩"
        case Effect(data=data, tokens=tokens):
            return f"{_text(data) if data else '⟨⟩'}, {_text(tokens)}"
        case EntryData() | TwoInputData() | OnceData():
            return f"⟨{_listed(astuple(value))}⟩"
        case Passed():
            return f"{{{_listed(identity for _, identity in value.events.values())}}}" if value.events else "∅"
        case Decision(event=event, by=by):
            return f"{event.id} passes" if by is None else f"{event.id} is suppressed by {by}"
        case Once():
            return f"once in {duration_text(value.milliseconds)}"
        case tuple() | list():
            return f"[{_listed(value)}]" if value else "∅"
        case float() | str():
            return str(value)
    return type(value).__name__


def _listed(values: Iterable[object]) -> str:
    several = list(values)
    more = [f"… {len(several) - _MOST:,} more"] if len(several) > _MOST else []
    return ", ".join([*map(_short, several[:_MOST]), *more])


def _short(value: object) -> str:
    """Return an element of a list as text; an entry is shown as its events only."""
    if isinstance(value, Entry):
        return value.events[0].id if len(value.events) == 1 else f"⟨{_listed(value.events)}⟩"
    return _text(value)
