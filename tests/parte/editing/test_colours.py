"""Colours of programs: lexers and TextMate grammars split a text as the scanners do, and know the words of the grammars
and what the parsers take them for."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module, metadata, resources
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parte.conformance.suites import load_suite
from parte.editing import lexers
from parte.editing.support import colourings
from parte.editing.textmate import SCOPES
from parte.editing.words import Colouring, Kind
from parte.languages.registry import language_called, languages, missing
from parte.semantics.partelang.syntax import parser as partelang
from parte.semantics.partelang.syntax.codes import CODES
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.scanner import scan
from parte.semantics.source.tokens import Token
from tests.guests import is_absent, modules

ROOT = Path(__file__).parents[3]
EDITORS = ROOT / "editors" / "vscode"
LEXERS = [lexers.lexer_of(colouring) for colouring in colourings()]
PARTELANG = colourings()[0]
GUESTS = {module.GUEST.language: module.GUEST for module in modules("editing/guest")}
each_language = pytest.mark.parametrize("colouring", colourings(), ids=lambda colouring: colouring.language)
SYNTAX = {"PARTElang": "parte.semantics.partelang.syntax", **{name: guest.syntax for name, guest in GUESTS.items()}}
KEYWORDS = {Kind.DECLARATION, Kind.KEYWORD, Kind.OPERATOR, Kind.CONSTANT, Kind.UNIT}
Coloured = list[tuple[int, Kind, str]]


def test_every_language_has_colours() -> None:
    assert {(colouring.language, colouring.ending) for colouring in colourings()} == {
        (language.name, language.ending) for language in languages()
    }


@cache
def programs(language: str) -> tuple[str, ...]:
    """The examples, and the programs of the suite that are valid."""
    ending = language_called(language).ending
    examples = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "examples").rglob(f"*{ending}"))]
    cases = load_suite(language_called(language)).cases.values()
    valid = {case.text for case in cases if case.expected.rejected is None and len(case.text) < 10_000}
    assert examples
    assert len(valid) > 50
    return (*examples, *sorted(valid))


def coloured(colouring: Colouring, text: str) -> Coloured:
    return [piece for piece in colouring.pieces(text) if piece[1] is not Kind.SPACE]


# --- Keywords: those of the grammar, where the parser takes them for such ---------------------------------------------


def words_and_symbols(colouring: Colouring) -> tuple[set[str], set[str]]:
    """What the terminals of a grammar are that are not regular expressions proper."""
    path = resources.files(SYNTAX[colouring.language]).joinpath("grammar.lark")
    grammar = path.read_text(encoding="utf-8")
    literals = set(re.findall(r'^_?[A-Z_]+: "(.+)"i?$', grammar, re.MULTILINE))
    for expression in re.findall(r"^[A-Z_]+(?:\.\d+)?: /(.*)/i?$", grammar, re.MULTILINE):
        alternatives = re.sub(r"\(\?!.*?\)", "", expression).strip("()").split("|")
        if not any(re.search(r"[\[(\\^]", alternative) for alternative in alternatives):
            literals |= {alternative.removesuffix("?") for alternative in alternatives}
            literals |= {alternative[:-2] for alternative in alternatives if alternative.endswith("?")}
    declared = " ".join(re.findall(r"^%declare (.*)$", grammar, re.MULTILINE)).split()
    symbols = import_module(f"{SYNTAX[colouring.language]}.lexis").SYMBOLS
    others = {*symbols.values(), "NAME", "INTEGER", "FLOAT", "STRING", "UNIT", "EVERY_ITEM"}
    words = {literal for literal in literals if literal.removesuffix("~").isalpha()} | (set(declared) - others)
    return words, (literals - words) | (set(symbols) if declared else set())


@each_language
def test_every_word_and_symbol_of_the_grammar_has_a_colour(colouring: Colouring) -> None:
    words, symbols = words_and_symbols(colouring)
    assert len(words) > 10
    assert len(symbols) > 10
    for word in words:
        kinds = {pieces[-1][1] for pieces in (coloured(colouring, word), coloured(colouring, f"1 {word}"))}
        assert kinds & KEYWORDS, word
        assert {
            pieces[-1][1] for pieces in (by_textmate(colouring, word), by_textmate(colouring, f"1 {word}"))
        } == kinds
    for symbol in symbols:
        assert coloured(colouring, symbol) == by_textmate(colouring, symbol) == [(0, Kind.SYMBOL, symbol)]


class Listening:
    """A parser of PARTElang that keeps what it is fed."""

    def __init__(self, parser: Any) -> None:
        self.parser = parser
        self.fed: list[Token] = []

    def feed_token(self, token: Token) -> object:
        self.fed.append(token)
        return self.parser.feed_token(token)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.parser, name)


def typed(colouring: Colouring, text: str) -> Iterator[Token]:
    """The tokens of a text as the parser of the language takes them."""
    tokens = scan(text, colouring.lexis, Reporter(text, CODES)).tokens
    if colouring is PARTELANG:
        listening, level = Listening(partelang._GRAMMAR.parser("start")), partelang.level_of(tokens)
        header = partelang._HEADER[level]
        assert partelang._feed(cast(Any, listening), tokens, header, level) is None
        yield from (*tokens[:header], *listening.fed)
    else:
        yield from GUESTS[colouring.language].typed(tokens)


@each_language
def test_a_word_is_a_keyword_where_the_parser_takes_it_for_one(colouring: Colouring) -> None:
    names = {"NAME", "LOWER", "UPPER"}
    seen = set[str]()
    for text in programs(colouring.language)[::2]:
        words = [token for token in typed(colouring, text) if token.value[:1].isalpha() or token.value[:1] == "_"]
        pieces = [piece for piece in coloured(colouring, text) if piece[2][:1].isalpha() or piece[2][:1] == "_"]
        assert [piece[2] for piece in pieces] == [str(token) for token in words]
        assert [piece[1] in KEYWORDS for piece in pieces] == [token.type not in names for token in words], text
        seen |= {token.type for token in words}
    assert len(seen - names) > 3


# --- TextMate ---------------------------------------------------------------------------------------------------------

KINDS = {scope: kind for kind, scope in SCOPES.items()}


@cache
def textmate(colouring: Colouring) -> Sequence[tuple[re.Pattern[str], Mapping[str, Any]]]:
    grammar = json.loads((EDITORS / "syntaxes" / f"{colouring.alias}.tmLanguage.json").read_text(encoding="utf-8"))
    return [(re.compile(pattern["match"]), pattern) for pattern in grammar["patterns"]]


def by_textmate(colouring: Colouring, text: str) -> Coloured:
    """What an editor makes of a text: on each line the leftmost match, of those at one place that of the first pattern,
    and from its end on again."""

    def kind(scope: str) -> Kind:
        return KINDS[scope.removesuffix(f".{colouring.alias}")]

    pieces: Coloured = []
    start = 0
    for line in text.split("\n"):
        at = 0
        while True:
            tried = [(pattern.search(line, at), described) for pattern, described in textmate(colouring)]
            matches = [(match, described) for match, described in tried if match is not None]
            if not matches:
                break
            match, described = min(matches, key=lambda candidate: candidate[0].start())
            assert match.end() > at
            at = match.end()
            captures = {"0": {"name": described["name"]}} if "name" in described else described["captures"]
            pieces += [
                (start + match.start(int(n)), kind(capture["name"]), match[int(n)]) for n, capture in captures.items()
            ]
        start += len(line) + 1
    return pieces


@each_language
def test_an_editor_colours_programs_as_the_documentation_does(colouring: Colouring) -> None:
    for text in programs(colouring.language)[:120]:
        assert by_textmate(colouring, text) == coloured(colouring, text)


# --- Anything ---------------------------------------------------------------------------------------------------------


@each_language
def test_programs_have_no_errors(colouring: Colouring) -> None:
    for text in programs(colouring.language):
        assert Kind.ERROR not in {kind for _, kind, _ in coloured(colouring, text)}


STRANGE = "ab1 \n\r\t\"'/%-#.=<>:!&|{}()[]é𝄞\x00\ufeff"


@given(st.sampled_from(colourings()), st.text(st.sampled_from(STRANGE) | st.characters()))
def test_pieces_make_up_any_text(colouring: Colouring, text: str) -> None:
    pieces = list(colouring.pieces(text))
    assert "".join(value for _, _, value in pieces) == text
    assert [start for start, _, _ in pieces] == [sum(len(p[2]) for p in pieces[:n]) for n in range(len(pieces))]


@pytest.mark.parametrize(
    ("colouring", "text"),
    [
        (PARTELANG, 'a "open'),
        (PARTELANG, "a == 3"),
        *((colouring, GUESTS[colouring.language].no_token) for colouring in colourings() if colouring is not PARTELANG),
    ],
)
def test_what_is_no_token_is_shown_as_an_error(colouring: Colouring, text: str) -> None:
    assert coloured(colouring, text) == by_textmate(colouring, text)
    assert Kind.ERROR in {kind for _, kind, _ in coloured(colouring, text)}


def test_names_that_a_declaration_declares() -> None:
    text = "template T { rule : String } rule R where a : T"
    assert [value for _, kind, value in PARTELANG.pieces(text) if kind is Kind.DECLARED] == ["T", "R"]


# --- Pygments ---------------------------------------------------------------------------------------------------------


DECLARED = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
REGISTERED = [
    metadata.EntryPoint(name, place, "pygments.lexers")
    for name, place in DECLARED["pygments.lexers"].items()
    if not is_absent(place)
]


@pytest.mark.parametrize("entry", REGISTERED, ids=lambda entry: entry.name)
def test_lexers_are_registered_and_lex(entry: metadata.EntryPoint) -> None:
    lexer = entry.load()()
    assert type(lexer) in LEXERS
    text = programs(lexer.name)[0]
    tokens = list(lexer.get_tokens(text))
    assert "".join(value for _, value in tokens) == text
    assert not {str(kind) for kind, _ in tokens} & {"Token.Error", "Token.Text"}


def test_no_lexer_is_left_out() -> None:
    assert {type(entry.load()()) for entry in REGISTERED} == set(LEXERS)
    assert {lexer().name for lexer in LEXERS} == {colouring.language for colouring in colourings()}


# --- The extension for VS Code ----------------------------------------------------------------------------------------


def test_the_extension_has_every_language() -> None:
    package = json.loads((EDITORS / "package.json").read_text(encoding="utf-8"))
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert package["version"] == pyproject["project"]["version"]
    there = [entry for entry in package["contributes"]["languages"] if not is_absent(str(entry))]
    ids = {entry["id"] for entry in there}
    grammars = [entry for entry in package["contributes"]["grammars"] if entry["language"] in ids]
    assert missing() or grammars == package["contributes"]["grammars"]
    assert {(entry["id"], *entry["aliases"], *entry["extensions"]) for entry in there} == {
        (colouring.alias, colouring.language, colouring.ending) for colouring in colourings()
    }
    for language, grammar in zip(there, grammars, strict=True):
        configuration = json.loads((EDITORS / language["configuration"]).read_text(encoding="utf-8"))
        (colouring,) = (
            colouring for colouring in colourings() if colouring.alias == language["id"] == grammar["language"]
        )
        assert coloured(colouring, configuration["comments"]["lineComment"])[0][1] is Kind.COMMENT
        assert json.loads((EDITORS / grammar["path"]).read_text(encoding="utf-8"))["scopeName"] == grammar["scopeName"]
