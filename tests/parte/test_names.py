"""Names outside ASCII are refused by every command of every language, once each, with what to write (specification:
names)."""

from __future__ import annotations

from pathlib import Path

import pytest

from parte.checker.report.facet import CHECK
from parte.commands.general import COMMANDS_OF
from parte.languages.registry import language_called
from tests.parte.examples import Command
from tests.parte.guest import GUESTS

PROGRAMS = {
    "PARTElang": "template {name} {{}} template B {{}} rule R where a : {name}, then emit B at a.timestamp\n",
    **{name: guest.named for name, guest in GUESTS.items()},
}
COMMANDS = ("check", "fmt", "ast", "graph", "run", "compare", "explore", "timeline")
DRAWN = ("graph", "explore", "timeline")
TRACED = ("run", "compare", "explore", "timeline")
NAMES = {
    "Größe": "the name `Größe` has the character `ö` (U+00F6)",
    "naïveté": "the name `naïveté` has the character `ï` (U+00EF)",
    "cafe\u0301": "the name `cafe\u0301` has the character `\u0301` (U+0301)",
    "温度": "the name `温度` has the character `温` (U+6E29)",
    "ſum": "the name `ſum` has the character `ſ` (U+017F)",
}


def commands_of(language: str) -> list[str]:
    """The commands of a language among these; the drawings of a guest are commands of its own."""
    record = language_called(language)
    own = record[COMMANDS_OF] if record.has(COMMANDS_OF) else () if language in GUESTS else DRAWN
    return [name for name in COMMANDS if (name in own if name in DRAWN else name != "check" or record.has(CHECK))]


@pytest.mark.parametrize("language", PROGRAMS)
@pytest.mark.parametrize("name", NAMES)
def test_a_name_outside_ascii_is_refused_by_every_command(
    command: Command, tmp_path: Path, language: str, name: str
) -> None:
    program, trace = tmp_path / f"program{language_called(language).ending}", tmp_path / "trace.jsonl"
    program.write_text(PROGRAMS[language].format(name=name), encoding="utf-8")
    trace.write_text("", encoding="utf-8")
    written = PROGRAMS[language].count("{name}")
    for command_name in commands_of(language):
        result = command(command_name, program, *((trace,) if command_name in TRACED else ()))
        assert (result.code, result.out) == (2, ""), command_name
        assert result.err.count(f"error[invalid-character]: {NAMES[name]}") == written == result.err.count("error[")
        assert (
            "hint: write it with the letters A to Z and a to z, digits and underscores, in the trace too" in result.err
        )


@pytest.mark.parametrize("language", [name for name in PROGRAMS if "graph" in commands_of(name)])
def test_a_graph_goes_to_standard_output(command: Command, tmp_path: Path, language: str) -> None:
    program = tmp_path / f"program{language_called(language).ending}"
    text = GUESTS[language].program if language in GUESTS else PROGRAMS[language].format(name="A")
    program.write_text(text, encoding="utf-8")
    drawn = command("graph", program)
    assert (drawn.code, drawn.out[:5], drawn.out[-7:]) == (0, "<svg ", "</svg>\n")
    assert command("graph", program, "--format", "dot").out.startswith("digraph ")
    assert "into a pipe alike" in " ".join(command("graph", program, "--help").out.split())
