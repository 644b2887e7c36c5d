"""The clauses that E prints (§5), run as Prolog on small streams at any whole times, with all repairs and without.

The Prolog of `parte.languages.etalis.semantics.published` runs unchanged: where a clause compares times, or looks up a
goal by them, the run forks. With all repairs the clauses agree with the definition; as printed, except for the repairs
without which nothing runs, they do not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from parte.languages.etalis.algebra.evaluation import evaluate
from parte.languages.etalis.proofs.settings import program, stream
from parte.languages.etalis.semantics.published.machine import Published
from parte.languages.etalis.semantics.published.terms import PrologError
from parte.proofs.lemma import HOLDS, REPAIRED, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.numbers import number
from parte.proofs.symbolic import Claims, Run


@dataclass(frozen=True, slots=True)
class Clauses:
    """A program, the types of its events, and the defects of E that change the result of the printed clauses."""

    text: str
    types: tuple[str, ...]
    defects: tuple[int, ...]


def find(run: Run, clauses: Clauses) -> Claims:
    """A run of the clauses from the first event to the last."""
    parsed = program(clauses.text)
    instants = stream(run, clauses.types, number)
    meant = evaluate(parsed, instants)
    try:
        computed = list(Published(parsed, run.model).run(instants))
    except PrologError:
        return (("the clauses come to an end", False),)
    return (("they find what the definition says", computed == meant),)


CLAUSES: Mapping[str, Clauses] = {
    "seq": Clauses("e <- a SEQ b.", ("ab", "ab", "ab"), (12, 13)),
    "two": Clauses("e <- a SEQ b. f <- e SEQ a.", ("ab", "ab", "ab"), (12, 13, 23)),
    "update": Clauses("e <- a SEQ b. f <- c SEQ a.", ("ac", "ab"), (13, 23)),
    "and": Clauses("e <- a AND b.", ("ab", "ab", "ab"), (12, 14)),
    "par": Clauses("e <- (a SEQ a) PAR (b SEQ b).", ("ab", "ab", "ab", "ab"), (14, 16)),
    "not": Clauses("e <- NOT(c).[a, b].", ("abc", "abc", "abc"), (12,)),
    "equals": Clauses("e <- a EQUALS b.", ("ab", "ab"), (19,)),
    "during": Clauses("e <- (a SEQ a) DURING (b SEQ b).", ("b", "a", "ab", "ab"), ()),
    "starts": Clauses("e <- a STARTS (a SEQ b).", ("ab", "ab"), (19,)),
    "finishes": Clauses("e <- a FINISHES (b SEQ a).", ("ab", "ab"), (19, 21)),
    "meets": Clauses("e <- b MEETS a.", ("ab", "ab"), (19, 21)),
}

LEMMAS = tuple(
    Lemma(
        f"clauses-{name}",
        f"With all repairs the clauses that E prints for `{example.text}` find exactly what it means.",
        "5",
        (),
        f"{len(example.types)} events of types {', '.join(dict.fromkeys(''.join(example.types)))} at any whole times",
        partial(find, clauses=example),
        Mutant(
            "nothing-waits",
            "parte.languages.etalis.semantics.published.prolog:Prolog._assert",
            "before + new if last else new + before",
            "before",
        ),
        REPAIRED if example.defects else HOLDS,
        example.defects,
    )
    for name, example in CLAUSES.items()
)
