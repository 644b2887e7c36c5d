"""Drafts: cases as people write them, and their admission to the suite.

A draft says which matches its author expects, by the ids that they bind. It is admitted when the algebra says the same
and `sound` confirms it; all other metadata is measured.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from conformance.fixtures import BY_HAND, PROFILES, Expected, Fixture, Place
from conformance.measure import expected_of, measured_rules, objections, traits

Json = Any

SINCE = "1.0"

TEMPLATES: Mapping[str, Mapping[str, str]] = {
    **{name: {"k": "Integer"} for name in "ABCDEF"},
    "V": {"i": "Integer", "f": "Float", "s": "String", "b": "Boolean"},
    "N": {},
}
"""The templates that drafts use: they are declared in front of a program that names them."""

_DEFAULTS: Mapping[str, Json] = {"Integer": 0, "Float": 0.0, "String": "", "Boolean": False}


class Refused(ValueError):
    """A draft that is not admitted."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A case as its author writes it.

    `trace` is in the short notation of `trace_of`, or a list of the items of a trace. `matches` lists the ids that each
    match binds, `a1 b1; a1 b2`, with `Rule:` before them if the program has several rules; None if the author leaves it
    to the algebra. `rejected` is where the program must be rejected.
    """

    id: str
    description: str
    program: Json
    trace: str | Sequence[Json] = ""
    matches: str | None = None
    sections: Sequence[str] = ("SPEC 4",)
    domain: Mapping[str, Json] = field(default_factory=dict)
    disorder: int = 0
    rejected: Place | None = None
    profile: str | None = None
    origin: str = BY_HAND


def admit(draft: Draft) -> Fixture:
    """The case of a draft. Refused if the algebra or `sound` disagrees with its author."""
    program = draft.program
    if isinstance(program, str):
        program = (_declarations(program) + program.strip("\n")).split("\n")
    trace = trace_of(draft.trace) if isinstance(draft.trace, str) else tuple(draft.trace)
    case = Fixture(
        draft.id,
        draft.description,
        "core",
        SINCE,
        tuple(draft.sections),
        (),
        draft.origin,
        program,
        draft.domain,
        draft.disorder,
        trace,
        Expected(rejected=draft.rejected),
    )
    case = replace(case, expected=expected_of(case))
    _hold_against(draft, case)
    for objection in objections(case):
        raise Refused(f"{draft.id}: {objection}")
    found = traits(case)
    profile = draft.profile or next(name for name in _PRECEDENCE if name in found)
    if profile not in found:
        raise Refused(f"{draft.id}: nothing in it is of the profile {profile}")
    return replace(case, profile=profile, rules=measured_rules(case))


_PRECEDENCE = ("rejects", "out-of-order", "multi-source", "negation", "functions", "emission", "core")
assert set(_PRECEDENCE) == set(PROFILES)


def _declarations(program: str) -> str:
    lines = []
    for name, slots in TEMPLATES.items():
        named = re.search(rf"(:|\bemit)\s*{name}\b", program)
        if named and not re.search(rf"\btemplate\s+{name}\b", program):
            inside = ", ".join(f"{slot} : {type_}" for slot, type_ in slots.items())
            lines.append(f"template {name} {{ {inside} }}\n" if inside else f"template {name} {{}}\n")
    return "".join(lines)


def _hold_against(draft: Draft, case: Fixture) -> None:
    if draft.rejected != case.expected.rejected:
        raise Refused(f"{draft.id}: expected {draft.rejected}, found {case.expected.rejected}")
    if draft.matches is None:
        return
    several = len({match["rule"] for match in case.expected.matches}) > 1 or ":" in draft.matches
    found = []
    for match in case.expected.matches:
        bound = " ".join(match["bindings"].values())
        found.append(f"{match['rule']}: {bound}" if several else bound)
    wanted = sorted(" ".join(part.split()) for part in draft.matches.split(";") if part.strip())
    if sorted(found) != wanted:
        raise Refused(f"{draft.id}: its author expects {wanted}, the algebra finds {sorted(found)}")


# --- Traces -----------------------------------------------------------------------------------------------------------

_EVENT = re.compile(r"(?P<id>[a-z]\w*)@(?P<time>-?\d+)(/(?P<source>[\w-]+))?(\((?P<slots>.*)\))?")
_PROGRESS = re.compile(r"(?P<template>[A-Z])>=(?P<time>-?\d+)(/(?P<source>[\w-]+))?")


def trace_of(text: str) -> tuple[Json, ...]:
    """The items of a trace in short notation, separated by white space.

    `a1@5` is an event with the id a1 of the template A at 5 ms, `a1@5/fast` one from the source `fast`, `a1@5(k=2)` one
    with an attribute, JSON without blanks or commas; others have their defaults. `A>=7/fast` is a line of progress.
    """
    return tuple(_item(word) for word in text.split())


def event(id_: str, time: int, source: str = "s", **attributes: Json) -> Json:
    """An event in a trace, of the template that its id begins with."""
    template = id_[0].upper()
    defaults = {name: _DEFAULTS[type_] for name, type_ in TEMPLATES[template].items()}
    return {
        "id": id_,
        "template": template,
        "timestamp": time,
        "source": source,
        "attributes": defaults | attributes,
    }


def _item(word: str) -> Json:
    if progress := _PROGRESS.fullmatch(word):
        source, template = progress["source"] or "s", progress["template"]
        return {"source": source, "template": template, "progress": int(progress["time"])}
    found = _EVENT.fullmatch(word)
    if found is None:
        raise Refused(f"{word!r} is no item of a trace")
    parts = [part.split("=", 1) for part in filter(None, (found["slots"] or "").split(","))]
    attributes = {name: json.loads(value) for name, value in parts}
    return event(found["id"], int(found["time"]), found["source"] or "s", **attributes)
