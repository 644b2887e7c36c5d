"""What is printed in LEAD is read as the same tree, whatever stands where."""

from __future__ import annotations

import pytest
from hypothesis import given

from parte.languages.lead.semantics.syntax import json_form, parser, tree
from parte.languages.lead.semantics.syntax.printer import print_rule
from tests.languages.lead.semantics.syntax.wild_trees import rules


@given(rules)
def test_any_rule(rule: tree.Rule) -> None:
    """The names behind `from` are left as they are read: which of them are bound is no matter of layout."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parser, "check", lambda *_: None)
        patch.setattr(parser, "resolve", lambda rule, _: rule)
        assert parser.parse(print_rule(rule)) == rule
    assert json_form.CODEC.decode(json_form.CODEC.encode(rule)) == rule
