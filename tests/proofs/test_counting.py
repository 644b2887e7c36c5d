"""What counts, numbers or cuts is found in many forms, and every reviewed phrase is in use."""

from __future__ import annotations

from importlib import import_module

import pytest

from parte.languages.registry import language_called, languages
from parte.proofs.counting import ID, modules_of, phrases, phrases_of, read, texts, unreviewed
from parte.proofs.facets import CONTROLS, LEMMAS

THEOREMS = {
    language.name: import_module(f"{language[CONTROLS].modules.root.rpartition('.')[0]}.theorems.counting")
    for language in languages()
    if language.has(LEMMAS) and any(lemma.id == ID for lemma in language[LEMMAS].lemmas)
}


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("tokens = tokens[:9]", "tokens[:9]"),
        ("if len(goals) > 64:\n    pass", "len(goals) > 64"),
        ("kept = [goal for goal in goals[-8:]]", "goals[-8:]"),
        ("for number, goal in enumerate(goals):\n    pass", "enumerate(goals)"),
        ("first, second, *rest = goals", "first, second, *rest = goals"),
        ("match goals:\n    case [first, *rest]:\n        pass", "[first, *rest]"),
        ("queue = deque(maxlen=limit)", "deque(maxlen=limit)"),
        ("MOST = 64", "MOST = 64"),
        ("self.count %= 64", "self.count %= 64"),
        ("del goals[most:]", "goals[most:]"),
        ("some = islice(goals, most)", "islice(goals, most)"),
        ("if arrived == 63:\n    return", "arrived == 63"),
        ("places = places or range(most)", "range(most)"),
    ],
)
def test_what_counts_is_found(text: str, phrase: str) -> None:
    assert phrase in list(phrases(text))


@pytest.mark.parametrize(
    "text",
    [
        '"""The 9th of [:9]."""',
        "return goals[0] if goals else None",
        "place += 1",
        "return fitting[-1]",
        "while goals and not goals[0].end < least:\n    goals.popleft()",
        "first, second = pair",
        "call(*goals)",
        "done = True",
    ],
)
def test_what_counts_nothing_is_not_found(text: str) -> None:
    assert list(phrases(text)) == []


@pytest.mark.parametrize("name", THEOREMS)
def test_every_reviewed_phrase_is_in_use(name: str) -> None:
    guest = THEOREMS[name].__name__.removesuffix(".proofs.theorems.counting")
    reviewed = read(f"{guest}.proofs")
    edited = language_called(name)[CONTROLS].modules
    for module in modules_of(guest, __import__):
        assert THEOREMS[name].__name__ in edited.concerned([module.__name__]), "an edit of the module would not be seen"
        assert unreviewed(module, phrases_of(module, reviewed)) == ()
        there = {phrase for text in texts(module) for phrase in phrases(text)}
        assert phrases_of(module, reviewed).keys() <= there, module.__name__
