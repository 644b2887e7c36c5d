"""Timestamps that look like seconds, microseconds or nanoseconds since 1970, where milliseconds are meant.

From 2001 to 2096 seconds since 1970 are from 10^9 to 4·10^9. Read as milliseconds they all lie in the first weeks of
1970. Such timestamps are valid, so this is a warning and not an error.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

_LEAST: Final = {"seconds": 10**9, "milliseconds": 10**12, "microseconds": 10**15, "nanoseconds": 10**18}
"""The least number for a present-day time in each unit; the greatest is four times as much."""
_MEANT: Final = "milliseconds"
OTHER: Final = "other"
"""For a number that is not a present-day time in any unit."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def unit_of(timestamp: int) -> str:
    """Return the unit in which a number is a present-day time; `OTHER` if there is none."""
    return next((unit for unit, least in _LEAST.items() if least <= timestamp < 4 * least), OTHER)


@dataclass(slots=True)
class Units:
    """The units that the timestamps of a trace seem to have, collected one timestamp at a time."""

    _counts: dict[str, int] = field(default_factory=dict)
    _first: dict[str, tuple[int, int]] = field(default_factory=dict)

    def see(self, timestamp: int, line: int, *, written: object) -> None:
        """Add a timestamp, with its line and its written form: a time in ISO 8601 is never in doubt."""
        if OTHER in self._first:
            return  # no doubt is possible any more
        meant = 10**12 <= timestamp < 4 * 10**12 or type(written) is str
        unit = _MEANT if meant else unit_of(timestamp)
        if unit not in self._first:
            self._first[unit] = timestamp, line
        self._counts[unit] = self._counts.get(unit, 0) + 1

    def doubt(self) -> str:
        """Return a warning about timestamps in a unit that is probably not meant, with a hint; empty if there is none.

        Timestamps are in doubt if all look like one other unit, or some of them beside milliseconds. One that looks
        like no unit, as those of small examples and of clocks that begin at 0 do, dispels the doubt.
        """
        found = next((unit for unit in _LEAST if unit != _MEANT and unit in self._first), None)
        if found is None or OTHER in self._first:
            return ""
        count, total = self._counts[found], sum(self._counts.values())
        value, line = self._first[found]
        several = count > 1
        some = (
            f"{count:,} of {total:,} timestamps" if count < total else "all timestamps" if several else "the timestamp"
        )
        meant = value * _LEAST[_MEANT] // _LEAST[found]
        day = _day(meant)
        taken = f"is taken for {_day(value)}" if found == "seconds" else "is taken for a time far in the future"
        return (
            f"{some} look{'' if several else 's'} like {found} since 1970, where {_MEANT} are meant: {value} on line "
            f"{line} {taken}, not {day}\n  hint: write it as {meant}, or in ISO 8601, as {_iso(meant)}"
        )


def _day(milliseconds: int) -> str:
    return f"{_EPOCH + timedelta(milliseconds=milliseconds):%Y-%m-%d}"


def _iso(milliseconds: int) -> str:
    return f"{_EPOCH + timedelta(milliseconds=milliseconds // 1000 * 1000):%Y-%m-%dT%H:%M:%SZ}"
