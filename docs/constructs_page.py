"""The page of constructs: all that an engine may declare, for each language, and the nodes of trees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from parte.conformance.constructs import NODE, constructs_of
from parte.conformance.kit import KIT
from parte.conformance.runner.judging import prepare
from parte.conformance.suites import load_suite
from parte.languages.language import Language
from parte.languages.registry import languages
from parte.semantics.source.text import TEXT

Json = Any
Table = Callable[[Sequence[str], Iterable[Sequence[str]]], str]


def constructs_page(table: Table) -> str:
    """Return the tables of the page for every language; `table` writes one in Markdown."""
    return "\n".join(_part(language, table) for language in languages())


def _part(language: Language, table: Table) -> str:
    cases = load_suite(language).cases.values()
    counted = Counter(name for case in cases for name in prepare(case, language).needs())
    known = constructs_of(language)
    kinds = list(_kinds(language[TEXT].schema()))
    listed = {kind for kind, *_ in kinds}
    assert known == {*language[KIT].profiles, *(NODE + kind for kind in listed)}, "every construct has its row"
    profiles = [(f"`{name}`", str(counted[name])) for name in language[KIT].profiles]
    nodes = [
        (f"`{NODE}{kind}`", where, fields, about, str(counted[NODE + kind])) for kind, where, fields, about in kinds
    ]
    parts = [(f"`{name}`", fields, about) for name, fields, about in _parts(language[TEXT].schema())]
    return (
        f"## {language.name}\n\n{len(cases)} cases.\n\n"
        + table(("profile", "cases that need it"), profiles)
        + "\n"
        + table(("kind of node", "stands as", "keys beside `kind`", "what it is", "cases that need it"), nodes)
        + "\nWhat has no `kind`:\n\n"
        + table(("part of a tree", "keys", "what it is"), parts)
    )


def _kinds(schema: Json) -> Iterator[tuple[str, str, str, str]]:
    """Yield each kind of node: its name, its union, its keys, and its description. Two kinds may share a name."""
    for name, part in schema["$defs"].items():
        kind = _only(part.get("properties", {}).get("kind", {}))
        if kind is not None:
            fields = _fields(part, schema["$defs"]) or "none"
            yield kind, name.partition(".")[0], fields, _about(part)


def _parts(schema: Json) -> Iterator[tuple[str, str, str]]:
    """Yield each object of a tree that is not a node: its name, its keys, and its description."""
    for name, part in schema["$defs"].items():
        if part.get("type") == "object" and "kind" not in part.get("properties", {"kind": None}):
            yield name, _fields(part, schema["$defs"]), _about(part)


def _about(part: Json) -> str:
    return " ".join(part.get("description", "").split())


def _fields(part: Json, definitions: Mapping[str, Json]) -> str:
    """Return the keys except `kind`, each with its possible values where a few words or another part give them."""
    return ", ".join(_field(key, value, definitions) for key, value in part["properties"].items() if key != "kind")


def _only(kind: Mapping[str, Json]) -> str | None:
    """Return the only value that a key may have, or None if it may have several."""
    values = [kind["const"]] if "const" in kind else kind.get("enum", [])
    return str(values[0]) if len(values) == 1 else None


def _field(key: str, value: Mapping[str, Json], definitions: Mapping[str, Json]) -> str:
    """Return a key with its values, such as `operator` (`+` `-`) or `patterns` (list of `Pattern`)."""
    inner = value.get("items", value)
    named = str(inner.get("$ref", "")).rpartition("/")[2] if isinstance(inner, dict) else ""
    choices = definitions.get(named, inner).get("enum", ()) if isinstance(inner, dict) else ()
    said = " ".join(f"`{choice}`" for choice in choices) or (f"`{named}`" if named else "")
    if value.get("type") == "array":
        return f"`{key}` (list of {said})" if said else f"`{key}` (list)"
    return f"`{key}` ({said})" if said and named != key else f"`{key}`"
