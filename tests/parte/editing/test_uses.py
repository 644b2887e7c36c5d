"""Editors on named patterns: what fits behind a use, where its names lead, what they are called, what is renamed."""

from __future__ import annotations

import pytest

from parte.editing.analysis import Analysis
from parte.editing.completion import completions
from parte.editing.hover import hover
from parte.editing.names import Entity, Sort
from parte.editing.partelang.support import SUPPORT
from parte.editing.renaming import renamed

TEXT = """\
level 2

template A { k : Integer, end : Integer }
template D { n : Integer }

pattern Q(low : Integer) exports b where
    b : A { k >= low },
    c : A { k = b.k },
when
    c in b [0 ms, 5 ms],
end

pattern P(low : Integer) exports a, q.b where
    a : A { k = low, end = 1 },
    use Q(low) as q,
when
    q.b in a [1 ms, 2 ms],
end

rule P where
    a : A,
    use P(a.k) as p,
    z : A { k = p.q.b.k, weekday(p.a) = 1 },
when
    p.a in a [1 ms, 2 ms],
    z in p.q.b [0 ms, 1 ms],
then
    emit D at p.a.timestamp with { n = p.q.b.k }
"""


def test_the_text_is_a_program() -> None:
    assert Analysis(SUPPORT, TEXT).diagnostics == ()


def proposed(until: str) -> set[str]:
    """Return the names proposed behind the first occurrence of some text; what follows it is cut off."""
    end = TEXT.index(until) + len(until)
    return {word.word for word in completions(SUPPORT, TEXT[:end], end)[1]}


@pytest.mark.parametrize(
    ("until", "some", "none"),
    [
        ("A { k = p.", {"a", "q"}, {"k", "c", "z", "low"}),
        ("A { k = p.q.", {"b"}, {"c", "k", "a"}),
        ("A { k = p.q.b.", {"k", "end"}, {"a", "b"}),
        ("z : A { k = ", {"a", "p", "k"}, {"q", "low"}),
        ("    p.", {"a", "q"}, {"c", "k"}),
        ("emit D at p.a.", {"timestamp", "k"}, {"b"}),
        ("use P(", {"a"}, {"z", "p"}),
        ("    use ", {"Q", "P"}, {"A", "a"}),
        ("exports b where\n    b : A { k >= ", {"low", "k"}, {"p", "a"}),
    ],
)
def test_what_fits_with_named_patterns(until: str, some: set[str], none: set[str]) -> None:
    words = proposed(until)
    assert words >= some
    assert not words & none


@pytest.mark.parametrize(
    ("place", "owner", "name", "count"),
    [
        ("a.k) as p", "P", "a", 3),  # of the rule, not of the pattern of the same name
        ("a.timestamp", "pattern P", "a", 6),
        ("b.k, weekday", "pattern Q", "b", 9),
        ("q.b in a", "pattern P", "q", 6),
        ("p.a in a", "P", "p", 7),
        ("low) as q", "pattern P", "low", 3),
        ("low },", "pattern Q", "low", 2),
    ],
)
def test_a_variable_is_renamed_wherever_it_stands(place: str, owner: str, name: str, count: int) -> None:
    offset = TEXT.index(place)
    name_there = Analysis(SUPPORT, TEXT).names.at(offset)
    assert name_there is not None
    assert name_there.entity == Entity(Sort.VARIABLE, owner, name)
    extents = renamed(Analysis(SUPPORT, TEXT), offset, "other")
    assert {TEXT[slice(*extent)] for extent in extents} == {name}
    assert len(extents) == count
    changed = TEXT
    for start, end in sorted(extents, reverse=True):
        changed = f"{changed[:start]}other{changed[end:]}"
    assert Analysis(SUPPORT, changed).diagnostics == ()


@pytest.mark.parametrize(
    ("place", "parts"),
    [
        ("p.a in a", ["variable `p`", "use P(a.k) as p", "pattern P(low : Integer) exports a, q.b where"]),
        ("b.k, weekday", ["variable `b`", "b : A { k >= low }", "template A"]),
        ("low) as q", ["variable `low`", "low : Integer"]),
        ("Q(low) as", ["pattern `Q`", "pattern Q(low : Integer) exports b where"]),
    ],
)
def test_what_is_shown_of_a_name(place: str, parts: list[str]) -> None:
    text = hover(Analysis(SUPPORT, TEXT), TEXT.index(place))
    assert text is not None
    for part in parts:
        assert part in text[1]


def test_words_of_named_patterns_are_attributes_in_braces() -> None:
    names = Analysis(SUPPORT, TEXT).names
    entities = [name.entity for name in names.names if name.entity.name in ("end", "use", "as", "exports")]
    assert entities == [Entity(Sort.ATTRIBUTE, "A", "end")] * 2
