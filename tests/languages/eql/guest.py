"""EQL in the tests of the command."""

from __future__ import annotations

from tests.parte.guest import Guest

GUEST = Guest(
    "EQL",
    program="sequence with maxspan=5ms\n  [A where true]\n  [B where true]\n",
    named="sequence [A where {name} == 1] [B where true]\n",
    different=("A where v > 1\n", "A where v > 2\n"),
    imported=(
        "elastic",
        '[rule]\nname = "R"\ntype = "eql"\nlanguage = "eql"\nquery = "A where true"\n',
        ".toml",
        ".eql",
    ),
)
