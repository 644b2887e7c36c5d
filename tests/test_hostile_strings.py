"""Hostile strings in every output: it reads again in its format, and holds nothing that tame strings would not.

A string is hostile where it acts instead of being shown: as an element or attribute of a page, a line of a protocol, a
part of a query, a command of a terminal, a path. Each output is written with hostile strings and with tame ones, and
its skeleton, which is all that is not text, must be the same.
"""

from __future__ import annotations

import io
import json
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from itertools import cycle
from pathlib import Path
from xml.etree import ElementTree

import clips
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rich.console import Console
from rich.table import Table
from rich.text import Text
from sqlglot import exp, parse_one
from typer.testing import CliRunner

import parte
from parte import terminal
from parte.algebra.partelang.relational.components import expanded
from parte.algebra.partelang.relational.dialects import Dialect, DuckDB
from parte.algebra.partelang.relational.programs import compile_program
from parte.algebra.partelang.relational.sparksql import Spark
from parte.cli import app
from parte.conformance.engines.foreign import Inexpressible
from parte.conformance.exporting import export_suite
from parte.conformance.fixtures import FixtureError, Suite
from parte.conformance.partelang.engines.clips.constructs import constructs
from parte.conformance.partelang.engines.flink.expressions import literal
from parte.conformance.partelang.engines.sqlite.adapter import SqliteAdapter
from parte.conformance.reports import FORMATS
from parte.conformance.results import CaseVerdict, EngineInfo, Report, Result
from parte.conformance.suites import load_suite
from parte.displays import install
from parte.drawing import draw_dot, draw_svg
from parte.languages.partelang import PARTELANG
from parte.semantics.events.domain import DomainTable, bind_domain
from parte.semantics.events.scenario import Scenario

install()

KNOWN = (
    "\x1b[2J\x1b]0;owned\x07",
    "\x9b31m",
    "\u202e\u2066evil",
    "\x00",
    "a\r\nnot ok 1 - b\n..\n  ---\nBail out!",
    "# SKIP x \\# TODO",
    "'; DROP TABLE events1; --",
    "''",
    "\\'",
    '" onload="alert(1)',
    "' onload='alert(1)",
    "</title></svg><script>alert(1)</script>",
    "]]><x/>",
    "<!--",
    "--></style></pre></td>",
    "&lt;&amp;&#x1b;&nosuch;",
    '"]; n0 -> n1; "',
    "\\",
    "\\N\\G\\l",
    "${spark.sql.warehouse.dir}",
    "{{x}}{0}%s%(x)s",
    "(exit)",
    '") (exit) ("',
    "?x $?y &",
    "*/ System.exit(1); /*",
    "\\u000a",
    "[link=file:///etc/passwd]x[/link][red]",
    "../../etc/passwd",
    "/etc/passwd",
    "$(reboot)`reboot`;reboot|reboot",
    "CON",
    "\ufffe\uffff\U0001f642e\u0301",
    "\u2028\u2029\x85\x0b\x0c",
    " ",
)
"""Strings that once acted somewhere, in this project or another."""

HOSTILE = st.one_of(
    st.sampled_from(KNOWN),
    st.lists(st.sampled_from((*KNOWN, "<", ">", "&", "'", '"', "\n", "\x1b", "]]>", "x")), min_size=1).map("".join),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
)
STRINGS = st.lists(HOSTILE, min_size=3, max_size=6)
TAME = ("tame",)
DIALECTS = (DuckDB(), Spark())
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")


def hostile(examples: int) -> Callable[[Callable[[list[str]], None]], Callable[[], None]]:
    """Run a check on so many lists of drawn strings, and on all strings that are known."""

    def decorated(check: Callable[[list[str]], None]) -> Callable[[], None]:
        test = given(strings=STRINGS)(check)
        for start in range(0, len(KNOWN), 9):
            test = example(strings=list(KNOWN[start : start + 9]))(test)
        return settings(max_examples=examples, deadline=None)(test)

    return decorated


# --- What is written --------------------------------------------------------------------------------------------------


def report_of(strings: Sequence[str]) -> Report:
    """A report of two engines, all of whose words are from outside."""
    texts = cycle(strings)
    engines = [f"{number}{next(texts)}" for number in (1, 2)]
    results = [
        Result(
            engine,
            f"{number}{strings[0]}",
            f"p{strings[-1]}",
            next(texts),
            verdict,
            0.5,
            message=f"m{next(texts)}",
            missing=({"rule": "R", "bindings": {"a": next(texts)}, "emits": [], next(texts): next(texts)},),
            missing_count=1,
            stderr=next(texts),
            rerun=next(texts),
            known=verdict is CaseVerdict.ERROR,
        )
        for number, verdict in enumerate(CaseVerdict)
        for engine in engines
    ]
    infos = (EngineInfo(engine, next(texts), next(texts), next(texts), (next(texts),)) for engine in engines)
    return Report(strings[0], strings[1 % len(strings)], next(texts), tuple(infos), tuple(results))


def source_of(strings: Sequence[str]) -> str:
    """A program that compares and emits strings."""
    first, second = (json.dumps(text) for text in (strings[0], strings[1 % len(strings)]))
    return f"""template T {{ s : String }}
    template E {{ s : String, all : [String; 4] }}
    predicate p(String)
    rule R where a : T {{ s != {first} }}, b : T {{ p(s) }}, no n : T {{ s = {second} }}
    when b in a [0 ms, 9 ms], no n in a [1 ms, 9 ms]
    then emit E at a.timestamp with {{ s = {first}, all = list(a.s, {second}) }}
    """


def trace_of(strings: Sequence[str]) -> list[parte.Event]:
    texts = cycle(strings)
    return [
        parte.Event(f"{number}{next(texts)}", "T", number, {"s": next(texts)}, f"s{strings[-1]}") for number in range(4)
    ]


def domain_of(strings: Sequence[str]) -> dict[str, DomainTable]:
    return {"p": DomainTable(frozenset((text,) for text in strings), True)}


def case(strings: Sequence[str]) -> tuple[parte.Program, list[parte.Event], dict[str, DomainTable]]:
    return parte.parse(source_of(strings)), trace_of(strings), domain_of(strings)


# --- Skeletons --------------------------------------------------------------------------------------------------------


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[object] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.pieces.append(
            (tag, [(name, value if name in ("class", "style", "href") else "") for name, value in attrs])
        )

    def handle_endtag(self, tag: str) -> None:
        self.pieces.append(tag)

    def handle_comment(self, data: str) -> None:
        self.pieces.append(("comment", data))

    def handle_decl(self, decl: str) -> None:
        self.pieces.append(("declaration", decl))

    def unknown_decl(self, data: str) -> None:
        self.pieces.append(("declaration", data))

    def handle_pi(self, data: str) -> None:
        self.pieces.append(("instruction", data))


def html(text: str) -> object:
    page = _Page()
    page.feed(text)
    page.close()
    return page.pieces


def xml(text: str) -> Sequence[tuple[str, tuple[str, ...]]]:
    return [(element.tag, tuple(sorted(element.keys()))) for element in ElementTree.fromstring(text).iter()]


def dot(text: str) -> object:
    return re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', text)


def tap(text: str) -> object:
    """Its lines by what they are; an unindented line that is none of these, or a block that does not close, fails."""
    version, plan, *lines = text.removesuffix("\n").split("\n")
    kinds: list[str] = [version, plan]
    inside = False
    for line in lines:
        if inside:
            assert line.startswith("  "), line
            inside = line != "  ..."
        elif line == "  ---":
            inside = True
        else:
            match = re.fullmatch(r"(?:not )?ok \d+ - (?:[^#\\]|\\[#\\])*(# (?:SKIP|TODO)(?: .*)?)?|#.*", line)
            assert match, line
            kinds.append(re.sub(r" - .*", "", line) + (match[1] or "")[:6] if line[0] != "#" else "#")
    assert not inside
    return kinds


def sql(query: exp.Query, dialect: Dialect) -> object:
    """The tree that a parser makes of the text, with nothing in the place of strings."""
    read = parse_one(query.sql(dialect.name), dialect=dialect.name)
    for text in [*read.find_all(exp.HexString)]:
        text.parent.replace(exp.Literal.string(""))  # type: ignore[union-attr] # a cast is around each
    for literal_ in read.find_all(exp.Literal):
        if literal_.is_string:
            literal_.set("this", "")
    return read.sql(dialect.name)


# --- The checks -------------------------------------------------------------------------------------------------------


def same(write: Callable[[Sequence[str]], str], skeleton: Callable[[str], object], strings: Sequence[str]) -> str:
    written = write(strings)
    assert skeleton(written) == skeleton(write(TAME * len(strings)))
    return written


@hostile(10)
def test_reports(strings: list[str]) -> None:
    kinds: Mapping[str, Callable[[str], object]] = {
        "junit": xml,
        "html": html,
        "tap": tap,
        "badge": xml,
        "shields": lambda text: list(json.loads(text)),
    }
    assert set(FORMATS) - set(kinds) == {"table"}
    for name, skeleton in kinds.items():
        written = same(lambda strings, name=name: FORMATS[name](report_of(strings)), skeleton, strings)  # type: ignore[misc]
        assert name in ("junit", "badge") or not CONTROLS.search(written), name
    assert not CONTROLS.search(FORMATS["table"](report_of(strings)))


def test_a_label_that_is_markup_of_the_terminal_is_printed_as_it_is() -> None:
    assert "[/0]" in FORMATS["table"](report_of(["[/0]"] * 10))


@hostile(8)
def test_drawings_and_notebooks(strings: list[str]) -> None:
    def network(strings: Sequence[str], draw: Callable[[parte.Program, object], str]) -> str:
        program, _, _ = case(strings)
        return draw(program, parte.network_of(program))

    # Long conditions take several lines, so it is not counted how often an element is there.
    same(lambda drawn: network(drawn, draw_svg), lambda text: set(xml(text)), strings)  # type: ignore[arg-type]
    assert not CONTROLS.search(same(lambda drawn: network(drawn, draw_dot), dot, strings))  # type: ignore[arg-type]
    # Ids stand where there is room, so the side of the point that they stand on is not compared.
    same(
        lambda drawn: _drawn(drawn)[0],
        lambda text: {(tag, *(key for key in keys if key != "text-anchor")) for tag, keys in xml(text)},
        strings,
    )
    same(lambda drawn: _drawn(drawn)[1], html, strings)


def _drawn(strings: Sequence[str]) -> tuple[str, str]:
    """A trace in time, and what a notebook is shown; the matches by hand, for others would depend on the strings."""
    program, trace, _ = case(strings)
    emitted = parte.Event(f"R({strings[0]})", "E", 0, {"s": strings[0], "all": tuple(strings[:2])}, "rule:R#1")
    match = parte.Match("R", (("a", trace[0].id), ("b", trace[1].id)), (emitted,))
    failure = parte.EmissionFailure("R", 1, match.bindings, (strings[0],))
    displayed: list[object] = [program, match, parte.Outcome((match,), (failure,)), parte.network_of(program)]
    displayed.append(parte.check(program))
    displayed.append(parte.TraceError([parte.Problem(strings[0], 1, strings[-1], strings[0])]))
    return parte.timeline(trace, [match], program).svg, "".join(value._repr_html_() for value in displayed)  # type: ignore[attr-defined]


@cache
def queries(strings: tuple[str, ...], dialect: Dialect) -> object:
    plan = compile_program(case(strings)[0], domain_of(strings), dialect)
    return [sql(expanded(stage.query, dialect, plain=True), dialect) for stage in plan.stages]


@hostile(4)
def test_queries(strings: list[str]) -> None:
    for dialect in DIALECTS:
        assert queries(tuple(strings), dialect) == queries(TAME, dialect)
    program, trace, domain = case(strings)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert parte.run(program, trace, domain=domain, model="duckdb") == parte.run(
            program, trace, domain=domain, model="algebra"
        )


@hostile(8)
def test_constructs_of_clips_and_literals_of_flink(strings: list[str]) -> None:
    if any("\0" in text for text in strings):
        with pytest.raises(Inexpressible, match=r"U\+0000"):
            list(constructs(case(["\0", "\0"])[0], domain_of(["x"])))
        strings = [text.replace("\0", "") + "x" for text in strings]
    built = list(constructs(case(strings)[0], domain_of(strings)))
    environment = clips.Environment()
    environment.define_function(str, "shortened")
    for construct in built:
        environment.build(construct)
    assert len(list(environment.rules())) == 1
    assert len(built) == len(list(constructs(case(TAME)[0], domain_of(TAME))))
    for text in strings:
        (projection,) = parse_one(f"SELECT {literal(text)}").expressions
        assert projection.this.this == text


@hostile(8)
def test_statements_of_sqlite(strings: list[str]) -> None:
    program, trace, domain = case(strings)
    find = SqliteAdapter().compile(program, bind_domain(program, domain))
    matches = find(Scenario.of(program, trace).arrivals)
    expected = [json.loads(match.to_json()) for match in parte.run(program, trace, domain=domain, model="algebra")]
    assert sorted(matches, key=str) == sorted(expected, key=str)


@hostile(20)
def test_terminals(strings: list[str]) -> None:
    for make in (terminal.output_console, terminal.errors_console):
        console = make()
        console.file = io.StringIO()
        table = Table("column", strings[0])
        table.add_row(*strings[:2])
        for cell in (*strings, Text(strings[0]), table):
            console.print(cell)
        assert not CONTROLS.search(console.file.getvalue())
        assert console.file.getvalue().count("[link=file:///etc/passwd]") >= strings.count(KNOWN[26])


def test_a_terminal_is_shown_no_character_that_acts(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    for stream, expected in ((Terminal(), "\ufffd[2J \ufffd é\n"), (io.StringIO(), "\x1b[2J \x9b é\n")):
        monkeypatch.setattr("sys.stdout", stream)
        terminal.write("\x1b[2J \x9b é\n")
        assert stream.getvalue() == expected
    assert isinstance(terminal.output_console(), Console)


@pytest.mark.parametrize("strings", [KNOWN[:3], KNOWN[4:7], KNOWN[27:30]])
def test_commands(strings: Sequence[str], tmp_path: Path) -> None:
    (tmp_path / "p.parte").write_text(source_of(strings), encoding="utf-8")
    lines = [
        {
            "id": event.id,
            "template": "T",
            "timestamp": event.timestamp,
            "source": event.source,
            "attributes": {"s": "x"},
        }
        for event in trace_of(strings)
    ]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    (tmp_path / "d.json").write_text(json.dumps({"p": {"false_for": [[text] for text in strings]}}), encoding="utf-8")
    files = [str(tmp_path / "p.parte"), str(tmp_path / "t.jsonl"), "--domain", str(tmp_path / "d.json")]
    commands = (
        ["run", *files],
        ["compare", *files],
        ["compare", *files, "--model", "published"],
        ["explore", *files, "--max-states", "50"],
        ["check", files[0]],
        ["graph", files[0], "--format", "dot"],
        ["run", files[0], str(tmp_path / strings[0].replace("\0", "").replace("/", ""))],
        ["run", files[0], files[1], "--derivation", strings[0]],
        ["experiment", strings[0]],
        ["examples", strings[0]],
        ["suite", "list", strings[0]],
    )
    for command in commands:
        result = CliRunner().invoke(app, command)
        assert isinstance(result.exception, SystemExit | None), (command, result.exception)
        output = result.stderr if command[0] == "run" else result.output
        assert output or command[0] == "run", command
        assert not CONTROLS.search(output), (command, output)


def test_the_id_of_a_case_is_a_path_below_its_folder(tmp_path: Path) -> None:
    """`suite export` wrote outside its directory."""
    some = next(iter(load_suite(PARTELANG).cases.values()))
    for name in (*KNOWN, "a/../../b", "a/b\n", "..", "a//b", "a/.", "/a/b", "a/b/", "~/x", "a\\b/c", "a/" + "b" * 200):
        called = replace(some, id=name)
        with pytest.raises(FixtureError, match="it names no file"):
            export_suite(Suite("1.0", "", {name: called}), tmp_path / "out", PARTELANG)
    assert list(tmp_path.iterdir()) == []
