"""The machine's evaluation of `time_of_day`, `weekday` and `date` (specification: function-clocks), by counting days.

The offset of a zone comes from its table; everything else is arithmetic on milliseconds since 1970.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from parte.semantics.partelang.syntax.zones import UTC, zone

_DAY = 86_400_000
_EARLIEST, _BEYOND = -62_135_596_800_000, 253_402_300_800_000
"""The first millisecond of the year 1, and of the year 10,000."""
_NEW_YEAR_1970 = datetime(1970, 1, 1)


def clock_reading(function: str, timestamp: int, zone_name: str) -> int | str | None:
    """Return what a clock in a zone shows at a timestamp; None outside the years 1 to 9999."""
    if not _EARLIEST <= timestamp < _BEYOND:
        return None
    wall = timestamp
    if zone_name != UTC:
        offset = _offset(timestamp, zone_name)
        if offset is None or not _EARLIEST <= timestamp + offset < _BEYOND:
            return None
        wall += offset
    days, milliseconds = divmod(wall, _DAY)
    if function == "time_of_day":
        return milliseconds
    return (days + 3) % 7 + 1 if function == "weekday" else _date(days)


def _offset(timestamp: int, zone_name: str) -> int | None:
    """Return the milliseconds that a clock in a zone is ahead of UTC; None if it shows no date."""
    place = zone(zone_name)
    try:
        local_time = place.fromutc((_NEW_YEAR_1970 + timedelta(milliseconds=timestamp)).replace(tzinfo=place))
    except OverflowError:
        return None
    ahead = local_time.utcoffset() or timedelta()
    return ahead // timedelta(milliseconds=1)


def _date(days: int) -> str:
    """Return the date of a day since 1970, in the proleptic Gregorian calendar.

    Years begin in March here, so that the day of a leap year is the last; 400 years have 146,097 days.
    """
    era, day = divmod(days + 719_468, 146_097)
    year = (day - day // 1_460 + day // 36_524 - day // 146_096) // 365
    day -= 365 * year + year // 4 - year // 100
    month = (5 * day + 2) // 153
    day_of_month = day - (153 * month + 2) // 5 + 1
    calendar_month = month + 3 if month < 10 else month - 9
    return f"{400 * era + year + (calendar_month <= 2):04}-{calendar_month:02}-{day_of_month:02}"
