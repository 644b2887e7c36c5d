"""PARTElang and CEL, text to text."""

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
def to_cel(given: Given) -> Written:
    """A rule of PARTElang as a query. ProgramError if the program is none, or has no such query; NoSuchRule."""
    program, name = rule_of(given, "a query")
    rule = program.rule(name)
    found = query_of(program, rule)
    where = "in which no two events have one timestamp" if found.ordered else "in the order of their timestamps"
    comments = f"-- Rule {name}, on traces {where}.\n{renamed(found.variables, '--')}"
    return Written(comments, found.query, print_query(found.query), rule.span)


@read_back("PARTElang", parse_program)
def to_parte(given: Given) -> Written:
    """A query of CEL as a program of PARTElang. ProgramError if the query is none, or has no such program."""
    source = parse_source(given.text)
    program = program_of(source, given.text, types_of(given.templates))
    comments = (
        "// On traces whose timestamps rise strictly. `e…` are the events of a result; `s…` only lie where its\n"
        "// interval begins, ends or goes on.\n"
    )
    return Written(comments, program, print_program(program.source), source.query.formula.span)
