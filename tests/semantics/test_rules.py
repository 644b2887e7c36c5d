"""The registry of rules, and each rule on its own where the machine never takes it by itself."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings

from conformance.strategies import cases, schedules
from semantics.compilation import compile_program
from semantics.events.event import Event, TraceItem
from semantics.events.promises import arrivals
from semantics.execution import execute, sources_of
from semantics.machine import Machine, Step
from semantics.network import Network, Side
from semantics.repairs import PUBLISHED, RUDIMENTARY, SOUND, Family, Model
from semantics.rules.entry import entry, entry_nomatchtemplate
from semantics.rules.registry import Effect, EntryData, Kind, RuleInfo, Site, all_rules, rule, rules_for
from semantics.schedules import Schedule
from semantics.syntax import core, parse
from semantics.tokens import AlphaToken

RULES = all_rules()


@pytest.mark.parametrize("info", RULES, ids=lambda info: str(info.id))
def test_a_rule_is_linked_to_its_section_and_function(info: RuleInfo) -> None:
    assert re.fullmatch(r"[A-Z]+(-[A-Z]+)*", info.id)
    assert re.fullmatch(r"5\.\d\.\d(, 5\.\d\.\d)?", info.section)
    assert info.name
    assert info.summary.endswith(".")
    assert info.function.__module__.startswith("semantics.")
    expected = info.id.removeprefix("RUDIMENTARY-").lower().replace("-", "_")
    assert info.function.__name__ == expected, "a rule's function carries its name"


def test_the_rules_are_those_of_the_dissertation() -> None:
    """D §5.2.5-5.2.6 and §5.4.6-5.4.7, arrows and bottoms written out."""
    published = {info.id for info in RULES if "published" in info.models}
    assert published == {
        "ENTRY-NOMATCHTEMPLATE", "ENTRY", "ENTRY-BOTTOM",
        "ALPHA-BOTTOM", "ALPHA-NOMATCHCONSTRAINT", "ALPHA-MATCH",
        "JOIN-LEFT-BOTTOM", "JOIN-RIGHT-BOTTOM", "JOIN-LEFT", "JOIN-RIGHT",
        "NOT-LEFT-BOTTOM", "NOT-RIGHT-BOTTOM", "NOT-LEFT-MATCH", "NOT-LEFT-NOMATCH", "NOT-RIGHT",
        "PROD-BOTTOM", "PROD", "TERM", "PROC", "PROP",
    }  # fmt: skip
    rudimentary = {info.id for info in RULES if info.models == ("rudimentary",)}
    assert {name.removeprefix("RUDIMENTARY-") for name in rudimentary} == {
        "ALPHA-NOMATCHTEMPLATE", "ALPHA-NOMATCHCONSTRAINT", "ALPHA-MATCH",
        "JOIN-LEFT", "JOIN-RIGHT",
        "NOT-LEFT-MATCH", "NOT-LEFT-NOMATCH", "NOT-RIGHT-MATCH", "NOT-RIGHT-NOMATCH",
        "PROD", "TERM",
    }  # fmt: skip


def test_an_id_is_registered_once_and_needs_a_docstring() -> None:
    def documented() -> None:
        """Nothing."""

    def silent() -> None: ...

    with pytest.raises(ValueError, match="already"):
        rule("ENTRY", name="Entry", section="5.4.6", family=None)(documented)
    with pytest.raises(ValueError, match="docstring"):
        rule("NEW", name="New", section="5.4.6", family=None)(silent)


def test_rules_are_found_by_what_activates_them() -> None:
    found = rules_for(Family.FEATHERWEIGHT, Kind.NOT, Side.LEFT, payload=True)
    assert [info.id for info in found] == ["NOT-LEFT-MATCH", "NOT-LEFT-NOMATCH"]
    assert rules_for(Family.RUDIMENTARY, Kind.ENTRY, Side.TOP, payload=True) == ()


def test_exactly_one_rule_applies_to_each_token() -> None:
    """For every token that any model processes, one rule has all its premises and the others of its table do not."""

    @settings(max_examples=40)
    @given(cases(), schedules())
    def check(case: tuple[core.Program, tuple[TraceItem, ...]], schedule: Schedule) -> None:
        program, items = case
        fed = arrivals(items)
        for model in (SOUND, PUBLISHED, RUDIMENTARY):
            machine = Watching(compile_program(program, {}, sources_of(fed), model.family), model)
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
        execute(program, arrivals(items), model=model, recorder=note)
    local = {info.id for info in RULES if info.kind is not None}
    assert local - fired <= {"ENTRY-NOMATCHTEMPLATE"}


def test_an_entry_node_ignores_an_event_of_another_template() -> None:
    network = compile_program(parse("template A {} template B {} rule R where a: A then"), {}, {"A": ("s",)})
    site = Site(network.nodes[network.index("entry:A")], SOUND.repairs)
    data, token = EntryData((0,)), AlphaToken(0, 5, Event("b1", "B", 7, {}))
    assert entry_nomatchtemplate(site, data, token) == Effect(data, ())
    assert entry(site, data, token) is None
    own = AlphaToken(0, 5, Event("a1", "A", 7, {}))
    assert entry_nomatchtemplate(site, data, own) is None
    assert entry(site, data, own) == Effect(EntryData((5,)), (own,))
