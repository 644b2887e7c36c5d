"""PARTElang and LEAD, text to text."""

from __future__ import annotations

from parte.languages.lead.semantics.syntax.parser import parse
from parte.languages.lead.semantics.syntax.printer import print_rule
from parte.languages.translations.lead.to_lead import to_lead as lead_rule_of
from parte.languages.translations.lead.to_parte import to_parte as program_of
from parte.languages.translations.naming import renamed
from parte.languages.translations.reading import Written, read_back, rule_of, types_of
from parte.languages.translations.table import Given
from parte.semantics.partelang.syntax.elaborate import parse as parse_program
from parte.semantics.partelang.syntax.printer import print_program


@read_back("LEAD", parse)
def to_lead(given: Given) -> Written:
    """A rule of PARTElang as one of LEAD. ProgramError if the program is none, or has no such rule; NoSuchRule."""
    program, name = rule_of(given, "a rule of LEAD")
    rule = program.rule(name)
    found = lead_rule_of(program, rule)
    comments = f"// Rule {name}, on traces in the order of their timestamps.\n{renamed(found.variables, '//')}"
    return Written(comments, found.rule, print_rule(found.rule), rule.span)


@read_back("PARTElang", parse_program)
def to_parte(given: Given) -> Written:
    """A rule of LEAD as a program of PARTElang. ProgramError if the rule is none, or has no such program."""
    rule = parse(given.text)
    found = program_of(rule, given.text, types_of(given.templates))
    apart = ", in which no two events have one `uid`" if found.apart else ""
    comments = f"// On traces in the order of their timestamps{apart}.\n{renamed(found.variables, '//')}"
    return Written(comments, found.program, print_program(found.program.source), rule.span)
