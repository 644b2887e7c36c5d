"""Models: every language declares its repairs in one way, `sound` has all of them, and a machine asks a record."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parte.languages.language import Language
from parte.languages.registry import languages, missing
from parte.semantics.rulebook.listing import RULES
from parte.semantics.rulebook.models import Model, Switches

ALL = [language for language in languages() if language.has(RULES)]
PUBLISHED = [language for language in ALL if "published" in language[RULES].models]
EACH = pytest.mark.parametrize("language", ALL, ids=lambda language: language.name)


@dataclass(frozen=True, slots=True)
class Mended(Switches):
    """The repairs of no language."""

    left_first: Annotated[bool, "what is on the left comes first", 2, 3]
    once: Annotated[bool, "an event comes once", 4]


def test_the_languages_with_repairs_are_all_four() -> None:
    with_repairs = {language.name for language in ALL if language[RULES].repairs}
    assert with_repairs.union(missing()) >= {"PARTElang", "CEL", "ETALIS", "LEAD"}


def test_only_a_language_without_repairs_lacks_a_published_model() -> None:
    """No other machine of EQL is published."""
    lacking = {language.name for language in ALL if "published" not in language[RULES].models}
    assert lacking == {"EQL"} - {*missing()}
    assert lacking <= {language.name for language in ALL if not language[RULES].repairs}


@pytest.mark.parametrize("language", PUBLISHED, ids=lambda language: language.name)
def test_sound_has_all_repairs_and_published_those_only_that_it_needs(language: Language) -> None:
    listing = language[RULES]
    sound, published = listing.models["sound"], listing.models["published"]
    assert sound.repairs == listing.repairs.keys() == sound.declaration.declared().keys()
    assert published.repairs == published.declaration.NEEDED
    assert published.repairs == frozenset() or language.name == "ETALIS"
    assert all(getattr(sound.switches, field.name) is True for field in fields(sound.switches))


@EACH
def test_a_listing_whose_sound_lacks_a_repair_is_refused(language: Language) -> None:
    listing = language[RULES]
    sound = listing.models["sound"]
    for name in sound.repair_names():
        lacking = replace(sound, repairs=sound.repairs - {name})
        with pytest.raises(ValueError, match="the model sound has all repairs"):
            replace(listing, models={**listing.models, "sound": lacking})
    with pytest.raises(ValueError, match="the model sound has all repairs"):
        replace(listing, repairs={**listing.repairs, "no-such-repair": "what the models know nothing of"})


@given(
    st.sampled_from(PUBLISHED).flatmap(
        lambda language: st.tuples(st.just(language), st.sets(st.sampled_from([*language[RULES].repairs])))
    )
)
def test_a_model_is_a_set_of_repairs_however_it_is_made(drawn: tuple[Language, set[str]]) -> None:
    language, off = drawn
    sound = language[RULES].models["sound"]
    model = sound.without(*off)
    assert model.repairs == sound.repairs - off
    assert model.repaired(*off) == sound
    assert sound.without(*sound.repairs).repaired(*model.repairs) == model
    switches = model.switches
    on = [name for name in sound.repair_names() if getattr(switches, name.replace("-", "_"))]
    assert on == list(model.repair_names())


def test_a_declaration_says_what_each_repair_mends() -> None:
    assert [*map(str, Mended.declared().values())] == [
        "what is on the left comes first (defects 2, 3)",
        "an event comes once (defect 4)",
    ]
    assert Mended.of(Mended.sound()) == Mended(left_first=True, once=True)
    assert Mended.of(Mended.sound().without("left-first")) == Mended(left_first=False, once=True)
    with pytest.raises(TypeError):
        Mended()  # type: ignore[call-arg]  # nobody takes all repairs for none


def test_models_are_called_by_what_differs() -> None:
    sound = Mended.sound()
    assert [sound.name, Mended.published().name] == ["sound", "published"]
    assert sound.without("once").name == "sound without once"
    assert sound.without("once", "left-first") == Mended.published()
    with pytest.raises(ValueError, match="no repair is called 'twice'; there are: left-first, once"):
        sound.without("twice")
    with pytest.raises(ValueError, match="no repair is called 'twice'"):
        Model("any", frozenset({"twice"}), Mended)
    with pytest.raises(ValueError, match="the first model has no repairs"):
        Model("any", frozenset({"once"}), Mended, base="first")


def test_the_model_of_another_language_is_refused() -> None:
    with pytest.raises(ValueError, match="the model sound is not of this language"):
        Mended.of(ALL[0][RULES].models["sound"])
