"""Shares of results among processes (T §5.4): each result goes to one process, and the sizes of shares differ by at
most one."""

from __future__ import annotations

from parte.checker.solver.verdict import Verdict
from parte.languages.cel.proofs.statements import total
from parte.languages.cel.semantics.enumeration import share
from parte.proofs.lemma import REPAIRED, UNBOUNDED, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.statements import at_most, before, equal
from parte.proofs.symbolic import Claims, Run

SECTION = "5.4"
SCOPE = f"{UNBOUNDED}: any number of results and of processes"
_SHARE = "parte.languages.cel.semantics.enumeration:share"


def _results_and_processes(run: Run) -> tuple[int, int]:
    results, processes = run.integer("results"), run.integer("processes")
    run.assume(at_most(0, results), at_most(1, processes))
    return results, processes


def covering(run: Run) -> Claims:
    """A process and the next one, the first, and the last; by induction over indices the shares follow each other."""
    results, processes = _results_and_processes(run)
    index, last = run.integer("index"), run.integer("last index")
    run.assume(at_most(0, index), before(index, last), equal(total(last, 1), processes))
    skipped, count = share(results, processes, index, run.repairs)
    first = share(results, processes, 0, run.repairs)
    following = share(results, processes, total(index, 1), run.repairs)
    final = share(results, processes, last, run.repairs)
    return (
        ("the first process skips none", equal(first[0], 0)),
        ("each begins where the one before ends", equal(total(skipped, count), following[0])),
        ("the last ends with the last result", equal(total(*final), results)),
        ("no share is less than nothing", at_most(0, count)),
    )


def alone(run: Run) -> Claims:
    """One process gets all results."""
    results = run.integer("results")
    run.assume(at_most(0, results))
    skipped, count = share(results, 1, 0, run.repairs)
    return (("it skips none", equal(skipped, 0)), ("it prints all", equal(count, results)))


def balanced(run: Run) -> Claims:
    """Any two processes."""
    results, processes = _results_and_processes(run)
    left_index, right_index = run.integer("one index"), run.integer("other index")
    run.assume(
        at_most(0, left_index), before(left_index, processes), at_most(0, right_index), before(right_index, processes)
    )
    left, right = (share(results, processes, index, run.repairs) for index in (left_index, right_index))
    return (("one has at most one more than the other", at_most(left[1], total(right[1], 1))),)


LEMMAS = (
    Lemma(
        "shares-cover-all-results-once",
        "The first share begins at the first result, each where the one before ends, and the last ends with the last.",
        SECTION,
        ("CORE/SHARE",),
        f"{SCOPE}; the step of an induction over indices",
        covering,
        Mutant("one-too-few", _SHARE, "min(index, left), size", "min(index, left), max(0, size - 1)"),
        REPAIRED,
        (20, 23),
    ),
    Lemma(
        "shares-of-one-process-are-all",
        "A process that is alone prints every result.",
        SECTION,
        ("CORE/SHARE",),
        SCOPE,
        alone,
        Mutant("one-too-few", _SHARE, "min(index, left), size", "min(index, left), max(0, size - 1)"),
        REPAIRED,
        (20,),
    ),
    Lemma(
        "shares-differ-by-one",
        "Of two processes neither prints more than one result more than the other.",
        SECTION,
        ("CORE/SHARE",),
        SCOPE,
        balanced,
        Mutant("two-more", _SHARE, "1 if index < left", "2 if index < left"),
        {"sound": Verdict.PROVED, "published": Verdict.PROVED},
    ),
)
