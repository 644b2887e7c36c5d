"""No command writes through a symbolic link: not to what it leads to, and not to where it leads if nothing is there."""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from parte.conformance.kit import KIT
from parte.conformance.results import EngineInfo, Report, report_lines
from parte.conformance.suites import SUITE_FORMAT, load_suite
from parte.languages.registry import language_called, languages
from parte.proofs.facets import LEMMAS
from parte.semantics.events.files import (
    UnusableFile,
    below,
    opened,
    refuse_links,
    replacing,
    write_new,
    write_whole,
)
from tests.parte.examples import PAIR, PAIR_TRACE, Command
from tests.parte.guest import GUESTS
from tests.parte.inventory import inventory, parameters, words_of

pytestmark = pytest.mark.skipif(os.name != "posix", reason="makes symbolic links")

READ = {
    "--site",  # the documentation that is served
    *("--capacities", "--deployment", "--directory", "--domain", "--include", "--known-failures", "--page"),
    "--parameters",
    *("--panther", "--sigma", "--elastic", "--eqllib"),
    *("--suite", "--templates", "--variant", "FILE", "FILE..."),
}
"""Options and arguments that name what is read."""

PROGRAMS = {
    "PARTElang": ("p.parte", PAIR),
    **{name: (f"p{language_called(name).ending}", guest.program) for name, guest in GUESTS.items()},
}
TRANSLATED = "template A {} template B {} rule R where a : A, b : B when b in a [0 ms, 5 ms]"
"""A program of PARTElang that other languages can say."""
MAPPING = '[timestamp]\npath = "t"\nforms = ["epoch"]\n[[template]]\nname = "A"\n'
PANTHER = """\
AnalysisType: correlation_rule
RuleID: R
Detection: [{Group: [{RuleID: A}, {RuleID: B}], Schedule: {TimeoutMinutes: 1}}]
"""
REPORT = "\n".join(
    report_lines(Report("1", "0", "2024-05-01T08:00:00+00:00", (EngineInfo("e", "e"),), (), complete=True))
)

FILES: Mapping[str, str] = {
    "compare --step": "{program} {trace} --model published --step {out}",
    "explore --step": "{program} {trace} --model published --step {out}",
    "step --output": "{program} {trace} --output {out}",
    "graph --output": "{program} --output {out}",
    "timeline --output": "{program} {trace} --output {out}",
    "log --output": "{mapping} {raw} --output {out}",
    "log --rejected": "{mapping} {raw} --rejected {out}",
    "run --rejected": "{program} {trace} --rejected {out}",
    "why --rejected": "{program} {trace} --rejected {out}",
    "compare --rejected": "{program} {trace} --rejected {out}",
    "explore --rejected": "{program} {trace} --rejected {out}",
    "step --rejected": "{program} {trace} --rejected {out}",
    "timeline --rejected": "{program} {trace} --rejected {out}",
    "spark match --rejected": "{program} {trace} --out {new} --rejected {out}",
    "spark stream --rejected": "{program} {source} --out {new} --checkpoint {new}2 --once --rejected {out}",
    "translate --output": "{translated} --to {other} --output {out}",
    "conform --report": "{engine} --case {case} --causes 0 --report {out}",
    "conform --write-known-failures": "{engine} --case {case} --causes 0 --write-known-failures {out}",
    "test --junit": "{tests} --junit {out}",
    "report --output": "{report} --format tap --output {out}",
    "spark log --out": "{program} {trace} --out {out}",
    "spark log --rejected": "{mapping} {raw} --out {new} --rejected {out}",
    "spark stream --metrics": "{program} {source} --out {new} --checkpoint {new}2 --once --metrics {out}",
    "fmt --write": "--write {out}",
}
"""What writes a file, and how to ask for it. `--write` names the program itself, which is what the link leads to."""

DIRECTORIES: Mapping[str, tuple[str, str]] = {
    "prove --export": ("{lemma} --export {out}", "{lemma}.sound.smt2"),
    "fuzz --out": ("{engine} --max-cases 1 --out {out}", "fuzz"),
    "experiment --out": ("schedules --small --out {out}", "schedules"),
    "examples --out": ("engines --out {out}", "engine.py"),
    "import --out": ("{format} {rule} --out {out}", "R{ending}"),
    "suite admit --suite": ("--suite {out}", "anything"),
    "spark replay --out": ("--random 1 --out {out}", "results"),
    "spark stream --out": ("{program} {source} --out {out} --checkpoint {new} --once", "kind=match"),
    "spark stream --checkpoint": ("{program} {source} --out {new} --checkpoint {out} --once", "offsets"),
}
"""What writes into a directory that may hold something already: how to ask for it, and a name in it that is written."""

EMPTY: Mapping[str, str] = {
    "suite export DIR": "{out}",
    "spark convert --out": "{suite} --out {out}",
    "spark generate --out": "1 --out {out}",
    "spark match --out": "{program} {trace} --out {out}",
}
"""What writes into a directory that is made or empty."""


def written_by(name: str) -> Iterator[str]:
    """The options of a command that name what it writes; what is not known to be read is written."""
    for option, metavar in parameters(name):
        path = {"FILE", "DIR"} & set(re.findall("[A-Z]+", metavar))
        if option == "--write" or (option == "--suite" and name.endswith("admit")) or (path and option not in READ):
            yield option


def general(name: str) -> str:
    """The name of a command without its language."""
    return name.partition(" ")[2] if name.split()[0] in PROGRAMS else name


def language_of(name: str) -> str:
    """The language that a command is about."""
    return name.split()[0] if name.split()[0] in PROGRAMS else "PARTElang"


WRITERS = [(name, option) for name in inventory() for option in written_by(name)]
OUTPUTS = [(name, option) for name, option in WRITERS if f"{general(name)} {option}" in FILES]
FOLDERS = [(name, option) for name, option in WRITERS if f"{general(name)} {option}" in DIRECTORIES]


def test_every_option_that_names_an_output_is_here() -> None:
    assert {f"{general(name)} {option}" for name, option in WRITERS} == {*FILES, *DIRECTORIES, *EMPTY}


def arguments(name: str, template: str, out: Path, folder: Path) -> list[str]:
    """The arguments of a command that writes to `out`; its inputs are put into a folder."""
    language = language_of(name)
    file, text = PROGRAMS[language]
    (folder / file).write_text(text, encoding="utf-8")
    trace = PAIR_TRACE if language == "PARTElang" else GUESTS[language].trace
    (folder / "a.parte").write_text(TRANSLATED, encoding="utf-8")
    (folder / "t.jsonl").write_text(trace, encoding="utf-8")
    (folder / "r.jsonl").write_text(REPORT, encoding="utf-8")
    (folder / "m.toml").write_text(MAPPING, encoding="utf-8")
    kind, rule, ending, _ = imported(language)
    (folder / f"R{ending}").write_text(rule, encoding="utf-8")
    (folder / "raw.jsonl").write_text('{"t": 1}\n{"t": null}\n', encoding="utf-8")
    (folder / "p.cases").write_text("case pair\n  trace a1@0(k=1) b1@4(k=1)\n  expect 1 match\n", encoding="utf-8")
    (folder / "source").mkdir(exist_ok=True)
    record = language_called(language)
    values = {
        "program": folder / file,
        "translated": folder / ("a.parte" if language == "PARTElang" else file),
        "trace": folder / "t.jsonl",
        "report": folder / "r.jsonl",
        "source": folder / "source",
        "mapping": folder / "m.toml",
        "raw": folder / "raw.jsonl",
        "format": kind,
        "rule": folder / f"R{ending}",
        "tests": folder / "p.cases",
        "new": folder / "new",
        "other": languages()[-1].name if language == "PARTElang" else "PARTElang",
        "engine": "model:sound",
        "case": next(iter(load_suite(record).cases)),
        "lemma": next(iter(record[LEMMAS].lemmas)).id if record.has(LEMMAS) else "no lemma",
        "suite": record[KIT].suite,
        "out": out,
    }
    return [*words_of(name), *(part.format(**values) for part in template.split())]


def imported(language: str) -> tuple[str, str, str, str]:
    """A format of rules that a language imports, a rule in it, and the endings of its file and of the program."""
    own = GUESTS[language].imported if language in GUESTS else None
    return own or ("panther", PANTHER, ".yml", ".parte")


def called(pair: tuple[str, str]) -> str:
    return " ".join(pair)


@pytest.mark.parametrize("writer", OUTPUTS, ids=called)
def test_a_file_is_written_and_not_through_a_link(command: Command, tmp_path: Path, writer: tuple[str, str]) -> None:
    name, option = writer
    template = FILES[f"{general(name)} {option}"]
    victim, link, gone = tmp_path / "victim", tmp_path / "link.svg", tmp_path / "gone"
    for target in (victim, gone):
        link.unlink(missing_ok=True)
        link.symlink_to(target)
        before = f"{PROGRAMS[language_of(name)][1]}\n\n" if option == "--write" else "not yours"
        victim.write_text(before, encoding="utf-8")
        done = command(*arguments(name, template, link, tmp_path))
        assert done.code == 2, done
        assert "link.svg" in done.err
        assert "symbolic link" in done.err or (option == "--write" and target == gone)
        assert (victim.read_text(encoding="utf-8"), gone.exists(), link.is_symlink()) == (before, False, True)


@pytest.mark.parametrize("writer", FOLDERS, ids=called)
def test_a_directory_is_filled_and_not_through_a_link(
    command: Command, tmp_path: Path, writer: tuple[str, str]
) -> None:
    name, option = writer
    template, within = DIRECTORIES[f"{general(name)} {option}"]
    elsewhere, victim, gone = tmp_path / "elsewhere", tmp_path / "victim", tmp_path / "gone"
    elsewhere.mkdir()
    victim.write_text("not yours", encoding="utf-8")
    for number, target in enumerate((elsewhere, victim, gone)):
        out = tmp_path / f"out{number}"
        out.mkdir()
        if option == "--suite":
            write_whole(out / "suite.json", json.dumps({"format": SUITE_FORMAT, "version": "1.0"}))
        words = arguments(name, template, out, tmp_path)
        lemma = words[words.index("--export") - 1] if "--export" in words else ""
        (out / within.format(lemma=lemma, ending=imported(language_of(name))[-1])).symlink_to(target)
        done = command(*words)
        assert done.code == 2, done
        assert re.search("link|is there already", done.err), done.err
        assert (victim.read_text(encoding="utf-8"), gone.exists(), [*elsewhere.iterdir()]) == ("not yours", False, [])


@pytest.mark.parametrize(
    "writer", [(name, option) for name, option in WRITERS if (name, option) not in OUTPUTS], ids=called
)
def test_a_directory_is_made_and_not_through_a_link_that_leads_nowhere(
    command: Command, tmp_path: Path, writer: tuple[str, str]
) -> None:
    name, option = writer
    key = f"{general(name)} {option}"
    if option == "--suite":
        return  # of a suite that is nowhere nothing is admitted
    template = EMPTY[key] if key in EMPTY else DIRECTORIES[key][0]
    link, gone = tmp_path / "link", tmp_path / "gone"
    link.symlink_to(gone)
    done = command(*arguments(name, template, link, tmp_path))
    assert done.code == 2, done
    assert "symbolic link" in " ".join(done.err.replace("│", " ").split()), done.err
    assert not gone.exists()


@pytest.mark.parametrize("stream", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_standard_output_may_be_a_link_and_be_sent_to_a_file(tmp_path: Path, stream: str) -> None:
    (tmp_path / "p.parte").write_text(PAIR, encoding="utf-8")
    with (tmp_path / "out").open("wb") as out:
        drawn = [sys.executable, "-m", "parte", "graph", "p.parte", "--format", "svg", "-o", stream]
        done = subprocess.run(drawn, stdout=out, stderr=subprocess.PIPE, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "out").read_text(encoding="utf-8").startswith("<svg")


# --- What all of them write with -------------------------------------------------------------------------------------


def test_what_is_new_is_made_exclusively(tmp_path: Path) -> None:
    write_new(tmp_path / "new", b"first")
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    for name in ("new", "link"):
        with pytest.raises(FileExistsError):
            write_new(tmp_path / name, b"second")
    assert (tmp_path / "new").read_bytes() == b"first"
    assert {path.name for path in tmp_path.iterdir()} == {"new", "link"}  # no draft is left


def test_what_comes_while_a_new_file_is_written_stays(tmp_path: Path) -> None:
    def write() -> None:
        with replacing(tmp_path / "new") as draft:
            draft.write(b"mine")
            (tmp_path / "new").write_bytes(b"of another")

    with pytest.raises(FileExistsError):
        write()
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("new", b"of another")]


def test_without_hard_links_a_new_file_is_made_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> None:
        raise PermissionError(errno.EPERM, "no hard links")

    monkeypatch.setattr(os, "link", none)
    write_new(tmp_path / "new", b"first")
    with pytest.raises(FileExistsError):
        write_new(tmp_path / "new", b"second")
    write_whole(tmp_path / "whole", "whole")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"new": b"first", "whole": b"whole"}


def test_directories_on_the_way_are_no_links(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "elsewhere")  # it was named, so it is meant
    assert below(tmp_path / "out", "a/b/c") == tmp_path / "out/a/b/c"
    assert (tmp_path / "elsewhere/a/b").is_dir()
    (tmp_path / "elsewhere/a/on").symlink_to(tmp_path)
    with pytest.raises(UnusableFile, match="symbolic link"):
        below(tmp_path / "out", "a/on/c")
    with pytest.raises(UnusableFile, match="symbolic link"):
        refuse_links(tmp_path / "out")
    with pytest.raises(UnusableFile, match="symbolic link"):
        opened(tmp_path / "elsewhere/a/on", "ab")
