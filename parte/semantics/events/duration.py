"""Durations as users write and read them: `5 minutes`, `250 ms` (specification: duration-options)."""

from __future__ import annotations

import re
from enum import Enum
from reprlib import repr as abbreviated

from parte.semantics.events.event import NEGATIVE_INFINITY


class Unit(Enum):
    """A unit of duration; the value is its length in milliseconds."""

    MILLISECONDS = 1
    SECONDS = 1_000
    MINUTES = 60_000
    HOURS = 3_600_000
    DAYS = 86_400_000


UNITS = {"ms": Unit.MILLISECONDS} | {
    spelling: unit for unit in Unit for spelling in (unit.name.lower().removesuffix("s"), unit.name.lower())
}
"""Units by their words."""
_ELSEWHERE = {
    **dict.fromkeys(("msec", "msecs", "millis"), Unit.MILLISECONDS),
    **dict.fromkeys(("s", "sec", "secs"), Unit.SECONDS),
    **dict.fromkeys(("m", "min", "mins"), Unit.MINUTES),
    **dict.fromkeys(("h", "hr", "hrs"), Unit.HOURS),
    "d": Unit.DAYS,
}
"""Names of units in other systems; `m` may also be a month."""
_DURATION = re.compile(r"\s*([+-]?[0-9]{1,18})\s*([A-Za-z]+)\s*")


def parse_duration(text: str) -> int:
    """Return the milliseconds of `text`: an integer, possibly negative, and a unit of PARTElang.

    Raise ValueError, with a message for the user, for any other text.
    """
    parts = _DURATION.fullmatch(text)
    unit = UNITS.get(parts[2]) if parts else None
    if parts is None or unit is None:
        raise ValueError(
            f"expected a duration such as '5 minutes' or '250 ms', found {abbreviated(text)}; "
            + unit_advice(parts[2] if parts else "")
        )
    return int(parts[1]) * unit.value


def parse_short_duration(text: str) -> int:
    """Return the milliseconds of a duration that may have a unit of other systems, as `5m` has: `m` is minutes.

    Raise ValueError, with a message for the user, for any other text.
    """
    parts = _DURATION.fullmatch(text)
    if parts and (unit := _ELSEWHERE.get(parts[2])) is not None:
        return int(parts[1]) * unit.value
    try:
        return parse_duration(text)
    except ValueError:
        raise ValueError(f"expected a duration such as '5m', '90s' or '5 minutes', found {abbreviated(text)}") from None


def unit_advice(written: str) -> str:
    """Return the list of units, or the unit that an unknown word probably means."""
    small = written[:20].lower()
    meant = _ELSEWHERE.get(small, UNITS.get(small))
    units = "the units are ms, seconds, minutes, hours and days"
    return units if meant is None else f"`{written}` is written `{unit_name(meant)}`; {units}"


def unit_name(unit: Unit) -> str:
    """Return the plural name of a unit in programs."""
    return "ms" if unit is Unit.MILLISECONDS else unit.name.lower()


def duration_text(milliseconds: int) -> str:
    """Return a duration in the greatest unit that divides it, and `-ever` for the end of a window that has none."""
    if milliseconds <= NEGATIVE_INFINITY:
        return "-ever"
    fitting = [unit for unit in Unit if milliseconds and milliseconds % unit.value == 0]
    unit = fitting[-1] if fitting else Unit.MILLISECONDS
    amount = milliseconds // unit.value
    name = unit_name(unit)
    return f"{amount} {name[:-1] if abs(amount) == 1 and name != 'ms' else name}"


def duration_in_words(milliseconds: int) -> str:
    """Return a duration in several units, the greatest first: `1 day 3 seconds 20 ms`."""
    parts = []
    for unit in reversed(Unit):
        amount, milliseconds = divmod(milliseconds, unit.value)
        parts += [duration_text(amount * unit.value)] if amount else []
    return " ".join(parts) or duration_text(0)
