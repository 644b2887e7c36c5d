"""The net of a LEAD rule as text for Graphviz, and as PNML (place/transition nets, ISO/IEC 15909-2)."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree

from parte.drawing.dot import quote
from parte.semantics.lead.net import Net, Phase, Place, Transition

NAMESPACE = "http://www.pnml.org/version-2009/grammar/pnml"
TYPE = "http://www.pnml.org/version-2009/grammar/ptnet"


def draw_net(net: Net) -> str:
    """The net in the DOT language: stateful places have two lines, guards that time makes due are thick, and a
    transition has its rank behind its rule."""
    return "".join(f"{line}\n" for line in _lines(net))


def _lines(net: Net) -> Iterator[str]:
    yield "digraph lead {"
    yield '  graph [fontname="Helvetica", rankdir=LR];'
    yield '  node [fontname="Helvetica", fontsize=10];'
    yield '  edge [fontname="Helvetica", fontsize=9];'
    for place in net.places:
        lines = ", peripheries=2" if place.red else ""
        yield f"  p{place.number} [shape=circle, label={quote(place.name)}{lines}];"
    for number, each in enumerate(net.transitions):
        width = "" if each.phase is Phase.READY else ", penwidth=3"
        yield f"  t{number} [shape=box, label={quote(_title(each))}{width}];"
        for place in _sources(each):
            yield f"  p{place.number} -> t{number};"
        for place in each.puts:
            yield f"  t{number} -> p{place.number};"
    yield "}"


def _title(transition: Transition) -> str:
    said = f" {transition.label}" if transition.label else ""
    return f"{transition.identity.partition('/')[2]}{said} [{transition.rank}]"


def _sources(transition: Transition) -> tuple[Place, ...]:
    """The places that a transition takes from: the one that triggers it first, each once."""
    return tuple(dict.fromkeys((transition.trigger, *transition.takes)))


def pnml(net: Net) -> str:
    """The places, transitions and arcs of the net; colours, guards and ranks are left out, as the type has none."""
    root = ElementTree.Element("pnml", xmlns=NAMESPACE)
    whole = ElementTree.SubElement(root, "net", id="lead", type=TYPE)
    page = ElementTree.SubElement(whole, "page", id="page")
    for place in net.places:
        node = ElementTree.SubElement(page, "place", id=f"p{place.number}")
        _named(node, place.name)
        if place is net.root:
            ElementTree.SubElement(ElementTree.SubElement(node, "initialMarking"), "text").text = "1"
    for number, each in enumerate(net.transitions):
        _named(ElementTree.SubElement(page, "transition", id=f"t{number}"), _title(each))
        ends = [(f"p{place.number}", f"t{number}") for place in _sources(each)]
        ends += [(f"t{number}", f"p{place.number}") for place in dict.fromkeys(each.puts)]
        for source, target in ends:
            ElementTree.SubElement(page, "arc", id=f"{source}-{target}", source=source, target=target)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _named(node: ElementTree.Element, name: str) -> None:
    ElementTree.SubElement(ElementTree.SubElement(node, "name"), "text").text = name
