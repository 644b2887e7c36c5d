"""The language server, over standard input and output: what an editor gets is what the command says of a program."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given

from parte.editing.analysis import Analysis
from parte.editing.meanings import meaning
from parte.editing.positions import UTF16, Lines
from parte.editing.support import Support, support_of, supported
from parte.editing.words import Kind
from parte.languages.language import Language
from parte.semantics.events.installation import install_command
from parte.semantics.source.diagnostics import Diagnostic, ProgramError, Severity
from parte.semantics.source.text import TEXT
from tests.parte.editing.editor import Editor, editor
from tests.parte.editing.guest import guests
from tests.parte.editing.texts import cases, damaged, examples
from tests.parte.examples import Command

SUPPORTED = supported()
PARTELANG = SUPPORTED[0]
each_language = pytest.mark.parametrize("support", SUPPORTED, ids=lambda support: support.colouring.language)
WAIT = 60.0
"""Seconds until the end of a process is waited for no longer."""
SEVERITIES = {Severity.ERROR: 1, Severity.WARNING: 2}
DOOR = """\
template DoorOpened { door : String }
template BadgeRead { door : String, person : String }
template DoorForced { door : String }
rule Forced where
    opened : DoorOpened,
    no badge : BadgeRead { door = opened.door },
when
    no badge in opened [-10 seconds, 0 ms],
then
    emit DoorForced at opened.timestamp with { door = opened.door }
"""


@pytest.fixture(scope="module")
def shared() -> Iterator[Editor]:
    with editor() as connected:
        yield connected


def diagnostics_of(language: Language, text: str) -> Sequence[Diagnostic]:
    """What the reader of a language says of a text."""
    syntax = language[TEXT]
    try:
        return tuple(syntax.warnings(syntax.parse(text)))
    except ProgramError as error:
        return error.diagnostics


def point(text: str, after: str) -> dict[str, int]:
    """The place behind the first occurrence of a text in another."""
    line, character = Lines(text).place(text.index(after) + len(after))
    return {"line": line, "character": character}


def at(uri: str, text: str, after: str) -> dict[str, Any]:
    return {"textDocument": {"uri": uri}, "position": point(text, after)}


def texts_in(text: str, places: Sequence[Any]) -> list[str]:
    lines = Lines(text)
    return [text[lines.offset(**place["range"]["start"]) : lines.offset(**place["range"]["end"])] for place in places]


# --- Diagnostics ------------------------------------------------------------------------------------------------------


@each_language
def test_what_must_be_rejected_is_told_with_its_code_and_place(shared: Editor, support: Support) -> None:
    rejected = [case for case in cases(support.colouring.language) if case.expected.rejected is not None]
    opened = [shared.opened(case.text, support.colouring.ending) for case in rejected]
    codes = set()
    for uri, case in zip(opened, rejected, strict=True):
        lines, expected = Lines(case.text), diagnostics_of(support.language, case.text)
        reports = shared.diagnostics(uri, 1)
        assert [(report["code"], report["message"], report["severity"]) for report in reports] == [
            (diagnostic.code, f"{diagnostic.message}\nhint: {diagnostic.hint}", SEVERITIES[diagnostic.severity])
            for diagnostic in expected
        ]
        for report, diagnostic in zip(reports, expected, strict=True):
            start, end = lines.range_of(diagnostic.span)
            assert tuple(report["range"]["start"].values()) == start
            assert tuple(report["range"]["end"].values()) == end
        place = case.expected.rejected
        if place is not None and any(diagnostic.severity is Severity.ERROR for diagnostic in expected):
            places = {
                (diagnostic.code, diagnostic.span.start.line, diagnostic.span.start.column) for diagnostic in expected
            }
            assert (place.code, place.line, place.column) in places
            codes.add(place.code)
        shared.tell("textDocument/didClose", textDocument={"uri": uri})
    assert len(codes) > 8


@given(damaged())
def test_diagnostics_of_any_text_lie_in_it(given_: tuple[Support, str]) -> None:
    support, text = given_
    lines = Lines(text, UTF16)
    text_lines = re.split("\r\n|\n|\r", text)
    for finding in Analysis(support, text).findings:
        start, end = lines.range_of(finding.diagnostic.span)
        assert start <= end
        for line, character in (start, end):
            assert 0 <= character <= len(text_lines[line].encode("utf-16-le", "surrogatepass")) // 2
        for place, _ in finding.related:
            assert 0 <= place.start < place.end <= len(text)


def test_a_diagnostic_names_what_it_has_to_do_with(shared: Editor) -> None:
    text = DOOR.replace("opened.door }", "opened.dor }", 1) + "rule Forced where a : DoorOpened\n"
    uri = shared.opened(text, ".parte")
    attribute, rule = shared.diagnostics(uri, 1)
    assert (attribute["code"], rule["code"]) == ("unknown-attribute", "duplicate-name")
    for diagnostic, declared in ((attribute, "DoorOpened"), (rule, "Forced")):
        (related,) = diagnostic["relatedInformation"]
        assert texts_in(text, [related["location"]]) == [declared]
        assert f"`{declared}`" in related["message"]
        assert diagnostic["codeDescription"]["href"].endswith("docs/diagnostics.md#partelang")


@pytest.mark.parametrize(
    ("support", "text", "wrong", "right"),
    [
        (PARTELANG, DOOR.replace("opened.door", "opened.dor", 1), "dor }", "door }"),
        (PARTELANG, DOOR.replace(": BadgeRead", ": BadgeRed"), "BadgeRed ", "BadgeRead "),
        *((support, *guest.misspelt) for support, guest in guests()),
    ],
)
def test_a_name_that_there_is_not_is_corrected(
    shared: Editor, support: Support, text: str, wrong: str, right: str
) -> None:
    uri = shared.opened(text, support.colouring.ending)
    line, character = Lines(text).place(text.index(wrong) + 1)
    here = {"line": line, "character": character}
    (action,) = shared.ask(
        "textDocument/codeAction",
        textDocument={"uri": uri},
        range={"start": here, "end": here},
        context={"diagnostics": []},
    )
    (edit,) = action["edit"]["changes"][uri]
    lines = Lines(text)
    start, end = lines.offset(**edit["range"]["start"]), lines.offset(**edit["range"]["end"])
    assert text[:start] + edit["newText"] + text[end:] == text.replace(wrong, right)


def test_warnings_are_told_and_what_is_set_right_is_gone(shared: Editor) -> None:
    uri = shared.opened("template A { k : Integer }", ".parte")
    assert {(diagnostic["code"], diagnostic["severity"]) for diagnostic in shared.diagnostics(uri, 1)} == {
        ("no-rules", 2),
        ("unused-template", 2),
    }
    shared.changed(uri, 2, "template A { k : Integer }\nrule R where a : A")
    assert shared.diagnostics(uri, 2) == []
    shared.changed(uri, 3, "template")
    shared.tell("textDocument/didClose", textDocument={"uri": uri})
    assert shared.diagnostics(uri, None) == []


def test_a_text_is_read_when_typing_pauses(shared: Editor) -> None:
    text = "template A { k : Integr }"
    uri = shared.opened(text, ".parte")
    for version in range(2, 40):
        shared.changed(uri, version, text[:version])
    shared.changed(uri, 40, text)
    before = len(shared.notifications)
    assert [diagnostic["code"] for diagnostic in shared.diagnostics(uri, 40)] == ["unknown-type"]
    assert len(shared.notifications) - before < 20  # others were passed over


def test_a_signal_ends_it() -> None:
    """It ends by itself: what ends any process after a while would come long after the wait."""
    begin = f"from parte import __main__, interruptions; interruptions.PATIENCE = {10 * WAIT}; __main__.main()"
    command = [sys.executable, "-c", begin, "lsp"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        Editor(process).ask("initialize", processId=None, rootUri=None, capabilities={})
        process.terminate()
        assert process.wait(WAIT) == 128 + signal.SIGTERM


def test_of_many_words_those_are_proposed_that_begin_as_what_is_typed(shared: Editor) -> None:
    text = "".join(f"template T{number} {{ }}\n" for number in range(1_500)) + "template Other { }\nrule R where a : o"
    uri = shared.opened(text, ".parte")
    completions = shared.ask("textDocument/completion", **at(uri, text, "a : o"))
    assert completions["isIncomplete"]
    assert [item["label"] for item in completions["items"]] == ["Other"]


HOSTILE = [
    "\ud800",
    "\x00" * 1000,
    "{" * 5000,
    "rule R where a : A { " + "(" * 5000,
    "(" * 5000 + " 1",
    '"' * 999,
    "a\r\rb\x0bc\u2028d 𝄞 é ≠" * 50,
    "x" * 100_000,
    "9" * 100_000,
    "template A { k : Integer } " * 2000,
    "a." * 5000,
    "]" * 5000,
    "x" * (2 * 1024 * 1024 + 1),
]


@each_language
def test_hostile_texts_are_answered(shared: Editor, support: Support) -> None:
    opened = [(shared.opened(text, support.colouring.ending), text) for text in HOSTILE]
    for uri, text in opened:
        place = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": min(4000, len(text) // 2)}}
        for method in ("hover", "completion", "definition", "documentHighlight"):
            shared.ask(f"textDocument/{method}", **place)
        shared.ask("textDocument/documentSymbol", textDocument={"uri": uri})
    for uri, text in opened:
        assert shared.diagnostics(uri, 1), text[:40]
        shared.tell("textDocument/didClose", textDocument={"uri": uri})


def test_places_are_counted_as_the_editor_asks(shared: Editor) -> None:
    text = 'template A { k : String }\nrule R where a : A { k = "𝄞é", j = 1 }\n'
    with editor(["latin-1", "utf-8", "utf-16"]) as connected:
        (diagnostic,) = connected.diagnostics(connected.opened(text, "", "parte"), 1)
    assert diagnostic["range"]["start"] == {"line": 1, "character": 35}
    (diagnostic,) = shared.diagnostics(shared.opened(text, "", "parte"), 1)
    assert diagnostic["range"]["start"] == {"line": 1, "character": 32}


def test_what_is_no_program_is_left_alone(shared: Editor) -> None:
    uri = shared.opened("template", ".txt", "plaintext")
    assert shared.ask("textDocument/documentSymbol", textDocument={"uri": uri}) is None
    assert shared.ask("textDocument/hover", **at("untitled:unknown.parte", "a", "a")) is None
    assert all(support_of(*guest.identity) is support for support, guest in guests())


# --- Layout -----------------------------------------------------------------------------------------------------------


def formatted(shared: Editor, uri: str, text: str) -> str:
    options = {"tabSize": 2, "insertSpaces": True}
    edits = shared.ask("textDocument/formatting", textDocument={"uri": uri}, options=options)
    lines = Lines(text)
    for edit in edits:
        assert len(edits) == 1
        start, end = lines.offset(**edit["range"]["start"]), lines.offset(**edit["range"]["end"])
        text = text[:start] + edit["newText"] + text[end:]
    return text


@each_language
def test_formatting_is_that_of_the_command(shared: Editor, support: Support, command: Command, tmp_path: Any) -> None:
    (text, *_) = examples(support)
    crowded = re.sub(r"\n +", "\n", text).replace("\n", "\r\n")
    file = tmp_path / f"program{support.colouring.ending}"
    file.write_text(crowded, encoding="utf-8", newline="")
    canonical = command("fmt", file).out
    uri = shared.opened(crowded, support.colouring.ending)
    assert formatted(shared, uri, crowded) == canonical
    shared.changed(uri, 2, canonical)
    assert formatted(shared, uri, canonical) == canonical
    shared.changed(uri, 3, f"{canonical} (")
    assert formatted(shared, uri, f"{canonical} (") == f"{canonical} ("


@given(damaged())
def test_the_layout_of_any_text_is_canonical_or_none(given_: tuple[Support, str]) -> None:
    support, text = given_
    layout = Analysis(support, text).formatted
    if layout is not None:
        assert Analysis(support, layout).formatted == layout


# --- Names ------------------------------------------------------------------------------------------------------------


def test_definitions_references_and_names(shared: Editor) -> None:
    uri = shared.opened(DOOR, ".parte")
    for after, declared in (
        ("opened : DoorOp", "DoorOpened"),
        ("badge in ope", "opened"),
        ("{ door = opened.do", "door"),
        ("emit Door", "DoorForced"),
        ("rule For", "Forced"),
    ):
        (definition,) = shared.ask("textDocument/definition", **at(uri, DOOR, after))
        assert definition["uri"] == uri
        assert texts_in(DOOR, [definition]) == [declared]
    assert shared.ask("textDocument/definition", **at(uri, DOOR, "wher")) is None
    everywhere = shared.ask(
        "textDocument/references", context={"includeDeclaration": True}, **at(uri, DOOR, "badge in ope")
    )
    uses = shared.ask("textDocument/references", context={"includeDeclaration": False}, **at(uri, DOOR, "badge in ope"))
    assert texts_in(DOOR, everywhere) == ["opened"] * 5
    assert len(uses) == 4
    marked = shared.ask("textDocument/documentHighlight", **at(uri, DOOR, "badge in ope"))
    assert [place["range"] for place in marked] == [place["range"] for place in everywhere]
    assert texts_in(
        DOOR, [{"range": shared.ask("textDocument/prepareRename", **at(uri, DOOR, "opened : DoorOp"))}]
    ) == ["DoorOpened"]
    edits = shared.ask("textDocument/rename", newName="Opening", **at(uri, DOOR, "opened : DoorOp"))["changes"][uri]
    assert texts_in(DOOR, edits) == ["DoorOpened"] * 2
    refused = shared.reply("textDocument/rename", newName="rule", **at(uri, DOOR, "opened : DoorOp"))
    assert "is a word of PARTElang" in refused["error"]["message"]


@each_language
def test_symbols_lie_within_what_they_belong_to(shared: Editor, support: Support) -> None:
    def within(inner: Any, outer: Any) -> bool:
        ends = [tuple(symbol[end].values()) for end in ("start", "end") for symbol in (inner, outer)]
        return ends[1] <= ends[0] and ends[2] <= ends[3]

    (text, *_) = examples(support)
    symbols = shared.ask(
        "textDocument/documentSymbol", textDocument={"uri": shared.opened(text, support.colouring.ending)}
    )
    assert symbols
    for symbol in symbols:
        assert within(symbol["selectionRange"], symbol["range"])
        assert texts_in(text, [{"range": symbol["selectionRange"]}]) == [symbol["name"]]
        for child in symbol["children"]:
            assert within(child["range"], symbol["range"])


def test_symbols_of_a_program(shared: Editor) -> None:
    symbols = shared.ask("textDocument/documentSymbol", textDocument={"uri": shared.opened(DOOR, ".parte")})
    assert [
        (symbol["name"], symbol["detail"], [child["name"] for child in symbol["children"]]) for symbol in symbols
    ] == [
        ("DoorOpened", "template", ["door"]),
        ("BadgeRead", "template", ["door", "person"]),
        ("DoorForced", "template", ["door"]),
        ("Forced", "rule", ["opened", "badge"]),
    ]


# --- What is there to be said -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("support", "text", "after", "said"),
    [
        (PARTELANG, DOOR, "badge in ope", ["variable `opened`", "opened : DoorOpened", "template DoorOpened { door"]),
        (
            PARTELANG,
            DOOR,
            "{ door = opened.do",
            ["attribute `door` of `DoorOpened`", "door : String", "type: `String`"],
        ),
        (PARTELANG, DOOR, "emit Door", ["template `DoorForced`", "template DoorForced { door : String }"]),
        (PARTELANG, DOOR, "10 sec", ["`10 seconds` = 10,000 ms"]),
        (PARTELANG, DOOR, "[-10", ["`10 seconds` = 10,000 ms"]),
        (PARTELANG, DOOR, "\nwhe", ["closed at both ends", "(specification: windows-closed)"]),
        (PARTELANG, "rule R where a : A { avg(k, 1) / 2 > 0.5 }\ntemplate A { k : Integer }", " /", ["type: `Float`"]),
        (PARTELANG, "rule R where a : A { avg(", "av", ["function `avg`", "(specification: function-avg)"]),
        (PARTELANG, "rule R where a : B", " : B", ["`unknown-template`: a template that is not declared."]),
        (PARTELANG, "rule R where a : A\ntemplate A { k : T } type T = Integer", " { k", ["k : T", "type T = Integer"]),
        *((support, *row) for support, guest in guests() for row in guest.hovers),
    ],
)
def test_hovering(shared: Editor, support: Support, text: str, after: str, said: list[str]) -> None:
    uri = shared.opened(text, support.colouring.ending)
    reply = shared.ask("textDocument/hover", **at(uri, text, after))
    for part in said:
        assert part in reply["contents"]["value"]
    assert Lines(text).offset(**reply["range"]["start"]) <= text.index(after) + len(after)


@each_language
def test_every_word_has_a_meaning(support: Support) -> None:
    for word, kind in support.colouring.words.items():
        assert meaning(support, word), word
        assert kind is not Kind.NAME
    assert meaning(support, "no_word") == ""


# --- What the command says --------------------------------------------------------------------------------------------


def test_without_its_packages_the_command_says_what_to_install(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parte.semantics.source.packages.find_spec", lambda _name: None)
    result = command("lsp")
    assert result.code == 2
    assert "pygls" in result.err
    assert install_command("lsp") in result.err
