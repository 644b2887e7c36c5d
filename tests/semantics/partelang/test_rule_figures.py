"""Rules as figures: read out of the code, in D's order, and different when the code is."""

from __future__ import annotations

from types import FunctionType

import pytest

from parte.proofs.mutation import Mutant
from parte.proofs.partelang.catalogue import LEMMAS
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.machine import Machine
from parte.semantics.partelang.network import Side, Successor
from parte.semantics.partelang.repairs import MODELS, PUBLISHED, RUDIMENTARY, SOUND, Repairs, family_of
from parte.semantics.partelang.rulebook import RULEBOOK
from parte.semantics.partelang.rules import alpha
from parte.semantics.partelang.rules.figures import auxiliaries, by_figure, figure
from parte.semantics.partelang.rules.notation import CONVENTIONS
from parte.semantics.partelang.rules.registry import MachineRule
from parte.semantics.partelang.syntax import parse
from parte.semantics.partelang.tokens import BetaToken
from parte.semantics.rulebook.models import Model
from parte.semantics.rulebook.reading import SourceOf, Unreadable, read, source

RULES = dict(RULEBOOK)
LOCAL = ("parte.semantics.partelang.rules", "parte.semantics.partelang.kernel", "parte.semantics.partelang.machine")
MUTANTS = {
    mutant.name + mutant.function: mutant
    for mutant in (lemma.mutant for lemma in LEMMAS)
    if mutant is not None and mutant.function.startswith(LOCAL)
}
NOT_SHOWN = [
    *(f"parte.semantics.partelang.kernel:{name}" for name in ("shifted", "earliest", "latest", "average")),
    *(
        f"parte.semantics.partelang.machine:Machine.{name}"
        for name in ("arrive", "_fits", "_initial", "_node_state", "_reacted")
    ),
]
"""The `at` of emissions, which no rule calls by name: it is part of a production node's gᵉ and gˡ. And what is no rule
of D: how events come in, what a node has at the start, and what the world sees of a step. That an outbox has room is a
premise that the notation writes by itself."""


@pytest.mark.parametrize("info", RULES.values(), ids=RULES)
def test_every_rule_has_a_figure_in_each_of_its_models(info: MachineRule) -> None:
    figures = by_figure(info)
    assert sorted(name for names, _ in figures for name in names) == sorted(info.models)
    for _, drawn in figures:
        assert drawn.conclusion
        assert set(drawn.render().splitlines()[len(drawn.premises)]) == {"─"}


def test_figures_differ_where_a_repair_changes_a_premise() -> None:
    assert {info.id for info in RULES.values() if len(by_figure(info)) > 1} == {
        "PARTE/ALPHA-NOMATCHCONSTRAINT", "PARTE/ENTRY", "PARTE/ENTRY-BOTTOM", "PARTE/JOIN-LEFT", "PARTE/JOIN-RIGHT",
        "PARTE/NOT-LEFT-MATCH", "PARTE/NOT-LEFT-NOMATCH", "PARTE/NOT-RIGHT", "PARTE/PROP",
    }  # fmt: skip
    shared = {
        name: {auxiliary.name: auxiliary.lines for auxiliary in auxiliaries(MODELS[name])}
        for name in ("published", "sound")
    }
    both = shared["published"].keys() & shared["sound"].keys()
    differing = {name for name in both if shared["published"][name] != shared["sound"][name]}
    assert differing == {"matching_left", "expire_left", "expire_negated", "as_tokens", "_released"}


# --- In D's order -----------------------------------------------------------------------------------------------------

ROOM_LEFT, ROOM_RIGHT = "has-room-for↘(p̅m̅)", "has-room-for↙(e̅)"
MORE_LEFT, MORE_RIGHT = "p̅m̅′ = p̅m̅ · ", "e̅′ = e̅ · "
EXPIRE_LEFT, EXPIRE_RIGHT, EXPIRE_NEGATED = "p̅m̅′ = expire↘(", "e̅′ = expire↙(", "⟨p̅m̅′, p̅m̅_expired⟩ = expire-negated↘("
SET_EXPIRE_RIGHT, SET_RESULT = "e̅′ = expire-unneeded(", "ℓmap_set = "
PROP, RESULT, NEW = "ℓmap_prop = ", "ℓmap_result = ", "p̅m̅_new = "

PRINTED = {
    "PARTE/ENTRY-NOMATCHTEMPLATE": ["ιₜₑ ≠ ιₜₙ"],
    "PARTE/ENTRY": ["ιₜₑ = ιₜₙ", "sℓmap′ = "],
    "PARTE/ENTRY-BOTTOM": ["sℓmap′ = "],
    "PARTE/ALPHA-BOTTOM": [],
    "PARTE/ALPHA-MATCH": ["c(e)"],
    "PARTE/ALPHA-NOMATCHCONSTRAINT": ["¬c(e)"],
    "PARTE/JOIN-LEFT-BOTTOM": [EXPIRE_RIGHT, PROP],
    "PARTE/JOIN-RIGHT-BOTTOM": [EXPIRE_LEFT, PROP],
    "PARTE/JOIN-LEFT": [ROOM_LEFT, MORE_LEFT, EXPIRE_RIGHT, "window = ", NEW, PROP],
    "PARTE/JOIN-RIGHT": [EXPIRE_LEFT, ROOM_RIGHT, MORE_RIGHT, "window = ", NEW, PROP],
    "PARTE/NOT-LEFT-BOTTOM": [EXPIRE_RIGHT, RESULT],
    "PARTE/NOT-RIGHT-BOTTOM": [EXPIRE_NEGATED, NEW, RESULT],
    "PARTE/NOT-LEFT-MATCH": [ROOM_LEFT, EXPIRE_RIGHT, "matches↙(e̅′, entry) ≠ ∅"],
    "PARTE/NOT-LEFT-NOMATCH": [ROOM_LEFT, EXPIRE_RIGHT, "matches↙(e̅′, entry) = ∅", MORE_LEFT],
    "PARTE/NOT-RIGHT": [ROOM_RIGHT, "defeated = ", EXPIRE_NEGATED, MORE_RIGHT, NEW, RESULT],
    "PARTE/SET-LEFT-BOTTOM": [SET_EXPIRE_RIGHT, SET_RESULT],
    "PARTE/SET-RIGHT-BOTTOM": ["⟨p̅m̅′, complete⟩ = passed(", NEW, SET_EXPIRE_RIGHT, SET_RESULT],
    "PARTE/SET-LEFT-DECIDED": ["is-decided(", NEW, SET_EXPIRE_RIGHT, SET_RESULT],
    "PARTE/SET-LEFT-OPEN": ["¬is-decided(", ROOM_LEFT, MORE_LEFT, SET_EXPIRE_RIGHT, SET_RESULT],
    "PARTE/SET-RIGHT": [
        *("live = ", f"live ⇒ {ROOM_RIGHT}", "e̅′ = e̅ · ", "decided = ", "⟨p̅m̅′, complete⟩ = passed(", NEW, SET_RESULT),
    ],
    "PARTE/PROD-BOTTOM": [],
    "PARTE/PROD": ["e′ = gᵉ(pm)", "ℓ = gˡ(ℓmapₜ)"],
    "PARTE/TERM": [],
    "PARTE/RUDIMENTARY-ALPHA-NOMATCHTEMPLATE": ["ιₜₑ ≠ ιₜₙ"],
    "PARTE/RUDIMENTARY-ALPHA-NOMATCHCONSTRAINT": ["ιₜₑ = ιₜₙ", "¬c(e)"],
    "PARTE/RUDIMENTARY-ALPHA-MATCH": ["ιₜₑ = ιₜₙ", "c(e)"],
    "PARTE/RUDIMENTARY-JOIN-LEFT": [ROOM_LEFT, MORE_LEFT, "window = "],
    "PARTE/RUDIMENTARY-JOIN-RIGHT": [ROOM_RIGHT, MORE_RIGHT, "window = "],
    "PARTE/RUDIMENTARY-NOT-LEFT-MATCH": [ROOM_LEFT, "matches↙(e̅, entry) ≠ ∅"],
    "PARTE/RUDIMENTARY-NOT-LEFT-NOMATCH": [ROOM_LEFT, MORE_LEFT, "matches↙(e̅, entry) = ∅"],
    "PARTE/RUDIMENTARY-NOT-RIGHT-MATCH": [ROOM_RIGHT, MORE_RIGHT, "window = ", "(∃ "],
    "PARTE/RUDIMENTARY-NOT-RIGHT-NOMATCH": [ROOM_RIGHT, MORE_RIGHT, "window = ", "¬(∃ ", "p̅m̅_passed = "],
    "PARTE/RUDIMENTARY-PROD": ["e′ = gᵉ(pm)"],
    "PARTE/RUDIMENTARY-TERM": [],
    "PARTE/PROC": ["⟨rule, outcome⟩ = apply(", "t̅ is bounded ⇒ has-room-for(t̅, |t̅′|)"],
    "PARTE/PROP": ["s̅ = successors(n)", "∀ successor ∈ s̅: has-room-for("],
}
"""How the premises begin, in the order in which D §5.2.5-5.2.6 and §5.4.6-5.4.7 print them; those of sets are ours."""


@pytest.mark.parametrize("info", RULES.values(), ids=RULES)
def test_premises_stand_in_the_order_of_the_dissertation(info: MachineRule) -> None:
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
    # The payload with its lifetime; equal keys, a part of c; the head of an inbox or outbox; that a rule applies.
    assert beside == {"entry", "alike", "t", "outcome"}


@pytest.mark.parametrize(("model", "second"), [(RUDIMENTARY, True), (PUBLISHED, False), (SOUND, True)])
def test_one_token_for_each_side_is_a_premise_of_prop_where_it_holds(model: Model, second: bool) -> None:
    """D §5.4.7 adds to the premises of D §5.2.5 that no token of the same side waits."""
    program = parse("template A {} rule R where a: A then")
    network = compile_program(program, {}, {"A": ("s",)}, family_of(model))
    inbox = Machine(network, model, recorder=lambda _: None).nodes[network.index("terminal:R")].inbox
    edge = Successor(network.index("terminal:R"), Side.TOP, 0)
    inbox.put(edge, BetaToken((0,), None))
    assert inbox.has_room(edge) is second
    stated = any("∄⟨successor.side, _⟩" in line for line in figure(RULES["PARTE/PROP"], model).premises)
    assert stated is not second


# --- From the code ----------------------------------------------------------------------------------------------------


def _with(mutant: Mutant) -> SourceOf:
    original = mutant.original()

    def source_of(function: FunctionType) -> str:
        return mutant.source() if function is original else source(function)

    return source_of


def _page(source_of: SourceOf) -> list[object]:
    """What `sound` and `rudimentary` look like; a form without a notation is an error, and so not overlooked either."""
    parts: list[object] = []
    try:
        for model in (SOUND, RUDIMENTARY):
            parts += [figure(info, model, source_of) for info in RULES.values() if model.name in info.models]
            parts += auxiliaries(model, source_of)
    except ValueError as problem:
        return [str(problem)]
    return parts


UNCHANGED = _page(source)


@pytest.mark.parametrize("mutant", MUTANTS.values(), ids=MUTANTS)
def test_a_changed_rule_is_a_changed_figure(mutant: Mutant) -> None:
    assert (_page(_with(mutant)) == UNCHANGED) is (mutant.function in NOT_SHOWN)


def test_what_cannot_be_shown_is_said() -> None:
    def source_of(function: FunctionType) -> str:
        return source(function).replace("    events = (token.payload,)", "    while data:\n        pass")

    assert isinstance(alpha.alpha_match, FunctionType)
    with pytest.raises(Unreadable, match=r"alpha_match .* expected a definition, a guard or a result, found `while"):
        read(alpha.alpha_match, Repairs.of(SOUND), CONVENTIONS, source_of)
