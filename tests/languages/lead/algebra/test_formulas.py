"""The formulas on the streams of L figure 1, and what L can also be taken to say."""

from __future__ import annotations

import pytest

from parte.languages.lead.semantics.machine import Machine
from parte.languages.lead.semantics.syntax.readings import CHOICES, Readings
from tests.languages.lead.semantics.runs import defined, ids, occurring, rule_of, run

FIGURE_1 = "b0@0 c0@0 a0@1 a1@1 b1@2 b2@3 a2@4 c1@4 b3@5 c2@5 c3@7"
"""L figure 1: A at 1, 1, 4; B at 0, 2, 3, 5; C at 4, 5, 7, and one that matters to neither pattern."""

EXAMPLES = {
    "first(A -> B -> C)": ["4: a0 b1 c1"],
    "A -> last(B) -> C": ["4: a0 b2 c1"],
    "adj(A -> B -> C)": ["4: a1 b2 c1"],
    "every(A -> B -> C)": ["4: a0 b1 c1", "5: a2 b3 c2"],
    "A -> every(B -> C)": ["4: a0 b1 c1", "5: a0 b3 c2"],
}
"""M(ρ1) to M(ρ5) of L; ρ5 begins with B at 2, where L prints 3 (defect 20)."""

READ = [
    ("default", "events", "A -> not B within 3 ms", "a0@0 b1@1 a2@2", ["5: a2"], []),
    ("within", "open", "B within 2 ms from A", "a0@0 b1@0", ["0: b1 a0"], []),
    ("wait", "conjunction", "wait(A, 3 ms)", "b0@0 a1@4", [], ["4: a1"]),
    ("last", "open", "last(B) -> C", "b0@0 c1@0", ["0: b0 c1"], []),
    ("every", "before", "every(A -> B)", "a0@0 b1@1 a2@1 b3@2", ["1: a0 b1", "2: a2 b3"], ["1: a0 b1"]),
    ("adjacent", "least", "adj(A and B)", "a0@0 b1@3 a2@4", ["3: a0 b1"], ["4: a2 b1"]),
]


def test_table_1() -> None:
    assert len(defined("all(A -> B -> C)", FIGURE_1)) == 18
    assert len(defined("all(A and B and A)", FIGURE_1)) == 12


@pytest.mark.parametrize("pattern", EXAMPLES)
def test_the_examples_of_l(pattern: str) -> None:
    assert ids(defined(pattern, FIGURE_1)) == EXAMPLES[pattern]


@pytest.mark.parametrize(("name", "choice", "pattern", "trace", "meant", "meant_otherwise"), READ)
def test_a_reading_says_something_else(
    name: str, choice: str, pattern: str, trace: str, meant: list[str], meant_otherwise: list[str]
) -> None:
    assert choice in CHOICES[name]
    assert ids(defined(pattern, trace)) == meant
    readings = Readings(**{name: choice})
    assert ids(defined(pattern, trace, readings)) == meant_otherwise
    if name != "adjacent":  # no net finds it
        rule = rule_of(pattern)
        assert ids(Machine(rule, readings=readings).run(occurring(rule, trace))) == meant_otherwise


def test_every_reading_has_an_example() -> None:
    assert {row[0] for row in READ} == CHOICES.keys()


def test_what_is_no_reading_is_refused() -> None:
    with pytest.raises(ValueError, match="within: expected one of closed, open, found 'half'"):
        Readings(within="half")


def test_756_orders_of_one_case() -> None:
    """L §6 needs so many sequences for want of a conjunction; `and` finds each of these orders (defect 37)."""
    orders = _orders("aaaaabbcc")
    assert len(orders) == 756
    pattern = " and ".join(f"{letter.upper()} AS {letter}{number}" for number, letter in enumerate("aabbc"))
    for order in sorted(_orders("aabbc")):
        trace = " ".join(f"{letter}{number}@{number}" for number, letter in enumerate(order))
        assert len(defined(pattern, trace)) == 1


def _orders(letters: str) -> set[str]:
    """The different orders of letters."""
    if not letters:
        return {""}
    return {letter + rest for letter in set(letters) for rest in _orders(letters.replace(letter, "", 1))}


def test_a_branch_in_which_a_negation_is_part_of_more_is_over_when_its_time_is() -> None:
    """Found by the campaign: `not A within 1 ms within 1 ms` never matches, and is not what `not A within 1 ms` is."""
    once = "(collect(A) AS l -> A) Subcontext(i ==> l.RANGE(1, 1) (MATCH not A within 1 ms)) AS m"
    twice = once.replace("1 ms)", "1 ms within 1 ms)")
    assert ids(defined(once, "a0@0 a1@0")) == ids(run(once, "a0@0 a1@0")) == ["0: [a0] a1 []"]
    assert ids(defined(twice, "a0@0 a1@0")) == ids(run(twice, "a0@0 a1@0")) == ["1: [a0] a1 []"]
