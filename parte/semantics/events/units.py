"""Timestamps that look like seconds, microseconds or nanoseconds since 1970, where milliseconds are meant.

From 2001 to 2096 seconds since 1970 are from 10^9 to 4·10^9. Read as milliseconds they all lie in the first weeks of
1970: nothing is wrong with that, so there is only a doubt to tell, and no error.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

_LEAST: Final = {"seconds": 10**9, "milliseconds": 10**12, "microseconds": 10**15, "nanoseconds": 10**18}
"""What times of our time are written as in a unit: from here to four times as much."""
_MEANT: Final = "milliseconds"
OTHER: Final = "other"
"""No unit in which a number is a time of our time."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def unit_of(timestamp: int) -> str:
    """The unit in which a number is a time of our time; `OTHER` if there is none."""
    return next((unit for unit, least in _LEAST.items() if least <= timestamp < 4 * least), OTHER)


@dataclass(slots=True)
class Units:
    """What the timestamps of a trace look like, one after the other."""

    _counts: dict[str, int] = field(default_factory=dict)
    _first: dict[str, tuple[int, int]] = field(default_factory=dict)

    def see(self, timestamp: int, line: int, *, written: object) -> None:
        """One more, its line, and how it was written: a time in ISO 8601 is in no doubt."""
        if OTHER in self._first:
            return  # nothing can be in doubt any more
        meant = 10**12 <= timestamp < 4 * 10**12 or type(written) is str
        unit = _MEANT if meant else unit_of(timestamp)
        if unit not in self._first:
            self._first[unit] = timestamp, line
        self._counts[unit] = self._counts.get(unit, 0) + 1

    def doubt(self) -> str:
        """What is probably not meant, and a line with a hint; empty if there is nothing.

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
