"""LEAD in the tests of editors."""

from __future__ import annotations

from parte.languages.lead.semantics.syntax import parser
from tests.parte.editing.guest import Guest, joined

GUEST = Guest(
    "LEAD",
    "parte.languages.lead.semantics.syntax",
    parser.typed,
    "a = 3",
    completions=(
        ("", {"FROM"}, {"MATCH"}),
        ("from A as a, B ", {"MATCH", "AS"}, {"FROM"}),
        ("from A as a, B match ", {"a", "B", "COLLECT"}, {"FROM", "A"}),
        ("from A as a, B match a -> B ", {"WITHIN", "PARTITION", "EMIT", "CHECK"}, {"a"}),
        ("from A match wait(A, 5 ", {"MINUTES", "S"}, {"A"}),
    ),
    misspelt=("from Alarm, B match Alarm -> B emit Event E(Alrm.v)", "Alrm", "Alarm"),
    hovers=(
        ("from A, B match A -> B within 3 h", "3 h", ["`3 h` = 10,800,000 ms"]),
        ("from A, B match wait(A, 3 s)", "wai", ["(specification: lead-wait)"]),
    ),
    large={
        "clauses": "FROM " * 10_000 + "EMIT " * 10_000,
        "errors": "MATCH A fliter B C\n" * 10_000,
        "types": f"FROM A DEFINE {joined(' ', 'EventType T{}(Integer a)', 20_000)} MATCH A EMIT Event E(A.v)",
    },
    identity=("", "a.lead"),
)
