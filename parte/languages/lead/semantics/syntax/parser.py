"""From text to rule (specification: lead-text).

The tokens fall into clauses first, and each is parsed by itself: one mistake hides none in another clause.
"""

from __future__ import annotations

import difflib
import functools
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from importlib import resources
from typing import Protocol, cast

from lark import Lark, Token, UnexpectedToken

from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.builder import REPORTER, Builder
from parte.languages.lead.semantics.syntax.checking import check, resolve
from parte.languages.lead.semantics.syntax.codes import CODES
from parte.languages.lead.semantics.syntax.lexis import CLAUSES, KEYWORDS, LEXIS, SYNONYMS, UNITS
from parte.semantics.source.collection import paused_collection
from parte.semantics.source.comments import Comment
from parte.semantics.source.diagnostics import Diagnostic
from parte.semantics.source.parts import expected_after
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.scanner import end_of, scan, span_of, start_of
from parte.semantics.source.spans import Position, Span

OUTCOME = "OUTCOME"
"""The clause that EMIT or CHECK begins."""
_STARTS = ("FROM", "DEFINE", "ENRICH", "MATCH", "PARTITION", OUTCOME)
_ORDER = "the order is FROM, DEFINE, ENRICH, MATCH, PARTITION BY, EMIT or CHECK"
_FORM = "a rule is written `FROM A, B MATCH A -> B EMIT Event Alarm(A.v)`"


class _Table(Protocol):
    """What is used of lark's interactive parser."""

    def feed_token(self, token: Token) -> object: ...
    def feed_eof(self, last: Token | None = None) -> object: ...
    def accepts(self) -> set[str]: ...


@dataclass(frozen=True, slots=True)
class Source:
    """A rule, the comments of its text, what else there is to say of it, and where its clauses begin."""

    rule: tree.Rule
    comments: tuple[Comment, ...] = field(compare=False)
    warnings: tuple[Diagnostic, ...] = field(compare=False)
    clauses: Mapping[str, Position] = field(compare=False)


def parse(text: str) -> tree.Rule:
    """The rule that a text writes. ProgramError with every error found if it writes none."""
    return parse_source(text).rule


def parse_source(text: str) -> Source:
    """As `parse`, with what the text has beside the rule."""
    reporter = Reporter(text, CODES)
    with paused_collection():
        found = scan(text, LEXIS, reporter)
    if not found.complete:
        reporter.raise_if_failed()
    token = REPORTER.set(reporter)
    try:
        with paused_collection():
            clauses = _split(found.tokens, reporter)
            values = {
                name: _parsed(name, clause, found.damaged_lines, reporter) for name, clause in clauses if name != ""
            }
    finally:
        REPORTER.reset(token)
    for needed in ("FROM", "MATCH"):
        if needed not in values and not found.damaged_lines:
            end = end_of(found.tokens[-1]) if found.tokens else Position(1, 1)
            reporter.report("missing-clause", Span(end, end), f"there is no clause {needed}", _FORM)
    reporter.raise_if_failed()
    defined = [*cast(tuple[object, ...], values.get("DEFINE", ())), *cast(tuple[object, ...], values.get("ENRICH", ()))]
    rule = tree.Rule(
        cast(tuple[tree.Stream, ...], values["FROM"]),
        tuple(each for each in defined if isinstance(each, tree.TimeEvent)),
        tuple(each for each in defined if isinstance(each, tree.EventType)),
        cast(tree.Pattern, values["MATCH"]),
        cast(tuple[tree.Key, ...], values.get("PARTITION", ())),
        cast(tuple[tree.Outcome, ...], values.get(OUTCOME, ())),
        span=span_of(found.tokens[0], found.tokens[-1]),
    )
    rule = resolve(rule, reporter)
    reporter.raise_if_failed()
    check(rule, reporter)
    reporter.raise_if_failed()
    starts = {name: start_of(clause[0]) for name, clause in clauses}
    return Source(rule, found.comments, reporter.diagnostics(), starts)


def expected(tokens: Sequence[Token]) -> AbstractSet[str]:
    """The kinds of tokens that may follow these; none if the last clause fits no grammar rule."""
    reporter = Reporter("", CODES)
    token = REPORTER.set(reporter)
    try:
        clauses = _split(tokens, reporter)
        if not clauses:
            return {CLAUSES[0]}
        name, clause = clauses[-1]
        found = expected_after(_lark(), f"{name.lower()}_clause", clause) if name else frozenset()
        if "$END" not in found:
            return found
        following = _STARTS[_STARTS.index(name) + 1 :]
        return found | {word for start in following for word in (CLAUSES[-2:] if start == OUTCOME else (start,))}
    finally:
        REPORTER.reset(token)


@functools.cache
def _lark() -> Lark:
    grammar = (
        resources.files("parte.languages.lead.semantics.syntax").joinpath("grammar.lark").read_text(encoding="utf-8")
    )
    starts = [f"{clause.lower()}_clause" for clause in _STARTS]
    return Lark(grammar, parser="lalr", start=starts, transformer=Builder(), maybe_placeholders=True)


def typed(tokens: Sequence[Token]) -> Iterator[Token]:
    """The words as keywords, units and names."""
    for index, token in enumerate(tokens):
        before = tokens[index - 1].type if index else ""
        after = tokens[index + 1].type if index + 1 < len(tokens) else ""
        word, kind = token.upper(), token.type
        word = SYNONYMS.get(word, word)
        if kind == "NAME":
            if before == "INTEGER" and word in UNITS:
                kind = "UNIT"
            elif word in KEYWORDS and (before != "DOT" or after == "LPAR"):
                kind = word
        if kind == "EVERY" and after != "LPAR" and index > 1 and tokens[index - 2].upper() == "COLLECT":
            kind = "EVERY_ITEM"
        yield Token.new_borrow_pos(kind, token.value, token)


def _split(tokens: Sequence[Token], reporter: Reporter) -> list[tuple[str, list[Token]]]:
    """The tokens of each clause, with its name; what is wrong with their order is reported."""
    clauses: list[tuple[str, list[Token]]] = []
    seen = set[str]()
    before, depth, latest = "", 0, -1
    for token in typed(tokens):
        kind = OUTCOME if token.type in ("EMIT", "CHECK") else token.type
        inside = kind == OUTCOME and OUTCOME in seen
        if depth == 0 and kind in _STARTS and not inside and not (kind == "FROM" and before == "UNIT"):
            if kind in seen:
                message = f"there is a clause {token.type} already"
                reporter.report("repeated-clause", span_of(token), message, "join the two, or remove one")
            elif _STARTS.index(kind) < latest:
                message = f"{token.type} stands after {_STARTS[latest]}"
                reporter.report("misplaced-clause", span_of(token), message, _ORDER)
            else:
                latest = _STARTS.index(kind)
            seen.add(kind)
            clauses.append((kind, [token]))
        elif clauses:
            clauses[-1][1].append(token)
        else:
            clauses.append(("", [token]))
            reporter.report("syntax-error", span_of(token), f"expected `from`, found `{_cut(token)}`", _FORM)
        depth = max(0, depth + (token.type == "LPAR") - (token.type == "RPAR"))
        before = token.type
    return clauses


def _parsed(name: str, clause: Sequence[Token], damaged: frozenset[int], reporter: Reporter) -> object:
    """What a clause says; None after an error, which is reported, and once a report is full."""
    if reporter.overflowed:
        return None
    parser = cast(_Table, _lark().parse_interactive(start=f"{name.lower()}_clause"))
    index = 0
    try:
        while index < len(clause):
            parser.feed_token(clause[index])
            index += 1
        if "$END" in parser.accepts():
            return parser.feed_eof()
    except UnexpectedToken:
        pass
    found = clause[index] if index < len(clause) else None
    previous = clause[max(0, index - 1)]
    if (found or previous).line not in damaged:
        end = end_of(previous)
        message, hint = _wrong(previous, found, frozenset(parser.accepts()))
        reporter.report("syntax-error", span_of(found) if found else Span(end, end), message, hint)
    return None


# --- Syntax errors in words -------------------------------------------------------------------------------------------

_DESCRIPTIONS = {
    "NAME": "a name",
    "STRING": "a string",
    "INTEGER": "a whole number",
    "FLOAT": "a number",
    "UNIT": "a unit of time",
    "_COMMA": "`,`",
    "LPAR": "`(`",
    "RPAR": "`)`",
    "DOT": "`.`",
    "ARROW": "`->`",
    "STEP": "`==>`",
    "BANG": "`!`",
    "PLUS": "`+`",
    "MINUS": "`-`",
    "STAR": "`*`",
    "OPERATOR": "a comparison",
    "EVERY_ITEM": "`every`",
    "$END": "the end of the clause",
}
_VALUE = frozenset({"NAME", "INTEGER", "FLOAT", "STRING", "TRUE", "FALSE", "MINUS", "COUNT", "SUM", "AVG", "ANY", "AT"})
_PATTERN = frozenset({"NAME", "LPAR", "COLLECT", "MAX", "MIN", "WAIT", "FIRST", "LAST", "ADJ", "EVERY", "ALL"})
_BEHIND = frozenset({"FOLLOWED", "ARROW", "OR", "AND", "WITHIN", "FILTER", "SUBCONTEXT"})
_ARITHMETIC = frozenset({"PLUS", "MINUS", "STAR"})

_HINTS = (
    ("RPAR", "is a `)` missing before this?"),
    ("UNIT", "a duration is written `10 s` or `3 days`"),
    ("STEP", "a sub-context is written `Subcontext(item ==> list (MATCH …)) AS name`"),
    ("ARROW", "a pattern is made of aliases by `->`, `and`, `or`, `not`, `within` and others"),
    ("COLLECT", "a pattern is made of aliases by `->`, `and`, `or`, `not`, `within` and others"),
    ("OPERATOR", "a condition is written `A.v > 1`"),
    ("NAME", "a name has letters, digits and underscores, begins with no digit, and is no keyword"),
)


def _wrong(previous: Token, found: Token | None, expected: AbstractSet[str]) -> tuple[str, str]:
    """What was expected and found, and what to do."""
    left = set(expected)
    alternatives: list[str] = []
    for kinds, name in (
        (_PATTERN, "a pattern"),
        (_VALUE, "a value"),
        (_BEHIND, "an operator of patterns"),
        (_ARITHMETIC, "an operator"),
    ):
        if left >= kinds:
            alternatives.append(name)
            left -= kinds | ({"LPAR", "NOT", "MAX", "MIN", "ALL", "BANG", "BETWEEN"} if kinds is _VALUE else set())
    alternatives += [_DESCRIPTIONS.get(kind, f"`{kind.lower()}`") for kind in sorted(left)]
    listed = alternatives[0] if len(alternatives) == 1 else f"{', '.join(alternatives[:-1])} or {alternatives[-1]}"
    shown = f"`{_cut(found)}`" if found is not None else "the end of the clause"
    return f"expected {listed}, found {shown}", _hint(previous, found, expected)


def _hint(previous: Token, found: Token | None, expected: AbstractSet[str]) -> str:
    for word in (found, previous):
        if word is not None and word.type == "NAME":
            words = [*(kind for kind in expected if kind in KEYWORDS), *CLAUSES]
            close = difflib.get_close_matches(word[:20].upper(), sorted(words), n=1, cutoff=0.75)
            if close:
                return f"did you mean {close[0]}?"
    if found is not None and found.type in KEYWORDS and expected == {"NAME"}:
        return f"{found.upper()} is a keyword: choose another name"
    return next((hint for sign, hint in _HINTS if sign in expected), "correct the text here")


def _cut(token: Token) -> str:
    return token.value if len(token.value) <= 40 else f"{token.value[:40]}…"
