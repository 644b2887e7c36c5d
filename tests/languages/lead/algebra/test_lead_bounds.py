"""The definition of LEAD ends: it has a bound on what it looks at, and its error names the bound."""

from __future__ import annotations

import pytest

from parte.languages.lead.algebra.effort import Effort, TooManyMatches
from parte.languages.lead.algebra.rules import evaluate
from parte.languages.lead.semantics.syntax.parser import parse
from parte.languages.lead.semantics.syntax.streams import occurrences
from tests.algebra.rows import events


@pytest.mark.parametrize("operator", ["->", "and"])
def test_with_events_at_once(operator: str) -> None:
    rule = parse("FROM A MATCH " + f" {operator} ".join(["A"] * 20))
    with pytest.raises(TooManyMatches, match="run a machine, or a shorter trace"):
        evaluate(rule, occurrences(rule, events(12, 0)), effort=Effort(200_000))
