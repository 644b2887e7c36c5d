"""The net of a LEAD rule as text for Graphviz, and as PNML (place/transition nets, ISO/IEC 15909-2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree

from parte.drawing.dot import quote
from parte.languages.lead.semantics.net import Net, Phase, Place, Transition, Weight
from parte.languages.lead.semantics.syntax.tree import Unit

NAMESPACE = "http://www.pnml.org/version-2009/grammar/pnml"
TYPE = "http://www.pnml.org/version-2009/grammar/ptnet"


@dataclass(frozen=True, slots=True)
class Line:
    """An arc of a drawing: the ids of its ends, its weight, and whether the tokens stay where they are."""

    source: str
    target: str
    weight: str
    reads: bool = False


def place_id(number: int) -> str:
    """Return the id of a place."""
    return f"p{number}"


def lines_of(net: Net) -> list[Line]:
    """Return the arcs of a net, those of garbage consumers last; an arc that reads is an input arc."""
    lines: list[Line] = []
    for number, transition in enumerate(net.transitions):
        lines.append(Line(place_id(transition.trigger.number), f"t{number}", Weight.ONE.value))
        lines += [
            Line(place_id(arc.place.number), f"t{number}", arc.weight.value, arc.reads) for arc in transition.takes
        ]
        lines += [Line(f"t{number}", place_id(arc.place.number), arc.weight.value) for arc in transition.puts]
    lines += [Line(place_id(place.number), f"g{place.number}", Weight.ALL.value) for place in net.present]
    lines += [Line(place_id(place.number), f"g{place.number}", Weight.SOME.value) for place, _ in net.consumers]
    return lines


def consumed(net: Net) -> list[Place]:
    """Return the places from which garbage consumers take tokens."""
    return [*net.present, *(place for place, _ in net.consumers)]


def title(transition: Transition) -> str:
    """Return the rule of a transition, its step and its rank."""
    label = f" {transition.label}" if transition.label else ""
    return f"{transition.identity.partition('/')[2]}{label} [{transition.rank}]"


def details(transition: Transition) -> list[str]:
    """Return the age at which a transition is due, and whether it disables its pattern."""
    notes = []
    if transition.phase is not Phase.READY:
        notes.append("due" if transition.age is None else f"due at {duration(transition.age)}")
    if transition.disables:
        notes.append("disables")
    return notes


def duration(milliseconds: int) -> str:
    """Return a duration in the greatest unit that divides it."""
    unit = max(
        (candidate for candidate in Unit if milliseconds % candidate.value == 0), key=lambda candidate: candidate.value
    )
    return f"{milliseconds // unit.value} {unit.name.lower()}"


def draw_net(net: Net) -> str:
    """Return the net in the DOT language. Stateful places have two lines, guards that time makes due are thick,
    transitions show their rule and rank, and arcs that only read are dashed."""
    return "".join(f"{line}\n" for line in _lines(net))


def _lines(net: Net) -> Iterator[str]:
    yield "digraph lead {"
    yield '  graph [fontname="Helvetica", rankdir=LR];'
    yield '  node [fontname="Helvetica", fontsize=10];'
    yield '  edge [fontname="Helvetica", fontsize=9];'
    for place in net.places:
        colour = ', color="#b3402e", peripheries=2' if place.red else ', color="#3b6ea5"'
        yield f"  {place_id(place.number)} [shape=circle, label={quote(place.name)}{colour}];"
    for number, transition in enumerate(net.transitions):
        width = "" if transition.phase is Phase.READY else ", penwidth=3"
        label = "\n".join((title(transition), *details(transition)))
        yield f"  t{number} [shape=box, label={quote(label)}{width}];"
    for place in consumed(net):
        yield f'  g{place.number} [shape=box, style=dashed, label="GC"];'
    for line in lines_of(net):
        style = ", style=dashed" if line.reads else ""
        yield f"  {line.source} -> {line.target} [label={quote('' if line.weight == '1' else line.weight)}{style}];"
    yield "}"


def pnml(net: Net) -> str:
    """Return the net as PNML: places, transitions and arcs, with garbage consumers. An arc that reads becomes two
    arcs, there and back. The net type has no colours, guards, ranks or variable weights, so these are left out.
    Nothing feeds the streams."""
    root = ElementTree.Element("pnml", xmlns=NAMESPACE)
    whole = ElementTree.SubElement(root, "net", id="lead", type=TYPE)
    _named(whole, "rule")
    page = ElementTree.SubElement(whole, "page", id="page")
    for place in net.places:
        node = ElementTree.SubElement(page, "place", id=place_id(place.number))
        _named(node, place.name)
        if place is net.root:
            ElementTree.SubElement(ElementTree.SubElement(node, "initialMarking"), "text").text = "1"
    for number, transition in enumerate(net.transitions):
        _named(ElementTree.SubElement(page, "transition", id=f"t{number}"), title(transition))
    for place in consumed(net):
        _named(ElementTree.SubElement(page, "transition", id=f"g{place.number}"), "GC")
    lines = lines_of(net)
    ends = [(line.source, line.target) for line in lines] + [(line.target, line.source) for line in lines if line.reads]
    for source, target in dict.fromkeys(ends):
        ElementTree.SubElement(page, "arc", id=f"{source}-{target}", source=source, target=target)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _named(node: ElementTree.Element, name: str) -> None:
    ElementTree.SubElement(ElementTree.SubElement(node, "name"), "text").text = name
