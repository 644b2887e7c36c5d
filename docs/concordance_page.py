"""The concordance with D (`concordance.md`) and D's errata, listings and future work (`errata.md`).

Their contents are data in `docs/concordance`, which the tests check: named things must exist, and a status must have
evidence. The text of D is not part of the project; `python -m docs.concordance_page FILE` checks that every quotation
is in its line of a text file of D.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Protocol, TypeVar

from parte.proofs.lemma import Lemma
from parte.proofs.partelang.catalogue import LEMMAS
from parte.semantics.events.codec import Codec
from parte.semantics.partelang.syntax import ProgramError, parse

FOLDER = Path(__file__).parent / "concordance"
CHAPTERS = {"4": "chapter-4", "5": "chapter-5", "8": "chapter-8"}

Table = Callable[[Sequence[str], Iterable[Sequence[str]]], str]
T = TypeVar("T")


class Status(Enum):
    """The status of an entry, as far as its deviations leave it D's."""

    PROVED = "proved"
    PARTLY = "partly proved"
    ARGUED = "argued"
    TESTED = "tested"
    EXPLORED = "explored"
    FALSE = "false as printed"
    NONE = "no counterpart"


class Quoted(Protocol):
    """An item that quotes a line of D."""

    @property
    def line(self) -> int: ...

    @property
    def quote(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Entry:
    """A statement that D defines, prescribes or claims. `line` is that of the scan which contains the words of `quote`.

    `printed` is its formula as far as the scan shows it, `reading` its meaning as we read it, where that is not plain.
    `places` are in our code (`module:name`), `rules` and `lemmas` our ids (`*` in a lemma matches anything).
    `counterexamples` are defects and refuted lemmas, `evidence` files with tests or arguments.
    """

    name: str
    section: str
    line: int
    quote: str
    status: Status
    printed: str = ""
    reading: str = ""
    places: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    lemmas: tuple[str, ...] = ()
    counterexamples: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    deviation: str = ""
    assumes: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of a listing."""

    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Listing:
    """A program in PARTElang that D prints; `edits` correct it, `beside` are the listings that it needs."""

    name: str
    section: str
    line: int
    quote: str
    printed: str
    beside: tuple[str, ...] = ()
    edits: tuple[Edit, ...] = ()
    scan: str = ""
    why: str = ""

    def edited(self, edits: int) -> str:
        """Return the listing with its first edits. ValueError for an edit that does not fit."""
        text = self.printed
        for edit in self.edits[:edits]:
            if text.count(edit.before) != 1:
                raise ValueError(
                    f"{self.name}: expected one place with {edit.before!r}, found {text.count(edit.before)}"
                )
            text = text.replace(edit.before, edit.after)
        return text


@dataclass(frozen=True, slots=True)
class Erratum:
    """A mistake of D outside its rules, lemmas and listings."""

    section: str
    line: int
    quote: str
    printed: str
    correct: str


@dataclass(frozen=True, slots=True)
class Future:
    """An item of D's future work, and what the project does about it."""

    section: str
    line: int
    quote: str
    demand: str
    here: str


# --- The data ---------------------------------------------------------------------------------------------------------


def _tables(name: str, key: str, kind: type[T]) -> tuple[T, ...]:
    codec = Codec[T](kind)
    tables = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))[key]
    return tuple(codec.decode(table) for table in tables)


@cache
def entries() -> Mapping[str, tuple[Entry, ...]]:
    """Return the entries of each chapter, in D's order."""
    return {chapter: _tables(name, "entry", Entry) for chapter, name in CHAPTERS.items()}


@cache
def listings() -> Mapping[str, Listing]:
    """Return the listings by name, in D's order."""
    return {listing.name: listing for listing in _tables("listings", "listing", Listing)}


@cache
def errata() -> tuple[Erratum, ...]:
    """Return D's other mistakes."""
    return _tables("errata", "erratum", Erratum)


@cache
def future() -> tuple[Future, ...]:
    """Return D's future work."""
    return _tables("future", "future", Future)


def lemmas_of(entry: Entry) -> tuple[Lemma, ...]:
    """Return the lemmas that an entry names. ValueError for a name that no lemma has."""
    lemmas = []
    for pattern in entry.lemmas:
        named = [lemma for lemma in LEMMAS if fnmatchcase(lemma.id, pattern)]
        if not named:
            raise ValueError(f"{entry.name}: no lemma is called {pattern}")
        lemmas += named
    return tuple(lemmas)


def program(name: str, edits: int, *, beside_mended: bool) -> str:
    """Return a listing with its first edits, after the built-in text and the listings that it needs."""
    builtin = tomllib.loads((FOLDER / "listings.toml").read_text(encoding="utf-8"))["builtin"]
    others = (listings()[neighbour] for neighbour in listings()[name].beside)
    before = "".join(listing.edited(len(listing.edits) if beside_mended else 0) for listing in others)
    return f"{builtin}{before}{listings()[name].edited(edits)}"


def errors(text: str) -> tuple[str, ...]:
    """Return the codes of the errors in a program, each once, with their messages."""
    try:
        parse(text)
    except ProgramError as error:
        return tuple(dict.fromkeys(f"{diagnostic.code}: {diagnostic.message}" for diagnostic in error.diagnostics))
    return ()


# --- The pages --------------------------------------------------------------------------------------------------------


def concordance_page(table: Table) -> str:
    """Return the entries of the concordance, after a table of the number of entries with each status."""
    known = [(status.value, str(sum(entry.status is status for entry in _all_entries()))) for status in Status]
    return table(("status", "entries"), known) + "".join(
        f"\n## Chapter {chapter}\n\n" + "\n".join(map(_shown, entries)) for chapter, entries in entries().items()
    )


def _all_entries() -> Iterator[Entry]:
    for chapter in entries().values():
        yield from chapter


def _shown(entry: Entry) -> str:
    facts = (
        ("printed", entry.printed),
        ("read as", entry.reading),
        ("here", _codes((*entry.places, *entry.rules))),
        ("status", entry.status.value + (f": {entry.why}" if entry.why else "")),
        (
            "counterexample",
            ", ".join(
                counterexample if counterexample.startswith("defect") else f"`{counterexample}`"
                for counterexample in entry.counterexamples
            ),
        ),
        ("lemmas", _codes(entry.lemmas)),
        ("evidence", _codes(entry.evidence)),
        ("differs", entry.deviation),
        ("assumes", entry.assumes),
    )
    lines = "".join(f"- {name}: {text}\n" for name, text in facts if text)
    return f"**{entry.name}** (D §{entry.section}, line {entry.line})\n\n{lines}"


def _codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def errata_page(table: Table) -> str:
    """Return the tables of errata and future work, and each listing with its errors, which are computed."""
    mistakes = [(f"§{erratum.section}", str(erratum.line), erratum.printed, erratum.correct) for erratum in errata()]
    work = [(f"§{item.section}", str(item.line), item.demand, item.here) for item in future()]
    return (
        "## Errata\n\n" + table(("D", "line", "D says", "correct"), mistakes) + "\n## Listings\n\n"
        "Each as printed, as far as the scan shows it, beside what D assumes to be built in (D §7.2: "
        "a predicate, and types, of which we say that ids of transactions are Integers and those of accounts Strings) "
        "and the listings that it needs, as printed too; and mended. The errors are computed.\n\n"
        + "\n".join(_listing(listing) for listing in listings().values())
        + "\n## Future work\n\n"
        + table(("D", "line", "what D leaves to do", "what the project does about it"), work)
    )


def _listing(listing: Listing) -> str:
    mistakes = errors(program(listing.name, 0, beside_mended=False))
    lines = [f"- as printed: {'; '.join(mistakes) or 'no error'}\n"]
    for number, edit in enumerate(listing.edits, 1):
        left = errors(program(listing.name, number, beside_mended=True))
        change = (
            f"with {_inline(edit.after)} in place of {_inline(edit.before)}"
            if edit.after
            else (f"without {_inline(edit.before)}")
        )
        lines.append(f"- {change}: {'; '.join(left) or 'no error'}\n")
    if mistakes and not listing.edits:
        lines.append(f"- beside {', '.join(listing.beside)}, mended: no error\n")
    lines += [f"- why: {listing.why}\n"] * bool(listing.why) + [f"- scan: {listing.scan}\n"] * bool(listing.scan)
    return f"**{listing.name}** (D §{listing.section}, line {listing.line})\n\n{''.join(lines)}"


def _inline(text: str) -> str:
    return f"`{' '.join(text.split())}`"


# --- Against a text of D ----------------------------------------------------------------------------------------------


def misquoted(quotes: Iterable[Quoted], lines: Sequence[str]) -> list[str]:
    """Return the quotations that are not in their lines, with the lines that contain them."""
    wrong = []
    for quote in quotes:
        there = lines[quote.line - 1] if quote.line <= len(lines) else ""
        if quote.quote not in there:
            elsewhere = [str(number) for number, line in enumerate(lines, 1) if quote.quote in line]
            wrong.append(
                f"line {quote.line} has no {quote.quote!r}; it stands in {', '.join(elsewhere[:5]) or 'no line'}"
            )
    return wrong


def all_quotes() -> tuple[Quoted, ...]:
    """Return all items that quote D."""
    return (*_all_entries(), *listings().values(), *errata(), *future())


def main(arguments: Sequence[str]) -> int:
    """Print the misquotations. Return the exit code: 1 if there are any, else 0."""
    (path,) = arguments
    wrong = misquoted(all_quotes(), Path(path).read_text(encoding="utf-8").splitlines())
    print(*wrong, f"{len(wrong)} of {len(all_quotes())} quotations are not in their lines", sep="\n")
    return int(bool(wrong))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
