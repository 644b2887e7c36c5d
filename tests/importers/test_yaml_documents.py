"""YAML that nobody has checked is read within limits, and every error has its place."""

from __future__ import annotations

import string
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from parte.importers.yaml_documents import (
    MAX_DEPTH,
    MAX_FILE,
    Entries,
    Items,
    Node,
    Scalar,
    Unreadable,
    documents,
    documents_of,
)

_BOMB = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join([f'*{before}'] * 10)}]\n" for before, name in zip("abcdef", "bcdefg", strict=True)
)


@pytest.mark.parametrize(
    ("text", "line", "column", "reason"),
    [
        ("a: 1\nb: 2\na: 3\n", 3, 1, "the key 'a' stands twice, first in line 1"),
        ("a:\n  - {x: 1, 'x': 2}\n", 2, 12, "the key 'x' stands twice"),
        ("a: [1\nb: 2", 2, 2, "no YAML"),
        ("a: *b\n", 1, 4, "there is no anchor &b above"),
        ("a: &a [*a]\n", 1, 8, "the alias *a is inside its own anchor"),
        ("a: &a 1\n---\nb: *a\n", 3, 4, "there is no anchor &a above"),
        (_BOMB, 5, 29, "more than 100,000 nodes"),
        ("[" * 100, 1, MAX_DEPTH + 1, "inside each other"),
        ("a: &a " + "[" * 40 + "]" * 40 + "\nb: " + "[" * 40 + "*a" + "]" * 40, 2, 44, "inside each other"),
        ("a: !!python/object/apply:os.system [ls]\n", 1, 4, "the tag tag:yaml.org,2002:python/object/apply:os.system"),
        ("a: !own 1\n", 1, 4, "the tag !own is not read"),
        ("a: &a {b: 1}\nc:\n  <<: *a\n", 3, 3, "merge keys"),
        ("? [a]\n: 1\n", 1, 3, "a key is a text"),
        ("a: \x07\n", 1, 4, "is not allowed in YAML"),
        ("--- 1\n" * 1_001, 1_001, 1, "more than 1,000 documents"),
        ("%YAML 3.0\n--- 1", 1, 1, "no YAML"),
    ],
)
def test_an_error_has_its_place(text: str, line: int, column: int, reason: str) -> None:
    with pytest.raises(Unreadable) as caught:
        list(documents_of(text, "rules.yml"))
    place = caught.value.place
    assert reason in caught.value.reason
    assert (place.file, place.line, place.column) == ("rules.yml", line, column)


def test_a_large_file_is_not_read(tmp_path: Path) -> None:
    large = tmp_path / "large.yml"
    large.write_bytes(b"#" * (MAX_FILE + 1))
    with pytest.raises(Unreadable, match="more than 1,048,576 bytes"):
        list(documents(str(large)))


@pytest.mark.parametrize(("content", "column"), [(b"a: \xff", 4), (b"a:\0", 3)])
def test_what_is_no_text_has_its_place(tmp_path: Path, content: bytes, column: int) -> None:
    file = tmp_path / "file.yml"
    file.write_bytes(b"x: 1\n" + content)
    with pytest.raises(Unreadable) as caught:
        list(documents(str(file)))
    assert (caught.value.place.line, caught.value.place.column) == (2, column)


def test_documents_before_an_error_are_read() -> None:
    read = documents_of("a: 1\n---\nb: 2\n---\nc: [", "rules.yml")
    assert isinstance(next(read), Entries)
    assert isinstance(next(read), Entries)
    with pytest.raises(Unreadable):
        next(read)


def plain(node: Node) -> Any:
    """A node as PyYAML builds it, all scalars as texts."""
    if isinstance(node, Scalar):
        return node.text
    if isinstance(node, Items):
        return [plain(item) for item in node.items]
    return {key.text: plain(value) for key, value in node.entries}


_TEXTS = st.text(string.printable, max_size=8)
_VALUES = st.recursive(
    _TEXTS, lambda inside: st.lists(inside, max_size=4) | st.dictionaries(_TEXTS, inside, max_size=4), max_leaves=12
)


@given(st.lists(_VALUES, min_size=1, max_size=3), st.booleans())
def test_it_reads_what_pyyaml_writes(values: list[Any], flow: bool) -> None:
    text = yaml.safe_dump_all(values, default_flow_style=flow, sort_keys=False)
    assert [plain(node) for node in documents_of(text, "rules.yml")] == values


@given(st.text(max_size=60))
def test_no_text_is_a_fault(text: str) -> None:
    try:
        nodes = list(documents_of(text, "rules.yml"))
    except Unreadable as error:
        places = [error.place]
    else:
        places = [node.place for node in nodes]
    assert all(place.line >= 1 and place.column >= 1 for place in places)
