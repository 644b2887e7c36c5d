"""Sequences of EQL as rules of LEAD: `all` events of the stages in a row."""

from __future__ import annotations

from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.parser import parse
from parte.languages.lead.semantics.syntax import tree as lead
from parte.languages.lead.semantics.syntax.parser import parse as parse_lead
from parte.languages.lead.semantics.syntax.printer import print_rule
from parte.languages.translations.eql.texts import RISING, claim
from parte.languages.translations.eql.to_parte import to_parte
from parte.languages.translations.lead.to_lead import to_lead as rule_of
from parte.languages.translations.reading import Written, read_back
from parte.languages.translations.table import Given


def in_lead(query: tree.Query, text: str) -> lead.Rule:
    """Return the rule of LEAD whose matches on minimal intervals begin and end as the results. Raise ProgramError."""
    pairs = to_parte(query, text, pairs=True)
    return rule_of(pairs.program, pairs.program.rule(pairs.rule)).rule


@read_back("LEAD", parse_lead)
def to_lead(request: Given) -> Written:
    """Return a query as a rule of LEAD. Raise ProgramError if the text is no query or has no such rule."""
    query = parse(request.text)
    translation = in_lead(query, request.text)
    return Written(
        f"// {claim(query, RISING, 'begin and end as the matches')}", translation, print_rule(translation), query.span
    )
