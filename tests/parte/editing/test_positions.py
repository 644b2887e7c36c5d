"""Places in a text, in the words of the protocol and in ours."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parte.editing.positions import UNITS, Lines, Place
from parte.semantics.source.spans import Position
from tests.parte.editing.texts import anything

encodings = st.sampled_from(list(UNITS))


@given(anything, encodings, st.data())
def test_there_and_back(text: str, encoding: str, data: st.DataObject) -> None:
    lines = Lines(text, encoding)
    offset = data.draw(st.integers(0, len(text)))
    back = lines.offset(*lines.place(offset))
    if text[offset - 1 : offset + 1] == "\r\n":
        assert back == offset - 1  # there is nothing between the two
    else:
        assert back == offset


@given(anything, encodings, st.integers(-2, 70), st.integers(-2, 200))
def test_every_place_lies_in_the_text(text: str, encoding: str, line: int, character: int) -> None:
    offset = Lines(text, encoding).offset(line, character)
    assert 0 <= offset <= len(text)
    place = Lines(text, encoding).place(offset)
    assert (place.line, place.character) <= (max(line, 0), max(character, 0)) or line < 0


@given(anything, st.data())
def test_our_positions_are_those_of_the_scanner(text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    before = text[:offset]
    position = Position(before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1)
    assert Lines(text).offset_of(position) == offset


@pytest.mark.parametrize(
    ("text", "offset", "encoding", "place"),
    [
        ("", 0, "utf-16", (0, 0)),
        ("ab", 2, "utf-16", (0, 2)),
        ("a\n", 2, "utf-16", (1, 0)),
        ("a\r\nb", 3, "utf-16", (1, 0)),
        ("a\rb", 2, "utf-16", (1, 0)),
        ("a\u2028b", 2, "utf-16", (0, 2)),
        ("\tb", 1, "utf-16", (0, 1)),
        ("𝄞b", 1, "utf-16", (0, 2)),
        ("𝄞b", 1, "utf-8", (0, 4)),
        ("𝄞b", 1, "utf-32", (0, 1)),
        ("e\u0301b", 2, "utf-16", (0, 2)),
        ("e\u0301b", 2, "utf-8", (0, 3)),
    ],
)
def test_places(text: str, offset: int, encoding: str, place: tuple[int, int]) -> None:
    assert Lines(text, encoding).place(offset) == place
    assert Lines(text, encoding).offset(*place) == offset


def test_within_a_character_is_its_start() -> None:
    assert Lines("a𝄞b").offset(0, 2) == 1
    assert Lines("a𝄞b").place(1) == Place(0, 1)
