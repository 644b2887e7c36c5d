"""Reports of faults to the authors of engines and papers: one template, filled from catalogues of defects and causes.

`python -m docs.upstream_page DIR` writes each report as a file of Markdown. Whoever sends one is a person.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from docs.defect_pages import Section
from docs.engines_page import Engine, engines
from docs.guests import guests
from parte.conformance.kit import KIT
from parte.languages.partelang import PARTELANG
from parte.semantics.events.files import make_directory, write_whole

DATA: Final = Path(__file__).parent / "upstream"
CASE: Final = {"pattern", "query", "rules", "events", "stream"}
"""The rows of a defect that are its case; the one after them is what is right."""
REPAIR: Final = "the repair"


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault: a title, the smallest case, what is documented or right, what happens instead, and the reason."""

    title: str
    case: str
    documented: str
    happens: str
    why: str


@dataclass(frozen=True, slots=True)
class Report:
    """A report to one recipient about one version of one thing; `name` is that of its file."""

    name: str
    recipient: str
    about: str
    findings: Sequence[Finding]

    def text(self) -> str:
        """Return the report in Markdown, as trackers take it."""
        parts = [f"About: {self.about}\n"]
        for number, finding in enumerate(self.findings, 1):
            head = f"{number}. {finding.title}" if len(self.findings) > 1 else finding.title
            parts.append(
                f"## {head}\n\n### Smallest case\n\n{finding.case}\n\n### Documented\n\n{finding.documented}\n\n"
                f"### What happens\n\n{finding.happens}\n\n### Why\n\n{finding.why}\n"
            )
        return "\n".join(parts)


@cache
def reports() -> tuple[Report, ...]:
    """Return all reports that can be made here, those about papers first. It runs every case."""
    return (*_about_papers(), *_about_engines())


def _about_papers() -> Iterator[Report]:
    papers: Mapping[str, Mapping[str, str]] = tomllib.loads((DATA / "papers.toml").read_text(encoding="utf-8"))
    findings = {PARTELANG.name: list(_of_dissertation())}
    findings |= {guest.name: list(map(_of_section, guest.sections())) for guest in guests() if guest.sections}
    for language, faults in findings.items():
        paper = papers[language]
        yield Report(language.lower(), paper["recipient"], paper["work"], faults)


def _of_dissertation() -> Iterator[Finding]:
    from docs.generate import _listed, _what_happens  # which imports this module
    from parte.algebra.partelang.programs import run
    from parte.proofs.partelang.defects import DEFECTS
    from parte.semantics.partelang.repairs import Repairs

    for defect in DEFECTS:
        truth = run(defect.scenario.program, defect.scenario.items).matches
        repair = Repairs.declared()[defect.repair]
        yield Finding(
            defect.title,
            _fenced(f"rule R where {defect.rule} then") + "\n" + _fenced(defect.trace),
            f"By definition 12, the matches are: {_listed(truth)}.",
            f"The rules, with the other errors corrected: {_what_happens(truth, defect.run(defect.exhibits))}.",
            f"Corrected by: {repair.text}.",
        )


def _of_section(section: Section) -> Finding:
    case = "\n".join(f"- {name}: {said}" for name, said in section.rows if name in CASE)
    results = [f"{name}: {said}" for name, said in section.rows if name not in CASE | {REPAIR}]
    return Finding(
        f"{section.text[0].upper()}{section.text[1:]}",
        case or "The text alone shows it.",
        ". ".join((section.where, *results[:1])),
        "\n".join(f"- {result}" for result in results[1:]) or "What is printed says otherwise.",
        f"In the terms of the repair: {dict(section.rows)[REPAIR]}."
        if REPAIR in dict(section.rows)
        else "As the title.",
    )


def _about_engines() -> Iterator[Report]:
    known = {engine.label: engine for engine in engines(PARTELANG[KIT].recorded)}
    for entry in tomllib.loads((DATA / "engines.toml").read_text(encoding="utf-8"))["report"]:
        if find_spec(entry["module"]) is not None:
            yield _of_engine(entry, known[entry["engine"]])


def _of_engine(entry: Mapping[str, Any], engine: Engine) -> Report:
    code = entry["code"].strip()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    finding = Finding(
        entry["title"],
        _fenced(code, "python"),
        entry["documented"],
        f"{_fenced(done.stdout.strip())}\n\n{engine.written['causes'][entry['cause']]['engine']}",
        f"The case `{engine.written['causes'][entry['cause']]['example']}` of the suite found it.",
    )
    version = f"{entry['package']} {metadata.version(entry['package'])}, Python {sys.version.split()[0]}"
    return Report(f"{entry['engine']}-{entry['cause']}", entry["tracker"], version, [finding])


def _fenced(text: str, language: str = "text") -> str:
    return f"```{language}\n{text.strip()}\n```"


def upstream_page() -> str:
    """Return the reports, each as the text that its recipient gets."""
    return "\n".join(_shown(report) for report in reports())


def _shown(report: Report) -> str:
    return f"## {report.about}\n\nTo: {report.recipient}.\n\n````markdown\n{report.text()}````\n"


def main(arguments: Sequence[str]) -> int:
    """Write each report into a directory. Return the exit code."""
    if len(arguments) != 1:
        print("usage: python -m docs.upstream_page DIR", file=sys.stderr)
        return 2
    make_directory(Path(arguments[0]))
    for report in reports():
        path = Path(arguments[0]) / f"{report.name}.md"
        write_whole(path, f"To: {report.recipient}.\n\n{report.text()}")
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
