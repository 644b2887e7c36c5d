"""Rules as figures: read out of the code, in D's order, and different when the code is."""

from __future__ import annotations

from types import FunctionType

import pytest

import semantics.machine  # noqa: F401 - registers the global rules
from proofs.catalogue import LEMMAS
from proofs.mutation import Mutant
from semantics.repairs import MODELS, PUBLISHED, RUDIMENTARY, SOUND
from semantics.rules import alpha
from semantics.rules.figures import auxiliaries, by_figure, figure
from semantics.rules.reading import SourceOf, Unreadable, read, source
from semantics.rules.registry import RuleInfo, all_rules

RULES = {info.id: info for info in all_rules()}
LOCAL = ("semantics.rules", "semantics.kernel", "semantics.machine")
MUTANTS = {
    mutant.name + mutant.function: mutant
    for mutant in (lemma.mutant for lemma in LEMMAS)
    if mutant is not None and mutant.function.startswith(LOCAL)
}
NOT_SHOWN = [f"semantics.kernel:{name}" for name in ("shifted", "earliest", "latest", "average")]
"""The `at` of emissions, which no rule calls by name: it is part of a production node's gᵉ and gˡ."""


@pytest.mark.parametrize("info", RULES.values(), ids=RULES)
def test_every_rule_has_a_figure_in_each_of_its_models(info: RuleInfo) -> None:
    shown = by_figure(info)
    assert sorted(name for names, _ in shown for name in names) == sorted(info.models)
    for _, drawn in shown:
        assert drawn.conclusion
        assert set(drawn.render().splitlines()[len(drawn.premises)]) == {"─"}


def test_figures_differ_where_a_repair_changes_a_premise() -> None:
    assert {info.id for info in RULES.values() if len(by_figure(info)) > 1} == {
        "ALPHA-NOMATCHCONSTRAINT", "ENTRY", "ENTRY-BOTTOM", "JOIN-LEFT", "JOIN-RIGHT",
        "NOT-LEFT-MATCH", "NOT-LEFT-NOMATCH", "NOT-RIGHT",
    }  # fmt: skip
    shared = {name: {one.name: one.lines for one in auxiliaries(MODELS[name])} for name in ("published", "sound")}
    both = shared["published"].keys() & shared["sound"].keys()
    differing = {name for name in both if shared["published"][name] != shared["sound"][name]}
    assert differing == {"matching_left", "expire_left", "expire_negated", "as_tokens", "_released"}


# --- In D's order -----------------------------------------------------------------------------------------------------

ROOM_LEFT, ROOM_RIGHT = "has-room-for↘(p̅m̅)", "has-room-for↙(e̅)"
MORE_LEFT, MORE_RIGHT = "p̅m̅′ = p̅m̅ · ", "e̅′ = e̅ · "
EXPIRE_LEFT, EXPIRE_RIGHT, EXPIRE_NEGATED = "p̅m̅′ = expire↘(", "e̅′ = expire↙(", "⟨p̅m̅′, p̅m̅_expired⟩ = expire-negated↘("
PROP, RESULT, NEW = "ℓmap_prop = ", "ℓmap_result = ", "p̅m̅_new = "

PRINTED = {
    "ENTRY-NOMATCHTEMPLATE": ["ιₜₑ ≠ ιₜₙ"],
    "ENTRY": ["ιₜₑ = ιₜₙ", "sℓmap′ = "],
    "ENTRY-BOTTOM": ["sℓmap′ = "],
    "ALPHA-BOTTOM": [],
    "ALPHA-MATCH": ["c(e)"],
    "ALPHA-NOMATCHCONSTRAINT": ["¬c(e)"],
    "JOIN-LEFT-BOTTOM": [EXPIRE_RIGHT, PROP],
    "JOIN-RIGHT-BOTTOM": [EXPIRE_LEFT, PROP],
    "JOIN-LEFT": [ROOM_LEFT, MORE_LEFT, EXPIRE_RIGHT, "window = ", NEW, PROP],
    "JOIN-RIGHT": [EXPIRE_LEFT, ROOM_RIGHT, MORE_RIGHT, "window = ", NEW, PROP],
    "NOT-LEFT-BOTTOM": [EXPIRE_RIGHT, RESULT],
    "NOT-RIGHT-BOTTOM": [EXPIRE_NEGATED, NEW, RESULT],
    "NOT-LEFT-MATCH": [ROOM_LEFT, EXPIRE_RIGHT, "matches↙(e̅′, entry) ≠ ∅"],
    "NOT-LEFT-NOMATCH": [ROOM_LEFT, EXPIRE_RIGHT, "matches↙(e̅′, entry) = ∅", MORE_LEFT],
    "NOT-RIGHT": [ROOM_RIGHT, "defeated = ", EXPIRE_NEGATED, MORE_RIGHT, NEW, RESULT],
    "PROD-BOTTOM": [],
    "PROD": ["e′ = gᵉ(pm)", "ℓ = gˡ(ℓmapₜ)"],
    "TERM": [],
    "RUDIMENTARY-ALPHA-NOMATCHTEMPLATE": ["ιₜₑ ≠ ιₜₙ"],
    "RUDIMENTARY-ALPHA-NOMATCHCONSTRAINT": ["ιₜₑ = ιₜₙ", "¬c(e)"],
    "RUDIMENTARY-ALPHA-MATCH": ["ιₜₑ = ιₜₙ", "c(e)"],
    "RUDIMENTARY-JOIN-LEFT": [ROOM_LEFT, MORE_LEFT, "window = "],
    "RUDIMENTARY-JOIN-RIGHT": [ROOM_RIGHT, MORE_RIGHT, "window = "],
    "RUDIMENTARY-NOT-LEFT-MATCH": [ROOM_LEFT, MORE_LEFT, "matches↙(e̅, entry) ≠ ∅"],
    "RUDIMENTARY-NOT-LEFT-NOMATCH": [ROOM_LEFT, MORE_LEFT, "matches↙(e̅, entry) = ∅"],
    "RUDIMENTARY-NOT-RIGHT-MATCH": [ROOM_RIGHT, MORE_RIGHT, "window = ", "(∃ "],
    "RUDIMENTARY-NOT-RIGHT-NOMATCH": [ROOM_RIGHT, MORE_RIGHT, "window = ", "¬(∃ ", "p̅m̅_passed = "],
    "RUDIMENTARY-PROD": ["e′ = gᵉ(pm)"],
    "RUDIMENTARY-TERM": [],
    "PROC": ["⟨rule, outcome⟩ = apply(", "t̅ is bounded ⇒ has-room-for(t̅, |t̅′|)"],
    "PROP": ["s̅ = successors(n)", "∀ successor ∈ s̅: has-room-for("],
}
"""How the premises begin, in the order in which D §5.2.5-5.2.6 and §5.4.6-5.4.7 print them."""


@pytest.mark.parametrize("info", RULES.values(), ids=RULES)
def test_premises_stand_in_the_order_of_the_dissertation(info: RuleInfo) -> None:
    model = PUBLISHED if "published" in info.models else RUDIMENTARY
    premises = [line for line in figure(info, model).premises if any(map(line.startswith, PRINTED[info.id]))]
    assert len(premises) == len(PRINTED[info.id])
    assert all(map(str.startswith, premises, PRINTED[info.id]))


def test_what_stands_beside_the_premises_of_the_dissertation() -> None:
    """D computes these inside other premises, or takes them for granted."""
    beside = {
        line.split(" = ")[0]
        for info in RULES.values()
        for line in figure(info, PUBLISHED if "published" in info.models else RUDIMENTARY).premises
        if not any(map(line.startswith, PRINTED[info.id]))
    }
    # The payload with its lifetime; equal keys, a part of c; the head of an inbox or outbox; that a rule applies. The
    # bounds after the two rules NOT-LEFT are computed and, without results, not sent.
    assert beside == {"entry", "alike", "t", "outcome", RESULT.removesuffix(" = ")}


# --- From the code ----------------------------------------------------------------------------------------------------


def _with(mutant: Mutant) -> SourceOf:
    original = mutant.original()

    def source_of(function: FunctionType) -> str:
        return mutant.source() if function is original else source(function)

    return source_of


def _page(source_of: SourceOf) -> list[object]:
    """What `sound` and `rudimentary` look like; a form without a notation is an error, and so not overlooked either."""
    shown: list[object] = []
    try:
        for model in (SOUND, RUDIMENTARY):
            shown += [figure(info, model, source_of) for info in RULES.values() if model.name in info.models]
            shown += auxiliaries(model, source_of)
    except ValueError as problem:
        return [str(problem)]
    return shown


UNCHANGED = _page(source)


@pytest.mark.parametrize("mutant", MUTANTS.values(), ids=MUTANTS)
def test_a_changed_rule_is_a_changed_figure(mutant: Mutant) -> None:
    assert (_page(_with(mutant)) == UNCHANGED) is (mutant.function in NOT_SHOWN)


def test_what_cannot_be_shown_is_said() -> None:
    def source_of(function: FunctionType) -> str:
        return source(function).replace("    events = (token.payload,)", "    while data:\n        pass")

    assert isinstance(alpha.alpha_match, FunctionType)
    with pytest.raises(Unreadable, match=r"alpha_match .* expected a definition, a guard or a result, found `while"):
        read(alpha.alpha_match, SOUND.repairs, source_of)
