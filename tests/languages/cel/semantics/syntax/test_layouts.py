"""What is printed in CEL is read as the same tree, whatever stands where."""

from __future__ import annotations

import pytest
from hypothesis import given

from parte.languages.cel.semantics.syntax import json_form, parser, tree
from parte.languages.cel.semantics.syntax.printer import print_query
from tests.languages.cel.semantics.syntax.wild_trees import queries


@given(queries)
def test_any_query(query: tree.Query) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parser, "check", lambda *_: None)
        assert parser.parse(print_query(query)) == query
    # A window of time is a sum of lengths in the text, and one length in JSON.
    data = json_form.CODEC.encode(query)
    assert json_form.CODEC.encode(json_form.CODEC.decode(data)) == data
