"""The sizes that the checker counts are those of the theorem in docs/theorem.md, which Rocq proves to be enough."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from parte.checker.partelang.bounds.bounds import bounds
from parte.proofs.rocq.links import THEORY
from parte.semantics.partelang.syntax.elaborate import parse
from tests.checker.partelang.bounds.cases import TEMPLATES, A, Sending, deployment

WINDOWS = st.tuples(st.integers(-3, 3), st.integers(0, 4)).map(lambda window: (window[0], sum(window)))


def sizes_of(rules: str, *sending: Sending, late: int = 0) -> dict[str, tuple[int | None, int | None]]:
    """The histories that the checker takes for each node of two inputs."""
    report = bounds(parse(TEMPLATES + rules), deployment(*sending, late=late))
    assert report.any_schedule
    sizes = {(size.node, size.store): size.viable for size in report.sizes}
    return {node: (sizes[node, "left"], sizes[node, "right"]) for node, store in sizes if store == "left"}


def fit(width: int, period: int) -> int:
    """The function `fit_from` of Counts.v, for one event in a period."""
    return 0 if width < 0 else width // period + 1


def stated(name: str) -> list[tuple[int, int]]:
    """The sizes of histories that an example in Rocq states, from the top down."""
    text = (THEORY.folder / name).read_text(encoding="utf-8")
    limits = re.findall(r"\| \d+%nat => Limits \(Some (\d+)%nat\) \(Some (\d+)%nat\)", text)
    return [(int(left), int(right)) for left, right in limits]


def test_the_sizes_of_the_examples_in_rocq_are_those_of_the_checker() -> None:
    sources = A, ("t", "B", 1, 1), ("u", "C", 1, 1)
    negation = "a: A, no c: C, b: B when no c in a [0 ms, 1 ms]{} b in a [0 ms, 2 ms]"
    above, below = (
        "a: A, b: B when b in a [0 ms, 1 ms] then emit D at b.timestamp",
        "d: D, c: C when c in d [0 ms, 2 ms]",
    )
    for name, rules in (("RoomRun.v", (negation.format(","),)), ("RoomEmitted.v", (above, below))):
        text = (THEORY.folder / name).read_text(encoding="utf-8")
        assert all(rule in text for rule in rules)
    sizes = sizes_of(f"rule R where {negation.format('')} then", *sources)
    assert stated("RoomRun.v") == [sizes["not:R.c"], sizes["join:R.b"]]
    sizes = sizes_of(f"rule R where {above} with {{ k = 1 }}\nrule Q where {below} then", *sources)
    assert stated("RoomEmitted.v") == [sizes["join:R.b"], sizes["join:Q.c"]]


@given(WINDOWS, WINDOWS, st.tuples(*[st.integers(1, 3)] * 3), st.integers(0, 2))
def test_below_a_negation_the_checker_counts_as_the_theorem_does(
    absent: tuple[int, int], joined: tuple[int, int], periods: tuple[int, int, int], late: int
) -> None:
    (least, greatest), (opens, closes), (of_a, of_b, of_c) = absent, joined, periods
    waiting = fit(greatest + late, of_a) + 1
    led = fit(closes + late, of_a) + 1
    released = fit(closes - greatest - 1, of_a) + waiting
    sizes = sizes_of(
        f"rule R where a: A, no c: C, b: B when no c in a [{least} ms, {greatest} ms]"
        f" b in a [{opens} ms, {closes} ms] then",
        *(("s", "A", 1, of_a), ("t", "B", 1, of_b), ("u", "C", 1, of_c)),
        late=late,
    )
    assert sizes["not:R.c"] == (waiting, fit(late - least, of_c) + 1)
    assert sizes["join:R.b"] == (max(led, released) + 1, fit(max(0, greatest) - opens + late, of_b) + 1)


@given(WINDOWS, WINDOWS, st.tuples(*[st.integers(1, 3)] * 3), st.integers(0, 2))
def test_below_an_emission_the_checker_counts_no_less_than_the_theorem(
    emitting: tuple[int, int], joined: tuple[int, int], periods: tuple[int, int, int], late: int
) -> None:
    (least, greatest), (opens, closes), (of_a, of_b, of_c) = emitting, joined, periods
    edges = fit(greatest - least, of_a), fit(greatest - least, of_b)
    after, counts = (greatest, 0), []
    for leader, far in enumerate(((late, late + greatest), (late - least, late))):
        of_a_root, of_b_root = (
            fit(closes + last + reach, period) for last, reach, period in zip(after, far, (of_a, of_b), strict=True)
        )
        along = min(of_a_root * edges[1], of_b_root * edges[0], of_a_root * of_b_root)
        counts.append(along + edges[1 - leader])
    sizes = sizes_of(
        f"rule R where a: A, b: B when b in a [{least} ms, {greatest} ms] then emit D at b.timestamp with {{ k = 1 }}\n"
        f"rule Q where d: D, c: C when c in d [{opens} ms, {closes} ms] then",
        *(("s", "A", 1, of_a), ("t", "B", 1, of_b), ("u", "C", 1, of_c)),
        late=late,
    )
    left, _ = sizes["join:Q.c"]
    assert left is not None
    assert left >= max(counts) + 1
