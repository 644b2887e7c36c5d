"""Names of CEL that mean something elsewhere: what was found, by name."""

from __future__ import annotations

import pytest

from parte.languages.translations.cel.texts import to_cel, to_parte
from parte.languages.translations.table import Given
from parte.semantics.events.event import Event
from tests.languages.translations.names import matches_of, refusal


def test_attributes_called_like_constants() -> None:
    text = "SELECT * WHERE A FILTER A[[true] = FALSE AND [false] = [true]]"
    translated = to_parte(Given(text))
    events = [Event(f"i{n}", "A", n, {"true": value, "false": value}) for n, value in enumerate((True, False))]
    assert matches_of(translated, events) == {frozenset({("e0", "i1")})}


def test_what_is_renamed_is_said() -> None:
    text = "template A { k : Integer } rule Where where from : A, seq : A, when seq in from [1 ms, 5 ms],"
    assert "-- `from` is called `from_` here.\n" in to_cel(Given(text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT * WHERE rule", "`rule` is a keyword of PARTElang"),
        ("SELECT * WHERE A FILTER A[timestamp > 1]", "`timestamp` is an attribute that PARTElang"),
    ],
)
def test_what_cannot_be_written_is_refused(text: str, message: str) -> None:
    assert message in refusal(("CEL", "PARTElang"), text)
