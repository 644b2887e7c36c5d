"""Reading text: spellings, optional punctuation, keywords as attributes, positions, and hostile sources."""

from __future__ import annotations

import time
from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lark import Lark

from parte.semantics.partelang.syntax import ProgramError, ast, parse, parse_source
from parte.semantics.partelang.syntax.expectations import ADDED, KEYWORDS
from parte.semantics.partelang.syntax.lexis import SYMBOLS
from parte.semantics.source.limits import MAX_REPORTED
from parte.semantics.source.spans import Position, Span
from tests.semantics.partelang.syntax.programs import VALID


def only_rule(text: str) -> ast.Rule:
    rule = parse_source(text).declarations[-1]
    assert isinstance(rule, ast.Rule)
    return rule


def condition(text: str) -> ast.Expression:
    (call,) = only_rule(f"rule R where a : T {{ {text} }}").patterns[0].conditions
    return call


@pytest.mark.parametrize(("symbol", "spelling"), [("≠", "!="), ("≤", "<="), ("≥", ">=")])
def test_two_spellings(symbol: str, spelling: str) -> None:
    assert condition(f"a {symbol} b") == condition(f"a {spelling} b")


@pytest.mark.parametrize(
    ("word", "unit"),
    [
        *((word, ast.Unit.MILLISECONDS) for word in ("ms", "millisecond", "milliseconds")),
        *((word, ast.Unit.SECONDS) for word in ("second", "seconds")),
        *((word, ast.Unit.MINUTES) for word in ("minute", "minutes")),
        *((word, ast.Unit.HOURS) for word in ("hour", "hours")),
        *((word, ast.Unit.DAYS) for word in ("day", "days")),
    ],
)
def test_units(word: str, unit: ast.Unit) -> None:
    rule = only_rule(f"rule R where a : T b : T when a in b [-3 {word}, 3{word}]")
    assert rule.constraints[0].lower == ast.Duration(-3, unit)
    assert rule.constraints[0].upper == ast.Duration(3, unit)


def test_punctuation_that_may_be_left_out() -> None:
    full = """
        template T { a : X, b : Y, } rule R where a : T {}, no b : T { x = 1, y = 2, },
        when b in a [0 ms, 1 ms], c in a [0 ms, 1 ms], then emit E at a.timestamp with { x = 1, y = f(2,), }
        emit F at a.timestamp with {}
    """
    bare = """
        template T { a : X b : Y } rule R where a : T no b : T { x = 1 y = 2 }
        when b in a [0 ms, 1 ms] c in a [0 ms, 1 ms] then emit E at a.timestamp with { x = 1 y = f(2) }
        emit F at a.timestamp
    """
    assert parse_source(full) == parse_source(bare)


def test_empty_clauses() -> None:
    assert parse_source("rule R where a : T when then") == parse_source("rule R where a : T")
    assert parse_source("rule R where").declarations == (ast.Rule("R", (), (), ()),)


def test_comments_and_white_space() -> None:
    source = parse_source("\ufeff// one\r\ntype A\t= B # two\r\n\n  //three")
    assert source.declarations == (ast.TypeAlias("A", ast.NamedType("B")),)
    assert [(comment.text, comment.own_line) for comment in source.comments] == [
        (" one", True),
        (" two", False),
        ("three", True),
    ]
    assert source.comments[1].span == Span(Position(2, 12), Position(2, 18))


def test_a_comment_mark_in_a_string_is_text() -> None:
    assert condition('s = "a # b // c"') == ast.Binary(
        ast.BinaryOperator.EQUAL, ast.Reference(None, "s"), ast.Literal("a # b // c")
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'"\"\\\/\b\f\n\r\t"', '"\\/\b\f\n\r\t'),
        (r'"\u00e9\ud83d\ude00\u0000"', "é😀\x00"),
        ('"é😀\t"', "é😀\t"),
        ("1.5e3", 1500.0),
        ("2E-2", 0.02),
        ("007", 7),
        ("-9223372036854775808", -(2**63)),
        ("9223372036854775807", 2**63 - 1),
        ("- 5", -5),
        ("1e-400", 0.0),
    ],
)
def test_constants(text: str, value: int | float | str) -> None:
    assert condition(text) == ast.Literal(value)


@pytest.mark.parametrize("word", [*sorted(set(KEYWORDS) - {"true", "false"}), "ms", "days", "list", "min"])
def test_keywords_as_attributes(word: str) -> None:
    text = f"""
        template T {{ {word} : Integer, x : Integer {word} : Integer }}
        rule R where a : T {{ {word} = 1, x = {word}, a.{word} + {word} > {word}, f({word}, -{word}) = ({word}) }}
        then emit T at a.timestamp with {{ {word} = a.{word}, x = 1, {word} = 2 }}
    """
    template, rule = parse_source(text).declarations
    assert isinstance(template, ast.Template)
    assert isinstance(rule, ast.Rule)
    assert [slot.name for slot in template.slots] == [word, "x", word]
    assert len(rule.patterns[0].conditions) == 4
    assert [item.attribute for item in rule.emissions[0].assignments] == [word, "x", word]


def test_precedence() -> None:
    assert condition("a + b * c - d < -e / f") == condition("((a + (b * c)) - d) < ((-e) / f)")


def test_spans() -> None:
    text = "rule R where\n    no abc : Tmpl { xy = 1 }\nwhen\n    no abc in d [0 ms, 1 ms]"
    rule = only_rule(text)
    pattern, constraint = rule.patterns[0], rule.constraints[0]
    assert rule.span == Span(Position(1, 1), Position(4, 29))
    assert rule.name_span == Span(Position(1, 6), Position(1, 7))
    assert rule.when_span == Span(Position(3, 1), Position(3, 5))
    assert pattern.span == Span(Position(2, 5), Position(2, 29))
    assert pattern.variable_span == Span(Position(2, 8), Position(2, 11))
    assert pattern.template_span == Span(Position(2, 14), Position(2, 18))
    assert pattern.conditions[0].span == Span(Position(2, 21), Position(2, 27))
    assert constraint.subject_span == Span(Position(4, 8), Position(4, 11))
    assert constraint.reference_span == Span(Position(4, 15), Position(4, 16))
    assert constraint.upper.span == Span(Position(4, 24), Position(4, 28))


@pytest.mark.parametrize("name", sorted(VALID))
def test_the_grammar_file_stands_on_its_own(name: str) -> None:
    """The grammar with lark's own lexer accepts the same programs: the scanner adds diagnostics, not syntax."""
    grammar = resources.files("parte.semantics.partelang.syntax").joinpath("grammar.lark").read_text(encoding="utf-8")
    parser = Lark(grammar, parser="lalr", lexer="contextual")
    assert len(parser.parse(VALID[name]).children) == len(parse_source(VALID[name]).declarations)


def test_the_scanner_knows_the_symbols_of_the_grammar() -> None:
    grammar = resources.files("parte.semantics.partelang.syntax").joinpath("grammar.lark").read_text(encoding="utf-8")
    terminals = {terminal.name for terminal in Lark(grammar, parser="lalr").terminals}
    others = {"NAME", "INTEGER", "FLOAT", "STRING", "UNIT", "TIMESTAMP", "COMMENT", "SPACE"}
    words = {*KEYWORDS.values(), *ADDED}
    assert set(SYMBOLS.values()) | words | others == terminals


_PIECES = [*KEYWORDS, *SYMBOLS, "x", "T", "1", "2.5", '"s"', "days", "\n", "// c\n", "==", "'", "é", '"', "\x00", "&&"]


def report(text: str) -> ProgramError | None:
    """What is wrong with a text; any other exception is a defect."""
    try:
        parse(text)
    except ProgramError as error:
        return error
    return None


@given(st.lists(st.sampled_from(_PIECES), max_size=40).map(" ".join))
def test_nonsense_is_reported(text: str) -> None:
    error = report(text)
    assert error is None or (error.diagnostics and error.render())


@given(st.text(max_size=60) | st.binary(max_size=60).map(lambda data: data.decode("utf-8", "surrogateescape")))
def test_arbitrary_text_is_reported(text: str) -> None:
    error = report(text)
    assert error is None or error.diagnostics


_PATTERNS = "".join(f"v{number} : T " for number in range(64))
_WINDOWS = "".join(f"v{number} in v{number - 1} [0 ms, 1 ms] " for number in range(1, 64))


@pytest.mark.parametrize(
    "text",
    [
        *("{" * 300_000, "rule " * 100_000, "rule R where\n" * 50_000, '"' * 300_000, '"\n' * 100_000),
        *('"' + "\\" * 300_000 + '"', "\x00" * 300_000, "\ud800" * 300_000, "1" * 300_000, "1e" * 100_000),
        *("? " * 100_000, "//\n" * 100_000, "x" * 300_000, "'" * 300_000),
        *("rule R where a : T { x = " + piece * 50_000 for piece in ("a + ", "-", "(", "f(", "[", "a.", "a = ", "1 ")),
        "template T {" + "".join(f"a{number} : X{number}," for number in range(20_000)) + "}",
        "".join(f"type A{number} = A{number + 1} " for number in range(20_000)),
        "".join(f"type A{number} = A{(number + 1) % 20_000} " for number in range(20_000)),
        "template T {" + "".join(f"a{number} : Integer," for number in range(20_000)) + "} rule R where a : T "
        "{" + "b = 1," * 10_000 + "} then " + "emit T at a.timestamp " * 10_000,
        "template T {} " + "".join(f"rule R{number} where {_PATTERNS} when {_WINDOWS}" for number in range(50)),
        "".join(
            f"template T{number} {{}} rule R{number} where a : T{number} "
            f"then emit T{(number + 1) % 5_000} at a.timestamp "
            for number in range(5_000)
        ),
    ],
    ids=lambda text: text[:24].encode("unicode_escape").decode(),
)
def test_hostile_sources_take_bounded_time(text: str) -> None:

    start = time.process_time()
    error = report(text)
    assert time.process_time() - start < 20
    assert error is None or len(error.diagnostics) <= MAX_REPORTED + 1
    assert error is None or len(error.render()) < 2_000_000


def test_a_thousand_rules() -> None:
    rules = "".join(
        f"""
        rule R{number} where
            a : T {{ f >= 100.0, s != "x" }},
            b : T {{ s = a.s, f <= a.f * 1.1 }},
            no c : T {{ s = b.s, f > a.f + b.f }}
        when b in a [0 days, 14 days], no c in b [-1 hours, 0 ms]
        then emit E at max(a.timestamp, b.timestamp) with {{ s = a.s, f = a.f + b.f }}
        """
        for number in range(1_000)
    )

    start = time.process_time()
    program = parse("template T { s : String, f : Float } template E { s : String, f : Float }" + rules)
    assert len(program.rules) == 1_000
    # About half a second; the rest is for busy machines.
    assert time.process_time() - start < 5
