"""YAML that nobody has checked: documents with the place of every node, within limits of size, depth and aliases.

The reader builds no objects and knows no tags but those of YAML itself. A key that stands twice is an error, and so is
an alias inside its own anchor. Texts stay as they are written: `1.1.1.1` and `2024-06-01T10:00:01Z` are texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import yaml

from parte.importers.imported import Place
from parte.semantics.events.files import UnusableFile, read_text

MAX_FILE: Final = 2**20
"""Maximum size of a file in bytes."""
MAX_DEPTH: Final = 64
"""Maximum number of nodes inside each other."""
MAX_NODES: Final = 100_000
"""Maximum number of nodes in a file, where each alias counts as all that it stands for."""
MAX_DOCUMENTS: Final = 1_000
_CORE: Final = "tag:yaml.org,2002:"
_TAGS: Final = frozenset(
    f"{_CORE}{name}" for name in ["str", "int", "float", "bool", "null", "timestamp", "seq", "map"]
)
_NULL: Final = frozenset({"", "~", "null", "Null", "NULL"})
_TRUTH: Final = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}


class Unreadable(ValueError):
    """Text that is no YAML, or is not what its reader expects: the place, and the reason."""

    def __init__(self, place: Place, reason: str) -> None:
        super().__init__(f"{place.file}:{place.line}:{place.column}: {reason}")
        self.place = place
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Scalar:
    """A text. `plain` is one without quotes, which may also be a number, a truth value or nothing."""

    place: Place
    text: str
    plain: bool

    @property
    def missing(self) -> bool:
        """Return whether it is nothing: `null`, `~`, or left out."""
        return self.plain and self.text in _NULL


@dataclass(frozen=True, slots=True)
class Items:
    """A list."""

    place: Place
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Entries:
    """Keys with their values, in the order of the text."""

    place: Place
    entries: tuple[tuple[Scalar, Node], ...]

    def get(self, key: str) -> Node | None:
        """Return the value of a key; None if the key is missing, or its value is nothing."""
        for name, value in self.entries:
            if name.text == key:
                return None if isinstance(value, Scalar) and value.missing else value
        return None


Node = Scalar | Items | Entries


def documents(path: str) -> Iterator[Node]:
    """Yield the documents of a file. Raise Unreadable at the first error, after the documents before it."""
    try:
        text = read_text(path, MAX_FILE)
    except UnusableFile as problem:
        raise Unreadable(Place(path, problem.line or 1, problem.column or 1), problem.reason) from None
    except OSError as problem:
        raise Unreadable(Place(path, 1, 1), problem.strerror or str(problem)) from None
    return documents_of(text, path)


def documents_of(text: str, path: str) -> Iterator[Node]:
    """Yield the documents of a text, which is called `path` in errors. Raise Unreadable."""
    try:
        yield from _Builder(path).documents(text)
    except yaml.reader.ReaderError as problem:
        before = text[: problem.position]
        place = Place(path, before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1)
        raise Unreadable(place, f"the character {problem.character!r} is not allowed in YAML") from None
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        place = Place(path, 1, 1) if mark is None else Place(path, mark.line + 1, mark.column + 1)
        said = ", ".join(part for part in (problem.context, problem.problem) if part)
        raise Unreadable(place, f"no YAML: {said}") from None
    except yaml.YAMLError as problem:
        raise Unreadable(Place(path, 1, 1), f"no YAML: {problem}") from None


@dataclass(slots=True)
class _Open:
    """A list or mapping whose end is not read yet: the nodes inside, how many there are with all aliases, and how many
    are inside each other."""

    place: Place
    anchor: str | None
    mapping: bool
    inside: list[Node]
    size: int = 1
    height: int = 1


class _Builder:
    """Builds documents from the events of the parser, without recursion."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._anchors: dict[str, tuple[Node, int, int]] = {}
        self._open: list[_Open] = []
        self._nodes = 0

    def documents(self, text: str) -> Iterator[Node]:
        number = 0
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            mark = event.start_mark
            place = Place(self._path, 1, 1) if mark is None else Place(self._path, mark.line + 1, mark.column + 1)
            if isinstance(event, yaml.DocumentStartEvent):
                self._anchors.clear()
                number += 1
                if number > MAX_DOCUMENTS:
                    raise Unreadable(place, f"more than {MAX_DOCUMENTS:,} documents in a file")
            elif isinstance(event, yaml.CollectionStartEvent):
                self._check_tag(event.tag, place)
                if len(self._open) >= MAX_DEPTH:
                    raise Unreadable(place, f"more than {MAX_DEPTH} lists and mappings inside each other")
                self._count(1, place)
                self._open.append(_Open(place, event.anchor, isinstance(event, yaml.MappingStartEvent), []))
            else:
                done = self._ended(event, place)
                if done is not None:
                    yield done

    def _ended(self, event: yaml.Event, place: Place) -> Node | None:
        """Take a node that is complete; return it if it is a whole document."""
        if isinstance(event, yaml.ScalarEvent):
            self._check_tag(event.tag, place)
            self._count(1, place)
            return self._take(Scalar(place, event.value, event.implicit[0]), event.anchor, 1, 0)
        if isinstance(event, yaml.AliasEvent):
            if any(part.anchor == event.anchor for part in self._open):
                raise Unreadable(place, f"the alias *{event.anchor} is inside its own anchor")
            if event.anchor not in self._anchors:
                raise Unreadable(place, f"there is no anchor &{event.anchor} above")
            node, size, height = self._anchors[event.anchor]
            self._count(size, place)
            if len(self._open) + height > MAX_DEPTH:
                raise Unreadable(place, f"more than {MAX_DEPTH} lists and mappings inside each other")
            return self._take(node, None, size, height)
        if isinstance(event, yaml.CollectionEndEvent):
            part = self._open.pop()
            node = self._mapping(part) if part.mapping else Items(part.place, tuple(part.inside))
            return self._take(node, part.anchor, part.size, part.height)
        return None

    def _take(self, node: Node, anchor: str | None, size: int, height: int) -> Node | None:
        if anchor is not None:
            self._anchors[anchor] = node, size, height
        if not self._open:
            return node
        self._open[-1].inside.append(node)
        self._open[-1].size += size
        self._open[-1].height = max(self._open[-1].height, height + 1)
        return None

    def _mapping(self, part: _Open) -> Entries:
        entries: list[tuple[Scalar, Node]] = []
        seen: dict[str, Place] = {}
        for key, value in zip(part.inside[::2], part.inside[1::2], strict=True):
            if not isinstance(key, Scalar):
                raise Unreadable(key.place, "a key is a text, not a list or a mapping")
            if key.plain and key.text == "<<":
                raise Unreadable(key.place, "merge keys (<<) are not read; write the keys out")
            if key.text in seen:
                raise Unreadable(key.place, f"the key {key.text!r} stands twice, first in line {seen[key.text].line}")
            seen[key.text] = key.place
            entries.append((key, value))
        return Entries(part.place, tuple(entries))

    def _count(self, more: int, place: Place) -> None:
        self._nodes += more
        if self._nodes > MAX_NODES:
            raise Unreadable(place, f"more than {MAX_NODES:,} nodes, where an alias counts as all that it stands for")

    def _check_tag(self, tag: str | None, place: Place) -> None:
        if tag is not None and tag not in _TAGS:
            raise Unreadable(place, f"the tag {tag} is not read")


# --- Reading nodes ----------------------------------------------------------------------------------------------------


def entries_of(node: Node, meaning: str) -> Entries:
    """Return a node that is to be a mapping. Raise Unreadable."""
    if isinstance(node, Entries):
        return node
    raise Unreadable(node.place, f"expected {meaning}, a mapping of keys, found {_found(node)}")


def items_of(node: Node, meaning: str) -> tuple[Node, ...]:
    """Return the items of a node that is to be a list. Raise Unreadable."""
    if isinstance(node, Items):
        return node.items
    raise Unreadable(node.place, f"expected {meaning}, a list, found {_found(node)}")


def text_of(node: Node, meaning: str) -> str:
    """Return the text of a node that is to be one. Raise Unreadable."""
    if isinstance(node, Scalar) and node.text and not node.missing:
        return node.text
    raise Unreadable(node.place, f"expected {meaning}, a text, found {_found(node)}")


def integer_of(node: Node, meaning: str, least: int, greatest: int) -> int:
    """Return the number of a node that is to be a whole one. Raise Unreadable."""
    if isinstance(node, Scalar) and node.plain and re.fullmatch(r"[+-]?[0-9]{1,18}", node.text):
        number = int(node.text)
        if least <= number <= greatest:
            return number
    raise Unreadable(node.place, f"expected {meaning}, an integer from {least} to {greatest}, found {_found(node)}")


def truth_of(node: Node, meaning: str) -> bool:
    """Return the truth value of a node. Raise Unreadable."""
    if isinstance(node, Scalar) and node.plain and node.text in _TRUTH:
        return _TRUTH[node.text]
    raise Unreadable(node.place, f"expected {meaning}, true or false, found {_found(node)}")


def _found(node: Node) -> str:
    if isinstance(node, Scalar):
        return "nothing" if node.missing else repr(node.text[:80])
    return "a list" if isinstance(node, Items) else "a mapping"
