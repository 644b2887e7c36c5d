"""Text-to-text translation between PARTElang and LEAD."""

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
def to_lead(request: Given) -> Written:
    """Return a rule of PARTElang as one of LEAD. Raise ProgramError if the text is no program or has no such rule;
    NoSuchRule."""
    program, name = rule_of(request, "a rule of LEAD")
    rule = program.rule(name)
    translation = lead_rule_of(program, rule)
    comments = f"// Rule {name}, on traces in the order of their timestamps.\n{renamed(translation.variables, '//')}"
    return Written(comments, translation.rule, print_rule(translation.rule), rule.span)


@read_back("PARTElang", parse_program)
def to_parte(request: Given) -> Written:
    """Return a rule of LEAD as a program of PARTElang. Raise ProgramError if the text is no rule or has no such
    program."""
    rule = parse(request.text)
    translation = program_of(rule, request.text, types_of(request.templates))
    apart = ", in which no two events have one `uid`" if translation.apart else ""
    comments = f"// On traces in the order of their timestamps{apart}.\n{renamed(translation.variables, '//')}"
    return Written(comments, translation.program, print_program(translation.program.source), rule.span)
