"""Parse a text part by part (clauses or rules): an error in one part does not hide errors in others."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, NamedTuple

from parte.semantics.source.automaton import Automaton, Parser, UnexpectedToken, tables_of
from parte.semantics.source.building import reporting_to
from parte.semantics.source.collection import paused_collection
from parte.semantics.source.diagnostics import Code
from parte.semantics.source.packages import data_file
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.scanner import Lexis, Scan, end_of, scan, span_of
from parte.semantics.source.spans import Position, Span
from parte.semantics.source.tokens import Token


class Slip(NamedTuple):
    """A common mistake: a token of the kind `here` (None: the end) after one of the kind `before` ("": any kind).

    It applies where the kinds `ahead` could stand, and (`only`) no others. The hint may contain the token in capitals
    ({0}) and as it is ({1}).
    """

    before: str
    here: str | None
    ahead: frozenset[str]
    hint: str
    only: bool = False


@dataclass(frozen=True)
class Wording:
    """The wording of syntax errors.

    `part` names the part that is parsed. `names` are names of kinds of tokens, beside those that every language has.
    `groups` name several kinds together, and list the kinds that then need no mention. A word of the kinds `words` is
    compared with the `keywords` that could stand there, and with those `anywhere`. The hint is that of the first of the
    `slips` that fits, else of the first of `hints` whose kind could stand there.
    """

    part: str
    names: Mapping[str, str]
    groups: Sequence[tuple[str, str, str]]
    hints: Sequence[tuple[str, str]]
    slips: Sequence[Slip]
    keywords: AbstractSet[str]
    anywhere: Sequence[str]
    words: AbstractSet[str]


@dataclass(frozen=True)
class Words:
    """The kinds of the keywords of a language; those that may be meant anywhere; more names of kinds of tokens."""

    keywords: AbstractSet[str] = frozenset()
    anywhere: Sequence[str] = ()
    names: Mapping[str, str] = field(default_factory=dict)

    def wording(self, package: str) -> Wording:
        """Return the wording of syntax errors in the file `wording.toml` of an imported package."""
        import tomllib  # which a program without errors does not need

        table = tomllib.loads(data_file(package, "wording.toml").read_text(encoding="utf-8"))
        slips = (
            Slip(before, kind, frozenset(ahead.split()), hint, bool(only))
            for before, here, ahead, hint, *only in table["slips"]
            for kind in (sorted(self.keywords) if here == "*" else here.split() or [None])
        )
        return Wording(
            table["part"],
            {**table["names"], **self.names},
            [(kinds, name, also) for kinds, name, also in table["groups"]],
            list(table["hints"].items()),
            tuple(slips),
            self.keywords,
            self.anywhere,
            frozenset(table.get("words", "NAME").split()),
        )


class Grammar:
    """The grammar in the file `grammar.lark` of a package. Its table is read at the first use.

    The words for syntax errors are in the file `wording.toml` beside it, and in `words`.
    """

    def __init__(self, package: str, builder: object, starts: Sequence[str], words: Words = Words()) -> None:
        self.package, self.starts = package, tuple(starts)
        self._builder, self._words = builder, words

    @cached_property
    def wording(self) -> Wording:
        """The wording of syntax errors."""
        return self._words.wording(self.package)

    @cached_property
    def automaton(self) -> Automaton:
        """The table of the grammar with the actions of the builder."""
        return Automaton(tables_of(self.package, self.starts), self._builder)

    def parser(self, start: str) -> Parser:
        """Return a parser of a part, before its first token."""
        return self.automaton.parser(start)

    def parse(self, start: str, part: Sequence[Token], damaged: AbstractSet[int], reporter: Reporter) -> object:
        """Parse the tokens of a part. After an error return None, and report it unless its line is damaged.

        Return None at once if the report is full: wording an error takes longer than finding it.
        """
        if reporter.overflowed:
            return None
        parser = self.parser(start)
        index = 0
        try:
            while index < len(part):
                parser.feed_token(part[index])
                index += 1
            if "$END" in parser.accepts():
                return parser.feed_eof()
        except UnexpectedToken:
            pass
        token = part[index] if index < len(part) else None
        previous = part[max(index - 1, 0)]
        if (token or previous).line not in damaged:
            end = end_of(previous)
            message, hint = _wrong(previous, token, frozenset(parser.accepts()), self.wording)
            reporter.report("syntax-error", span_of(token) if token else Span(end, end), message, hint)
        return None

    def expected_after(self, start: str, part: Sequence[Token]) -> AbstractSet[str]:
        """Return the kinds of tokens that may follow these tokens in a part; none if no part begins with them."""
        parser = self.parser(start)
        try:
            for token in part:
                parser.feed_token(token)
        except UnexpectedToken:
            return frozenset()
        return parser.accepts()


@dataclass(frozen=True)
class Clauses:
    """The clauses of a language. The grammar has a start symbol for each.

    `names` are in order, and `needed` clauses may not be left out. `form` and `order` are hints. `words` lists the
    words that begin a clause, if it does not begin with its name.
    """

    grammar: Grammar
    names: Sequence[str]
    needed: Sequence[str]
    form: str
    order: str
    words: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def split(self, tokens: Iterable[tuple[Token, bool, str]], reporter: Reporter) -> list[tuple[str, list[Token]]]:
        """Return the name and the tokens of each clause, and report clauses that are repeated or misplaced.

        Each token comes with a flag (whether it begins a clause) and with the name of that clause. Tokens before the
        first clause have the name "".
        """
        clauses: list[tuple[str, list[Token]]] = []
        latest, seen = -1, set[str]()
        for token, begins, name in tokens:
            if begins:
                place = self.names.index(name)
                if name in seen:
                    message = f"there is a clause {token.type} already"
                    reporter.report("repeated-clause", span_of(token), message, "join the two, or remove one")
                elif place < latest:
                    message = f"{token.type} stands after {self.names[latest]}"
                    reporter.report("misplaced-clause", span_of(token), message, self.order)
                else:
                    latest = place
                seen.add(name)
                clauses.append((name, [token]))
            elif clauses:
                clauses[-1][1].append(token)
            else:
                clauses.append(("", [token]))
                message = f"expected `{self.names[0].lower()}`, found `{cut(token)}`"
                reporter.report("syntax-error", span_of(token), message, self.form)
        return clauses

    def parse(self, clauses: Sequence[tuple[str, list[Token]]], scanned: Scan, reporter: Reporter) -> dict[str, Any]:
        """Parse the clauses; return their values by name. Raise ProgramError with all errors of the text."""
        values = {
            name: self.grammar.parse(f"{name.lower()}_clause", clause, scanned.damaged_lines, reporter)
            for name, clause in clauses
            if name
        }
        for name in self.needed:
            if name not in values and not scanned.damaged_lines:
                end = end_of(scanned.tokens[-1]) if scanned.tokens else Position(1, 1)
                reporter.report("missing-clause", Span(end, end), f"there is no clause {name}", self.form)
        reporter.raise_if_failed()
        return values

    def expected(self, clauses: Sequence[tuple[str, list[Token]]]) -> AbstractSet[str]:
        """Return the kinds of tokens that may follow the last clause, or begin a later one; none if it has an error."""
        if not clauses:
            return {self.names[0]}
        name, clause = clauses[-1]
        expected = self.grammar.expected_after(f"{name.lower()}_clause", clause) if name else frozenset()
        later = self.names[self.names.index(name) + 1 :] if "$END" in expected else ()
        return {*expected, *(word for following in later for word in self.words.get(following, (following,)))}


@contextmanager
def reading(text: str, lexis: Lexis, codes: Mapping[str, Code]) -> Iterator[tuple[Scan, Reporter]]:
    """Scan a text and let its builder report while it is parsed. Raise ProgramError if the text is too large."""
    reporter = Reporter(text, codes)
    with paused_collection(), reporting_to(reporter):
        scanned = scan(text, lexis, reporter)
        if not scanned.complete:
            reporter.raise_if_failed()
        yield scanned, reporter


def cut(token: Token) -> str:
    """Return the text of a token for a message."""
    return token.value if len(token.value) <= 40 else f"{token.value[:40]}…"


def listed(alternatives: Sequence[str]) -> str:
    """Join alternatives by commas and "or"."""
    return alternatives[0] if len(alternatives) == 1 else f"{', '.join(alternatives[:-1])} or {alternatives[-1]}"


NAMES: Final = {
    "NAME": "a name",
    "STRING": "a string",
    "INTEGER": "a whole number",
    "UNIT": "a unit of time",
    "_COMMA": "`,`",
    "LPAR": "`(`",
    "RPAR": "`)`",
    "LSQB": "`[`",
    "RSQB": "`]`",
    "SEMICOLON": "`;`",
    "COLON": "`:`",
    "DOT": "`.`",
}
"""The names of kinds of tokens in error messages, for all languages."""


def _wrong(previous: Token, token: Token | None, expected: AbstractSet[str], wording: Wording) -> tuple[str, str]:
    """Return the message (what was expected and what was found) and the hint."""
    left = set(expected)
    alternatives: list[str] = []
    for kinds, name, also in wording.groups:
        if left.issuperset(kinds.split()):
            alternatives.append(name)
            left.difference_update(kinds.split(), also.split())
    names = NAMES | {"$END": f"the end of the {wording.part}"} | dict(wording.names)
    alternatives += [names.get(kind, f"`{kind.lower()}`") for kind in sorted(left)]
    actual = f"`{cut(token)}`" if token is not None else names["$END"]
    return f"expected {listed(alternatives)}, found {actual}", _hint(previous, token, expected, wording)


def _hint(previous: Token, token: Token | None, expected: AbstractSet[str], wording: Wording) -> str:
    for word in (token, previous):
        if word is not None and word.type in wording.words:
            words = {*(kind for kind in expected if kind in wording.keywords), *wording.anywhere}
            close = difflib.get_close_matches(word[:20].upper(), sorted(words), n=1, cutoff=0.75)
            if close:
                return f"did you mean {wording.names.get(close[0], close[0])}?"
    for slip in wording.slips:
        fits = slip.ahead == expected if slip.only else slip.ahead <= expected
        if slip.before in ("", previous.type) and slip.here == (token and token.type) and fits:
            return slip.hint if token is None else slip.hint.format(token.upper(), token)
    return next((hint for sign, hint in wording.hints if sign in expected), "correct the text here")
