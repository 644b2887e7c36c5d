"""The parts of `architecture.md` that follow from the tree: packages, languages, facets, import contracts.

Git keeps the page, for readers of the code. Each part is between `<!-- tree: NAME -->` and `<!-- end -->`;
`python -m docs.generate` writes it, and a test compares it with the tree.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from parte.commands.catalogue import COMMANDS, Entry
from parte.commands.general import names_of
from parte.commands.spark.app import app
from parte.languages.language import Language
from parte.languages.registry import languages

ROOT = Path(__file__).parents[1]
PAGE = Path(__file__).with_name("architecture.md")
PACKAGE = ROOT / "parte"
Table = Callable[[Sequence[str], Iterable[Sequence[str]]], str]

_FACET = re.compile(r'^([A-Z_]+): Facet\[.*\] = Facet\("(\w+)", "(.*)"\)$', re.MULTILINE)
_NO_PACKAGES: Final = {"examples", "__pycache__"}


@dataclass(frozen=True, slots=True)
class FacetKey:
    """A facet that a module declares."""

    key: str
    name: str
    about: str
    module: Path


def architecture(table: Table) -> str:
    """Return the page with every part computed from the tree."""
    text = PAGE.read_text(encoding="utf-8")
    parts = {"packages": packages, "languages": shelf, "commands": commands, "facets": facets, "contracts": contracts}
    for name, part in parts.items():
        places = list(re.finditer(rf"<!-- tree: {name} -->\n(.*?)<!-- end -->", text, re.DOTALL))
        if len(places) != 1:
            raise ValueError(f"{PAGE.name} has {len(places)} places for the {name}; expected 1")
        text = text[: places[0].start(1)] + part(table) + text[places[0].end(1) :]
    return text


def packages(table: Table) -> str:
    """Return the packages of `parte` and those directly below them. Guests have a separate table."""
    return table(("folder", "contents"), ((_code(folder), docstring(folder)) for folder in _packages()))


def shelf(table: Table) -> str:
    """Return the languages of this project, each with its folder and the folders inside."""
    rows = []
    for language in ours():
        folder = guest_folder(language)
        inside = sorted(path.name for path in folder.iterdir() if _is_folder(path)) if folder else ()
        where = _code(folder) if folder else "`partelang` in each role"
        rows.append(
            (language.name, f"`{language.ending}`", language.source, where, ", ".join(f"`{name}`" for name in inside))
        )
    return table(("language", "programs", "cited as", "folder", "inside"), rows)


def facets(table: Table) -> str:
    """Return the facets, each with the module that declares its key and the languages that lack it."""
    rows = (
        (
            f"`{facet.name}`",
            f"`{facet.key}`",
            _code(facet.module),
            facet.about,
            ", ".join(language.name for language in ours() if facet.name not in language.facets),
        )
        for facet in facet_keys()
    )
    return table(("facet", "key", "declared in", "the language's", "languages without it"), rows)


def contracts(table: Table) -> str:
    """Return the names of the import contracts, numbered."""
    del table
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    named = (contract["name"] for contract in project["tool"]["importlinter"]["contracts"])
    return "".join(f"{number}. {name[0].upper()}{name[1:]}.\n" for number, name in enumerate(named, 1))


def ours() -> tuple[Language, ...]:
    """Return the languages of this project, without what other packages have installed."""
    return tuple(
        language
        for language in languages()
        if all(isinstance(place, str) and place.startswith("parte.") for place in language.facets.values())
    )


def commands(table: Table) -> str:
    """Return which languages have which commands, and why some are of PARTElang alone."""
    guests = ours()[1:]
    names = {guest.name: names_of(guest) for guest in guests}
    rows = []
    for name, entry in described_commands():
        marks = ["yes" if entry.shared or name in names[guest.name] else "" for guest in guests]
        rows.append((f"`{name}`", "yes", *marks, "" if all(marks) and not entry.shared else entry.alone))
    return table(("command", "PARTElang", *(guest.name for guest in guests), "why"), rows)


ALONE_ON_SPARK: Final = {
    "match": "queries on Spark are written for PARTElang, CEL and EQL only",
    "replay": "replays on Spark are written for PARTElang only",
    "convert": "it turns traces into tables with the programs of PARTElang",
    "generate": "it draws programs of PARTElang",
    "log": "it writes a log in Parquet; its columns are the attributes that templates of PARTElang declare",
    "stream": "queries on a live stream are written for PARTElang only",
}
"""Why a command of `parte spark` is not of every language."""


def described_commands() -> Iterator[tuple[str, Entry]]:
    """The commands with the reason why some languages do not have them."""
    yield from ((name, entry) for name, entry in COMMANDS.items() if name != "spark")
    for command in app.registered_commands:
        word = command.name or str(getattr(command.callback, "__name__", ""))
        yield f"spark {word}", Entry(COMMANDS["spark"].module, "", ALONE_ON_SPARK[word])


def guest_folder(language: Language) -> Path | None:
    """Return the folder of a guest, and None for PARTElang, whose parts are in the roles."""
    text = str(language.facets["text"]).split(".")
    return PACKAGE / "languages" / text[2] if text[1] == "languages" else None


def facet_keys() -> list[FacetKey]:
    """Return every facet that a module of `parte` declares, in the order of the modules."""
    return [
        FacetKey(key, name, about, path)
        for path in sorted(PACKAGE.rglob("*.py"))
        for key, name, about in _FACET.findall(path.read_text(encoding="utf-8"))
    ]


def docstring(folder: Path) -> str:
    """Return the first paragraph of the docstring of a package. ValueError if it has none."""
    text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8")))
    if not text:
        raise ValueError(f"{folder.relative_to(ROOT)}/__init__.py has no docstring")
    return " ".join(text.partition("\n\n")[0].split())


def _packages() -> Iterator[Path]:
    guests = {guest_folder(language) for language in ours()}
    for role in sorted(PACKAGE.iterdir()):
        if _is_folder(role):
            yield role
            yield from (room for room in sorted(role.iterdir()) if _is_package(room) and room not in guests)


def _is_folder(path: Path) -> bool:
    return path.is_dir() and path.name not in _NO_PACKAGES


def _is_package(path: Path) -> bool:
    return _is_folder(path) and (path / "__init__.py").is_file()


def _code(path: Path) -> str:
    return f"`{path.relative_to(ROOT)}{'/' if path.is_dir() else ''}`"
