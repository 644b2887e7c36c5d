"""Names that mean something in one of the languages, as every kind of name, in every direction.

A translation either is refused, with a message that has the name, or has the same matches by the definitions of both
languages, on a trace on which there are some. What the translations write is read as the tree that is run here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import product

import pytest

from parte.languages.translations.table import Given, translations
from parte.semantics.events.duration import UNITS
from parte.semantics.partelang.syntax import functions
from parte.semantics.partelang.syntax.core import Scalar
from parte.semantics.partelang.syntax.declarations import LIST
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.partelang.syntax.expectations import KEYWORDS
from parte.semantics.source.diagnostics import ProgramError
from parte.semantics.source.text import LayoutBug
from tests.languages.translations.names import ROLES, SLOTS, matches_of, refusal, tell_of, trace, written
from tests.languages.translations.part import Part
from tests.languages.translations.parts import PARTS
from tests.sampling import sampled

OF_PARTELANG = {*KEYWORDS, *UNITS, *functions.names(), LIST, *(scalar.value for scalar in Scalar)}
MADE = {
    *("event_time", "timestamp", "id", "uid", "template", "source", "stream", "start", "end", "time", "type", "list"),
    *("e0", "e1", "s0", "R1", "l", "r", "c", "s", "t", "x0", "I0", "T0", "X0_k", "p", "n", "n_after", "v_after"),
    *("absent1", "absent1_1", "part_0", "part_4", "at_5", "other", "other_", "A", "B", "N", "A_2", "a", "b", "w"),
    *("_", "_x", "Select", "From", "Seq", "True", "FALSE", "Event_Time"),
}
"""What languages call what every event has, what translations make, and what the programs here have already."""
each_part = pytest.mark.parametrize("part", PARTS, ids=lambda part: part.language)
each_role = pytest.mark.parametrize("role", ROLES)
BACK = [
    pytest.param(part, role, id=f"{part.language}-{role}") for part in PARTS for role in ROLES if role != part.without
]
"""Arguments of events have no names in ETALIS, and queries of CEL and rules of LEAD have none."""


def test_every_language_with_translations_has_a_part() -> None:
    ways = {way for part in PARTS for way in (("PARTElang", part.language), (part.language, "PARTElang"))}
    assert {way for way in translations() if "PARTElang" in way} == ways


def to(part: Part, word: str, role: str) -> str:
    """How it went: "no program", "refused" or "same"."""
    attribute, template, variable, _ = (word if role == kind else own for kind, own in zip(ROLES, SLOTS, strict=True))
    text = written(word, role, part.condition) + part.windows.format(a=attribute, t=template, v=variable)
    try:
        program = parse(text)
    except ProgramError:
        return "no program"
    try:
        translations()["PARTElang", part.language](Given(text))
    except ProgramError as error:
        tell_of(word, error)
        return "refused"
    events = trace((template, "B", "N"), attribute)
    expected = matches_of(text, events)
    assert len(expected) == (1 if "no n" in text else 2) or template in ("B", "N")
    part.same(program, events, expected)
    return "same"


def _tried(part: Part, role: str, words: Iterable[str], *, back: bool) -> Counter[str]:
    """How often a direction took which way."""
    return Counter(part.back(word, role) if back else to(part, word, role) for word in sorted(words))


@each_part
@each_role
def test_words_that_mean_something(part: Part, role: str) -> None:
    words = part.words | MADE
    counts = _tried(part, role, words, back=False)
    assert counts["same"] > 20
    assert sum(counts.values()) == len(words)
    if role in ("variable", "rule"):  # what is no name of the data is renamed
        assert counts["refused"] == 0


@pytest.mark.parametrize(("part", "role"), BACK)
def test_words_that_mean_something_in_partelang(part: Part, role: str) -> None:
    words = OF_PARTELANG | MADE
    counts = _tried(part, role, words, back=True)
    assert counts["same"] > 20
    assert sum(counts.values()) == len(words)
    if role == "variable":
        assert counts["refused"] == 0


EVERY = MADE.union(OF_PARTELANG, *(part.words for part in PARTS))
SPELT = EVERY | {spelt for word in EVERY for spelt in (word.upper(), word.title())}


@pytest.mark.parametrize(
    ("part", "role"),
    [
        pytest.param(part, role, id=f"{part.language}-{role}", marks=sampled(number, usual=3))
        for number, (part, role) in enumerate(product(PARTS, ROLES))
    ],
)
def test_all_words_in_three_spellings(part: Part, role: str) -> None:
    assert _tried(part, role, SPELT, back=False)["same"] > 100


@pytest.mark.parametrize(
    ("part", "role"),
    [pytest.param(*back.values, id=back.id, marks=sampled(number, usual=3)) for number, back in enumerate(BACK)],
)
def test_all_words_in_three_spellings_back(part: Part, role: str) -> None:
    assert _tried(part, role, SPELT, back=True)["same"] > 100


SIMPLE = "template A { k : Integer } rule R where a : A { k > 1 },"


@each_part
def test_every_translation_is_read_back(part: Part, monkeypatch: pytest.MonkeyPatch) -> None:
    """A printer that writes what is no program, and one that writes another program."""
    _read_back(("PARTElang", part.language), SIMPLE, part.printer, part.wrong_text, monkeypatch)


@each_part
def test_every_translation_into_partelang_is_read_back(part: Part, monkeypatch: pytest.MonkeyPatch) -> None:
    printer = f"{part.printer.rpartition('.')[0]}.print_program"
    wrong_text = "template A {} rule R where a : A"
    _read_back((part.language, "PARTElang"), part.simple, printer, wrong_text, monkeypatch)


def _read_back(way: tuple[str, str], text: str, printer: str, wrong_text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    translation = translations()[way]
    assert translation(Given(text))
    monkeypatch.setattr(printer, lambda _: wrong_text)
    with pytest.raises(LayoutBug):
        translation(Given(text))
    monkeypatch.setattr(printer, lambda _: "(")
    assert f"{way[1]} refuses line" in refusal(way, text)
