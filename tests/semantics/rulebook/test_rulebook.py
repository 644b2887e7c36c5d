"""Rulebooks, figures and notation on a system of two rules: no language is needed for any of it."""

from __future__ import annotations

from dataclasses import dataclass
from types import FunctionType

import pytest

from parte.semantics.rulebook.figures import Figure, grouped, premises
from parte.semantics.rulebook.notation import Notation, Vocabulary
from parte.semantics.rulebook.reading import Conventions, read
from parte.semantics.rulebook.registry import AmbiguousRule, Rule, Rulebook, UnknownRule, chosen, local, rule


@dataclass(frozen=True)
class Settings:
    """One repair."""

    patient: bool


def take(settings: Settings, jar: list[int], coin: int) -> tuple[list[int], int] | None:
    """A coin goes into the jar.

    Repaired: only into one that has room.
    """
    if settings.patient and len(jar) > 2:
        return None
    after = [*jar, coin]
    return after, coin


def leave(jar: list[int]) -> list[int]:
    """Nothing happens."""
    return jar


BOOK: Rulebook[Rule] = Rulebook("JARS")
OTHER: Rulebook[Rule] = Rulebook("BOWLS")
for book in (BOOK, OTHER):
    book.add(Rule(f"{book.system}/TAKE-COIN", "Take", "1", ("printed", "mended"), take))
BOOK.add(Rule("JARS/LEAVE", "Leave", "1", ("printed",), leave))


def test_a_rule_is_found_by_its_id_in_its_system_and_in_all() -> None:
    leave_rule = BOOK["JARS/LEAVE"]
    assert rule("JARS/LEAVE") is leave_rule
    assert list(BOOK) == ["JARS/TAKE-COIN", "JARS/LEAVE"]
    assert (leave_rule.local, local("BOWLS/TAKE-COIN"), leave_rule.summary) == (
        "LEAVE",
        "TAKE-COIN",
        "Nothing happens.",
    )
    assert leave_rule.location == f"{__name__}:{leave.__code__.co_firstlineno}"
    for lookup in (BOOK.__getitem__, rule):
        with pytest.raises(UnknownRule, match=r"^no rule is called 'JARS/LEAF'$") as unknown:
            lookup("JARS/LEAF")
        assert unknown.value.near[0] == "JARS/LEAVE"
    assert "LEAVE" not in BOOK


@pytest.mark.parametrize("identity", ["BOWLS/TAKE", "TAKE", "JARS/take", "JARS/", "JARS/TAKE--COIN"])
def test_an_id_names_the_system(identity: str) -> None:
    with pytest.raises(ValueError, match=f"of the form JARS/NAME-OF-RULE, found {identity}"):
        BOOK.add(Rule(identity, "Take", "1", (), take))


def test_a_rule_is_chosen_without_its_system_if_that_says_which() -> None:
    both = (*BOOK.values(), *OTHER.values())
    assert [rule.id for rule in chosen(["leave"], both)] == ["JARS/LEAVE"]
    assert [rule.id for rule in chosen(["bowls/take-coin"], both)] == ["BOWLS/TAKE-COIN"]
    assert [rule.id for rule in chosen(["TAKE*"], both)] == ["JARS/TAKE-COIN", "BOWLS/TAKE-COIN"]
    assert [rule.id for rule in chosen(["JARS/*", "LEAVE"], both)] == ["JARS/TAKE-COIN", "JARS/LEAVE"]
    assert chosen([], both) == both
    with pytest.raises(AmbiguousRule) as several:
        chosen(["take-coin"], both)
    assert several.value.ids == ("JARS/TAKE-COIN", "BOWLS/TAKE-COIN")
    with pytest.raises(UnknownRule) as unknown:
        chosen(["LEEVE"], both)
    assert unknown.value.near == ("JARS/LEAVE",)


def test_a_figure_is_read_by_the_conventions_of_a_system() -> None:
    conventions = Conventions(switches=("settings",))
    notation = Notation(Vocabulary(implicit=("settings",)), {"jar": "J", "after": "J′", "coin": "c"})

    def drawn(model: str) -> list[Figure]:
        assert isinstance(take, FunctionType)
        reading = read(take, Settings(patient=model == "mended"), conventions)
        ((_, result),) = reading.results
        return [Figure(tuple(premises(notation, reading.premises)), (f"→ {notation.of(result)}",))]

    printed, mended = grouped(BOOK["JARS/TAKE-COIN"].models, drawn)
    assert printed == (["printed"], Figure(("J′ = J · c",), ("→ [J′, c]",)))
    assert mended == (["mended"], Figure(("|J| ≤ 2", "J′ = J · c"), ("→ [J′, c]",)))
    assert mended[1].render().splitlines() == ["|J| ≤ 2", "J′ = J · c", "──────────", "→ [J′, c]"]
