"""A small program, built by hand: the tests of the events do not depend on the parser."""

from __future__ import annotations

from parte.semantics.events.types import Attribute, ListOf, Scalar
from parte.semantics.partelang.syntax.core import Pattern, Predicate, Program, Rule, Template

PROGRAM = Program(
    templates=(
        Template(
            "Transfer",
            (
                Attribute("number", Scalar.INTEGER),
                Attribute("amount", Scalar.FLOAT),
                Attribute("account", Scalar.STRING),
                Attribute("urgent", Scalar.BOOLEAN),
            ),
        ),
        Template(
            "Report", (Attribute("numbers", ListOf(Scalar.INTEGER, 2)), Attribute("sums", ListOf(Scalar.FLOAT, 3)))
        ),
        Template("Tick", ()),
    ),
    predicates=(
        Predicate("uncommon", (Scalar.STRING, Scalar.STRING)),
        Predicate("large", (Scalar.FLOAT, Scalar.INTEGER, Scalar.BOOLEAN)),
    ),
    rules=(Rule("Watch", (Pattern("tick", "Tick", False, ()),), (), ()),),
    strata=(("Transfer", 0), ("Report", 0), ("Tick", 0)),
)
