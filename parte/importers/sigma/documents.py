"""Documents of rules: their values, as pySigma reads them, and the places of all that is in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import yaml

from parte.importers.imported import Place
from parte.importers.yaml_documents import Entries, Items, Node, Scalar, Unreadable
from parte.importers.yaml_documents import documents as nodes

Step = str | int
"""A part of a path in a document: a key, or the position in a list or among the entries of a map."""

_RESOLVER: Final = yaml.resolver.Resolver()
_CONSTRUCTOR: Final = yaml.constructor.SafeConstructor()
_LONGEST_NUMBER: Final = 60
_TAGS: Final = frozenset(f"tag:yaml.org,2002:{name}" for name in ("int", "float", "bool", "null"))


class Refusal(Exception):
    """A part of a rule that cannot be imported: its path in the document, why, and whether a near program is there."""

    def __init__(self, reason: str, *path: Step, nearest: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.path = path
        self.nearest = nearest

    def within(self, *path: Step) -> Refusal:
        """Return the refusal with a path before its own."""
        return Refusal(self.reason, *path, *self.path, nearest=self.nearest)


@dataclass(frozen=True, slots=True)
class Document:
    """A document: its tree, and its value."""

    node: Node
    value: Any

    def place(self, *path: Step) -> Place:
        """Return the place of what is at a path, or else of the last thing on the way to it."""
        node, place = self.node, self.node.place
        for step in path:
            entry = _entry(node, step)
            if entry is None:
                break
            place, node = entry
        return place


def _entry(node: Node, step: Step) -> tuple[Place, Node] | None:
    """Return the place and the node of an entry; the place is that of its key, if it has one."""
    if isinstance(node, Items) and isinstance(step, int) and 0 <= step < len(node.items):
        return node.items[step].place, node.items[step]
    if isinstance(node, Entries):
        for position, (key, value) in enumerate(node.entries):
            if step == (position if isinstance(step, int) else key.text):
                return key.place, value
    return None


def documents(file: str) -> Iterator[Document]:
    """Yield the documents of a file that are not empty. Raise Unreadable."""
    for node in nodes(file):
        if not (isinstance(node, Scalar) and node.missing):
            yield Document(node, _value(node))


def _value(node: Node) -> Any:
    """Return the value of a node. Keys are texts, and so are dates, which pySigma reads as well."""
    match node:
        case Scalar():
            return _scalar(node)
        case Items():
            return [_value(item) for item in node.items]
        case Entries():
            return {key.text: _value(value) for key, value in node.entries}


def _scalar(node: Scalar) -> Any:
    if not node.plain:
        return node.text
    tag = _RESOLVER.resolve(yaml.ScalarNode, node.text, (True, False))  # type: ignore[no-untyped-call]  # no types
    if tag not in _TAGS:
        return node.text
    try:
        if len(node.text) > _LONGEST_NUMBER:
            raise ValueError("it is too long")
        return _CONSTRUCTOR.construct_object(yaml.ScalarNode(tag, node.text))
    except (ValueError, OverflowError) as error:
        raise Unreadable(node.place, f"the number {node.text[:_LONGEST_NUMBER]} cannot be read: {error}") from None
