"""Bounds: D's figures, the facts about retention, keys, productions, speed, memory and the report."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations, pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parte.checker.environment.deployment import Cardinality, Deployment, DeploymentError
from parte.checker.partelang.bounds import figures
from parte.checker.partelang.bounds.bounds import bounds
from parte.checker.partelang.bounds.polytope import lattice_points, most_alive
from parte.checker.partelang.bounds.report import BoundsReport, Tightness
from parte.semantics.events.rates import Rate, Supply
from parte.semantics.partelang.capacities import NodeCapacities
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.sizes import prescribed
from parte.semantics.partelang.streams import Partial, Stream
from parte.semantics.partelang.syntax.elaborate import parse
from tests.checker.partelang.bounds.cases import MIXED, OTHERS, TEMPLATES, A, B, C, deployment

WIDE = next(case for case in OTHERS if case.name == "wide and then narrow")

# --- D's figures (specification: figure-5-8, figure-5-9) --------------------------------------------------------------

FIGURE_5_8 = [
    (1, 244, 246140, 1),
    (2, 1953, 1969120, 2),
    (3, 6593, 6645780, 4),
    (4, 15629, 15752961, 7),
    (5, 30525, 30767501, 10),
    (6, 52747, 53166243, 14),
    (7, 83760, 84426025, 17),
    (8, 125029, 126023688, 21),
    (9, 178019, 179436071, 25),
]

FIGURE_5_9 = [
    (1, 122, 3),
    (2, 976, 7),
    (3, 3296, 11),
    (4, 7814, 15),
    (5, 15262, 19),
    (6, 26373, 23),
    (7, 41880, 27),
    (8, 62514, 31),
    (9, 89009, 35),
]


@pytest.mark.parametrize(("transfers", "size", "cartesian", "triangle"), FIGURE_5_8)
def test_figure_5_8(transfers: int, size: int, cartesian: int, triangle: int) -> None:
    assert figures.refund_scam(transfers) // figures.GIGA == size
    assert figures.cartesian(transfers) // figures.GIGA == cartesian
    # D rounds down, but for the first row: 0.96 is printed as 1.
    assert max(1, figures.triangle(transfers) // figures.GIGA) == triangle


@pytest.mark.parametrize(("transfers", "size", "aggregation"), FIGURE_5_9)
def test_figure_5_9(transfers: int, size: int, aggregation: int) -> None:
    assert figures.diffusion(transfers) // figures.GIGA == size
    assert figures.aggregation(transfers) // figures.KILO == aggregation


def test_the_first_row_of_the_triangle_query_is_rounded_up() -> None:
    assert round(figures.triangle(1) / figures.GIGA, 2) == 0.96


@pytest.mark.parametrize("transfers", range(1, 10))
def test_the_formula_that_networks_are_sized_by_is_that_of_figure_5_8(transfers: int) -> None:
    """A program of four patterns, each 14 days from the others, under the rates of the figure."""
    program = parse(
        "template T { k: Integer }\n"
        "rule R where a: T, b: T, c: T, d: T when b in a [0 days, 14 days] c in a [0 days, 14 days]\n"
        "d in a [0 days, 14 days] b in c [0 days, 14 days] c in d [0 days, 14 days] b in d [0 days, 14 days] then"
    )
    network = compile_program(program, {}, {"T": ("s",)})
    sizes = prescribed(network, {("s", "T"): Rate(transfers, 5 * 60_000)})
    assert sizes["join:R.d"].left == figures.refund_scam(transfers)


# --- Facts -----------------------------------------------------------------------------------------------------------


def pair(least: int, greatest: int, right: str = "A", **options: int) -> BoundsReport:
    program = parse(TEMPLATES + f"rule R where a: A, b: {right} when b in a [{least} ms, {greatest} ms] then")
    return bounds(program, deployment(A, B, **options))


def sides(report: BoundsReport, node: str = "join:R.b") -> tuple[int | None, int | None]:
    return report.size(node, "left").viable, report.size(node, "right").viable


@pytest.mark.parametrize(
    ("window", "expected"),
    [((0, 0), (1, 2)), ((4, 6), (7, 1)), ((-3, 2), (3, 5)), ((-5, -3), (0, 7)), ((0, 3), (4, 2)), ((-3, 0), (1, 5))],
)
def test_a_self_join_needs_what_is_live_and_one_more(window: tuple[int, int], expected: tuple[int, int]) -> None:
    assert sides(pair(*window)) == expected


def test_what_d_prescribes_for_a_window_that_begins_later_is_too_short() -> None:
    report = pair(4, 6)
    assert report.size("join:R.b", "left").prescribed == 3
    assert report.size("join:R.b", "left").least == 7


@pytest.mark.parametrize("rates", [(1, 1), (2, 3), (1, 10), (4, 1)])
@pytest.mark.parametrize("window", [(-4, 4), (-9, 0), (0, 7), (2, 5)])
def test_independent_inputs_together_span_more_than_the_window(window: tuple[int, int], rates: tuple[int, int]) -> None:
    program = parse(TEMPLATES + f"rule R where a: A, b: B when b in a [{window[0]} ms, {window[1]} ms] then")
    report = bounds(program, deployment(("s", "A", 1, rates[0]), ("s", "B", 1, rates[1])))
    left, right = sides(report)
    assert left is not None
    assert right is not None
    assert (left - 1) * rates[0] + (right - 1) * rates[1] > window[1] - window[0]
    assert all(report.size("join:R.b", side).verdict is Tightness.TIGHT for side in ("left", "right"))


def test_every_other_source_adds_an_event() -> None:
    single = bounds(OTHERS[0].program, deployment(A)).size("join:R.b", "left").live
    two = bounds(OTHERS[0].program, deployment(A, ("t", "A", 1, 1)))
    assert single is not None
    assert sides(two)[0] == 2 * single.greatest + 1


def test_lateness_widens_every_window() -> None:
    assert sides(pair(-3, 2, late=4)) == sides(pair(-7, 6))


def test_windows_of_10_and_0_keep_11_partial_matches() -> None:
    program = parse(
        TEMPLATES + "rule R where a: A, b: B, c: C when b in a [0 ms, 10 ms] c in b [0 ms, 0 ms] then",
    )
    size = bounds(program, deployment(A, B, C)).size("join:R.c", "left")
    assert size.live is not None
    assert (size.live.least, size.live.greatest) == (11, 11)
    assert size.viable is not None
    assert size.viable >= size.least == 11
    # Rate times window: the rate of the pairs is no help where the second window is a single moment.
    assert 1 * (0 - 0) + 1 == 1


# --- The temporal polytope -------------------------------------------------------------------------------------------


def partial(periods: tuple[int, ...], windows: dict[tuple[int, int], tuple[int, int]], same: bool = False) -> Partial:
    size = max(max(pair) for pair in windows) + 1
    streams = [Stream((Supply(Rate(1, period)),)) for period in periods]
    if same:
        streams = [streams[0]] * size
    rows = []
    for i, j in product(range(size), repeat=2):
        least, greatest = windows.get((i, j), (0, 0)) if i <= j else (0, 0)
        if i > j:
            least, greatest = (-windows[j, i][1], -windows[j, i][0])
        rows.append((least, greatest))
    distances = tuple(tuple(rows[i * size : (i + 1) * size]) for i in range(size))
    return Partial(tuple("abc"[:size]), tuple(streams), distances, (), tuple(frozenset[str]() for _ in range(size)))


def brute(periods: tuple[int, ...], window: tuple[int, int], back: tuple[int, int], same: bool) -> int:
    """The same number by trying every set of times."""

    def sets(period: int, depth: int) -> list[tuple[int, ...]]:
        possible = []
        for chosen in product((False, True), repeat=depth + 1):
            times = [time - depth for time, is_chosen in enumerate(chosen) if is_chosen]
            if all(b - a >= period for a, b in pairwise(times)):
                possible.append(tuple(times))
        return possible

    best = 0
    depth = max(back)
    for left in sets(periods[0], depth):
        for right in [left] if same else sets(periods[1], depth):
            count = sum(
                -back[0] <= a and -back[1] <= b and window[0] <= b - a <= window[1] for a in left for b in right
            )
            best = max(best, count)
    return best


@pytest.mark.parametrize("same", [True, False])
@pytest.mark.parametrize("window", [(0, 4), (-2, 3), (3, 3), (-4, -1)])
@pytest.mark.parametrize("periods", [(1, 1), (2, 2), (3, 3), (2, 3)])
def test_the_count_is_that_of_every_arrangement(periods: tuple[int, int], window: tuple[int, int], same: bool) -> None:
    if same:
        periods = periods[0], periods[0]
    back = (5, 4)
    count = most_alive(partial(periods, {(0, 1): window}, same), back)
    assert count.exact
    assert count.greatest == brute(periods, window, back, same)


def test_a_count_that_is_not_exact_is_a_range() -> None:
    count = most_alive(partial((7, 11), {(0, 1): (-400, 300)}), (500, 500))
    assert 0 < count.least < count.greatest
    assert not count.exact


@given(st.data(), st.integers(1, 4))
def test_lattice_points_are_those_that_listing_finds(data: st.DataObject, size: int) -> None:
    back = data.draw(st.lists(st.integers(0, 4), min_size=size, max_size=size))
    window = st.tuples(st.integers(-5, 5), st.integers(-5, 5))
    distances = data.draw(st.lists(st.lists(window, min_size=size, max_size=size), min_size=size, max_size=size))
    listed = sum(
        all(distances[i][j][0] <= x[j] - x[i] <= distances[i][j][1] for i, j in combinations(range(size), 2))
        for x in product(*(range(-width, 1) for width in back))
    )
    assert lattice_points(back, distances) == listed


def test_lattice_points_are_not_listed_without_end() -> None:
    everything = [[(-9999, 9999)] * 4] * 4
    assert lattice_points((9999, 9999), everything) == 10_000**2
    assert lattice_points((9999,) * 4, everything) is None


def test_many_partial_matches_are_counted_exactly_where_every_step_is_full() -> None:
    count = most_alive(partial((1, 1), {(0, 1): (0, 4032)}), (4032, 4032))
    assert (count.least, count.greatest) == (4033 * 4034 // 2,) * 2


# --- Keys ------------------------------------------------------------------------------------------------------------


def keyed(*cardinalities: Cardinality) -> BoundsReport:
    program = parse(
        TEMPLATES
        + "rule R where a: A, b: B { k = a.k }, c: C { k = b.k } when b in a [0 ms, 9 ms] c in b [0 ms, 9 ms] then"
    )
    plain = deployment(A, B, C)
    return bounds(program, Deployment(plain.sources, cardinalities))


def test_what_equality_joins_save() -> None:
    without = keyed().size("join:R.c", "left").viable
    with_b = keyed(Cardinality("B", ("k",), Rate(1, 100))).size("join:R.c", "left").viable
    assert without is not None
    assert with_b is not None
    assert with_b < without / 2
    # A history of single events holds all keys; only their number limits it.
    assert keyed(Cardinality("A", ("k",), Rate(1, 100))).size("join:R.b", "left").viable == 11
    assert keyed(Cardinality("A", ("k",), Rate(1, 100), distinct=3)).size("join:R.b", "left").viable == 4


def test_an_equality_with_a_later_pattern_does_not_hold_yet() -> None:
    program = parse(
        TEMPLATES
        + "rule R where a: A, b: B, c: C { k = a.k, k = b.k } when b in a [0 ms, 9 ms] c in b [0 ms, 9 ms] then"
    )
    plain = deployment(A, B, C)
    keys = (Cardinality("B", ("k",), Rate(1, 100)),)
    expected = bounds(program, plain).size("join:R.c", "left").viable
    assert bounds(program, Deployment(plain.sources, keys)).size("join:R.c", "left").viable == expected


def test_a_key_that_is_a_constant_limits_a_history() -> None:
    program = parse(TEMPLATES + "rule R where a: A { k = 1 }, b: B when b in a [0 ms, 9 ms] then")
    plain = deployment(A, B)
    keys = (Cardinality("A", ("k",), Rate(1, 5)),)
    for cardinalities, expected in (((), 10), (keys, 2)):
        live = bounds(program, Deployment(plain.sources, cardinalities)).size("join:R.b", "left").live
        assert live is not None
        assert live.greatest == expected


# --- Productions -----------------------------------------------------------------------------------------------------


def emitting(at: str) -> BoundsReport:
    program = parse(
        TEMPLATES
        + f"rule R where a: A, b: B when b in a [0 ms, 5 ms] then emit D at {at} with {{ k = 1 }}\n"
        + "rule Q where c: C, d: D when d in c [0 ms, 0 ms] then"
    )
    return bounds(program, deployment(A, B, C))


def test_what_is_downstream_pays_for_the_lag_of_a_production() -> None:
    """Bounds on a stay 5 ms behind; an emission at a lags by that much, and later events wait for it on the left."""
    at_b, at_a, later = (
        sides(emitting(at), "join:Q.d")[0] for at in ("b.timestamp", "a.timestamp", "a.timestamp + 5 ms")
    )
    assert (at_b, at_a, later) == (2, 7, 2)


def test_where_a_rule_and_a_source_feed_one_template_sizes_depend_on_the_skew() -> None:
    report = bounds(MIXED[0].program, MIXED[0].deployment)
    assert report.bounded
    assert not report.any_schedule
    assert "no more than 1 ms apart" in report.render()


# --- Speed, memory, the report ---------------------------------------------------------------------------------------


def test_rates_of_partial_matches() -> None:
    report = bounds(WIDE.program, WIDE.deployment)
    rates = {rates.node: rates for rates in report.rates}
    assert rates["alpha:R.a"].arriving == 1000.0
    assert rates["join:R.b"].leaving == 5000.0
    assert rates["join:R.b"].prescribed_production == 1000.0 * 5 + 1000.0 * 5
    assert rates["join:R.c"].prescribed_left == 10_000.0
    assert report.arrivals_per_second == 3000.0


def test_steps_and_whether_a_machine_keeps_up() -> None:
    program = parse(TEMPLATES + "rule R where a: A, b: B when b in a [0 ms, 4 ms] then")
    slow, fast = (
        bounds(program, Deployment(deployment(A, B).sources, steps_per_second=speed)) for speed in (10_000, 100_000)
    )
    # Entry, alpha, join; then a terminal step for each of 5 results.
    assert slow.worst_steps_per_event == 3 + 5
    # A second: 2000 arrivals at three nodes each, and at the terminal a token for each of them and for 5000 matches.
    assert slow.steps_per_second == 6000 + 2000 + 5000
    assert (slow.keeps_up, slow.strongly_reactive) == (False, False)
    assert (fast.keeps_up, fast.strongly_reactive) == (True, True)
    assert bounds(program, deployment(A, B)).keeps_up is None


def test_partial_matches_are_told_in_one_line() -> None:
    program = parse(TEMPLATES + "rule R where a: A then")
    pair_ = parse(TEMPLATES + "rule R where a: A, b: B when b in a [0 ms, 4 ms] then")
    assert "partial matches: none are kept" in bounds(program, deployment(A)).render()
    sizes = {(size.node, size.store): size for size in bounds(pair_, deployment(A, B)).sizes}
    live = [sizes["join:R.b", side].live for side in ("left", "right")]
    assert [count and count.greatest for count in live] == [5, 1]
    assert (
        "partial matches: at most 6 live at once, 5 of them in join:R.b left"
        in bounds(pair_, deployment(A, B)).render()
    )
    report = bounds(pair_, deployment(A, B))
    endless = replace(report, sizes=tuple(replace(size, viable=None) for size in report.sizes))
    assert "partial matches: unbounded in join:R.b left, join:R.b right" in endless.render()


def test_memory_counts_the_events_of_full_stores() -> None:
    program = parse(TEMPLATES + "rule R where a: A, b: B when b in a [0 ms, 4 ms] then")
    report = bounds(program, Deployment(deployment(A, B).sources, event_bytes=10))
    two_input = 5 + 2 + 2 * 2 + 5 * 2  # left, right, two slots, outbox: an entry is counted with two events there
    assert report.memory is not None
    assert report.size("join:R.b", "left").events == 5
    assert report.size("join:R.b", "outbox").events == 5 * 2
    assert report.memory >= 10 * two_input


def test_capacities_name_every_node() -> None:
    report = bounds(WIDE.program, WIDE.deployment)
    capacities = report.capacities()
    network = compile_program(WIDE.program, {}, WIDE.deployment.senders())
    assert set(capacities.nodes) == {node.name for node in network.nodes}
    assert capacities.of("alpha:R.a") == NodeCapacities(inbox=1, outbox=1)
    assert capacities.of("terminal:R") == NodeCapacities(inbox=1, outbox=0)


def test_the_report_as_text_and_as_json() -> None:
    program = parse(TEMPLATES + "rule R where a: A, b: B when b in a [0 ms, 4 ms] then")
    report = bounds(program, Deployment(deployment(A, B, late=3).sources, steps_per_second=7))
    text = report.render()
    assert "join:R.b left" in text
    assert "verdict: viable under every schedule" in text
    assert "a machine with 7 steps a second falls behind" in text
    assert "up to 4 events of A from s wait outside" in text
    record = json.loads(json.dumps(report.to_json()))
    assert record["bounded"] is True
    assert {"node", "store", "prescribed", "viable", "live", "verdict", "reason"} <= record["sizes"][0].keys()


def test_a_template_of_which_nobody_speaks_needs_no_room() -> None:
    program = parse(TEMPLATES + "rule R where a: A, b: B when b in a [0 ms, 4 ms] then")
    assert bounds(program, deployment(A)).bounded


def test_contradictory_windows_have_sizes() -> None:
    program = parse(TEMPLATES + "rule R where a: A, b: B when b in a [0 ms, 1 ms] b in a [3 ms, 4 ms] then")
    assert bounds(program, deployment(A, B)).bounded


def test_a_deployment_must_fit() -> None:
    with pytest.raises(DeploymentError):
        bounds(parse(TEMPLATES + "rule R where a: A then"), deployment(("s", "Z", 1, 1)))
