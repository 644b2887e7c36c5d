"""CEL in the tests of the command."""

from __future__ import annotations

from tests.parte.guest import Guest

GUEST = Guest(
    "CEL",
    program="SELECT * WHERE (A ; B) WITHIN 5 MINUTES\n",
    named="SELECT * FROM S WHERE {name} ; B\n",
    different=("SELECT * WHERE A FILTER A[v > 1]\n", "SELECT * WHERE A FILTER A[v > 2]\n"),
)
