"""What is printed is read as the same tree, of every language and whatever stands where."""

from __future__ import annotations

import pytest
from hypothesis import given

from parte.languages.cel.semantics.syntax import parser as cel_parser
from parte.languages.cel.semantics.syntax import tree as cel
from parte.languages.cel.semantics.syntax.printer import print_query
from parte.languages.etalis.semantics.syntax import parser as etalis_parser
from parte.languages.etalis.semantics.syntax import tree as etalis
from parte.languages.etalis.semantics.syntax.printer import print_program
from parte.languages.lead.semantics.syntax import parser as lead_parser
from parte.languages.lead.semantics.syntax import tree as lead
from parte.languages.lead.semantics.syntax.printer import print_rule
from tests.semantics.wild_trees import cel_queries, etalis_programs, lead_rules


@given(cel_queries)
def test_any_query_of_cel(query: cel.Query) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cel_parser, "check", lambda *_: None)
        assert cel_parser.parse(print_query(query)) == query


@given(etalis_programs)
def test_any_program_of_etalis(program: etalis.Program) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(etalis_parser, "check", lambda *_: None)
        assert etalis_parser.parse(print_program(program)) == program


@given(lead_rules)
def test_any_rule_of_lead(rule: lead.Rule) -> None:
    """The names behind `from` are left as they are read: which of them are bound is no matter of layout."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lead_parser, "check", lambda *_: None)
        patch.setattr(lead_parser, "resolve", lambda rule, _: rule)
        assert lead_parser.parse(print_rule(rule)) == rule
