"""Measures of cases of LEAD: the rules that fire, the profiles that they need, and the rule that an error
contradicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from parte.conformance.firing import rules_fired
from parte.conformance.fixtures import Fixture
from parte.conformance.kit import Measures
from parte.conformance.protocol import Engine
from parte.languages.lead.conformance.engine import LeadEngine
from parte.languages.lead.running import readings_of
from parte.languages.lead.semantics.listing import RULES
from parte.languages.lead.semantics.machine import Machine
from parte.languages.lead.semantics.repairs import SOUND
from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.matches import Occurrence, match_to_json
from parte.languages.lead.semantics.syntax.streams import occurrences
from parte.languages.lead.semantics.text import parsed
from parte.semantics.events.trace import read_trace

Json = Any


def confirming(again: bool) -> Iterator[tuple[str, Engine]]:
    """Yield the engines that must confirm a case: the machine, and, at admission, the machine under other schedules."""
    yield "", LeadEngine("sound")
    for seed in () if again else range(1, 5):
        yield f"under schedule {seed}", LeadEngine("sound", schedule=seed)


def read_input(case: Fixture) -> tuple[tree.Rule, list[Occurrence]]:
    """Return the rule and the occurrences of a case. Raise ProgramError or TraceError if it is to be rejected."""
    rule = parsed(case.text).rule
    return rule, occurrences(rule, read_trace(case.trace_text), case.disorder)


_TRAITS: Mapping[str, tuple[type, ...]] = {
    "contexts": (tree.Subcontext,),
    "lists": (tree.Collect, tree.Pick),
    "time": (tree.Within, tree.Wait),
    "absence": (tree.Not,),
    "conditions": (tree.Filtered,),
}


def constructs(case: Fixture) -> set[str]:
    """Return the profiles that the constructs of a case need, without `core`."""
    rule = parsed(case.text).rule
    nodes = list(tree.within(rule.pattern))
    profiles = {name for name, kinds in _TRAITS.items() if any(isinstance(node, kinds) for node in nodes)}
    if any(isinstance(node, tree.Policy) for node in nodes):
        profiles.add("policies")
    if rule.keys:
        profiles.add("partition")
    if case.options:
        profiles.add("readings")
    if rule.outcome:
        profiles.add("actions")
    return profiles


# --- The rule that an error contradicts -------------------------------------------------------------------------------

_OF_REPAIRS = {
    "instant": "LEAD/SOURCE",
    "unique": "LEAD/SOURCE",
    "twins": "LEAD/AND",
    "activation": "LEAD/SEQ",
    "deadline-first": "LEAD/STEP",
    "kill-all": "LEAD/NOT",
    "invalidate-first": "LEAD/COLLECT",
    "outer-join": "LEAD/OR",
    "wait-all": "LEAD/WAIT",
    "rearm": "LEAD/COLLECT",
    "local-age": "LEAD/WITHIN-FROM",
    "sub-release": "LEAD/SUB",
    "keep": "LEAD/GC",
}
_OF_NODES: tuple[tuple[type, str], ...] = (
    (tree.Subcontext, "LEAD/SUB"),
    (tree.Pick, "LEAD/PICK"),
    (tree.Collect, "LEAD/COLLECT"),
    (tree.Wait, "LEAD/WAIT"),
    (tree.Not, "LEAD/NOT"),
    (tree.Within, "LEAD/WITHIN"),
    (tree.Policy, "LEAD/CONSUME"),
    (tree.Filtered, "LEAD/FILTER"),
    (tree.Or, "LEAD/OR"),
    (tree.And, "LEAD/AND"),
    (tree.Sequence, "LEAD/SEQ"),
    (tree.Atom, "LEAD/SOURCE"),
)


def contradicted(case: Fixture, missing: Sequence[Json], spurious: Sequence[Json]) -> tuple[str, str] | None:
    """Return the rule whose effect an engine contradicts, and the effect. If the lack of a repair explains the
    answer, it is the rule of the repair, else that of the outermost construct. Return None if no match is missing or
    spurious."""
    if not missing and not spurious:
        return None
    rule, events = read_input(case)
    for name in SOUND.repair_names():
        without = Machine(rule, SOUND.without(name), readings=readings_of(case.options)).run(events)
        matches = [match_to_json("rule", match) for match in without]
        if all(match in matches for match in spurious) and not any(match in matches for match in missing):
            return _OF_REPAIRS[name], f"without {name.replace('-', '_')} {_effect(missing, spurious)}"
    nodes = list(tree.within(rule.pattern))
    blamed = next(name for kind, name in _OF_NODES if any(isinstance(node, kind) for node in nodes))
    return blamed, _effect(missing, spurious)


def _effect(missing: Sequence[Json], spurious: Sequence[Json]) -> str:
    if missing:
        return f"the match that ends at {missing[0].get('end')} is found"
    return f"no match ends at {spurious[0].get('end')} with these events"


MEASURES = Measures(rules_fired(RULES, LeadEngine), constructs, contradicted)
