"""Graphs in layers: nothing lies on anything else."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from parte.drawing.layered import Edge, Layers, layered

Sizes = dict[object, tuple[float, float]]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[Sizes, list[Edge]]:
    count = draw(st.integers(0, 9))
    sizes: Sizes = {node: (draw(st.integers(20, 90)) * 1.0, draw(st.integers(20, 60)) * 1.0) for node in range(count)}
    ends = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)) if count else st.nothing()
    edges = draw(st.lists(ends, max_size=14)) if count else []
    return sizes, [Edge(*edge, port=draw(st.sampled_from((-8.0, 0.0, 8.0)))) for edge in edges]


@given(graphs())
@settings(max_examples=25)
def test_nodes_lie_apart_and_edges_lead_on(graph: tuple[Sizes, list[Edge]]) -> None:
    sizes, edges = graph
    layers = layered(sizes, edges)
    assert layers.places.keys() == sizes.keys()
    for first, second in combinations(sizes, 2):
        across, along = (
            abs(layers.places[first][axis] - layers.places[second][axis])
            - (sizes[first][axis] + sizes[second][axis]) / 2
            for axis in (0, 1)
        )
        assert across > 0 or along > 0
    for node, (x, y) in layers.places.items():
        width, height = sizes[node]
        assert min(x - width / 2, y - height / 2) >= 0
        assert x + width / 2 <= layers.width
        assert y + height / 2 <= layers.height
    assert [wire.edge for wire in layers.wires] == edges
    for wire in layers.wires:
        assert wire.back or layers.places[wire.edge.source][0] < layers.places[wire.edge.target][0]
        assert straight_pieces_touch_no_node(layers, sizes, wire.points, wire.back, wire.edge)


def straight_pieces_touch_no_node(
    layers: Layers, sizes: Sizes, points: tuple[tuple[float, float], ...], back: bool, edge: Edge
) -> bool:
    """Within a layer an edge runs level, past every node but its ends."""
    for (x, y), (to_x, to_y) in zip(points[::2], points[1::2], strict=True) if not back else ():
        assert y == to_y
        for node, (middle, height) in layers.places.items():
            width, size = sizes[node]
            beside = max(x, to_x) <= middle - width / 2 or min(x, to_x) >= middle + width / 2
            if node not in (edge.source, edge.target) and not beside and abs(y - height) < size / 2:
                return False
    return True


def test_a_circle_runs_back_below_everything() -> None:
    sizes: Sizes = {"a": (30.0, 20.0), "b": (30.0, 20.0)}
    layers = layered(sizes, [Edge("a", "b"), Edge("b", "a"), Edge("b", "b")])
    assert [wire.back for wire in layers.wires] == [False, True, True]
    lowest = max(y for _, y in layers.places.values()) + 10
    assert all(max(y for _, y in wire.points) > lowest for wire in layers.wires if wire.back)
