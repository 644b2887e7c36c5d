"""Durations on the command line."""

from __future__ import annotations

import pytest

from parte.options import disorder_of
from parte.semantics.events.duration import parse_duration


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("250 ms", 250),
        ("250ms", 250),
        ("1 millisecond", 1),
        ("2 milliseconds", 2),
        ("1 second", 1000),
        ("0 seconds", 0),
        (" 5  minutes ", 300_000),
        ("1 minute", 60_000),
        ("2 hours", 7_200_000),
        ("1 hour", 3_600_000),
        ("14 days", 1_209_600_000),
        ("-1 day", -86_400_000),
    ],
)
def test_durations(text: str, milliseconds: int) -> None:
    assert parse_duration(text) == milliseconds


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("5 h", "hours"),
        ("5 H", "hours"),
        ("5hrs", "hours"),
        ("5 s", "seconds"),
        ("5 sec", "seconds"),
        ("5 min", "minutes"),
        ("5 m", "minutes"),
        ("5 d", "days"),
        ("5 Days", "days"),
        ("5 millis", "ms"),
    ],
)
def test_the_unit_that_is_meant(text: str, meant: str) -> None:
    written = text.lstrip("5 ")
    with pytest.raises(ValueError, match=f"; `{written}` is written `{meant}`; the units are ms"):
        parse_duration(text)


@pytest.mark.parametrize("text", ["", "5", "minutes", "1.5 hours", "5 weeks", "5 m", "5 millis", "٣ days", "1 Day"])
def test_what_is_not_a_duration(text: str) -> None:
    with pytest.raises(ValueError, match="expected a duration such as '5 minutes'"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("text", "milliseconds"), [("5m", 300_000), ("90s", 90_000), ("2 h", 7_200_000), ("1 day", 86_400_000)]
)
def test_every_command_takes_short_units(text: str, milliseconds: int) -> None:
    assert disorder_of(text) == milliseconds
