"""LEAD and PARTElang, each as the other: what is translated has the same matches by the definition of both."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate

from parte.algebra.partelang.programs import run
from parte.languages.lead.algebra.effort import TooManyMatches
from parte.languages.lead.algebra.rules import evaluate
from parte.languages.lead.semantics.machine import Machine
from parte.languages.lead.semantics.net import TooManyFirings
from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.matches import Match, Occurrence
from parte.languages.lead.semantics.syntax.parser import parse as parse_lead
from parte.languages.lead.semantics.syntax.printer import print_rule
from parte.languages.lead.semantics.syntax.streams import occurrences
from parte.languages.translations.lead.to_lead import to_lead
from parte.languages.translations.lead.to_parte import UID, to_parte
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.partelang.syntax.printer import print_program
from parte.semantics.source.diagnostics import ProgramError
from tests.campaigns.running import Broken
from tests.languages.translations.level_2 import LEVEL, OPTIONAL, compound, lacking, of_event, of_times

_TYPES: Mapping[str, core.Scalar] = {
    "k": core.Scalar.INTEGER,
    "l": core.Scalar.INTEGER,
    "x": core.Scalar.FLOAT,
    "s": core.Scalar.STRING,
    "b": core.Scalar.BOOLEAN,
    "last": core.Scalar.INTEGER,
    UID: core.Scalar.INTEGER,
}
"""Attributes, one of them called like a keyword of LEAD."""

_VALUES: Mapping[core.Scalar, tuple[int | float | str | bool, ...]] = {
    core.Scalar.INTEGER: (0, 1, 2, -1, 2**53 + 1, 2**63 - 1, -(2**63)),
    core.Scalar.FLOAT: (0.0, -0.0, 0.5, 1.0, 1e308, 2.0**53),
    core.Scalar.STRING: ("", "a", "it's", "é"),
    core.Scalar.BOOLEAN: (False, True),
}
_STREAMS = ("A", "B", "C", "D")
_NAMES = ("p", "q", "r", "A", "first")
Bindings = frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A text of one of the two languages, and a trace in order of time."""

    language: str
    text: str
    events: tuple[Event, ...]


class LeadTranslations:
    """The campaign."""

    name = "lead-translations"

    def draw(self, source: random.Random) -> Rule:
        """A rule of one of the two, one as often as the other."""
        chance = source.random()
        if chance < 0.2:
            return Rule("PARTElang", drawn_program(source), drawn_events(source))
        if chance < 0.6:
            return Rule("PARTElang", drawn_program(source, level=2), lacking(source, drawn_events(source)))
        return Rule("LEAD", drawn_sequence(source), drawn_events(source))

    def smaller(self, case: Rule) -> Iterator[Rule]:
        """The case with fewer events, and with a line less."""
        for place in range(len(case.events)):
            yield replace(case, events=case.events[:place] + case.events[place + 1 :])
        lines = case.text.splitlines(keepends=True)
        for place in range(len(lines)):
            yield replace(case, text="".join(lines[:place] + lines[place + 1 :]))

    def show(self, case: Rule) -> str:
        """The text and the events."""
        return case.text + "".join(f"{event.id} @{event.timestamp} {dict(event.attributes)}\n" for event in case.events)

    def attack(self, case: Rule, counts: Counter[str]) -> None:
        """Both mean the same."""
        if case.language == "PARTElang":
            _in_lead(case, counts)
        else:
            _in_parte(case, counts)


# --- Comparing --------------------------------------------------------------------------------------------------------


def _in_lead(case: Rule, counts: Counter[str]) -> None:
    try:
        program = parse(case.text)
    except ProgramError as error:
        counts[f"no program: {error.diagnostics[0].code}"] += 1
        return
    try:
        translated = to_lead(program, program.rules[0])
    except ProgramError as error:
        counts[f"to LEAD, outside: {error.diagnostics[0].code}"] += 1
        return
    text = print_rule(translated.rule)
    if parse_lead(text) != translated.rule:
        raise Broken("what is printed is another rule of LEAD", text)
    names = {name: own for own, name in translated.variables.items()}
    expected = {frozenset(match.bindings) for match in run(program, case.events).matches}
    if not _same(translated.rule, case.events, names, expected, counts):
        return
    negated = sum(pattern.negated for pattern in program.rules[0].patterns)
    counts["to LEAD"] += 1
    counts["to LEAD, with matches"] += bool(expected)
    counts["to LEAD, level 2, with matches"] += bool(program.level == 2 and expected)
    counts["to LEAD, with sets and matches"] += bool(program.rules[0].collected and expected)
    counts["to LEAD, with negations"] += bool(negated)
    counts["to LEAD, with negations and matches"] += bool(negated and expected)


def _in_parte(case: Rule, counts: Counter[str]) -> None:
    try:
        rule = parse_lead(case.text)
    except ProgramError as error:
        counts[f"no rule: {error.diagnostics[0].code}"] += 1
        return
    try:
        translated = to_parte(rule, case.text, dict.fromkeys(_STREAMS, _TYPES))
    except ProgramError as error:
        counts[f"to PARTElang, outside: {error.diagnostics[0].code}"] += 1
        return
    program = translated.program
    printed = print_program(program.source)
    if parse(printed) != program:
        raise Broken("what is printed is another program", printed)
    templates = {template.name for template in program.templates}
    read = [event for event in case.events if event.template in templates]
    matches = {frozenset(match.bindings) for match in run(program, read).matches}
    if not _same(rule, case.events, translated.variables, matches, counts):
        return
    counts["to PARTElang"] += 1
    counts["to PARTElang, rules"] += len(program.rules)
    counts["to PARTElang, with matches"] += bool(matches)
    counts["to PARTElang, with negations"] += "not " in case.text
    counts["to PARTElang, with negations and matches"] += bool("not " in case.text and matches)


def _same(
    rule: tree.Rule,
    events: Sequence[Event],
    names: Mapping[str, str],
    matches: set[Bindings],
    counts: Counter[str],
) -> bool:
    """Definition and net of LEAD bind the events that PARTElang binds; False if that is too much for them."""
    seen = occurrences(rule, events)
    try:
        for who, results in (("definition", evaluate(rule, seen)), ("net", Machine(rule).run(seen))):
            bound = {_bindings(match, names) for match in results}
            if bound != matches:
                raise Broken(f"matches of the {who} of LEAD", f"{sorted(map(sorted, bound ^ matches))}")
    except (TooManyMatches, TooManyFirings):
        counts["too much"] += 1
        return False
    return True


def _bindings(match: Match, names: Mapping[str, str]) -> Bindings:
    """The events of a match by the names that PARTElang has for them."""
    return frozenset(
        (names[name], bound.event.id)
        for name, bound in match.bindings
        if isinstance(bound, Occurrence) and name in names
    )


# --- Drawing ----------------------------------------------------------------------------------------------------------


def drawn_events(source: random.Random) -> tuple[Event, ...]:
    """A trace with ties."""
    few = {type_: source.sample(values, 2) for type_, values in _VALUES.items()}
    times = accumulate(source.choice((0, 0, 0, 1, 1, 2, 4)) for _ in range(source.choice((0, 2, 4, 5, 6, 7, 8))))
    return tuple(
        Event(
            f"e{number}",
            source.choice("AABBCD"),
            time,
            {name: number if name == UID else source.choice(few[type_]) for name, type_ in _TYPES.items()},
        )
        for number, time in enumerate(times)
    )


def drawn_program(source: random.Random, *, level: int = 1) -> str:
    """A rule of PARTElang with windows on both sides, and negations and sets before, after and around what they hang
    on."""
    optional = OPTIONAL if level == 2 else ""
    slots = ", ".join(f"{name} : {type_.value}{'?' * (name == optional)}" for name, type_ in _TYPES.items())
    lines = [f"template {name} {{ {slots} }}" for name in _STREAMS] + ["rule R where"]
    names = source.sample(_NAMES if level == 1 else _NAMES[:-1], source.choice((1, 2, 2, 3)))
    templates = [source.choice("AAB" if source.random() < 0.5 else "ABC") for _ in names]
    windows: list[str] = []
    having: list[str] = []
    for place, (name, template) in enumerate(zip(names, templates, strict=True)):
        conditions = [_drawn(source, names[:place], level) for _ in range(source.choice((0, 0, 1)))]
        conditions += [
            f"{UID} != {names[earlier]}.{UID}"
            for earlier in range(place)
            if templates[earlier] == template and source.random() < 0.9
        ]
        lines.append(f"    {name} : {template} {{ {', '.join(conditions)} }},")
        if place:
            windows.append(_window(source, name, source.choice(names[:place])))
    for number in range(source.choice((0, 0, 1, 1, 2))):
        conditions = [_drawn(source, names, level) for _ in range(source.choice((0, 0, 1)))]
        absent = source.choice([stream for stream in _STREAMS if stream not in templates] or _STREAMS)
        collected = level == 2 and source.random() < 0.7
        quantifier = "all" if collected else "no"
        lines.append(
            f"    {quantifier} n{number} : {source.choice((absent, absent, 'D'))} {{ {', '.join(conditions)} }},"
        )
        anchors = source.sample(names, source.choice((1, 1, 1, len(names))))
        more = [_window(source, f"n{number}", anchor) for anchor in anchors]
        if level == 2 and source.random() < 0.2:
            more = [f"n{number} in {anchors[0]} (-ever, {source.choice((-1, 0, 2))} ms]"]
        windows += more if collected else [f"no {window}" for window in more]
        if collected:
            having.append(compound(source, partial(_on_set, source, f"n{number}", names[0])))
    lines += ["when", *(f"    {window}," for window in windows)]
    lines += ["having", *(f"    {condition}," for condition in having)] if having else []
    return LEVEL * (level == 2) + "".join(f"{line}\n" for line in lines)


def _drawn(source: random.Random, others: Sequence[str], level: int) -> str:
    """A condition of a pattern."""
    if level == 1:
        return _condition(source, others)
    if others and source.random() < 0.2:
        return of_times(source, source.choice(others))
    return of_event(source, lambda: _condition(source, others))


def _on_set(source: random.Random, name: str, partner: str) -> str:
    """A condition on a set."""
    own = source.choice([attribute for attribute, type_ in _TYPES.items() if type_ is not core.Scalar.BOOLEAN])
    operator = source.choice(("=", "!=", "<", "<=", ">", ">="))
    chance = source.random()
    if chance < 0.1:
        return f"exists({name})"
    if chance < 0.5:
        counted = source.choice((name, name, f"{name}.{OPTIONAL}"))
        left, right = f"count({counted})", str(source.choice((0, 1, 1, 2, 3)))
    else:
        left = f"{source.choice(('min', 'max'))}({name}.{own})"
        value = source.choice(_VALUES[_TYPES[own]])
        like = [attribute for attribute in _TYPES if _TYPES[attribute] is _TYPES[own]]
        constant = f'"{value}"' if isinstance(value, str) else repr(value)
        right = f"{partner}.{source.choice(like)}" if source.random() < 0.4 else constant
    return f"{right} {operator} {left}" if chance % 0.1 < 0.03 else f"{left} {operator} {right}"


def _window(source: random.Random, name: str, partner: str) -> str:
    least = source.choice((0, 0, 1, 2, -1, -3, -5))
    return f"{name} in {partner} [{least} ms, {least + source.choice((0, 1, 2, 4))} ms]"


def _condition(source: random.Random, others: Sequence[str]) -> str:
    own = source.choice([name for name in _TYPES if name != UID])
    type_ = _TYPES[own]
    operator = source.choice(("=", "!=", "<", "<=", ">", ">=") if type_ is not core.Scalar.BOOLEAN else ("=", "!="))
    if others and source.random() < 0.6:
        like = [name for name in _TYPES if _TYPES[name] is type_ and name != UID]
        return f"{own} {operator} {source.choice(others)}.{source.choice(like)}"
    value = source.choice(_VALUES[type_])
    if isinstance(value, str):
        return f'{own} {operator} "{value}"'
    return f"{own} {operator} {str(value).lower() if isinstance(value, bool) else repr(value)}"


def drawn_sequence(source: random.Random) -> str:
    """A rule of LEAD that is a sequence with times, and absences in it and behind it; a part a line."""
    bound: list[str] = []
    parts = []
    for place in range(source.choice((1, 2, 2, 3))):
        stream, name = source.choice("ABC"), source.choice((None, "p", "q", "r"))
        name = None if name in bound else name
        if place and source.random() < 0.4:
            parts.append(f"not {_event(source, source.choice('CDD'), None)} ->")
        event = _event(source, stream, name)
        parts.append(f"({event}) within {source.randint(1, 4)} ms ->" if place else f"{event} ->")
        if name or stream not in bound:
            bound.append(name or stream)
    if source.random() < 0.4:
        parts.append(f"not {_event(source, source.choice('ACDD'), None)} within {source.randint(1, 4)} ms ->")
    parts[-1] = parts[-1].removesuffix(" ->")
    whole = f" FILTER ({_joint(source, bound)})" if source.random() < 0.5 else ""
    keys = "PARTITION BY A.k\n" if source.random() < 0.2 else ""
    inner = "\n".join(parts)
    return f"FROM A, B, C, D\nMATCH all((\n{inner}\n){whole})\n{keys}"


def _event(source: random.Random, stream: str, name: str | None) -> str:
    event = stream if name is None else f"{stream} AS {name}"
    own = name or stream
    return f"{event} FILTER ({_joint(source, [own])})" if source.random() < 0.4 else event


def _joint(source: random.Random, names: Sequence[str]) -> str:
    """Comparisons of what some names have, joined and negated."""
    chance = source.random()
    if chance < 0.3:
        word = source.choice(("and", "or"))
        return f"({_joint(source, names)} {word} {_joint(source, names)})"
    if chance < 0.4:
        return f"not ({_joint(source, names)})"
    own = source.choice(list(_TYPES))
    operator = source.choice(list(tree.Operator)).value
    left = f"{source.choice(names)}.{own}"
    if source.random() < 0.5:
        like = [name for name in _TYPES if _TYPES[name] is _TYPES[own]] if source.random() < 0.95 else list(_TYPES)
        return f"{left} {operator} {source.choice(names)}.{source.choice(like)}"
    value = source.choice(_VALUES[source.choice(list(_VALUES)) if source.random() < 0.1 else _TYPES[own]])
    if value == -(2**63):
        value = -5
    if isinstance(value, str):
        quoted = value.replace("'", "''")
        return f"{left} {operator} '{quoted}'"
    return f"{left} {operator} {str(value).upper() if isinstance(value, bool) else repr(value)}"
