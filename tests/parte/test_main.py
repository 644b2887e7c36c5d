"""The command as a whole: as a process, its version, its help, typing errors, colours."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib import import_module, metadata
from pathlib import Path
from typing import Literal

import pytest
from rich.console import Console

import parte
from parte import terminal
from parte.cli import NEUTRAL, surely_default
from parte.commands.catalogue import COMMANDS as CATALOGUE
from parte.commands.catalogue import DEFAULT_LANGUAGE, function_of
from parte.commands.general import names_of
from parte.conformance import protocol
from parte.languages.registry import languages
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.source.diagnostics import ProgramError
from tests.parte.advice import advised_in_vain, commands
from tests.parte.examples import PAIR_MATCH, PAIR_TRACE, Command

Files = tuple[Path, Path]
COMMANDS = {
    "doctor",
    "lsp",
    "run",
    "compare",
    "why",
    "step",
    "playground",
    "prove",
    "relate",
    "check",
    "explore",
    "fmt",
    "ast",
    "graph",
    "rules",
    "demo",
    "conform",
    "engine",
    "examples",
    "report",
    "fuzz",
    "experiment",
    "timeline",
    "translate",
    "log",
    "import",
    "test",
}


def process(*arguments: object, **environment: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "parte", *map(str, arguments)]
    return subprocess.run(command, env=os.environ | environment, capture_output=True, check=False)


def test_as_a_process(pair: Files) -> None:
    done = process("run", *pair)
    assert (done.returncode, done.stdout, done.stderr) == (0, PAIR_MATCH.encode(), b"")
    assert process("run", pair[0], pair[0]).returncode == 2


def test_output_is_utf_8_whatever_the_locale(pair: Files) -> None:
    pair[1].write_text('{"id":"é","template":"A","timestamp":0,"attributes":{"k":1}}\n', encoding="utf-8")
    pair[0].write_text("template A { k : Integer } rule R where a : A", encoding="utf-8")
    done = process("run", *pair, LC_ALL="C", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 0
    assert '"a":"é"' in done.stdout.decode("utf-8")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("arguments", [("rules",), ("run",), ("--version",)])
def test_output_that_cannot_be_written_is_an_error(pair: Files, arguments: tuple[str, ...]) -> None:
    files = pair if arguments == ("run",) else ()
    command = [sys.executable, "-m", "parte", *arguments, *map(str, files)]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (
        2,
        b"error: cannot write to standard output: No space left on device\n",
    )


def test_a_reader_that_has_gone_ends_the_command_quietly(pair: Files) -> None:
    command = [sys.executable, "-m", "parte", "ast", str(pair[0])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        running.stdout.close()
        assert running.stderr is not None
        assert running.stderr.read() == b""
    assert running.returncode == 1


@pytest.mark.skipif(os.name != "posix", reason="closes a stream by its number")
def test_closed_streams_do_no_harm(pair: Files) -> None:
    line = ["sh", "-c", '"$@" >&- 2>&-', "sh", sys.executable, "-m", "parte", "run", *map(str, pair)]
    assert subprocess.run(line, check=False).returncode == 0


def test_every_command_explains_itself(command: Command) -> None:
    overview = command("--help")
    assert overview.code == 0
    for name in COMMANDS:
        assert f"  {name} " in overview.out
        explained = command(name, "--help")
        assert explained.code == 0
        assert f"parte {name}" in explained.out
    assert {*CATALOGUE} == COMMANDS | {"suite", "spark"}


def test_what_is_listed_is_what_commands_say_of_themselves() -> None:
    for name, entry in CATALOGUE.items():
        module = import_module(entry.module)
        function = function_of(name)
        said = getattr(module, function).__doc__ if hasattr(module, function) else module.app.info.help
        assert said.split("\n\n")[0].split() == entry.help.split()


def test_endings_that_tell_no_language_are_of_none() -> None:
    endings = {language.ending for language in languages()} - {".parte"}
    assert not endings & NEUTRAL
    assert DEFAULT_LANGUAGE == protocol.DEFAULT_LANGUAGE
    assert surely_default("run", ["a.parte", "b.jsonl", "--model", "sound"])
    assert not surely_default("run", ["--language=other", "-", "b.jsonl"])
    assert not any(surely_default("run", [f"a{ending}"]) for ending in endings)


@pytest.mark.parametrize(
    ("arguments", "needless"),
    [
        (["--help"], ("lark", "rich", "z3", "parte.semantics", "parte.conformance")),
        (
            ["run", "p", "t"],
            ("z3", "duckdb", "pydantic", "parte.conformance", "parte.proofs", "parte.checker", "parte.drawing"),
        ),
    ],
)
def test_what_a_command_does_not_need_is_not_imported(
    pair: Files, arguments: list[str], needless: tuple[str, ...]
) -> None:
    words = [{"p": str(pair[0]), "t": str(pair[1])}.get(argument, argument) for argument in arguments]
    code = f"import sys; sys.argv = {['parte', *words]!r}\nfrom parte.cli import main\ntry: main()\n"
    code += "except SystemExit: pass\nprint(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert [
        name for name in done.stderr.split() if any(f"{name}.".startswith(f"{module}.") for module in needless)
    ] == []


def test_a_short_run_imports_few_packages(pair: Files) -> None:
    """A third of the time of a short run was once the import of packages, and the table of the grammar."""
    code = f"import sys; sys.argv = {['parte', 'run', *map(str, pair)]!r}\nfrom parte.cli import main\ntry: main()\n"
    code += "except SystemExit: pass\nprint(*(n for n, m in sys.modules.items() if 'site-packages' in "
    code += "(getattr(m, '__file__', None) or '')), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    packages = {name.partition(".")[0] for name in done.stderr.split() if not name.startswith("_")}
    assert packages == {"annotated_doc", "msgspec", "shellingham", "typer", "typing_extensions"}


@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("parte ch", ["check"]),
        ("parte why --r", ["--rule", "--repair", "--rejected"]),
    ],
)
def test_shells_are_told_how_a_line_may_go_on(command: Command, line: str, completed: list[str]) -> None:
    words = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1)}
    result = command(**words, _PARTE_COMPLETE="complete_bash")
    assert (result.out.split(), result.err) == (completed, "")


def test_without_a_command(command: Command) -> None:
    result = command()
    assert result.code == 2
    assert "parte demo" in " ".join((result.out + result.err).split())


def test_the_version(command: Command) -> None:
    result = command("--version")
    assert (result.code, result.out) == (0, f"parte {metadata.version('parte')}\n")
    assert parte.__version__ == metadata.version("parte")


@pytest.mark.parametrize("arguments", [["rnu"], ["run", "--mdoel", "x", "a", "b"], ["run"], ["run", "a", "b", "c"]])
def test_typing_errors(command: Command, arguments: list[str]) -> None:
    result = command(*arguments)
    assert (result.code, result.out) == (2, "")
    assert "Error" in result.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["check", "a.parte", "t.jsonl"],
            "unexpected t.jsonl: check takes PROGRAM; it takes no trace, as `parte run` and",
        ),
        (["run", "a.parte", "t.jsonl", "u", "v"], "unexpected u v: run takes PROGRAM, TRACE"),
        (["doctor", "now"], "unexpected now: doctor takes options only"),
        *(
            (["check", f"a{language.ending}", "t.jsonl"], "unexpected t.jsonl: check takes PROGRAM; it takes no trace")
            for language in languages()[1:]
        ),
    ],
)
def test_arguments_too_many(command: Command, arguments: list[str], message: str) -> None:
    result = command(*arguments)
    assert (result.code, result.out) == (2, "")
    assert message in " ".join(result.err.split())


def test_a_mistyped_command_is_guessed(command: Command) -> None:
    assert "run" in command("rnu").err
    assert "--model" in command("run", "--mdoel", "x", "a", "b").err


# --- Colours ----------------------------------------------------------------------------------------------------------


def diagnostics_printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], is_terminal: bool) -> str:
    """The diagnostics of a wrong program, on a terminal or not."""

    def console() -> Console:
        colours: Literal["standard", "auto"] = "standard" if is_terminal else "auto"
        return Console(stderr=True, highlight=False, markup=False, force_terminal=is_terminal, color_system=colours)

    monkeypatch.setattr(terminal, "errors_console", console)
    with pytest.raises(ProgramError) as caught:
        parse("rule R where a : [b]\nrule R where a : A")
    terminal.program_error(caught.value, "p.parte")
    return capsys.readouterr().err


def test_colours_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[1;31m" in diagnostics_printed(monkeypatch, capsys, is_terminal=True)
    assert "\x1b" not in diagnostics_printed(monkeypatch, capsys, is_terminal=False)


def test_no_colours_if_not_wanted(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[1;31m" not in diagnostics_printed(monkeypatch, capsys, is_terminal=True)


def test_what_would_act_on_the_terminal_is_not_printed(command: Command, tmp_path: Path) -> None:
    result = command("run", tmp_path / "\x1b[2J.parte", "-")
    assert result.code == 2
    assert "\x1b" not in result.err


def reads_traces() -> list[tuple[str, ...]]:
    """The commands to which a trace is given; `spark log` writes it down and runs nothing."""
    paths = [
        path
        for path, command in commands().items()
        if any(parameter.metavar == "TRACE" for parameter in command.params)
    ]
    return [path for path in paths if path != ("spark", "log")]


@pytest.mark.parametrize("path", reads_traces())
def test_what_is_advised_for_late_events_can_be_done(command: Command, pair: Files, path: tuple[str, ...]) -> None:
    pair[1].write_text("".join(reversed(PAIR_TRACE.splitlines(keepends=True))), encoding="utf-8")
    arguments = (*path, pair[0], *(("--trace",) if path == ("graph",) else ()), pair[1])
    refused = command(*arguments)
    advised = re.search(r"--disorder '(.+?)'", refused.err)
    assert refused.code == 2
    assert advised is not None, refused.err
    assert command(*arguments, "--disorder", advised.group(1)).code == 0
    for wrong, message in (("5 parsecs", "expected a duration"), ("-5 ms", "a disorder is not negative")):
        again = command(*arguments, "--disorder", wrong)
        assert again.code == 2
        assert message in again.err


def test_advice_in_vain_is_noticed() -> None:
    assert advised_in_vain(["fmt", "x"], "hint: allow for the delay with --disorder '3 ms'") == ["--disorder"]
    assert advised_in_vain(["fmt", "x"], "hint: `parte run --disorder '3 ms'` takes it; --write") == []
    assert advised_in_vain(["run", "x"], "hint: `parte run --write`") == ["--write"]


SECONDS = [
    (path, option.opts[0])
    for path, command in commands().items()
    for option in command.params
    if option.type.name == "float range"
]


def test_seconds_are_asked_for_by_many_commands() -> None:
    assert {("fuzz",), ("conform",), ("prove",), ("check",), ("explore",), ("spark", "replay")} <= {
        p for p, _ in SECONDS
    }


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
@pytest.mark.parametrize(("path", "option"), SECONDS)
def test_seconds_are_a_number(command: Command, path: tuple[str, ...], option: str, value: str) -> None:
    """`nan` is less than no bound: the command began, and ended in a fault of ours or never."""
    done = command(*path, option, value, "x", "y")
    assert done.code == 2
    assert f"Invalid value for '{option}'" in done.err


@pytest.mark.parametrize(("name", "option"), [("fuzz", "--time"), ("prove", "--timeout"), ("explore", "--time")])
def test_seconds_are_a_number_in_other_languages(command: Command, name: str, option: str) -> None:
    for language in (language for language in languages()[1:] if name in names_of(language)):
        done = command(name, "--language", language.name, option, "nan", "x", "y")
        assert (done.code, f"Invalid value for '{option}'" in done.err) == (2, True)
