"""The names of ETALIS are found where the trees of its parser have them."""

from __future__ import annotations

from parte.editing.analysis import Analysis
from parte.editing.names import Entity, Sort
from parte.editing.positions import Lines
from parte.editing.support import supported
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.parser import parse
from tests.parte.editing.texts import programs

(ETALIS,) = (support for support in supported() if support.language.name == "ETALIS")


def test_names_are_those_of_the_tree() -> None:
    for text in programs(ETALIS):
        lines = Lines(text)
        expected = set()
        for number, rule in enumerate(parse(text).rules, 1):
            for node in (*tree.within(rule.head), *tree.within(rule.body)):
                if isinstance(node, tree.EventPattern):
                    expected.add((lines.offset_of(node.span.start), Entity(Sort.EVENT, "", node.name)))
                elif isinstance(node, tree.Variable):
                    expected.add((lines.offset_of(node.span.start), Entity(Sort.VARIABLE, str(number), node.name)))
        assert {(name.extent.start, name.entity) for name in Analysis(ETALIS, text).names.names} == expected, text
