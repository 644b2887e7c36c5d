"""The kernel on sequences of any length, by induction over their length: the steps, and the first element.

Other lemmas use these facts for sequences of unknown length (`parte.proofs.any_length`): `highest` is at least every
element and is one of them, `lowest` likewise, and all hold if each does. They follow from the steps by induction,
because `reduce` only takes one element after the other. (Sums compare as their elements do: arithmetic.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from parte.proofs.lemma import HOLDS, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.statements import at_most, equal, implies, some
from parte.proofs.symbolic import Body, Claims, Run
from parte.semantics.rulebook.connectives import conj, greater, highest, lesser, lowest

SECTION = "8.1.2, 8.2.1"
SCOPE = "the step of an induction over the length, after any number of elements"


def extreme(
    step: Callable[[int, int], int],
    function: Callable[[Sequence[int]], int],
    order: Callable[[int, int], bool],
) -> Body:
    """`bounded` and `taken` are two of the elements before, `result` is the extreme of these."""

    def body(run: Run) -> Claims:
        result, bounded, taken = run.integer("found"), run.integer("an element before"), run.integer("the one found")
        new = run.integer("new")
        run.assume(order(bounded, result), equal(taken, result))
        now = step(result, new)
        return (
            ("it is no less than each element before", order(bounded, now)),
            ("and than the new one", order(new, now)),
            ("it is one of these", some((equal(taken, now), equal(new, now)))),
            ("of one element it is that one", equal(function((new,)), new)),
        )

    return body


def conjunction(run: Run) -> Claims:
    """All before hold if each does; `earlier` is one of these."""
    before, earlier, new = run.truth("all before"), run.truth("one before"), run.truth("new")
    run.assume(implies(before, earlier))
    now = conj(before, new)
    return (
        ("if all hold, so does each before", implies(now, earlier)),
        ("and the new one", implies(now, new)),
        ("if all before hold and the new one does, all do", implies(before, implies(new, now))),
    )


def _at_least(high: int, low: int) -> bool:
    return at_most(low, high)


_CONJ = """if left is True:
        return right
    return False if left is False else _terms().And(left, right)"""
_CONNECTIVES = "parte.semantics.rulebook.connectives"


def _lemma(name: str, statement: str, body: Body, mutant: Mutant) -> Lemma:
    return Lemma(f"fold-{name}", statement, SECTION, (), SCOPE, body, mutant, HOLDS)


LEMMAS = (
    _lemma(
        "highest",
        "The greatest of a sequence is at least each of its elements, and one of them.",
        extreme(greater, highest, at_most),
        Mutant("keep-the-first", f"{_CONNECTIVES}:greater", "more = second > first", "more = first > second"),
    ),
    _lemma(
        "lowest",
        "The least of a sequence is at most each of its elements, and one of them.",
        extreme(lesser, lowest, _at_least),
        Mutant("keep-the-first", f"{_CONNECTIVES}:lesser", "less = second < first", "less = first < second"),
    ),
    _lemma(
        "every",
        "What is asked of each element of a sequence holds of all just if it holds of each.",
        conjunction,
        Mutant("either", f"{_CONNECTIVES}:conj", _CONJ, "return disj(left, right)"),
    ),
)
