"""Sequences of EQL as queries of CEL: SELECT NXT of the events of the stages in a row."""

from __future__ import annotations

from dataclasses import replace

from parte.languages.cel.semantics.syntax import tree as cel
from parte.languages.cel.semantics.syntax.parser import parse as parse_cel
from parte.languages.cel.semantics.syntax.printer import print_query
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.parser import parse
from parte.languages.translations.cel.to_cel import to_cel as query_of
from parte.languages.translations.eql.texts import claim
from parte.languages.translations.eql.to_parte import to_parte
from parte.languages.translations.reading import Written, read_back
from parte.languages.translations.table import Given


def in_cel(query: tree.Query, text: str) -> cel.Query:
    """Return the query of CEL whose results on minimal intervals are those of a query. Raise ProgramError."""
    pairs = to_parte(query, text, pairs=True)
    translation = query_of(pairs.program, pairs.program.rule(pairs.rule))
    formula = translation.query.formula
    for name in translation.query.attributes:  # lists are equal in PARTITION BY, and no keys of EQL
        is_plain = cel.Comparison(cel.Attribute(name), cel.Operator.EQUAL, cel.Attribute(name))
        formula = cel.Filtered(formula, cel.Holds(translation.variables[pairs.variables[0]], is_plain))
    strategy = cel.Strategy.ALL if isinstance(query, tree.Single) else cel.Strategy.NXT
    return replace(translation.query, strategy=strategy, formula=formula)


@read_back("CEL", parse_cel)
def to_cel(request: Given) -> Written:
    """Return a query as one of CEL. Raise ProgramError if the text is no query or has no such query of CEL."""
    query = parse(request.text)
    translation = in_cel(query, request.text)
    promise = claim(query, "traces in the order of their timestamps", "are those")
    return Written(f"-- {promise}", translation, print_query(translation), query.span)
