"""What editors need of a language beyond its record: one entry for each, looked up by the language or the file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import cast

from lark import Token

from parte.conformance.languages import AnyLanguage, language_called
from parte.editing.names import cel as cel_names
from parte.editing.names import etalis as etalis_names
from parte.editing.names import lead as lead_names
from parte.editing.names import partelang as partelang_names
from parte.editing.names.name import Names
from parte.editing.typing import type_at
from parte.editing.words import CEL, ETALIS, LEAD, PARTELANG, Colouring
from parte.languages.cel.semantics.syntax import codes as cel_codes
from parte.languages.cel.semantics.syntax import lexis as cel_lexis
from parte.languages.cel.semantics.syntax import parser as cel
from parte.languages.cel.semantics.syntax import tree as cel_tree
from parte.languages.etalis.semantics.syntax import codes as etalis_codes
from parte.languages.etalis.semantics.syntax import parser as etalis
from parte.languages.etalis.semantics.syntax.lexis import OPERATORS
from parte.languages.lead.semantics.syntax import codes as lead_codes
from parte.languages.lead.semantics.syntax import lexis as lead_lexis
from parte.languages.lead.semantics.syntax import parser as lead
from parte.languages.lead.semantics.syntax import tree as lead_tree
from parte.semantics.partelang.syntax import codes as partelang_codes
from parte.semantics.partelang.syntax import parser as partelang
from parte.semantics.partelang.syntax.builder import UNITS
from parte.semantics.source.diagnostics import Code
from parte.semantics.source.limits import MAX_TOKENS
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.scanner import scan
from parte.semantics.source.spans import Position


def _no_type(_program: object, _place: Position) -> str:
    return ""


def _all(tokens: Sequence[Token]) -> Sequence[Token]:
    return tokens


def _last_declaration(tokens: Sequence[Token]) -> Sequence[Token]:
    *_, last = [(), *partelang_names.declarations(tokens)]
    return last


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Support:
    """A language as the server knows it.

    `names` are those of a text, given its tokens; `expected` are the kinds of tokens that may follow some tokens, of
    which only those of the `last` part matter. A kind stands for the words in `spelt`, or for the keyword that is
    called like it. `units` are words after whole numbers with their lengths in milliseconds. `type_at` is the type of
    what stands at a place of a program, "" if there is no such thing. Only where names are `exact` they can be renamed.
    `samples` has a name of each kind of token that is one.
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

    @property
    def language(self) -> AnyLanguage:
        """The record of the language."""
        return language_called(self.colouring.language)

    def tokens(self, text: str) -> Sequence[Token]:
        """The tokens of a text, whatever is wrong with it; none of a text that is too large."""
        tokens = scan(text, self.colouring.lexis, Reporter(text, self.codes)).tokens
        return tokens if len(tokens) < MAX_TOKENS else ()

    def following(self, tokens: Sequence[Token]) -> tuple[list[str], list[str]]:
        """The words that may follow some tokens and are no names, and a name of each kind that may. After an error any
        name may, and nothing is known of other words."""
        kinds = self.expected(self.last(tokens))
        words: dict[str, None] = {}
        for kind in sorted(kinds):
            alone = kind if self.colouring.any_case else kind.lower()
            words.update(dict.fromkeys(self.spelt.get(kind, [alone] if alone in self.colouring.words else [])))
        return list(words), [sample for kind, sample in self.samples.items() if not kinds or kind in kinds]


SUPPORTED = (
    Support(
        PARTELANG,
        partelang_codes.CODES,
        partelang_names.names,
        partelang.expected,
        _last_declaration,
        {"UNIT": list(UNITS)},
        {word: unit.value for word, unit in UNITS.items()},
        cast(Callable[[object, Position], str], type_at),
        exact=True,
    ),
    Support(
        CEL,
        cel_codes.CODES,
        cel_names.names,
        cel.expected,
        spelt={"UNIT": list(cel_lexis.UNITS), "EVENTS": ["EVENTS"]},
        units={word: cel_tree.Unit[unit].value for word, unit in cel_lexis.UNITS.items()},
    ),
    Support(
        ETALIS,
        etalis_codes.CODES,
        etalis_names.names,
        etalis.expected,
        spelt={"OPERATOR": OPERATORS, "NOT": ["NOT"], "WHERE": ["WHERE"]},
        samples={"LOWER": "x_x_x", "UPPER": "X_x_x"},
    ),
    Support(
        LEAD,
        lead_codes.CODES,
        lead_names.names,
        lead.expected,
        spelt={"UNIT": list(lead_lexis.UNITS), "EVERY_ITEM": ["EVERY"]},
        units={word: lead_tree.Unit[unit].value for word, unit in lead_lexis.UNITS.items()},
    ),
)
"""Every language; another one joins here."""


def support_of(identity: str, path: str) -> Support | None:
    """The language of a text, by the ending of its file, else as an editor calls it; None if that tells nothing."""
    by_name = (each for each in SUPPORTED if each.colouring.alias == identity)
    by_ending = (each for each in SUPPORTED if path.endswith(each.colouring.ending))
    return next(by_ending, None) or next(by_name, None)
