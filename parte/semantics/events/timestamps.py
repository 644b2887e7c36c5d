"""Timestamps in traces: milliseconds, or ISO 8601 with an offset (specification: timestamp-forms)."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from parte.semantics.events.values import GREATEST_INTEGER, LEAST_INTEGER, Unfit, describe

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_ISO = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}:[0-9]{2}(?::[0-9]{2})?)(?:[.]([0-9]+))?(Z|[+-][0-9]{2}:?[0-9]{2})?"
)


def to_timestamp(value: object) -> int:
    """Return milliseconds since 1970-01-01T00:00:00Z. Raise Unfit if `value` does not name one exactly."""
    if type(value) is int:
        if not LEAST_INTEGER <= value <= GREATEST_INTEGER:
            raise Unfit(f"expected a timestamp, found {describe(value)}, which lies outside the signed 64-bit range")
        return value
    if type(value) is not str:
        raise Unfit(f"expected a timestamp, found {describe(value)}")
    return _from_iso(value)


def timestamp_text(milliseconds: int) -> str:
    """Return a timestamp in UTC, as in "2026-11-24T09:00:00Z"; as an integer where there is no such date."""
    try:
        moment = _EPOCH + timedelta(milliseconds=milliseconds)
    except OverflowError:
        return str(milliseconds)
    return moment.isoformat(timespec="milliseconds").removesuffix("+00:00").removesuffix(".000") + "Z"


def _from_iso(text: str) -> int:
    parts = _ISO.fullmatch(text)
    if parts is None:
        raise Unfit(f"expected a timestamp, found {describe(text)}")
    day, time, fraction, offset = parts.groups()
    if offset is None:
        raise Unfit(f"expected a timestamp, found {describe(text)}, which has no offset from UTC")
    if offset != "Z" and (int(offset[1:3]) > 23 or int(offset[-2:]) > 59):
        raise Unfit(f"expected a timestamp, found {describe(text)}: its offset must lie between -23:59 and +23:59")
    fraction = fraction or ""
    if fraction[3:].strip("0"):  # some writers always print six digits
        raise Unfit(f"expected a timestamp, found {describe(text)}, which is finer than a millisecond")
    try:
        moment = datetime.fromisoformat(f"{day}T{time}{offset}")
    except ValueError as error:
        raise Unfit(f"expected a timestamp, found {describe(text)}: {error}") from None
    return (moment - _EPOCH) // _MILLISECOND + int(fraction[:3].ljust(3, "0"))
