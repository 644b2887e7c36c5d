"""Text-to-text translation between PARTElang and ETALIS."""

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
def to_etalis(request: Given) -> Written:
    """Return the rules of a program of PARTElang, or one of them, in ETALIS. Raise ProgramError if the text is no
    program or has no such translation; NoSuchRule."""
    program = parse_program(request.text)
    names = list(dict.fromkeys(rule.reported for rule in program.rules))
    if not names or (request.rule is not None and request.rule not in names):
        raise NoSuchRule(f"no rule is called {request.rule!r}; {advice(request.rule or '', names)}")
    rules = [rule for rule in program.rules if request.rule in (None, rule.reported)]
    translation = clauses_of(program, rules)
    legend = "".join(
        f"% {template}: {name}({', '.join(('id', 'timestamp', *attributes))})\n"
        for template, (name, attributes) in translation.events.items()
    )
    legend += "".join(
        f"% Rule {rule}: {name}({', '.join(variables)})\n"
        for rule, (name, variables) in translation.heads.items()
        if name.lower() != rule.lower()
    )
    comments = f"% A head has the ids of the events that match.\n{legend}"
    return Written(comments, translation.program, print_clauses(translation.program), rules[0].span)


@read_back("PARTElang", parse_program)
def to_parte(request: Given) -> Written:
    """Return a program of ETALIS in PARTElang. Raise ProgramError if the text is no program or has no such
    translation."""
    types = {name: list(_arguments(slots)) for name, slots in (types_of(request.templates) or {}).items()}
    program = parse(request.text)
    translation = program_of(program, request.text, types)
    legend = "".join(f"// A trace has an event {name} at {time}.\n" for name, time in translation.moments.items())
    comments = (
        f"// An event has its interval as s and t, and comes at t; no two are further apart than {HORIZON} ms.\n"
        f"{legend}"
    )
    return Written(comments, translation.program, print_program(translation.program.source), program.span)


def _arguments(slots: Mapping[str, core.Type]) -> Iterator[core.Type]:
    """Yield the types of x0, x1, … as far as they are declared, in whatever order."""
    for place in count():
        if f"x{place}" not in slots:
            return
        yield slots[f"x{place}"]
