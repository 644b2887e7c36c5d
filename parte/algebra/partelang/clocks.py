"""The meaning of `time_of_day`, `weekday` and `date` (specification: function-clocks), by the dates of Python."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from parte.semantics.partelang.syntax.zones import zone

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def reading(function: str, timestamp: int, zone_name: str) -> int | str | None:
    """Return what a clock in a zone shows at a timestamp; no value outside the years 1 to 9999."""
    try:
        local_time = (_EPOCH + timedelta(milliseconds=timestamp)).astimezone(zone(zone_name))
    except OverflowError:
        return None
    match function:
        case "time_of_day":
            clock = timedelta(
                hours=local_time.hour,
                minutes=local_time.minute,
                seconds=local_time.second,
                microseconds=local_time.microsecond,
            )
            return clock // _MILLISECOND
        case "weekday":
            return local_time.isoweekday()
        case "date":
            return local_time.date().isoformat()
        case _:
            raise ValueError(f"{function} reads no clock")
