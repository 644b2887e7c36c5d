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
    """An arc of a drawing: the ids of its ends, how many tokens move, whether they stay where they are."""

    source: str
    target: str
    weight: str
    reads: bool = False


def place_id(number: int) -> str:
    """The id of a place."""
    return f"p{number}"


def lines_of(net: Net) -> list[Line]:
    """The arcs of a net, those of garbage consumers last; one that reads is an input arc."""
    found: list[Line] = []
    for number, each in enumerate(net.transitions):
        found.append(Line(place_id(each.trigger.number), f"t{number}", Weight.ONE.value))
        found += [Line(place_id(arc.place.number), f"t{number}", arc.weight.value, arc.reads) for arc in each.takes]
        found += [Line(f"t{number}", place_id(arc.place.number), arc.weight.value) for arc in each.puts]
    found += [Line(place_id(place.number), f"g{place.number}", Weight.ALL.value) for place in net.present]
    found += [Line(place_id(place.number), f"g{place.number}", Weight.SOME.value) for place, _ in net.consumers]
    return found


def consumed(net: Net) -> list[Place]:
    """The places of which garbage consumers take tokens."""
    return [*net.present, *(place for place, _ in net.consumers)]


def title(transition: Transition) -> str:
    """The rule of a transition, its step and its rank."""
    said = f" {transition.label}" if transition.label else ""
    return f"{transition.identity.partition('/')[2]}{said} [{transition.rank}]"


def details(transition: Transition) -> list[str]:
    """When a transition is due, and whether it disables what it belongs to."""
    found = []
    if transition.phase is not Phase.READY:
        found.append("due" if transition.age is None else f"due at {duration(transition.age)}")
    if transition.disables:
        found.append("disables")
    return found


def duration(milliseconds: int) -> str:
    """A length of time in the greatest unit that fits."""
    unit = max((each for each in Unit if milliseconds % each.value == 0), key=lambda each: each.value)
    return f"{milliseconds // unit.value} {unit.name.lower()}"


def draw_net(net: Net) -> str:
    """The net in the DOT language: stateful places have two lines, guards that time makes due are thick, a transition
    has its rank behind its rule, and arcs that only look are dashed."""
    return "".join(f"{line}\n" for line in _lines(net))


def _lines(net: Net) -> Iterator[str]:
    yield "digraph lead {"
    yield '  graph [fontname="Helvetica", rankdir=LR];'
    yield '  node [fontname="Helvetica", fontsize=10];'
    yield '  edge [fontname="Helvetica", fontsize=9];'
    for place in net.places:
        colour = ', color="#b3402e", peripheries=2' if place.red else ', color="#3b6ea5"'
        yield f"  {place_id(place.number)} [shape=circle, label={quote(place.name)}{colour}];"
    for number, each in enumerate(net.transitions):
        width = "" if each.phase is Phase.READY else ", penwidth=3"
        label = "\n".join((title(each), *details(each)))
        yield f"  t{number} [shape=box, label={quote(label)}{width}];"
    for place in consumed(net):
        yield f'  g{place.number} [shape=box, style=dashed, label="GC"];'
    for line in lines_of(net):
        style = ", style=dashed" if line.reads else ""
        yield f"  {line.source} -> {line.target} [label={quote('' if line.weight == '1' else line.weight)}{style}];"
    yield "}"


def pnml(net: Net) -> str:
    """The places, transitions and arcs of the net, garbage consumers included; an arc that reads leads there and back.
    Colours, guards, ranks and weights that vary are left out, as the type has none. Nothing feeds the streams."""
    root = ElementTree.Element("pnml", xmlns=NAMESPACE)
    whole = ElementTree.SubElement(root, "net", id="lead", type=TYPE)
    _named(whole, "rule")
    page = ElementTree.SubElement(whole, "page", id="page")
    for place in net.places:
        node = ElementTree.SubElement(page, "place", id=place_id(place.number))
        _named(node, place.name)
        if place is net.root:
            ElementTree.SubElement(ElementTree.SubElement(node, "initialMarking"), "text").text = "1"
    for number, each in enumerate(net.transitions):
        _named(ElementTree.SubElement(page, "transition", id=f"t{number}"), title(each))
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
