"""The support of editors for a language, beyond its record: one entry for each language, found by language or file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from parte.editing.names import Extent, Names
from parte.editing.words import Colouring
from parte.languages.language import Facet, Language
from parte.languages.registry import language_called, languages
from parte.semantics.source.diagnostics import Code
from parte.semantics.source.limits import MAX_TOKENS
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.scanner import scan
from parte.semantics.source.spans import Position
from parte.semantics.source.tokens import Token


def _no_type(_program: object, _place: Position) -> str:
    return ""


def _no_imports(_tokens: Sequence[Token]) -> Sequence[tuple[str, Extent]]:
    return ()


def _no_files(_program: object) -> Mapping[str, str]:
    return {}


def _all(tokens: Sequence[Token]) -> Sequence[Token]:
    return tokens


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Support:
    """A language in the language server.

    `names` returns the names of a text, given its tokens. `expected` returns the kinds of tokens that may follow some
    tokens, of which only those of the `last` part matter. A kind stands for the words in `spelt`, or for the keyword of
    the same name. `units` are words after whole numbers, with their lengths in milliseconds. `type_at` returns the type
    of the expression at a place of a program, or "". Names can be renamed only if they are `exact`. `samples` has an
    example for each kind of token that is a name. `clauses` of the specification state the meanings of words. `imports`
    returns the paths of the files that a text imports, with their places; `files` the texts of all files of a program.
    """

    colouring: Colouring
    codes: Mapping[str, Code]
    names: Callable[[Sequence[Token]], Names]
    expected: Callable[[Sequence[Token]], AbstractSet[str]]
    last: Callable[[Sequence[Token]], Sequence[Token]] = _all
    spelt: Mapping[str, Sequence[str]] = field(default_factory=dict)
    units: Mapping[str, int] = field(default_factory=dict)
    type_at: Callable[[object, Position], str] = _no_type
    exact: bool = False
    samples: Mapping[str, str] = field(default_factory=lambda: {"NAME": "x_x_x"})
    clauses: Mapping[str, str] = field(default_factory=dict)
    imports: Callable[[Sequence[Token]], Sequence[tuple[str, Extent]]] = _no_imports
    files: Callable[[object], Mapping[str, str]] = _no_files

    @property
    def language(self) -> Language:
        """The record of the language."""
        return language_called(self.colouring.language)

    def tokens(self, text: str) -> Sequence[Token]:
        """Return the tokens of a text, even if it has errors; none of a text that is too large."""
        tokens = scan(text, self.colouring.lexis, Reporter(text, self.codes)).tokens
        return tokens if len(tokens) < MAX_TOKENS else ()

    def following(self, tokens: Sequence[Token]) -> tuple[list[str], list[str]]:
        """Return the words that may follow some tokens and are no names, and an example of each kind of name that
        may. After an error any name may follow, and other words are unknown."""
        kinds = self.expected(self.last(tokens))
        words: dict[str, None] = {}
        for kind in sorted(kinds):
            alone = kind if self.colouring.any_case else kind.lower()
            words.update(dict.fromkeys(self.spelt.get(kind, [alone] if alone in self.colouring.words else [])))
        return list(words), [sample for kind, sample in self.samples.items() if not kinds or kind in kinds]


EDITING: Facet[Support] = Facet("editing", "support for editors")


def supported() -> tuple[Support, ...]:
    """Return the support of every language that has one."""
    return tuple(language[EDITING] for language in languages() if language.has(EDITING))


def colourings() -> tuple[Colouring, ...]:
    """Return the colours of the text of every supported language."""
    return tuple(support.colouring for support in supported())


def support_of(identity: str, path: str) -> Support | None:
    """Return the support for a text, by the ending of its file, else by what an editor calls its language; None if
    neither is known."""
    by_name = (support for support in supported() if support.colouring.alias == identity)
    by_ending = (support for support in supported() if path.endswith(support.colouring.ending))
    return next(by_ending, None) or next(by_name, None)
