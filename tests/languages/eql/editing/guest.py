"""EQL in the tests of editors."""

from __future__ import annotations

from parte.languages.eql.semantics.syntax import parser
from tests.parte.editing.guest import Guest, joined

GUEST = Guest(
    "EQL",
    "parte.languages.eql.semantics.syntax",
    parser.typed,
    "a ; 3",
    completions=(
        ("", {"sequence", "sample"}, {"where"}),
        ("process ", {"where"}, {"sequence"}),
        ("process where x ", {"and", "like~", "not"}, {"where"}),
        ("sequence ", {"by", "with"}, {"where"}),
    ),
    misspelt=("process wher true", "wher", "where"),
    hovers=(
        ("sequence with maxspan=3h [A where true] [B where true]", "3h", ["`3 h` = 10,800,000 ms"]),
        ("sequence [A where true] [B where true] until [C where true]", "unti", ["(specification: eql-until)"]),
    ),
    large={
        "parts": "sequence " + "[A where true] " * 10_000,
        "errors": "sequence " + "[A wher true] " * 10_000,
        "conditions": f"A where {joined(' or ', 'x{} == 1', 20_000)}",
    },
    identity=("", "a.eql"),
)
