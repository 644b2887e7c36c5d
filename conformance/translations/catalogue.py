"""Which languages are translated into which, text to text. Nothing of a language is imported before it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from parte.semantics.source.similar import advice

if TYPE_CHECKING:
    from parte.semantics.parte.syntax import core


@dataclass(frozen=True, slots=True)
class Given:
    """A program as text, the rule of it that is meant, and a program whose templates declare the types of events."""

    text: str
    rule: str | None = None
    templates: str | None = None


class NoSuchRule(ValueError):
    """The program has several rules and none is named, or has none of that name."""


def to_cel(given: Given) -> str:
    """A rule of PARTElang as a query. ProgramError if the program is none, or has no such query; NoSuchRule."""
    from parte.conformance.translations.to_cel import to_cel as translated
    from parte.semantics.cel.syntax.printer import print_query

    program, name = _rule_of(given, "a query")
    found = translated(program, program.rule(name))
    where = "in which no two events have one timestamp" if found.ordered else "in the order of their timestamps"
    return f"-- Rule {name}, on traces {where}.\n{print_query(found.query)}"


def to_lead(given: Given) -> str:
    """A rule of PARTElang as one of LEAD. ProgramError if the program is none, or has no such rule; NoSuchRule."""
    from parte.conformance.translations.to_lead import to_lead as translated
    from parte.semantics.lead.syntax.printer import print_rule

    program, name = _rule_of(given, "a rule of LEAD")
    return f"// Rule {name}, on traces in the order of their timestamps.\n" + print_rule(
        translated(program, program.rule(name)).rule
    )


def lead_to_parte(given: Given) -> str:
    """A rule of LEAD as a program of PARTElang. ProgramError if the rule is none, or has no such program."""
    from parte.conformance.translations.lead_to_parte import to_parte as translated
    from parte.semantics.lead.syntax.parser import parse
    from parte.semantics.parte.syntax.printer import print_program

    program = translated(parse(given.text), given.text, _types(given.templates))
    return f"// On traces in the order of their timestamps.\n{print_program(program.source)}"


def _rule_of(given: Given, what: str) -> tuple[core.Program, str]:
    """The program and the name of the rule that is meant."""
    from parte.semantics.parte.syntax.elaborate import parse

    program = parse(given.text)
    names = [rule.name for rule in program.rules]
    if given.rule is None and len(names) != 1:
        raise NoSuchRule(f"{what} is one rule, and the program has {len(names)}: {', '.join(names) or 'none'}")
    name = given.rule or names[0]
    if name not in names:
        raise NoSuchRule(f"no rule is called {name!r}; {advice(name, names)}")
    return program, name


def _types(templates: str | None) -> dict[str, dict[str, core.Type]] | None:
    """The attributes of the templates that a program declares."""
    from parte.semantics.parte.syntax.elaborate import parse

    if templates is None:
        return None
    return {each.name: {slot.name: slot.type for slot in each.attributes} for each in parse(templates).templates}


def to_parte(given: Given) -> str:
    """A query of CEL as a program of PARTElang. ProgramError if the query is none, or has no such program."""
    from parte.conformance.translations.to_parte import to_parte as translated
    from parte.semantics.cel.syntax.parser import parse_source
    from parte.semantics.parte.syntax.printer import print_program

    program = translated(parse_source(given.text), given.text, _types(given.templates))
    return (
        "// On traces whose timestamps rise strictly. `e…` are the events of a result; `s…` only lie where its\n"
        f"// interval begins, ends or goes on.\n{print_program(program.source)}"
    )


def to_etalis(given: Given) -> str:
    """The rules of a program of PARTElang, or one of them, in ETALIS. ProgramError if the program is none, or has no
    such translation; NoSuchRule."""
    from parte.conformance.translations.parte_to_etalis import to_etalis as translated
    from parte.semantics.etalis.syntax.printer import print_program
    from parte.semantics.parte.syntax.elaborate import parse

    program = parse(given.text)
    names = [rule.name for rule in program.rules]
    if not names or (given.rule is not None and given.rule not in names):
        raise NoSuchRule(f"no rule is called {given.rule!r}; {advice(given.rule or '', names)}")
    found = translated(program, [rule for rule in program.rules if given.rule in (None, rule.name)])
    told = "".join(
        f"% {template}: {name}({', '.join(('id', 'timestamp', *attributes))})\n"
        for template, (name, attributes) in found.events.items()
    )
    return f"% A head has the ids of the events that match.\n{told}{print_program(found.program)}"


def from_etalis(given: Given) -> str:
    """A program of ETALIS in PARTElang. ProgramError if the program is none, or has no such translation."""
    from parte.conformance.translations.etalis_to_parte import HORIZON
    from parte.conformance.translations.etalis_to_parte import to_parte as translated
    from parte.semantics.etalis.syntax.parser import parse as parsed
    from parte.semantics.parte.syntax.elaborate import parse
    from parte.semantics.parte.syntax.printer import print_program

    types = None
    if given.templates is not None:
        declared = parse(given.templates).templates
        types = {each.name: [slot.type for slot in each.attributes if slot.name[0] == "x"] for each in declared}
    found = translated(parsed(given.text), given.text, types)
    told = "".join(f"// A trace has an event {name} at {time}.\n" for name, time in found.moments.items())
    return (
        "// An event has its interval as s and t, and comes at t; no two are further apart than "
        f"{HORIZON} ms.\n{told}{print_program(found.program.source)}"
    )


TRANSLATIONS: Mapping[tuple[str, str], Callable[[Given], str]] = {
    ("PARTElang", "CEL"): to_cel,
    ("CEL", "PARTElang"): to_parte,
    ("PARTElang", "ETALIS"): to_etalis,
    ("ETALIS", "PARTElang"): from_etalis,
    ("PARTElang", "LEAD"): to_lead,
    ("LEAD", "PARTElang"): lead_to_parte,
}
"""By the names of the languages, from and to."""
