"""The binary rules of an ETALIS program as text for Graphviz: events are boxes, what joins them ellipses."""

from __future__ import annotations

from collections.abc import Iterator

from parte.drawing.dot import quote
from parte.semantics.etalis.binarisation import Binarised, Kind
from parte.semantics.etalis.syntax.values import text_of

_SIDES = {2: ("l", "r"), 3: ("first", "absent", "last")}


def draw_rule_network(program: Binarised) -> str:
    """The network in the DOT language. What only a part of a pattern finds is a dotted box, named after its place."""
    return "".join(f"{line}\n" for line in _lines(program))


def _lines(program: Binarised) -> Iterator[str]:
    yield "digraph etalis {"
    yield '  graph [fontname="Helvetica", rankdir=LR];'
    yield '  node [fontname="Helvetica", fontsize=10, shape=box];'
    yield '  edge [fontname="Helvetica", fontsize=9];'
    for kind in sorted(program.kinds.values(), key=lambda kind: kind.rank):
        style = "dotted" if kind.name is None and kind.moment is None else "solid"
        derived = ", peripheries=2" if kind.name is not None and kind.stratum else ""
        yield f"  k{kind.rank} [label={quote(_called(kind))}, style={style}{derived}];"
    for number, rule in enumerate(program.rules):
        label = rule.operator if rule.length is None else f"at most {text_of(rule.length)}"
        yield f"  r{number} [label={quote(label)}, shape=ellipse];"
        sides = _SIDES.get(len(rule.operands), ("",))
        for side, operand in zip(sides, rule.operands, strict=True):
            dashed = ", style=dashed" if side == "absent" else ""
            named = f"{side} ({', '.join(operand.variables)})" if operand.variables else side
            yield f"  k{operand.kind.rank} -> r{number} [label={quote(named)}{dashed}];"
        yield f"  r{number} -> k{rule.target.rank};"
    yield "}"


def _called(kind: Kind) -> str:
    if kind.moment is not None:
        return text_of(kind.moment)
    rule, *places = kind.order[2] or (0,)
    return kind.name or ".".join(map(str, (rule + 1, *(place + 1 for place in places))))
