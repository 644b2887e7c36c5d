"""ETALIS in the tests of the command."""

from __future__ import annotations

from tests.parte.guest import Guest

GUEST = Guest(
    "ETALIS",
    program="c <- a SEQ b.\n",
    named="e <- b(X) WHERE X > {name}.\n",
    different=("e((X > 1)) <- a(X).\n", "e(X > 1) <- a(X).\n"),
    trace='{"template":"a","timestamp":0}\n{"template":"b","timestamp":1}\n',
)
