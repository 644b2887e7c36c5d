"""PAIRS as the machinery of the kit sees it: all that an author of a language writes beside the language itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from parte.conformance.casefiles.cases import Answers, Notation
from parte.conformance.engines.registry import Listed
from parte.conformance.exchange import Shapes
from parte.conformance.fixtures import Fixture
from parte.conformance.fuzz.cases import EventCase, Generation, Menu
from parte.conformance.fuzz.draw import Draw
from parte.conformance.kit import Example, Kit, Measures
from parte.conformance.mutants import Modules, Mutant, edited, read_mutants
from parte.conformance.protocol import Engine
from parte.languages.language import Language
from parte.semantics.events.event import Event
from parte.semantics.rulebook.figures import Figure
from parte.semantics.rulebook.listing import Listing
from tests.conformance.toy.engine import MODELS, PairsEngine
from tests.conformance.toy.pairs import RULES, Program, machine, parse, printed

Json = Any
FOLDER = Path(__file__).parent


# --- Cases ------------------------------------------------------------------------------------------------------------


def read(lines: Sequence[str]) -> Answers:
    """A match is written `a1 b1`."""
    return Answers(tuple(dict(zip(("first", "then"), line.split(), strict=True)) for line in lines if line))


def write(answers: Answers) -> list[str]:
    return [f"{match['first']} {match['then']}" for match in answers.matches]


def fired(case: Fixture, model: str) -> list[str]:
    rules: list[str] = []
    if model == "sound":
        machine(parse(case.text), case.trace, rules.append)
    return rules


def constructs(_: Fixture) -> list[str]:
    return []


def blamed(case: Fixture, missing: Sequence[Json], spurious: Sequence[Json]) -> tuple[str, str] | None:
    about = [*missing, *spurious]
    return ("PAIRS/MATCH", f"the step of {about[0]['then']} in {case.id}") if about else None


# --- Rules, and what is known before a run: imported when it is asked for ---------------------------------------------


def figures(identity: str) -> Sequence[tuple[Sequence[str], Figure]]:
    return [(("sound",), Figure((RULES[identity].summary,), (RULES[identity].name,)))]


# --- Mutants ----------------------------------------------------------------------------------------------------------

# The rulebooks are loaded once more with the rules, for no rule may join twice.
REGISTRY = "parte.semantics.rulebook.registry"
MODULES = Modules("tests.conformance.toy.engine", ("tests.conformance.toy", REGISTRY), frozenset({REGISTRY}))


@dataclass(frozen=True, slots=True)
class PairsMutant(Mutant):
    """A model with some lines changed."""

    def engine(self) -> Engine:
        engine: Engine = edited(MODULES, self.edits).module(MODULES.root).PairsEngine(self.of)
        return engine


# --- Fuzzing ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Case(EventCase[Program]):
    """A pair and a trace."""

    @property
    def text(self) -> str:
        return printed(self.program)

    @property
    def summary(self) -> str:
        return f"{self.text.strip()}; {len(self.items)} events"


def drawn(draw: Draw) -> Iterator[Case]:
    items = tuple(Event(f"e{k}", draw.choice("ABC"), k, {}, "s") for k in range(draw.integer(0, 5)))
    yield Case(Program(draw.choice("AB"), draw.choice("AB")), items)


def varied(case: Case, draw: Draw) -> Case:
    return replace(case, items=draw.subset(case.items, len(case.items), len(case.items)))


GENERATION: Generation[Case] = Generation(
    menus=(Menu("pairs", drawn),),
    varied=varied,
    clauses=("pairs-meaning",),
)

# --- The record -------------------------------------------------------------------------------------------------------


def confirming(again: bool) -> Iterable[tuple[str, Engine]]:
    return [("again" if again else "", PairsEngine("sound"))]


KIT_OF_PAIRS: Kit[Case] = Kit(
    suite=FOLDER / "suite",
    notation=Notation(read, write),
    shapes=lambda: Shapes("fixture-pairs-1", item={"type": "object"}, match={"required": ["first", "then"]}),
    drawn=(),
    profiles=("core", "rejects"),
    example=Example(
        "pair A B\n",
        tuple({"id": letter.lower(), "template": letter, "timestamp": 0} for letter in "AB"),
        {"first": "a", "then": "b"},
        "pear A B\n",
    ),
    engines=lambda: {name: Listed(partial(PairsEngine, name)) for name in MODELS},
    recorded=FOLDER,
    definition="definition",
    confirming=lambda: confirming,
    measures=lambda: Measures(fired, constructs, blamed),
    mutants=lambda: read_mutants(FOLDER / "mutants", ("pairs",), PairsMutant),
    killers=FOLDER / "mutants",
    published=lambda: None,
    generation=lambda: GENERATION,
)

LISTING = Listing(RULES, {"the machine": list(RULES)}, figures, {})

PAIRS = Language(
    name="PAIRS",
    ending=".pairs",
    source="T",
    facets={
        "text": "tests.conformance.toy.pairs:TEXT_OF_PAIRS",
        "run": "tests.conformance.toy.engine:RUNNER",
        "rules": "tests.conformance.toy.language:LISTING",
        "kit": "tests.conformance.toy.language:KIT_OF_PAIRS",
        "check": "tests.conformance.toy.before:check",
        "lemmas": "tests.conformance.toy.before:CATALOGUE",
        "commands": "tests.conformance.toy.commands:COMMANDS",
    },
)
