"""Text-to-text translation between PARTElang and CEL."""

from __future__ import annotations

from parte.languages.cel.semantics.syntax.parser import parse, parse_source
from parte.languages.cel.semantics.syntax.printer import print_query
from parte.languages.translations.cel.to_cel import to_cel as query_of
from parte.languages.translations.cel.to_parte import to_parte as program_of
from parte.languages.translations.naming import renamed
from parte.languages.translations.reading import Written, read_back, rule_of, types_of
from parte.languages.translations.table import Given
from parte.semantics.partelang.syntax.elaborate import parse as parse_program
from parte.semantics.partelang.syntax.printer import print_program


@read_back("CEL", parse)
def to_cel(request: Given) -> Written:
    """Return a rule of PARTElang as a query. Raise ProgramError if the text is no program or has no such query;
    NoSuchRule."""
    program, name = rule_of(request, "a query")
    rule = program.rule(name)
    translation = query_of(program, rule)
    where = "in which no two events have one timestamp" if translation.ordered else "in the order of their timestamps"
    comments = f"-- Rule {name}, on traces {where}.\n{renamed(translation.variables, '--')}"
    return Written(comments, translation.query, print_query(translation.query), rule.span)


@read_back("PARTElang", parse_program)
def to_parte(request: Given) -> Written:
    """Return a query of CEL as a program of PARTElang. Raise ProgramError if the text is no query or has no such
    program."""
    source = parse_source(request.text)
    program = program_of(source, request.text, types_of(request.templates))
    comments = (
        "// On traces whose timestamps rise strictly. `e…` are the events of a result; `s…` only lie where its\n"
        "// interval begins, ends or goes on.\n"
    )
    return Written(comments, program, print_program(program.source), source.query.formula.span)
