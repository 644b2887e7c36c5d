"""What is printed in ETALIS is read as the same tree, whatever stands where."""

from __future__ import annotations

import pytest
from hypothesis import given

from parte.languages.etalis.semantics.syntax import json_form, parser, tree
from parte.languages.etalis.semantics.syntax.printer import print_program
from tests.languages.etalis.semantics.syntax.wild_trees import programs


@given(programs)
def test_any_program(program: tree.Program) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parser, "check", lambda *_: None)
        assert parser.parse(print_program(program)) == program
    assert json_form.CODEC.decode(json_form.CODEC.encode(program)) == program
