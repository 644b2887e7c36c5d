"""Reading and writing programs of a language, and comparing and printing their matches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, Protocol, TypeVar

from parte.languages.language import Facet
from parte.semantics.events.differences import Key, as_written, differences
from parte.semantics.source.diagnostics import Diagnostic, ProgramError

Json = Any
P = TypeVar("P")
"""Checked programs of a language."""


class LayoutBug(RuntimeError):
    """The parser reads a printed program as another program: an error of PARTE, not of the program."""


@dataclass(frozen=True, slots=True)
class Text(Generic[P]):
    """Functions on programs and matches of a language.

    `parse` raises ProgramError with all errors of a text. `source` reads a text as far as its layout needs it: two
    sources are equal if their trees are, whatever their comments and positions. `layout` returns the text of a source.
    `warnings` returns the warnings about a program. `tree` returns a program in JSON, as engines receive it, and
    `schema` the JSON Schema of that. `key` returns the function that compares two reports of a match of that program;
    `match_lines` prints matches in canonical order, a line of JSON each. `codes` are the diagnostic codes that a text
    alone may have. `parse_at` reads the text of a file whose path is given, with the files that it imports, which are
    in its directory or in one of the others given; None in a language whose programs import nothing. `joined` takes the
    same, and returns the text of one program with the declarations of all these files.
    """

    parse: Callable[[str], P]
    source: Callable[[str], Any]
    layout: Callable[[Any], str]
    warnings: Callable[[P], Sequence[Diagnostic]]
    tree: Callable[[P], Json]
    schema: Callable[[], Json]
    key: Callable[[P], Key]
    match_lines: Callable[[Iterable[Json]], list[str]]
    codes: Sequence[str]
    parse_at: Callable[[str, str, Sequence[str]], P] | None = None
    joined: Callable[[str, str, Sequence[str]], str] | None = None

    def printed(self, text: str) -> str:
        """Return a text in canonical layout.

        Raise ProgramError with all errors of the text, or LayoutBug if the result would be another program.
        """
        source = self.source(text)
        printed = self.layout(source)
        try:
            same = self.source(printed) == source
        except ProgramError as error:
            raise LayoutBug(f"the canonical layout of this program is no program: {error}") from error
        if not same:
            raise LayoutBug("the canonical layout of this program is another program")
        return printed

    def comparison(
        self, model: str, definition: str, expected: Sequence[Json], matches: Sequence[Json], key: Key
    ) -> tuple[bool, str]:
        """Return whether a model has the matches of the definition, and lines that report the differences."""
        missing, spurious = differences(expected, matches, key)
        agrees = not missing and not spurious
        count = f"{len(expected)} match{'' if len(expected) == 1 else 'es'}"
        report = f"{model} {'agrees with' if agrees else 'differs from'} {definition} ({count})\n"
        for word, some in (("missing", missing), ("spurious", spurious)):
            report += "".join(f"{word}: {line}\n" for line in self.match_lines(some))
        return agrees, report


class Sourced(Protocol):
    """A checked program with the warnings about it."""

    @property
    def warnings(self) -> Sequence[Diagnostic]: ...


S = TypeVar("S", bound=Sourced)


def text_of(
    parse: Callable[[str], S],
    layout: Callable[[S], str],
    tree: Callable[[S], Json],
    schema: Callable[[], Json],
    match_lines: Callable[[Iterable[Json]], list[str]],
    codes: Iterable[str],
) -> Text[S]:
    """Return the functions of a language whose programs are their own sources, and whose reports of matches are
    compared as they are written. The last few programs are cached, because they run on several traces."""

    @lru_cache(8)
    def parsed(text: str) -> S:
        return parse(text)

    return Text(
        parse=parsed,
        source=parse,
        layout=layout,
        warnings=lambda source: source.warnings,
        tree=tree,
        schema=schema,
        key=lambda _: as_written,
        match_lines=match_lines,
        # No UTF-8 file contains a lone surrogate; a text from a program may.
        codes=tuple(code for code in codes if code != "lone-surrogate"),
    )


TEXT: Facet[Text[object]] = Facet("text", "text")
