"""LEAD in the tests of the command."""

from __future__ import annotations

from tests.parte.guest import Guest

GUEST = Guest(
    "LEAD",
    program="FROM A AS a, B AS b MATCH all(a -> b within 5 ms)\n",
    named="FROM {name}, B MATCH {name} -> B\n",
    different=("FROM A MATCH A FILTER (A.v > 1)\n", "FROM A MATCH A FILTER (A.v > 1\n"),
)
