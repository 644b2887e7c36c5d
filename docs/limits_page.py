"""The page of limits: the numeric constants of semantics and algebras, each with a case that goes beyond it."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from parte.languages.registry import languages
from parte.semantics.events.codec import Codec

TESTS = Path(__file__).parents[1] / "tests"

Table = Callable[[Sequence[str], Iterable[Sequence[str]]], str]


@dataclass(frozen=True, slots=True)
class Limit:
    """A number in the code: `place` is `module:NAME`, `module:function(parameter)` or `module:Class.field`.

    `beyond` are ids of cases of the language's suite and of tests (`tests/FILE::FUNCTION`) in which an input goes
    beyond the number, or, with the number lowered, would; without them, `reason` is why nothing does.
    """

    place: str
    meaning: str
    beyond: tuple[str, ...] = ()
    reason: str = ""


@cache
def limits() -> Mapping[str, tuple[Limit, ...]]:
    """Return the limits of PARTElang and of all machinery, under "", and those of each guest by its folder."""
    codec = Codec[Limit](Limit)
    paths = {"": TESTS / "limits.toml"}
    paths |= {path.parent.name: path for path in sorted(TESTS.glob("languages/*/limits.toml"))}
    return {
        guest: tuple(codec.decode(table) for table in tomllib.loads(path.read_text(encoding="utf-8"))["limit"])
        for guest, path in paths.items()
    }


def limits_page(table: Table) -> str:
    """Return the tables of the page; `table` writes one in Markdown."""
    titles = {language.name.lower(): language.name for language in languages()} | {"": "PARTElang and machinery"}
    return "\n".join(_section(titles[guest], rows, table) for guest, rows in limits().items())


def _section(title: str, rows: Sequence[Limit], table: Table) -> str:
    cited = sum(bool(limit.beyond) for limit in rows)
    return f"## {title}\n\nOf {len(rows)} numbers, {cited} have a case beyond them.\n\n" + table(
        ("constant", "place", "meaning", "case beyond it"), map(_row, rows)
    )


def _row(limit: Limit) -> Sequence[str]:
    module, name = limit.place.split(":")
    cases = ", ".join(f"`{case}`" for case in limit.beyond)
    return f"`{name}`", f"`{module.removeprefix('parte.')}`", limit.meaning, cases or f"none: {limit.reason}"
