"""The registry of rules, and each rule on its own where the machine never takes it by itself."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings

from parte.conformance.partelang.strategies import cases, schedules
from parte.semantics.events.event import Event, TraceItem
from parte.semantics.events.promises import arrivals
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.execution import execute, sources_of
from parte.semantics.partelang.machine import Machine, Step
from parte.semantics.partelang.network import Network, Side
from parte.semantics.partelang.repairs import PUBLISHED, RUDIMENTARY, SOUND, Family, Repairs, family_of
from parte.semantics.partelang.rulebook import RULEBOOK
from parte.semantics.partelang.rules.registry import (
    OURS,
    Effect,
    EntryData,
    Kind,
    LocalRule,
    MachineRule,
    Site,
    global_rule,
    rules_for,
)
from parte.semantics.partelang.schedules import Schedule
from parte.semantics.partelang.syntax import core, parse
from parte.semantics.partelang.tokens import AlphaToken
from parte.semantics.rulebook.models import Model

RULES = tuple(RULEBOOK.values())


@pytest.mark.parametrize("info", RULES, ids=lambda info: str(info.id))
def test_a_rule_is_linked_to_its_section_and_function(info: MachineRule) -> None:
    assert re.fullmatch(r"PARTE/[A-Z]+(-[A-Z]+)*", info.id)
    assert info.section == OURS or re.fullmatch(r"5\.\d\.\d(, 5\.\d\.\d)?", info.section)
    assert info.name
    assert info.summary.endswith(".")
    assert info.function.__module__.startswith("parte.semantics.partelang.")
    expected = info.local.removeprefix("RUDIMENTARY-").lower().replace("-", "_")
    assert info.function.__name__ == expected, "a rule's function carries its name"


def test_the_rules_are_those_of_the_dissertation() -> None:
    """D §5.2.5-5.2.6 and §5.4.6-5.4.7, arrows and bottoms written out; but for those of set-nodes, which are ours."""
    published = {info.local for info in RULES if "published" in info.models and info.section != OURS}
    assert published == {
        "ENTRY-NOMATCHTEMPLATE", "ENTRY", "ENTRY-BOTTOM",
        "ALPHA-BOTTOM", "ALPHA-NOMATCHCONSTRAINT", "ALPHA-MATCH",
        "JOIN-LEFT-BOTTOM", "JOIN-RIGHT-BOTTOM", "JOIN-LEFT", "JOIN-RIGHT",
        "NOT-LEFT-BOTTOM", "NOT-RIGHT-BOTTOM", "NOT-LEFT-MATCH", "NOT-LEFT-NOMATCH", "NOT-RIGHT",
        "PROD-BOTTOM", "PROD", "TERM", "PROC", "PROP",
    }  # fmt: skip
    rudimentary = {info.local for info in RULES if info.models == ("rudimentary",)}
    assert {name.removeprefix("RUDIMENTARY-") for name in rudimentary} == {
        "ALPHA-NOMATCHTEMPLATE", "ALPHA-NOMATCHCONSTRAINT", "ALPHA-MATCH",
        "JOIN-LEFT", "JOIN-RIGHT",
        "NOT-LEFT-MATCH", "NOT-LEFT-NOMATCH", "NOT-RIGHT-MATCH", "NOT-RIGHT-NOMATCH",
        "PROD", "TERM",
    }  # fmt: skip


def test_the_specification_names_the_rules() -> None:
    text = (Path(__file__).parents[3] / "docs/specification/machine.md").read_text(encoding="utf-8")
    named = set(re.findall("`(PARTE/[A-Z-]*[A-Z])`", text))
    assert named == {info.id for info in RULES if "published" in info.models}


def test_an_id_is_registered_once_and_needs_a_docstring() -> None:
    def documented() -> None:
        """Nothing."""

    def silent() -> None: ...

    with pytest.raises(ValueError, match="already"):
        global_rule("PARTE/ENTRY", "Entry")(documented)
    with pytest.raises(ValueError, match="docstring"):
        global_rule("PARTE/NEW", "New")(silent)
    with pytest.raises(ValueError, match="of the form PARTE/NAME-OF-RULE, found NEW"):
        global_rule("NEW", "New")(documented)


def test_rules_are_found_by_what_activates_them() -> None:
    local_rules = rules_for(Family.FEATHERWEIGHT, Kind.NOT, Side.LEFT, payload=True)
    assert [info.id for info in local_rules] == ["PARTE/NOT-LEFT-MATCH", "PARTE/NOT-LEFT-NOMATCH"]
    assert rules_for(Family.RUDIMENTARY, Kind.ENTRY, Side.TOP, payload=True) == ()


def test_exactly_one_rule_applies_to_each_token() -> None:
    """For every token that any model processes, one rule has all its premises and the others of its table do not."""

    @settings(max_examples=40)
    @given(cases(), schedules())
    def check(case: tuple[core.Program, tuple[TraceItem, ...]], schedule: Schedule) -> None:
        program, items = case
        fed = arrivals(items)
        for model in (SOUND, PUBLISHED, RUDIMENTARY):
            machine = Watching(compile_program(program, {}, sources_of(fed), family_of(model)), model)
            schedule.drive(machine, fed)

    check()


class Watching(Machine):
    """A machine that asks every rule of a table, not only the first that applies."""

    def __init__(self, network: Network, model: Model) -> None:
        super().__init__(network, model, recorder=lambda _: None)

    def proc(self, index: int, slot: int) -> bool:
        state = self.nodes[index]
        token = state.inbox.peek(slot)
        outcomes = [
            info.function(state.site, state.data, token) for info in state.table[slot, token.payload is not None]
        ]
        assert sum(outcome is not None for outcome in outcomes) == 1
        return super().proc(index, slot)


def test_every_rule_fires_in_some_run_of_its_model() -> None:
    """But for the one that the compiled network never needs: entry nodes get events of their own template only."""
    fired: set[str] = set()

    def note(step: Step) -> None:
        fired.add(step.rule)

    program = parse(
        "template A { k: Integer } template B { k: Integer } template D {} "
        "rule Join where a: A { k = 1 }, b: B when b in a [0 ms, 5 ms] then emit D at a.timestamp with {} "
        "rule Not where d: D, no b: B { k = 2 } when no b in d [0 ms, 3 ms] then emit X at d.timestamp with {} "
        "rule Other where x: X, no b: B when no b in x [-9 ms, -1 ms] then "
        "rule Before where a: A, no b: B when no b in a [-2 ms, 0 ms] then "
        "template X {}"
    )
    times = [("B", 0, 2), ("A", 1, 1), ("A", 2, 0), ("B", 3, 1), ("B", 4, 2), ("A", 20, 1), ("B", 21, 1), ("B", 40, 2)]
    items = [Event(f"e{n}", name, time, {"k": k}) for n, (name, time, k) in enumerate(times)]
    for model in (SOUND, PUBLISHED, RUDIMENTARY):
        execute(Scenario.of(program, items), model=model, recorder=note)
    sets = parse(
        "level 2 template A { k: Integer } template B { k: Integer } "
        "rule Before where a: A, all b: B when b in a [-9 ms, 0 ms] having count(b) = 1 "
        "rule After where a: A, all b: B, all c: B when b in a [0 ms, 3 ms], c in a [0 ms, 9 ms] having count(b) < 2"
    )
    execute(Scenario.of(sets, items), recorder=note)
    local = {info.id for info in RULES if isinstance(info, LocalRule)}
    assert local - fired <= {"PARTE/ENTRY-NOMATCHTEMPLATE"}


def test_an_entry_node_ignores_an_event_of_another_template() -> None:
    network = compile_program(parse("template A {} template B {} rule R where a: A then"), {}, {"A": ("s",)})
    site = Site(network.nodes[network.index("entry:A")], Repairs.of(SOUND))
    ignored, passed = (info.function for info in rules_for(Family.FEATHERWEIGHT, Kind.ENTRY, Side.TOP, payload=True))
    data, token = EntryData((0,)), AlphaToken(0, 5, Event("b1", "B", 7, {}))
    assert ignored(site, data, token) == Effect(data, ())
    assert passed(site, data, token) is None
    own = AlphaToken(0, 5, Event("a1", "A", 7, {}))
    assert ignored(site, data, own) is None
    assert passed(site, data, own) == Effect(EntryData((5,)), (own,))
