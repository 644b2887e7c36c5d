"""A master and its workers (T §4.2): each result is sent once, and the parts of maximal results are the results."""

from __future__ import annotations

from collections.abc import Sequence

from parte.languages.cel.algebra.queries import evaluate
from parte.languages.cel.proofs.statements import total
from parte.languages.cel.semantics.distribution import Message, dcere, exact_search, round_robin
from parte.languages.cel.semantics.maximal import parts, tasks
from parte.languages.cel.semantics.refinement import Unsupported
from parte.languages.cel.semantics.syntax.parser import parse_source
from parte.proofs.lemma import HOLDS, REPAIRED, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.statements import at_most, every
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
    largest = highest(weights)
    near = [at_most(left, total(right, largest)) for left in loads for right in loads]
    return (
        _sent(contents, messages),
        ("no load is greater than another by more than a weight", every(near)),
    )


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
        "By exact search each result is sent once, and loads differ by one weight at most.",
        "4.2",
        ("CORE/DCERE",),
        f"{CONTENTS} results of any weights, 2 or 3 workers",
        by_load,
        Mutant("the-most", f"{_DISTRIBUTION}:exact_search", "min(loads)", "max(loads)"),
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
