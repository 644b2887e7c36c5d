"""Editors on sets of level 2: what fits, what a name is, where it occurs, its colour and its meaning."""

from __future__ import annotations

import pytest

from parte.editing.analysis import Analysis
from parte.editing.completion import completions
from parte.editing.hover import hover
from parte.editing.names import Sort
from parte.editing.partelang.support import SUPPORT
from parte.editing.renaming import renamed
from parte.editing.words import Kind

TEXT = """\
level 2

template Failed { user : String, host : String, having : Integer }
template Login { user : String }
template Alarm { user : String }

rule BruteForce where
    l : Login,
    all f : Failed { user = l.user, having > 1 },
    no o : Login { user = l.user }
when
    f in l [-5 minutes, 0 ms],
    no o in l [1 ms, 2 ms]
having
    count(f) >= 5 and count(distinct f.host) > 1, exists(f)
then
    emit Alarm at max(l.timestamp, max(f.timestamp)) with { user = first(f.user) }
"""
AGGREGATES = {"exists", "count", "sum", "avg", "min", "max", "first", "last"}


def proposed(until: str, text: str = TEXT) -> set[str]:
    """Return the words proposed behind the first occurrence of some text; what follows it is cut off."""
    end = text.index(until) + len(until)
    return {word.word for word in completions(SUPPORT, text[:end], end)[1]}


@pytest.mark.parametrize(
    ("until", "some", "none"),
    [
        ("l : Login,\n    ", {"all", "no", "when", "having"}, {"count", "distinct"}),
        ("all f : ", {"Failed", "Login", "Alarm"}, {"f"}),
        ("all f : Failed { user = ", {"l", "f", "host"}, {"exists", "o"}),
        ("no o : Login { ", {"l", "o"}, {"f", "exists"}),
        ("f in ", {"l"}, {"o"}),
        ("0 ms],\n    ", {"f", "l", "no", "having"}, {"o", "count"}),
        ("having\n    ", {"l", "f", "not", *AGGREGATES}, {"o", "user", "distinct"}),
        ("count(", {"l", "f", "distinct"}, {"o"}),
        ("distinct f.", {"user", "host", "timestamp"}, {"l"}),
        ("at max(", {"l", "f"}, {"o"}),
        ("with { user = ", {"l", "f", *AGGREGATES}, {"o"}),
    ],
)
def test_what_fits_beside_sets(until: str, some: set[str], none: set[str]) -> None:
    words = proposed(until)
    assert words >= some
    assert not words & none


def test_level_1_has_no_words_of_sets() -> None:
    text = TEXT.removeprefix("level 2\n\n")
    assert not {"all", "having"} & proposed("l : Login,\n    ", text)
    assert "exists" not in proposed("with { user = ", text)


@pytest.mark.parametrize("place", ["all f", "\n    f", "count(f", "distinct f", "exists(f", "max(f", "first(f"])
def test_a_set_is_renamed_wherever_it_stands(place: str) -> None:
    extents = renamed(Analysis(SUPPORT, TEXT), TEXT.index(place) + len(place) - 1, "fails")
    assert len(extents) == 7
    assert {TEXT[extent.start : extent.end] for extent in extents} == {"f"}


def test_words_of_level_2_are_names_where_they_stand_for_attributes() -> None:
    names = Analysis(SUPPORT, TEXT).names
    entities = [name.entity for name in names.names if name.entity.name == "having"]
    assert [(entity.sort, entity.owner) for entity in entities] == [(Sort.ATTRIBUTE, "Failed")] * 2
    assert not [name for name in names.names if name.entity.name in ("all", "distinct")]


@pytest.mark.parametrize(
    ("place", "parts"),
    [
        ("count(f)", ["function `count`", "(specification: aggregates)", "type: `Integer`"]),
        ("exists(f)", ["function `exists`", "(specification: aggregates)", "type: `Boolean`"]),
        ("first(f.user)", ["function `first`", "type: `String`"]),
        ("f in l", ["variable `f`", "all f : Failed { user = l.user, having > 1 }", "template Failed"]),
        ("all f", ["(specification: sets)", "set of all events"]),
        ("having\n", ["(specification: having)"]),
        ("distinct f", ["(specification: aggregates)"]),
    ],
)
def test_a_hover_explains_sets_and_aggregates(place: str, parts: list[str]) -> None:
    result = hover(Analysis(SUPPORT, TEXT), TEXT.index(place))
    assert result is not None
    assert [part for part in parts if part not in result[1]] == []


def test_the_words_of_sets_have_colours_and_attributes_none() -> None:
    kinds = {
        TEXT[start : start + len(word)]: kind
        for start, kind, word in SUPPORT.colouring.pieces(TEXT)
        if word in ("all", "distinct", "count", "exists")
    }
    assert kinds == {
        "all": Kind.OPERATOR,
        "distinct": Kind.OPERATOR,
        "count": Kind.FUNCTION,
        "exists": Kind.FUNCTION,
    }
    of_having = [kind for _, kind, word in SUPPORT.colouring.pieces(TEXT) if word == "having"]
    assert of_having == [Kind.NAME, Kind.NAME, Kind.KEYWORD]
