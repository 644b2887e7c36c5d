"""The drawing of networks: complete, well-formed, and readable because nothing lies on anything else."""

from __future__ import annotations

import re
from itertools import combinations, pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given

import parte
from parte.conformance.partelang.strategies import ProgramShape, programs
from parte.drawing import draw_dot, draw_svg
from parte.drawing.dot import quote
from parte.drawing.layout import CHARACTERS, Box, Layout, Point, lay_out, shown_lines
from parte.drawing.svg import path_of, shortened
from parte.drawing.wording import interval_text, wording_of
from tests.parte.examples import FRAUD, PAIR

SVG = "{http://www.w3.org/2000/svg}"
SCENARIOS = (FRAUD / "scenarios.parte").read_text(encoding="utf-8")
STRATA = """\
template A { k : Integer, s : String }
template B { k : Integer }
template C { k : Integer }
template D { k : Integer }
template Lonely {}
predicate odd(Integer, String)

rule First where a : A { s = "<\\"&>\\u0001\\uffff", odd(k, s) }
then
    emit D at a.timestamp with { k = a.k }
    emit B at min(a.timestamp) - 3 seconds with { k = a.k + 1 }

rule Second where b : B, no a : A { k > b.k * 2 }
when no a in b [-250 ms, 90 minutes]
then emit C at max(b.timestamp, b.timestamp + 1 day) with { k = b.k }

rule Third where c : C, b : B { k = -(c.k + 1) * 2 - c.k }, a : A when b in c [0 ms, 0 ms] a in b [1 second, 2 days]
then emit D at c.timestamp with { k = c.k }
"""
"""Three strata, edges that pass by a stratum on both sides, negation, and a text that XML cannot hold."""

EXAMPLES = pytest.mark.parametrize("text", [PAIR, SCENARIOS, STRATA], ids=["pair", "scenarios", "strata"])


def layout_of(program: parte.Program) -> Layout:
    return lay_out(program, parte.network_of(program))


def svg_of(program: parte.Program) -> ElementTree.Element:
    return ElementTree.fromstring(draw_svg(program, parte.network_of(program)))


def classed(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [element for element in root.iter() if name in element.get("class", "").split()]


# --- Properties -------------------------------------------------------------------------------------------------------

WIDE = ProgramShape(patterns=5, rules=4)


@given(programs(WIDE))
def test_every_node_and_every_edge_is_drawn_once(program: parte.Program) -> None:
    network = parte.network_of(program)
    root = svg_of(program)
    assert len(classed(root, "shape")) == len(classed(root, "node")) == len(network.nodes)
    assert len(classed(root, "edge")) == len(list(network.edges()))
    assert len(classed(root, "frame")) == len(program.rules)
    dot = draw_dot(program, network)
    assert len(re.findall(r"^ +n\d+ \[label=", dot, re.MULTILINE)) == len(network.nodes)
    assert len(re.findall(r"^  n\d+ -> n\d+", dot, re.MULTILINE)) == len(list(network.edges()))


@given(programs(WIDE))
def test_nothing_lies_on_a_node(program: parte.Program) -> None:
    check_layout(layout_of(program))


@EXAMPLES
def test_nothing_lies_on_a_node_in_the_examples(text: str) -> None:
    check_layout(layout_of(parte.parse(text)))


def check_layout(layout: Layout) -> None:
    for first, second in combinations(layout.boxes, 2):
        assert not overlap(first, second), (first.wording.name, second.wording.name)
    boxes = {box.index: box for box in layout.boxes}
    for wire in layout.wires:
        start, end = boxes[wire.origin], boxes[wire.successor.node]
        assert wire.points[0] == (start.centre, start.bottom)
        assert touches(end, wire.points[-1])
        for one_end, other_end in pairwise(wire.points):
            assert one_end[0] == other_end[0] or one_end[1] == other_end[1]
            for box in layout.boxes:
                assert not crosses(one_end, other_end, box), (wire, box.wording.name)
    for box in layout.boxes:
        assert 0 < box.x < box.x + box.width < layout.width
        assert 0 < box.y < box.bottom < layout.height
    for x, y in (point for wire in layout.wires for point in wire.points):
        assert 0 < x < layout.width
        assert 0 < y < layout.height


def overlap(first: Box, second: Box) -> bool:
    return (
        first.x < second.x + second.width
        and second.x < first.x + first.width
        and first.y < second.bottom
        and second.y < first.bottom
    )


def touches(box: Box, point: Point) -> bool:
    x, y = point
    on_top = y == box.y and box.x < x < box.x + box.width
    on_left = x == box.x and box.y < y < box.bottom
    return on_top or on_left


def crosses(start: Point, end: Point, box: Box) -> bool:
    """Whether a horizontal or vertical piece goes through the inside of a box."""
    (left, right), (top, bottom) = sorted((start[0], end[0])), sorted((start[1], end[1]))
    return left < box.x + box.width and right > box.x and top < box.bottom and bottom > box.y


@given(programs(WIDE))
def test_edges_of_different_nodes_lie_on_each_other_nowhere(program: parte.Program) -> None:
    layout = layout_of(program)
    pieces = [(wire, piece) for wire in layout.wires for piece in pairwise(wire.points)]
    for (first, (a, b)), (second, (c, d)) in combinations(pieces, 2):
        if first.origin == second.origin:
            continue
        for axis in (0, 1):
            along = 1 - axis
            if a[axis] == b[axis] == c[axis] == d[axis]:
                low = max(min(a[along], b[along]), min(c[along], d[along]))
                high = min(max(a[along], b[along]), max(c[along], d[along]))
                assert low >= high, (first, second)


# --- What is written --------------------------------------------------------------------------------------------------


def words(root: ElementTree.Element) -> str:
    return "\n".join("".join(element.itertext()) for element in root.iter(f"{SVG}text"))


def test_nodes_say_what_they_do() -> None:
    text = words(svg_of(parte.parse(SCENARIOS)))
    for expected in (
        "MoneyTransferred",
        "in incoming [0 ms, 14 days]",
        "in refund [-14 days, 0 ms]",
        "no additional_incoming",
        "amount >= 100.0",
        "at claim.timestamp",
        "FraudDiffusion",
        "left",
        "right",
    ):
        assert expected in text


def test_tooltips_name_nodes_as_reports_do_and_hold_everything() -> None:
    program = parte.parse(SCENARIOS)
    titles = ["".join(element.itertext()) for element in svg_of(program).iter(f"{SVG}title")]
    for node in parte.network_of(program).nodes:
        assert any(title.split("\n")[0] == node.name for title in titles)
    whole = "outgoing_1.amount + outgoing_2.amount + amount <= incoming.amount * 1.1"
    assert any(whole in title.split("\n") for title in titles)


def test_expressions_are_written_as_in_a_program() -> None:
    program = parte.parse(STRATA)
    details = {
        wording.name: wording.details
        for wording in (wording_of(program, node) for node in parte.network_of(program).nodes)
    }
    assert details["join:Third.b"] == ("in c [0 ms, 0 ms]", "k = -(c.k + 1) * 2 - c.k")
    assert details["not:Second.a"] == ("in b [-250 ms, 90 minutes]", "k > b.k * 2")
    assert details["production:First#2"] == ("at min(a.timestamp) - 3 seconds",)
    assert details["production:Second#1"] == ("at max(b.timestamp, b.timestamp + 1 day)",)
    assert details["alpha:First.a"][1:] == ('s = "<\\"&>\\u0001\uffff"', "odd(k, s)")


def test_text_that_xml_cannot_hold() -> None:
    assert '<\\"&>\\u0001\ufffd' in words(svg_of(parte.parse(STRATA)))


def test_a_rule_that_never_matches() -> None:
    program = parte.parse("template A {} rule R where a : A, b : A when b in a [1 ms, 2 ms] b in a [5 ms, 6 ms]")
    assert "in a never" in words(svg_of(program))


def test_intervals() -> None:
    assert interval_text(-1000, 1) == "[-1 second, 1 ms]"
    assert interval_text(0, -1) == "never"


def test_long_details_are_wrapped_and_counted() -> None:
    assert shown_lines(["short"]) == ("short",)
    long = shown_lines(["word " * 20])
    assert len(long) > 1
    assert max(map(len, long)) <= CHARACTERS
    assert shown_lines([str(n) for n in range(7)]) == tuple("0123456")
    assert shown_lines([str(n) for n in range(8)]) == (*"012345", "… and 2 more")
    assert shown_lines(["x" * 1000]) == ("… and 1 more",)
    assert shortened("abc", 3) == "abc"
    assert shortened("abcd", 3) == "ab…"


def test_paths() -> None:
    assert path_of([(0, 0), (0, 10)]) == "M0 0 L0 10"
    assert path_of([(0, 0), (0, 20), (20, 20)]) == "M0 0 L0 13 Q0 20 7 20 L20 20"
    assert path_of([(0, 0), (0, 4), (20, 4)]) == "M0 0 L0 2 Q0 4 7 4 L20 4"


def test_dot_strings() -> None:
    assert quote('a "b" \\ c\nd') == '"a \\"b\\" \\\\ c\\nd"'


def test_a_program_without_rules() -> None:
    root = svg_of(parte.parse("template A {}"))
    assert len(classed(root, "shape")) == 1
    assert len(classed(svg_of(parte.parse("")), "shape")) == 0
