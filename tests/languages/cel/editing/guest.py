"""CEL in the tests of editors."""

from __future__ import annotations

from parte.languages.cel.semantics.syntax import parser
from tests.parte.editing.guest import Guest, joined

GUEST = Guest(
    "CEL",
    "parte.languages.cel.semantics.syntax",
    parser.typed,
    "select 'open",
    completions=(
        ("", {"SELECT"}, {"WHERE"}),
        ("select ", {"ALL", "STRICT", "NXT", "LAST", "MAX", "NONE"}, {"FROM"}),
        ("select * ", {"FROM", "WHERE"}, {"SELECT"}),
        ("select * where A as x; B filter ", {"A", "x", "B"}, {"SELECT"}),
        ("select * where A; B[v > 1] and ", set(), {"SELECT"}),
        ("select * where A within 5 ", {"EVENTS", "MINUTES"}, {"A"}),
    ),
    misspelt=("select * where Alarm as alarm filter alrm[v > 1]", "alrm", "alarm"),
    hovers=(
        ("select * where A; B within 2 minutes", "within 2", ["`2 minutes` = 120,000 ms"]),
        ("select nxt * where A; B", "nx", ["NXT keeps a result"]),
    ),
    large={
        "projection": f"SELECT * WHERE PROJ({joined(', ', 'A{}', 4_000)})({joined('; ', 'A{}', 4_000)})",
    },
    identity=("parte", "a.ceql"),
)
