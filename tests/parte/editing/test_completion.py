"""What the server proposes: whatever the text, and whatever stands there already."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parte.editing.analysis import Analysis
from parte.editing.completion import completions, word_at
from parte.editing.names import Extent, Sort
from parte.editing.support import Support, supported
from parte.editing.words import Kind
from parte.semantics.partelang.syntax import functions
from tests.parte.editing.guest import guests
from tests.parte.editing.texts import damaged, examples, programs

SUPPORTED = supported()
PARTELANG = SUPPORTED[0]
each_language = pytest.mark.parametrize("support", SUPPORTED, ids=lambda support: support.colouring.language)
HEAD = """\
type Name = String
template Opened { door : Name, count : Integer }
template Badge { door : String, person : String }
predicate strange(String)
rule First where
    opened : Opened { count > 1 },
    no badge : Badge { door = opened.door, strange(door) },
    later : Opened,
when
    no badge in opened [-10 seconds, 0 ms],
    later in opened [1 ms, 5 minutes],
then
    emit Badge at later.timestamp with { door = opened.door, person = opened.door }
"""
OTHER = "template Opened { door : Integer }\nrule Other where a : Badge, b : Opened {\n"


def proposed(support: Support, text: str, offset: int | None = None) -> set[str]:
    """The words proposed at an offset, or at the end."""
    return {proposal.word for proposal in completions(support, text, len(text) if offset is None else offset)[1]}


FUNCTIONS = {"abs", "avg", "max", "min", "sum", "list", "strange"}
CONSTANTS = {"true", "false"}
UNITS = {*PARTELANG.units}
DECLARATIONS = {"type", "template", "predicate", "rule"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("template T { k : ", {"Integer", "Float", "String", "Boolean", "Name"}),
        ("template T { k : [", {"Integer", "Float", "String", "Boolean", "Name"}),
        ("template T { ", set()),
        ("rule R ", {"where"}),
        ("rule R where a : ", {"Opened", "Badge"}),
        ("rule R where a : Op", {"Opened", "Badge"}),
        ("rule R where a : Opened { ", {"door", "count", "a", *FUNCTIONS, *CONSTANTS}),
        ("rule R where a : Opened { count > ", {"door", "count", "a", *FUNCTIONS, *CONSTANTS}),
        ("rule R where a : Opened { door.", set()),
        ("rule R where a : Opened { door = a.", {"door", "count"}),
        ("rule R where a : Opened, no b : Badge { door = a.", {"door", "count"}),
        ("rule R where a : Opened, no b : Badge { ", {"door", "person", "a", "b", *FUNCTIONS, *CONSTANTS}),
        ("rule R where no b : Badge, a : Opened { ", {"door", "count", "a", *FUNCTIONS, *CONSTANTS}),
        ("rule R where a : Opened, c : Badge, no b : Badge when ", {"a", "c", "no", "then", *DECLARATIONS}),
        ("rule R where a : Opened, c : Badge, no b : Badge when no ", {"b"}),
        ("rule R where a : Opened, c : Badge, no b : Badge when c in ", {"a", "c"}),
        ("rule R where a : Opened, c : Badge when c in a [", set()),
        ("rule R where a : Opened, c : Badge when c in a [-1 ", UNITS),
        ("rule R where a : Opened then ", {"emit", *DECLARATIONS}),
        ("rule R where a : Opened then emit ", {"Opened", "Badge"}),
        ("rule R where a : Opened then emit Badge ", {"at"}),
        ("rule R where a : Opened then emit Badge at a.", {"door", "count", "timestamp"}),
        ("rule R where a : Opened then emit Badge at a.timestamp ", {"with", "emit", *DECLARATIONS}),
        ("rule R where a : Opened then emit Badge at a.timestamp with { ", {"door", "person"}),
        ("rule R where a : Opened then emit Badge at a.timestamp with { door = ", {"a", *FUNCTIONS, *CONSTANTS}),
        ("rule R where a : Opened // a ", set()),
        ('rule R where a : Opened { door = "a ', set()),
        ("rule R where a : Opened { count > 12", set()),
        ("rule R where ) ( a : ", {"Opened", "Badge"}),
    ],
)
def test_what_fits_in_a_program_that_is_being_written(text: str, words: set[str]) -> None:
    # What comes before and after is another text each time, with errors of its own.
    registered = set(functions.names()) - FUNCTIONS  # by other tests of this process
    for before, after in ((HEAD, ""), (f"{HEAD}rule Broken where ) (\n", "\n"), (HEAD, f"\n{OTHER}")):
        assert proposed(PARTELANG, before + text + after, len(before + text)) - registered == words


@pytest.mark.parametrize(
    ("support", "text", "some", "none"),
    [(support, *row) for support, guest in guests() for row in guest.completions],
)
def test_what_fits_in_other_languages(support: Support, text: str, some: set[str], none: set[str]) -> None:
    words = proposed(support, text)
    assert words >= some
    assert not words & none


@each_language
def test_what_stands_there_is_proposed(support: Support) -> None:
    """Of names: those that have a declaration; of keywords: all, written as they are proposed."""
    checked = 0
    for text in (*examples(support)[:2], *programs(support)[5:400:20]):
        names = Analysis(support, text).names
        for name in names.names[:60]:
            known = any(declaration.extent != name.extent for declaration in names.declarations(name.entity))
            if name.choices and known and name.entity.name not in support.colouring.words:
                checked += 1
                assert name.entity.name in proposed(support, text, name.extent.end), (text, name)
    assert checked > 15
    (text, *_) = examples(support)
    kinds = {Kind.DECLARATION, Kind.KEYWORD, Kind.OPERATOR, Kind.CONSTANT, Kind.UNIT}
    for start, _, word in [piece for piece in support.colouring.pieces(text) if piece[1] in kinds][:80]:
        words = {proposal.upper() for proposal in proposed(support, text, start + len(word))}
        assert word.upper() in words, (word, text[max(0, start - 40) : start])


@given(damaged(), st.data())
def test_every_place_of_any_text_is_answered(given_: tuple[Support, str], data: st.DataObject) -> None:
    support, text = given_
    offset = data.draw(st.integers(0, len(text)))
    word, proposals = completions(support, text, offset)
    assert word == word_at(text, offset)
    assert word.start <= offset <= word.end
    words = [proposal.word for proposal in proposals]
    assert len(words) == len(set(words))


def test_every_place_of_a_program_is_answered() -> None:
    for offset in range(len(HEAD) + 1):
        completions(PARTELANG, HEAD, offset)
        completions(PARTELANG, HEAD[:offset], offset)


def test_where_nothing_is_declarations_begin() -> None:
    assert proposed(PARTELANG, "") == proposed(PARTELANG, "// nothing\n") == DECLARATIONS


def test_a_proposal_says_what_it_is() -> None:
    text = f"{HEAD}rule R where a : "
    proposals_by_name = {proposal.word: proposal for proposal in completions(PARTELANG, text, len(text))[1]}
    assert proposals_by_name["Opened"].what == Sort.TEMPLATE.value
    assert proposals_by_name["Opened"].detail == "template Opened { door : Name, count : Integer }"
    assert word_at("ab cd", 4) == Extent(3, 5)
    assert word_at("ab (", 3) == Extent(3, 3)
