"""Names of ETALIS that mean something elsewhere: what was found, by name."""

from __future__ import annotations

import pytest

from parte.languages.translations.etalis.texts import to_etalis
from parte.languages.translations.table import Given
from tests.languages.translations.names import refusal


def test_what_is_renamed_is_said() -> None:
    text = "template A { k : Integer } rule Where where from : A, seq : A, when seq in from [1 ms, 5 ms],"
    assert "% Rule where: where_" not in to_etalis(Given(text))
    assert "% Rule Where: where_(from, seq)\n" in to_etalis(Given(text))


@pytest.mark.parametrize(
    ("way", "text", "message"),
    [
        (("ETALIS", "PARTElang"), "e <- at.", "`at` is a keyword of PARTElang"),
        (("ETALIS", "PARTElang"), "rule <- a.", "`rule` is a keyword of PARTElang"),
        (("PARTElang", "ETALIS"), 'template A { s : String } rule R where a : A { s = "1/2" }', "looks like a number"),
    ],
)
def test_what_cannot_be_written_is_refused(way: tuple[str, str], text: str, message: str) -> None:
    assert message in refusal(way, text)
