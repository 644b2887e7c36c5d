"""The programs and traces of these tests, and how commands are run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

FRAUD = Path(__file__).resolve().parents[2] / "examples" / "fraud"

PAIR = """\
template A {
    k : Integer,
}

template B {
    k : Integer,
}

rule Pair where
    a : A,
    b : B {
        k = a.k,
    },
when
    b in a [2 ms, 5 ms],
then
    emit C
        at b.timestamp
        with {
            k = a.k + 1,
        }

template C {
    k : Integer,
}
"""
"""One join with a positive lower bound: the published machine loses its match."""

PAIR_TRACE = """\
{"id":"a1","template":"A","timestamp":0,"attributes":{"k":1}}
{"id":"a2","template":"A","timestamp":1,"attributes":{"k":2}}
{"id":"b1","template":"B","timestamp":1,"attributes":{"k":2}}
{"id":"b2","template":"B","timestamp":4,"attributes":{"k":1}}
"""
PAIR_MATCH = (
    '{"rule":"Pair","bindings":{"a":"a1","b":"b2"},"emits":[{"id":"Pair(a=a1,b=b2)","template":"C","timestamp":4,'
    '"attributes":{"k":2}}]}\n'
)


@dataclass(frozen=True)
class Finished:
    """What a command left behind."""

    code: int
    out: str
    err: str


class Command(Protocol):
    """Runs the command with arguments, in this process; keyword arguments are environment variables."""

    def __call__(self, *arguments: object, stdin: str | bytes | None = None, **environment: str) -> Finished: ...
