"""JSON driven by types: what is written, what is read, and what is said of the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Annotated, Any

import pytest

from parte.semantics.events.bounds import Bounds, Natural, Text
from parte.semantics.events.codec import Codec, FormatError, Tagged
from tests.documents import agree


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, slots=True)
class Leaf:
    colour: Colour
    size: Natural = 0
    place: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Fork:
    parts: Annotated[tuple[Tree, ...], Bounds(shortest=1)]
    names: Mapping[str, Text] = field(default_factory=dict)


Tree = Leaf | Fork
TREE = Tagged("tree", {Leaf: "leaf", Fork: "fork"}, computed={"weight": (int, lambda tree: len(repr(tree)))})
TREES: Codec[Tree] = Codec(Tree, TREE, sparse={Leaf: ["size"]}, renamed={Fork: {"parts": "children"}})
EXAMPLE = Fork((Leaf(Colour.RED, place=7), Leaf(Colour.BLUE, 2)), {"n": "x"})


def test_what_is_written_is_read() -> None:
    written: Any = TREES.encode(EXAMPLE)
    assert list(written) == ["kind", "weight", "children", "names"]
    assert written["children"][0] == {"kind": "leaf", "weight": len(repr(Leaf(Colour.RED))), "colour": "red"}
    assert TREES.decode(written) == EXAMPLE
    agree(TREES.schema("", ""), TREES.decode, written)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "$: expected an object, found a list of 0"),
        ({"kind": "twig"}, '$.kind: expected "leaf" or "fork", found the string "twig"'),
        ({"kind": "leaf", "weight": 1}, '$: the key "colour" is missing'),
        ({"kind": "leaf", "weight": 1, "colour": "red", "place": 1}, '$: the key "place" is unknown'),
        ({"kind": "leaf", "weight": 1.0, "colour": "red"}, "$.weight: expected an integer, found the number 1.0"),
        (
            {"kind": "leaf", "weight": 1, "colour": "grey"},
            '$.colour: expected "blue" or "red", found the string "grey"',
        ),
        (
            {"kind": "leaf", "weight": 1, "colour": "red", "size": -1},
            "$.size: expected an integer >= 0, found the integer -1",
        ),
        (
            {"kind": "fork", "weight": 1, "children": []},
            "$.children: expected a list of length >= 1, found a list of 0",
        ),
        ({"kind": "fork", "weight": 1, "children": [None]}, "$.children[0]: expected an object, found null"),
    ],
)
def test_what_is_refused(data: Any, message: str) -> None:
    with pytest.raises(FormatError) as refusal:
        TREES.decode(data)
    assert str(refusal.value) == message
    agree(TREES.schema("", ""), TREES.decode, data)


def test_options_of_readers() -> None:
    leaf = {"colour": "red", "surplus": 1}
    assert Codec[Leaf](Leaf, lenient=[Leaf]).decode(leaf) == Leaf(Colour.RED)
    assert Codec[Leaf](Leaf, bounded=False).decode({"colour": "red", "size": -1}) == Leaf(Colour.RED, -1)
    with pytest.raises(FormatError, match='the key "size" is missing'):
        Codec[Leaf](Leaf, optional={}).decode({"colour": "red"})

    def even(colour: Colour, size: int = 0) -> Leaf:
        if size % 2:
            raise ValueError("expected an even size")
        return Leaf(colour, size // 2)

    codec = Codec[Leaf](Leaf, constructors={Leaf: even})
    assert codec.decode({"colour": "red", "size": 4}) == Leaf(Colour.RED, 2)
    with pytest.raises(FormatError, match=r"\$: expected an even size"):
        codec.decode({"colour": "red", "size": 3})


def test_a_type_alone_of_a_tagged_union_has_its_tag() -> None:
    codec = Codec[Leaf](Leaf, TREE)
    assert codec.decode(codec.encode(Leaf(Colour.RED))) == Leaf(Colour.RED)
    with pytest.raises(FormatError, match='the key "kind" is missing'):
        codec.decode({"weight": 1, "colour": "red"})
