"""ETALIS and PARTElang, each as the other: what is translated means the same by definition and machine of both."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

import parte
from parte.algebra.partelang.programs import run
from parte.conformance.fuzz.draw import Seeded
from parte.languages.etalis.algebra.evaluation import evaluate
from parte.languages.etalis.conformance.drawing import Shape, drawn_program
from parte.languages.etalis.semantics.machine import Machine
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.parser import parse as parse_etalis
from parte.languages.etalis.semantics.syntax.printer import print_program as print_etalis
from parte.languages.etalis.semantics.syntax.streams import Arguments, Instant, in_order
from parte.languages.etalis.semantics.syntax.values import Truth, Value
from parte.languages.translations.etalis.to_etalis import to_etalis
from parte.languages.translations.etalis.to_parte import to_parte
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.partelang.syntax.printer import print_program
from parte.semantics.source.diagnostics import ProgramError
from tests.campaigns.running import Broken
from tests.languages.translations.level_2 import LEVEL, compound, of_times

KINDS: Sequence[tuple[core.Scalar, tuple[Value, ...]]] = (
    (core.Scalar.INTEGER, (0, 1, 2, -1)),
    (core.Scalar.STRING, ("x", "y", "")),
    (core.Scalar.BOOLEAN, (Truth.TRUE, Truth.FALSE)),
)
_SOUND = 0.2
"""Of so many cases the machine of PARTElang is asked too."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program of ETALIS with the types of its events, and the events of a stream."""

    program: tree.Program
    types: Mapping[str, tuple[core.Scalar, ...]]
    events: tuple[tuple[int, str, Arguments], ...]
    sound: bool

    @property
    def instants(self) -> list[Instant]:
        """The stream."""
        times = sorted({time for time, _, _ in self.events})
        return [Instant(moment, frozenset((n, v) for time, n, v in self.events if time == moment)) for moment in times]


@dataclass(frozen=True, slots=True)
class Rules:
    """A program of PARTElang as text, and a trace in order of time."""

    text: str
    events: tuple[Event, ...]
    sound: bool


class EtalisTranslations:
    """The campaign."""

    name = "translations-etalis"

    def draw(self, source: random.Random) -> Program | Rules:
        """A program of either language, one as often as the other."""
        return drawn_typed(source) if source.random() < 0.5 else drawn_rules(source)

    def smaller(self, case: Program | Rules) -> Iterator[Program | Rules]:
        """The case with fewer events, and with less of its program."""
        for place in range(len(case.events)):
            if isinstance(case, Program):
                yield replace(case, events=case.events[:place] + case.events[place + 1 :])
            else:
                yield replace(case, events=case.events[:place] + case.events[place + 1 :])
        if isinstance(case, Program):
            rules = case.program.rules
            for place in range(len(rules)):
                yield replace(case, program=tree.Program(rules[:place] + rules[place + 1 :]))
            return
        lines = case.text.splitlines(keepends=True)
        for place in range(len(lines)):
            yield replace(case, text="".join(lines[:place] + lines[place + 1 :]))

    def show(self, case: Program | Rules) -> str:
        """The program and the events."""
        text = print_etalis(case.program) if isinstance(case, Program) else case.text
        return f"{text}{case.events}\n"

    def attack(self, case: Program | Rules, counts: Counter[str]) -> None:
        """Both mean the same."""
        if isinstance(case, Program):
            _in_parte(case, counts)
        else:
            _in_etalis(case, counts)


# --- From ETALIS to PARTElang -----------------------------------------------------------------------------------------


def _in_parte(case: Program, counts: Counter[str]) -> None:
    try:
        translated = to_parte(case.program, print_etalis(case.program), case.types)
    except ProgramError as error:
        counts[f"to PARTElang, outside: {error.diagnostics[0].code}"] += 1
        return
    if parse(print_program(translated.program.source)) != translated.program:
        raise Broken("what is printed is another program", print_program(translated.program.source))
    instants = case.instants
    expected = set(evaluate(case.program, instants))
    if set(in_order(Machine(case.program).run(instants))) != expected:
        raise Broken("the machine of ETALIS")
    events = translated.events(instants)
    matches_by_name = {"algebra": run(translated.program, events).matches}
    if case.sound:
        matches_by_name["sound"] = tuple(parte.run(translated.program, events))
        counts["to PARTElang, also sound"] += 1
    for name, matches in matches_by_name.items():
        results = translated.results(matches, instants)
        if results != expected:
            raise Broken(f"events of PARTElang, {name}", str(results ^ expected))
    counts["to PARTElang"] += 1
    counts["to PARTElang, rules"] += len(translated.program.rules)
    counts["to PARTElang, with events"] += bool(expected)


def drawn_typed(source: random.Random) -> Program:
    """A program, mostly of those that have a translation, with types and a stream for it."""
    type_, values = source.choice(KINDS)
    shape = Shape(rules=source.choice((1, 2, 3)), depth=source.choice((1, 2, 2)), recursion=source.random() < 0.05)
    program = drawn_program(Seeded(source), shape)
    if source.random() < 0.97:
        program = tree.Program(tuple(_plain(rule, values, source) for rule in program.rules))
    arities = {
        node.name: len(node.arguments)
        for rule in program.rules
        for node in (rule.head, *tree.within(rule.body))
        if isinstance(node, tree.EventPattern)
    }
    types = {name: (type_,) * arity for name, arity in arities.items()}
    times = accumulate(source.choice((0, 0, 1, 1, 2, 3)) for _ in range(source.choice((0, 3, 5, 6, 7))))
    few = source.sample(values, 2)
    names = [name for name in arities for _ in range(4 if name in "abcd" else 1)]
    events = []
    for time in times:
        name = source.choice(names)
        events.append((time, name, tuple(source.choice(few) for _ in range(arities[name]))))
    return Program(program, types, tuple(events), source.random() < _SOUND)


def _plain(rule: tree.Rule, values: Sequence[Value], source: random.Random) -> tree.Rule:
    """A rule with constants of one type, whole times, and nothing calculated."""

    def plainer(node: tree.Node) -> tree.Node:
        match node:
            case tree.Constant():
                return tree.Constant(source.choice(values))
            case tree.Calculation(left=left):
                return left
            case tree.Moment(time=time):
                return tree.Moment(int(time))
            case tree.Where(operand=operand, condition=tree.Comparison() as condition) if isinstance(values[0], Truth):
                equality = source.choice((tree.Relation.EQUAL, tree.Relation.NOT_EQUAL))
                return tree.Where(operand, replace(condition, relation=equality))
            case _:
                return node

    head, body = tree.TREE.mapped(rule.head, plainer), tree.TREE.mapped(rule.body, plainer)
    assert isinstance(head, tree.EventPattern)
    assert not isinstance(body, tree.Term)
    return tree.Rule(head, body)


# --- From PARTElang to ETALIS -----------------------------------------------------------------------------------------


def _in_etalis(case: Rules, counts: Counter[str]) -> None:
    try:
        program = parse(case.text)
    except ProgramError as error:
        counts[f"no program: {error.diagnostics[0].code}"] += 1
        return
    try:
        translated = to_etalis(program, program.rules)
    except ProgramError as error:
        counts[f"to ETALIS, outside: {error.diagnostics[0].code}"] += 1
        return
    printed = print_etalis(translated.program)
    try:
        if parse_etalis(printed) != translated.program:
            raise Broken("what is printed is another program of ETALIS", printed)
    except ProgramError as error:
        raise Broken("what is printed is no program of ETALIS", f"{printed}{error}") from None
    expected = {(match.rule, match.bindings) for match in run(program, case.events).matches}
    if case.sound:
        counts["to ETALIS, also sound"] += 1
        if {(match.rule, match.bindings) for match in parte.run(program, case.events)} != expected:
            raise Broken("the machine of PARTElang")
    instants = translated.stream(case.events)
    for name, events in (
        ("definition", evaluate(translated.program, instants)),
        ("machine", Machine(translated.program).run(instants)),
    ):
        bindings = translated.bindings(events)
        if bindings != expected:
            raise Broken(f"matches of ETALIS, {name}", f"{print_etalis(translated.program)}{bindings ^ expected}")
    counts["to ETALIS"] += 1
    counts["to ETALIS, with negation"] += any(len(rule.patterns) > len(rule.positive) for rule in program.rules)
    counts["to ETALIS, with matches"] += bool(expected)
    counts["to ETALIS, level 2, with matches"] += bool(program.level == 2 and expected)
    counts["to ETALIS, with selections and matches"] += bool(
        expected and any(rule.selections for rule in program.rules)
    )


_ATTRIBUTES = {"k": "Integer", "l": "Integer", "s": "String", "b": "Boolean", "where": "Integer"}
_VALUES: Mapping[str, tuple[int | str | bool, ...]] = {
    "Integer": (0, 1, 2, -1, 2**63 - 1, -(2**63)),
    "String": ("", "a", "b", "é"),
    "Boolean": (False, True),
}
_OPERATORS = ("=", "!=", "<", "<=", ">", ">=")


def drawn_rules(source: random.Random) -> Rules:
    """One or two rules, some with something absent between two events, and a trace."""
    templates = source.sample(("A", "B", "a", "Seq"), source.choice((1, 2, 2, 3)))
    level = source.choice((1, 2))
    lines = [LEVEL.strip()] * (level == 2)
    lines += [
        f"template {template} {{ {', '.join(f'{n} : {t}' for n, t in _ATTRIBUTES.items())} }}" for template in templates
    ]
    for number in range(source.choice((1, 1, 2))):
        lines += _drawn_rule(source, f"R{number}", templates, level)
    few = {type_: source.sample(values, 2) for type_, values in _VALUES.items()}
    times = accumulate(source.choice((0, 0, 1, 1, 2, 4)) for _ in range(source.choice((0, 3, 5, 6, 7))))
    events = [
        Event(f"e{n}", source.choice(templates), time, {a: source.choice(few[t]) for a, t in _ATTRIBUTES.items()})
        for n, time in enumerate(times)
    ]
    return Rules("".join(f"{line}\n" for line in lines), tuple(events), source.random() < _SOUND)


def _drawn_rule(source: random.Random, name: str, templates: Sequence[str], level: int) -> list[str]:
    names = source.sample(("p", "q", "r", "A", "not_"), source.choice((1, 2, 2, 3)))
    lines = [f"rule {name} where"]
    for place, variable in enumerate(names):
        conditions = [_drawn(source, names[:place], level) for _ in range(source.choice((0, 0, 1)))]
        selection = source.choice(("first ", "last ", "", "")) if level == 2 and place else ""
        lines.append(f"    {selection}{variable} : {source.choice(templates)} {{ {', '.join(conditions)} }},")
    windows = []
    for place, variable in enumerate(names[1:]):
        least = source.choice((1, 1, 1, 0, -3))
        windows.append((variable, names[place], least, source.choice((1, 2, 4, 8))))
    for number in range(source.choice((0, 1, 1, 2)) if len(names) > 1 else 0):
        absent = f"n{number}"
        last, first, _, reach = source.choice(windows)
        conditions = []
        for _ in range(source.choice((0, 0, 1, 2))):
            attribute = source.choice(list(_ATTRIBUTES))
            about = source.choice((first, last, source.choice(names)))
            chance = source.random()
            conditions.append(
                f"{attribute} = {about}.{attribute}"
                if chance < 0.6
                else _drawn(source, [about] if chance > 0.9 else [], level)
            )
        lines.append(f"    no {absent} : {source.choice(templates)} {{ {', '.join(conditions)} }},")
        reach += source.choice((0, 0, 0, 1, -1))
        windows += [(f"no {absent}", first, 1, reach), (f"no {absent}", last, -reach, -1)]
        if source.random() < 0.1:
            windows.pop()
    return lines + (["when", *(f"    {a} in {b} [{c} ms, {d} ms]," for a, b, c, d in windows)] if windows else [])


def _drawn(source: random.Random, earlier: Sequence[str], level: int) -> str:
    if level == 1:
        return _condition(source, earlier)
    if earlier and source.random() < 0.2:
        return of_times(source, source.choice(earlier))
    return compound(source, lambda: _condition(source, earlier))


def _condition(source: random.Random, earlier: Sequence[str]) -> str:
    own = source.choice(list(_ATTRIBUTES))
    operator = source.choice(_OPERATORS if _ATTRIBUTES[own] != "Boolean" else _OPERATORS[:2])
    if source.random() < 0.5 and earlier:
        like = [name for name, type_ in _ATTRIBUTES.items() if type_ == _ATTRIBUTES[own]]
        return f"{own} {operator} {source.choice(earlier)}.{source.choice(like)}"
    value = source.choice(_VALUES[_ATTRIBUTES[own]])
    text = f'"{value}"' if isinstance(value, str) else str(value).lower()
    return f"{own} {operator} {text}"
