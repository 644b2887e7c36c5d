"""A master and its workers (T §4.2): each result is sent once, and the parts of maximal results are the results."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations
from random import Random
from typing import Any

from parte.languages.cel.algebra.queries import evaluate
from parte.languages.cel.proofs.statements import total
from parte.languages.cel.semantics.distribution import (
    Message,
    dcere,
    exact_search,
    power_of_choices,
    round_robin,
    weight_of_runs,
)
from parte.languages.cel.semantics.maximal import parts, tasks
from parte.languages.cel.semantics.refinement import Unsupported
from parte.languages.cel.semantics.syntax.parser import parse_source
from parte.proofs.lemma import HOLDS, REPAIRED, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.statements import at_most, before, every
from parte.proofs.symbolic import Claims, Run, choice
from parte.semantics.events.event import Event
from parte.semantics.rulebook.connectives import highest

_DISTRIBUTION, _MAXIMAL = "parte.languages.cel.semantics.distribution", "parte.languages.cel.semantics.maximal"
CONTENTS = 4


def _sent(contents: Sequence[int], messages: Sequence[Message[int]]) -> tuple[str, bool]:
    return "each content is sent once, in order", [message.content for message in messages] == list(contents)


def in_turn(run: Run) -> Claims:
    """Round robin with two or three workers."""
    workers = choice(run, "workers", (2, 3))
    contents = range(CONTENTS)
    messages = list(dcere(contents, workers, round_robin, lambda _: run.integer("weight")))
    counts = [len([message for message in messages if message.worker == worker]) for worker in range(workers)]
    return (
        _sent(contents, messages),
        ("no worker has over one more than another", max(counts) in (min(counts), total(min(counts), 1))),
    )


def by_load(run: Run) -> Claims:
    """Exact search with any weights and two or three workers."""
    workers = choice(run, "workers", (2, 3))
    weights = run.integers("weight", CONTENTS)
    run.assume(*(at_most(0, weight) for weight in weights))
    contents = range(CONTENTS)
    messages = list(dcere(contents, workers, exact_search, weights.__getitem__))
    loads = [
        total(0, *(weights[message.content] for message in messages if message.worker == worker))
        for worker in range(workers)
    ]
    loads_before = [
        [
            total(0, *(weights[message.content] for message in messages[:number] if message.worker == worker))
            for worker in range(workers)
        ]
        for number in contents
    ]
    largest = highest(weights)
    near = [at_most(left, total(right, largest)) for left in loads for right in loads]
    return (
        _sent(contents, messages),
        ("no load is greater than another by more than a weight", every(near)),
        (
            "it goes to a worker of least load, the first of these",
            every(map(_is_first_least, (message.worker for message in messages), loads_before)),
        ),
    )


def _is_first_least(worker: int, loads: Sequence[int]) -> bool:
    """Return whether no worker has less load, and no earlier one as little."""
    return every(
        (
            *(at_most(loads[worker], load) for load in loads),
            *(before(loads[worker], load) for load in loads[:worker]),
        )
    )


class _Draws(Random):
    """Arbitrary draws."""

    def __init__(self, run: Run) -> None:
        super().__init__()
        self._run = run
        self.drawn: Sequence[int] = ()

    def sample(self, population: Sequence[Any], k: int, **_: object) -> list[Any]:
        """Return some of the population, in any order."""
        self.drawn = choice(self._run, "draw", tuple(permutations(population, k)))
        return list(self.drawn)


def by_draws(run: Run) -> Claims:
    """One to four draws among three workers with any loads."""
    number, loads, draws = choice(run, "number of draws", (1, 2, 3, 4)), run.integers("load", 3), _Draws(run)
    worker = power_of_choices(number, draws)(loads, 0)
    some = sorted(draws.drawn)
    return (
        ("as many are drawn as there are, or as were to be", len(some) == min(number, len(loads))),
        (
            "it is the first of those with the least load",
            worker in some and _is_first_least(some.index(worker), [loads[place] for place in some]),
        ),
    )


def weights(run: Run) -> Claims:
    """A result of three stretches of one to four events of one type."""
    stretches = [choice(run, f"stretch {place}", ("A", "AA", "AAA", "AAAA")) for place in (0, 1)]
    stretches.insert(1, choice(run, "stretch between", ("B", "BB", "BBBBB")))
    choices = [
        chosen for stretch in stretches for some, _ in enumerate(stretch, 1) for chosen in combinations(stretch, some)
    ]
    weight = weight_of_runs([name for stretch in stretches for name in stretch])
    return (("it is the number of choices of one or more events of each", weight == len(choices)),)


MAXIMAL, REFUSED = (
    "SELECT * WHERE A+; B+; C",
    ("SELECT * WHERE A; A", "SELECT * WHERE A; B+", "SELECT * WHERE (A; B) OR A"),
)


def maximal(run: Run) -> Claims:
    """Events of two types before one of a third, and queries whose results are not the parts of maximal ones."""
    types = [choice(run, f"type of {place}", ("A", "B")) for place in range(4)]
    events = [Event(f"e{place}", name, 0, {}) for place, name in enumerate((*types, "C"))]
    query = parse_source(MAXIMAL).query
    enumerated = sorted(part for task in tasks(query, events, run.model) for part in parts(task))
    return (
        ("the parts of the tasks are the results, each once", enumerated == evaluate(query, events)),
        ("other queries are refused", all(_refused(run, text, events) for text in REFUSED)),
    )


def _refused(run: Run, text: str, events: Sequence[Event]) -> bool:
    try:
        list(tasks(parse_source(text).query, events, run.model))
    except Unsupported:
        return True
    return False


LEMMAS = (
    Lemma(
        "workers-get-results-in-turn",
        "By round robin each result is sent once, and no worker gets over one more than another.",
        "4.2",
        ("CORE/DCERE",),
        f"{CONTENTS} results of any weight, 2 or 3 workers",
        in_turn,
        Mutant("the-first", f"{_DISTRIBUTION}:round_robin", "sent % len(loads)", "0"),
        HOLDS,
    ),
    Lemma(
        "workers-are-loaded-alike",
        "By exact search each result is sent once, to the first worker of least load, and loads differ by one weight.",
        "4.2",
        ("CORE/DCERE",),
        f"{CONTENTS} results of any weights, 2 or 3 workers",
        by_load,
        Mutant("the-most", f"{_DISTRIBUTION}:exact_search", "min(loads)", "max(loads)"),
        HOLDS,
    ),
    Lemma(
        "draws-go-to-the-least-loaded",
        "Of the workers that are drawn, the first of those with the least load gets a result.",
        "4.2",
        ("CORE/DCERE",),
        "1 to 4 draws in any order, 3 workers with any loads",
        by_draws,
        Mutant("the-last", f"{_DISTRIBUTION}:power_of_choices", "(loads[worker], worker)", "(loads[worker], -worker)"),
        HOLDS,
    ),
    Lemma(
        "weights-count-choices",
        "The weight of a result is the number of choices of one or more events of each stretch of one type.",
        "4.2",
        ("CORE/DCERE",),
        "3 stretches of 1 to 5 events",
        weights,
        Mutant("one-more", f"{_DISTRIBUTION}:weight_of_runs", "(run)) - 1", "(run))"),
        HOLDS,
    ),
    Lemma(
        "parts-of-maximal-results-are-the-results",
        f"The tasks of `{MAXIMAL}` have its results as parts, each once; queries that this does not fit are refused.",
        "4.2.1",
        ("CORE/MCEE",),
        "4 events of types A B, and a C; 3 other queries",
        maximal,
        Mutant("one-each", f"{_MAXIMAL}:configurations", "len(group.positions) + 1)", "2)"),
        REPAIRED,
        (1, 20, 29, 30),
    ),
)
