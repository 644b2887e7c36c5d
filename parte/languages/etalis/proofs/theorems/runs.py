"""Whole runs on small streams: the machine finds the results of the definition, for all times and values together.

The other lemmas are about single steps. Here binarisation, goals, policies, agenda and forgetting run unchanged, on
events of arbitrary types at arbitrary times with arbitrary values; lengths and moments of the text are arbitrary, too.
The streams are small, and the programs are fixed; together they have every operator and step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import partial

from parte.languages.etalis.algebra.evaluation import evaluate
from parte.languages.etalis.algebra.readings import USUAL, Readings
from parte.languages.etalis.proofs.settings import program, stream, varied
from parte.languages.etalis.semantics.machine import Machine
from parte.languages.etalis.semantics.policies import POLICIES
from parte.proofs.lemma import IN_SOUND, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.numbers import rational
from parte.proofs.symbolic import Claims, Run, choice
from parte.semantics.events.records import read_records
from parte.semantics.source.packages import data_file


@dataclass(frozen=True, slots=True)
class Shape:
    """A program, and the scope of its lemma: the number of events, their types, the number of values of each, and one
    of several policies and the readings."""

    name: str
    text: str
    rules: tuple[str, ...]
    mutant: tuple[str, str, str]
    types: tuple[str, ...] = ("ab", "ab", "ab")
    values: int = 0
    policies: tuple[str, ...] = ("unrestricted",)
    readings: Readings = USUAL


def finds(run: Run, shape: Shape) -> Claims:
    """A run from the first event to the end."""
    changed = varied(run, program(shape.text))
    instants = stream(run, shape.types, rational, shape.values)
    read, policy = shape.readings, choice(run, "policy", shape.policies)
    meant = evaluate(changed, instants, read, policy)
    machine = Machine(changed, POLICIES[policy], read.lasting, read.negation, read.during)
    computed = list(machine.run(instants))
    return (("it finds what the definition says, each once and in order", computed == meant),)


SHAPES = read_records(data_file("parte.languages.etalis.proofs.theorems", "runs.toml"), "run", Shape)


def _lemma(shape: Shape) -> Lemma:
    usual = shape.readings == USUAL
    place, before, after = shape.mutant
    varied = {
        f"{len(shape.types)} events of types {', '.join(dict.fromkeys(''.join(shape.types)))} at any times": True,
        f"{shape.values} values each, any whole numbers": bool(shape.values),
        "any moments and lengths": any(character.isdigit() for character in shape.text),
        f"the policies {', '.join(shape.policies)}": shape.policies != ("unrestricted",),
        "the reading " + ", ".join(_unusual(shape.readings)): not usual,
    }
    return Lemma(
        f"runs-{shape.name}",
        f"A run of `{shape.text}` finds exactly what the definition says.",
        "4, 5" if shape.policies == ("unrestricted",) else "4, 5, 6",
        tuple(f"ETALIS/{rule}" for rule in shape.rules),
        "; ".join(what for what, there in varied.items() if there),
        partial(finds, shape=shape),
        Mutant("as-in-the-suite", f"parte.languages.etalis.semantics.{place}", before, after),
        IN_SOUND,
    )


def _unusual(readings: Readings) -> Iterator[str]:
    for field in fields(readings):
        if (chosen := getattr(readings, field.name)) != getattr(USUAL, field.name):
            yield f"`{field.name}={chosen}`"


LEMMAS = tuple(map(_lemma, SHAPES))
