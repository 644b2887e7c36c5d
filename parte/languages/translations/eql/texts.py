"""Text-to-text translation of EQL: to PARTElang and back."""

from __future__ import annotations

from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.parser import parse
from parte.languages.eql.semantics.syntax.printer import print_query
from parte.languages.translations.eql.to_eql import to_eql as query_of
from parte.languages.translations.eql.to_parte import to_parte as program_of
from parte.languages.translations.reading import Written, read_back, rule_of
from parte.languages.translations.table import Given
from parte.semantics.partelang.syntax.elaborate import parse as parse_program
from parte.semantics.partelang.syntax.printer import print_program

RISING = "traces whose timestamps rise strictly"


@read_back("EQL", parse)
def to_eql(request: Given) -> Written:
    """Return a rule of PARTElang as a query. Raise ProgramError if the text is no program or has no such query;
    NoSuchRule."""
    program, name = rule_of(request, "a query")
    rule = program.rule(name)
    query = query_of(program, rule)
    where = "all traces" if isinstance(query, tree.Single) else RISING
    return Written(f"// Rule {name}, on {where}.\n", query, print_query(query), rule.span)


@read_back("PARTElang", parse_program)
def to_parte(request: Given) -> Written:
    """Return a query as a program of PARTElang. Raise ProgramError if the text is no query or has no such program."""
    query = parse(request.text)
    declared = None if request.templates is None else parse_program(request.templates).templates
    translation = program_of(query, request.text, declared)
    events = ", ".join(translation.variables)
    comments = f"// The matches of {translation.rule} are the results, and their events {events}, on {RISING}.\n"
    return Written(comments, translation.program, print_program(translation.program.source), query.span)


def claim(query: tree.Query, traces: str, results: str) -> str:
    """Return the text of what a translation to CEL or LEAD promises: which results those of a sequence are."""
    if isinstance(query, tree.Single):
        return "The same results.\n"
    return (
        f"On {traces}, the results of the sequence {results} whose interval contains no other one with the same key.\n"
    )
