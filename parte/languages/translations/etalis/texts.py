"""PARTElang and ETALIS, text to text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count

from parte.languages.etalis.semantics.syntax.parser import parse
from parte.languages.etalis.semantics.syntax.printer import print_program as print_clauses
from parte.languages.translations.etalis.to_etalis import to_etalis as clauses_of
from parte.languages.translations.etalis.to_parte import HORIZON
from parte.languages.translations.etalis.to_parte import to_parte as program_of
from parte.languages.translations.reading import Written, read_back, types_of
from parte.languages.translations.table import Given, NoSuchRule
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import parse as parse_program
from parte.semantics.partelang.syntax.printer import print_program
from parte.semantics.source.similar import advice


@read_back("ETALIS", parse)
def to_etalis(given: Given) -> Written:
    """The rules of a program of PARTElang, or one of them, in ETALIS. ProgramError if the program is none, or has no
    such translation; NoSuchRule."""
    program = parse_program(given.text)
    names = [rule.name for rule in program.rules]
    if not names or (given.rule is not None and given.rule not in names):
        raise NoSuchRule(f"no rule is called {given.rule!r}; {advice(given.rule or '', names)}")
    rules = [rule for rule in program.rules if given.rule in (None, rule.name)]
    found = clauses_of(program, rules)
    told = "".join(
        f"% {template}: {name}({', '.join(('id', 'timestamp', *attributes))})\n"
        for template, (name, attributes) in found.events.items()
    )
    told += "".join(
        f"% Rule {rule}: {name}({', '.join(variables)})\n"
        for rule, (name, variables) in found.heads.items()
        if name.lower() != rule.lower()
    )
    comments = f"% A head has the ids of the events that match.\n{told}"
    return Written(comments, found.program, print_clauses(found.program), rules[0].span)


@read_back("PARTElang", parse_program)
def to_parte(given: Given) -> Written:
    """A program of ETALIS in PARTElang. ProgramError if the program is none, or has no such translation."""
    types = {name: list(_arguments(slots)) for name, slots in (types_of(given.templates) or {}).items()}
    program = parse(given.text)
    found = program_of(program, given.text, types)
    told = "".join(f"// A trace has an event {name} at {time}.\n" for name, time in found.moments.items())
    comments = (
        f"// An event has its interval as s and t, and comes at t; no two are further apart than {HORIZON} ms.\n{told}"
    )
    return Written(comments, found.program, print_program(found.program.source), program.span)


def _arguments(slots: Mapping[str, core.Type]) -> Iterator[core.Type]:
    """The types of x0, x1, … as far as they are declared, in whatever order."""
    for place in count():
        if f"x{place}" not in slots:
            return
        yield slots[f"x{place}"]
