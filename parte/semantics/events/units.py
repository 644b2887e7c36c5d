"""Timestamps that look like seconds, microseconds or nanoseconds since 1970, where milliseconds are meant.

From 2001 to 2096 seconds since 1970 are from 10^9 to 4·10^9. Read as milliseconds they all lie in the first weeks of
1970. Such a trace is valid, so this is reported as a doubt, not as an error.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

_LEAST: Final = {"seconds": 10**9, "milliseconds": 10**12, "microseconds": 10**15, "nanoseconds": 10**18}
"""Least number for a present-day time in each unit; present-day times go up to four times as much."""
_MEANT: Final = "milliseconds"
OTHER: Final = "other"
"""The number is not a present-day time in any unit."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def unit_of(timestamp: int) -> str:
    """Return the unit in which a number is a present-day time; `OTHER` if there is none."""
    return next((unit for unit, least in _LEAST.items() if least <= timestamp < 4 * least), OTHER)


@dataclass(slots=True)
class Units:
    """Counts of the apparent units of the timestamps of a trace."""

    _counts: dict[str, int] = field(default_factory=dict)
    _first: dict[str, tuple[int, int]] = field(default_factory=dict)

    def see(self, timestamp: int, line: int, *, written: object) -> None:
        """Count a timestamp, with its line and as it was `written`: a time in ISO 8601 is never in doubt."""
        if OTHER in self._first:
            return  # no doubt is possible any more
        meant = 10**12 <= timestamp < 4 * 10**12 or type(written) is str
        unit = _MEANT if meant else unit_of(timestamp)
        if unit not in self._first:
            self._first[unit] = timestamp, line
        self._counts[unit] = self._counts.get(unit, 0) + 1

    def doubt(self) -> str:
        """Return the doubt about the timestamps, and a line with a hint; empty if there is none.

        Timestamps are in doubt if all look like one other unit, or if some do beside milliseconds. A timestamp that
        looks like no unit (small examples, clocks that begin at 0) removes the doubt.
        """
        unit = next((name for name in _LEAST if name != _MEANT and name in self._first), None)
        if unit is None or OTHER in self._first:
            return ""
        count, total = self._counts[unit], sum(self._counts.values())
        value, line = self._first[unit]
        several = count > 1
        some = (
            f"{count:,} of {total:,} timestamps" if count < total else "all timestamps" if several else "the timestamp"
        )
        meant = value * _LEAST[_MEANT] // _LEAST[unit]
        day = _day(meant)
        taken = f"is taken for {_day(value)}" if unit == "seconds" else "is taken for a time far in the future"
        return (
            f"{some} look{'' if several else 's'} like {unit} since 1970, where {_MEANT} are meant: {value} on line "
            f"{line} {taken}, not {day}\n  hint: write it as {meant}, or in ISO 8601, as {_iso(meant)}"
        )


def _day(milliseconds: int) -> str:
    return f"{_EPOCH + timedelta(milliseconds=milliseconds):%Y-%m-%d}"


def _iso(milliseconds: int) -> str:
    return f"{_EPOCH + timedelta(milliseconds=milliseconds // 1000 * 1000):%Y-%m-%dT%H:%M:%SZ}"
