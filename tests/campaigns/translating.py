"""The command `parte translate` on programs of every language, in every direction, with names that mean something.

What ends in 0 is a program of the other language; what ends in 2 says why, with a place. Programs of PARTElang that the
campaigns on meaning draw are held to their meaning under their new names, too.
"""

from __future__ import annotations

import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from parte.cli import app
from parte.conformance.fuzz.draw import Seeded
from parte.conformance.kit import KIT
from parte.languages.registry import language_called
from parte.languages.translations.table import translations
from parte.semantics.events.event import Event
from parte.semantics.source.diagnostics import ProgramError
from parte.semantics.source.text import TEXT
from tests.campaigns.mutations import mutated
from tests.campaigns.running import Broken
from tests.campaigns.wild import wild
from tests.languages.translations.parts import PARTS

WORDS = (
    *("event_time", "timestamp", "id", "uid", "list", "count", "template", "source", "start", "end", "time", "collect"),
    *("rule", "no", "in", "at", "with", "emit", "type", "where", "when", "then", "predicate", "true", "false", "min"),
    *("select", "from", "within", "filter", "partition", "next", "events", "ms", "as", "or", "and", "not", "proj"),
    *("seq", "par", "SEQ", "during", "meets", "NOT", "all", "every", "first", "last", "adjacent", "wait", "match"),
    *("e0", "s0", "R1", "l", "r", "c", "s", "t", "x0", "I0", "T0", "X0_k", "n_after", "p_after", "absent1_1", "A_2"),
    *("part_1", "at_60", "n0_after", "Integer", "String", "abs", "_", "k", "A", "B", "p", "q", "n0", "a", "b"),
)
_TOKEN = re.compile(r"""(?P<kept>"(?:[^"\\\n]|\\.)*"|'(?:[^'\n]|'')*'|[0-9][A-Za-z0-9_.]*)|(?P<name>[A-Za-z_]\w*)""")


@dataclass(frozen=True, slots=True)
class Command:
    """A text of a language, the language that it is to be in, more options, and templates if any are given; and a case
    of a campaign that is the same program, None if its meaning is left alone."""

    language: str
    text: bytes
    to: str
    options: tuple[str, ...]
    templates: str | None
    meaning: tuple[int, Any] | None


class Translating:
    """The campaign."""

    name = "translate"

    def draw(self, source: random.Random) -> Command:
        """A program, mostly with some of its names exchanged, and sometimes damaged."""
        language, to = source.choice(tuple(translations()))
        text, meaning, known = _drawn(source, language)
        names = _exchanged(source, known) if source.random() < 0.8 else {}
        text = renamed(text, names)
        if meaning is not None:
            meaning = meaning[0], with_names(meaning[1], names)
        content = text.encode()
        if source.random() < 0.15:
            content, meaning = mutated(source, content), None
        templates = None
        if to == "PARTElang" and source.random() < 0.6:
            slots = "k : Integer, l : Integer, v : Integer, w : Integer, x : Float, s : String, b : Boolean, "
            slots += "uid : Integer, x0 : Integer, x1 : String"
            streams = ("A", "B", "C", "D", "a", "b", "c", "d", "e", "f")
            templates = renamed("".join(f"template {template} {{ {slots} }}\n" for template in streams), names)
        options = source.choice(((), (), ("--rule", "R"), ("--rule", "R0"))) if language == "PARTElang" else ()
        return Command(language, content, to, options, templates, meaning)

    def smaller(self, case: Command) -> Iterator[Command]:
        """The case without its meaning, with a line less, and without options."""
        if case.meaning is not None:
            number, inner = case.meaning
            for reduced in PARTS[number].campaign.smaller(inner):
                yield replace(case, text=reduced.text.encode(), meaning=(number, reduced))
            return
        lines = case.text.splitlines(keepends=True)
        for place in range(len(lines)):
            yield replace(case, text=b"".join(lines[:place] + lines[place + 1 :]))
        if case.templates is not None:
            yield replace(case, templates=None)
        if case.options:
            yield replace(case, options=())

    def show(self, case: Command) -> str:
        """The command and what it gets."""
        meaning_text = "" if case.meaning is None else PARTS[case.meaning[0]].campaign.show(case.meaning[1])
        return f"{case.language} --to {case.to} {case.options}\n{case.text!r}\n{case.templates}\n{meaning_text}"

    def attack(self, case: Command, counts: Counter[str]) -> None:
        """Run the command, read what it writes, translate it back, and compare what both mean."""
        way = f"{case.language} to {case.to}"
        written = translated(case, counts, way)
        if written is not None and case.to in {source for source, to in translations() if to == case.language}:
            back = Command(case.to, written.encode(), case.language, (), case.templates, None)
            translated(
                replace(back, templates=case.templates if case.language == "PARTElang" else None), counts, "back"
            )
        if case.meaning is not None:
            number, inner = case.meaning
            PARTS[number].campaign.attack(inner, counts)


def translated(case: Command, counts: Counter[str], way: str) -> str | None:
    """What the command writes; None if it refuses."""
    language, target = language_called(case.language), language_called(case.to)
    with tempfile.TemporaryDirectory(prefix="parte-") as name:
        program = Path(name, f"program{language.ending}")
        program.write_bytes(case.text)
        options = list(case.options)
        if case.templates is not None:
            Path(name, "templates.parte").write_text(case.templates, encoding="utf-8")
            options += ["--templates", str(Path(name, "templates.parte"))]
        result = CliRunner().invoke(app, ["translate", str(program), "--to", case.to, *options], prog_name="parte")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise Broken(f"{way}: {type(result.exception).__name__}", str(result.exception)) from result.exception
    counts[f"{way}: exit code {result.exit_code}"] += 1
    if result.exit_code == 0:
        try:
            target[TEXT].parse(result.stdout)
        except ProgramError as error:
            raise Broken(f"{way}: what is written is no program", f"{result.stdout}{error}") from None
        return result.stdout
    if result.exit_code != 2 or result.stdout:
        raise Broken(f"{way}: exit code {result.exit_code}", result.stdout + result.stderr)
    if not re.search(r"\.\w+:\d+:\d+: error\[|program\.\w+|templates\.parte|--rule", result.stderr):
        raise Broken(f"{way}: an error without its place", result.stderr)
    return None


# --- Drawing ----------------------------------------------------------------------------------------------------------


def _drawn(source: random.Random, language: str) -> tuple[str, tuple[int, Any] | None, tuple[str, ...]]:
    """A text, the case of a campaign that it is of, and the names in it that can be exchanged."""
    if language != "PARTElang":
        if source.random() < 0.5:
            text = next(part for part in PARTS if part.language == language).translatable(source)
        else:
            generation = language_called(language)[KIT].generation()
            text = generation.drawn(Seeded(source)).text
        return text, None, _names(text)
    if source.random() < 0.25:
        text = wild(source, rich=source.random() < 0.5).text
        return text, None, _names(text)
    number = source.randrange(len(PARTS))
    case = PARTS[number].drawn_rule(source)
    return case.text, (number, case), _names(case.text)


def _names(text: str) -> tuple[str, ...]:
    """The names of a text: with what is drawn, they have one or two letters."""
    names = dict.fromkeys(match["name"] for match in _TOKEN.finditer(text) if match["name"])
    return tuple(name for name in names if len(name) <= 2 and name.lower() not in ("no", "in", "at", "ms", "as", "or"))


def _exchanged(source: random.Random, known: tuple[str, ...]) -> dict[str, str]:
    """Other names for one to three of them, each for one only."""
    chosen = source.sample(known, min(len(known), source.choice((1, 1, 2, 3))))
    words = [word for word in WORDS if word not in known or word in chosen]
    return dict(zip(chosen, source.sample(words, min(len(words), len(chosen))), strict=False))


def renamed(text: str, names: Mapping[str, str]) -> str:
    """A text with other names, outside strings and numbers."""
    return _TOKEN.sub(lambda match: match["kept"] or names.get(match["name"], match["name"]), text)


def with_names(case: Any, names: Mapping[str, str]) -> Any:
    """A case with a program of PARTElang with other names, and its events with the same."""

    def event(original: Event) -> Event:
        attributes = {names.get(name, name): value for name, value in original.attributes.items()}
        return replace(original, template=names.get(original.template, original.template), attributes=attributes)

    return replace(case, text=renamed(case.text, names), events=tuple(map(event, case.events)))
