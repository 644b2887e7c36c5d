"""Counts of this repository that the paper prints: defects, evidence of each language, engines, theorems, rules in use.

`python -m docs.paper_numbers` prints a line for each, its name and its value. The claims of `docs/claims.toml` that
have the page `paper/parte.typ` read these lines. Counts of defects, cases, lemmas, mutants and theorems are of the
catalogues in this repository. Those of engines and of public rules are of the recorded runs.
"""

from __future__ import annotations

import csv
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from docs.engines_page import Engine, engines, measured
from docs.evidence_page import proved
from parte.conformance.controls import every
from parte.conformance.kit import KIT
from parte.conformance.results import CaseVerdict
from parte.conformance.suites import load_suite
from parte.languages.language import Language
from parte.languages.partelang import PARTELANG
from parte.languages.registry import languages
from parte.proofs.facets import CONTROLS
from parte.proofs.partelang.defects import DEFECTS
from parte.semantics.rulebook.listing import RULES

ROOT: Final = Path(__file__).parents[1]
KINDS: Final = ROOT / "paper" / "kinds.toml"
ROCQ: Final = ROOT / "parte" / "proofs" / "rocq"
DETECTIONS: Final = ROOT / "docs" / "experiments" / "detections"
EQL_RULES: Final = ROOT / "docs" / "eql-rules.md"
EXTRACTED: Final = {"proved", "rocq", "rocq-algebra"}
"""The engines of this project among those with a recorded run."""

Number = tuple[str, int]


def numbers() -> Iterator[Number]:
    """Yield the name and the value of each count."""
    yield from defects_by_kind()
    yield from _languages()
    yield from _engines()
    yield from _theorems()
    yield from _rules_in_use()


def defects() -> Mapping[str, set[int]]:
    """Return the numbers of the defects that are listed for each language, by its name in lower case."""
    listed = {PARTELANG.name.lower(): {defect.number for defect in DEFECTS}}
    for path in (ROOT / "parte" / "languages").glob("*/conformance/defects.toml"):
        tables = tomllib.loads(path.read_text(encoding="utf-8"))["defect"]
        listed[path.parents[1].name] = {table["number"] for table in tables}
    return listed


def kinds() -> Mapping[str, Mapping[str, list[int]]]:
    """Return the numbers of the defects of each kind, for each language (`paper/kinds.toml`)."""
    return tomllib.loads(KINDS.read_text(encoding="utf-8"))


def defects_by_kind() -> Iterator[Number]:
    """Yield the counts of defects: of each kind and language, of each language, of each kind, and of all."""
    by_language = {name: {kind: len(listed) for kind, listed in table.items()} for name, table in kinds().items()}
    for name, counts in by_language.items():
        yield from ((f"defects-{name}-{kind}", count) for kind, count in counts.items())
        yield f"defects-{name}", sum(counts.values())
    whole = sum(map(Counter, by_language.values()), Counter[str]())
    yield from ((f"defects-{kind}", count) for kind, count in whole.items())
    yield "defects", whole.total()


def _languages() -> Iterator[Number]:
    whole = Counter[str]()
    for language in languages():
        counts = dict(_evidence(language))
        whole.update(counts)
        yield from ((f"{what}-{language.name.lower()}", count) for what, count in counts.items())
    yield from whole.items()


def _evidence(language: Language) -> Iterator[Number]:
    mutants = language[KIT].mutants()
    yield "rules", len(language[RULES].rules)
    yield "cases", len(load_suite(language).cases)
    yield "mutants", len(mutants)
    yield "killed", sum(not mutant.survives for mutant in mutants)
    yield "lemmas", len(proved(language))
    if language.has(CONTROLS):
        controls = list(every(language))
        yield "controls", len(controls)
        yield "detected", sum(bool(control.detected_by) for control in controls)


def _engines() -> Iterator[Number]:
    foreign = [engine for language in measured() for engine in engines(language[KIT].recorded)]
    foreign = [engine for engine in foreign if engine.label not in EXTRACTED]
    yield "engines", len(foreign)
    yield "causes", sum(len(engine.written["causes"]) for engine in foreign)
    for engine in foreign:
        yield from ((f"{engine.label}-{what}", count) for what, count in _outcome(engine))


def _outcome(engine: Engine) -> Iterator[Number]:
    counts = sum(map(Counter, engine.summary["counts"].values()), Counter[str]())
    unsupported = counts.pop(CaseVerdict.UNSUPPORTED.value, 0)
    yield "asked", counts.total()
    yield "pass", counts[CaseVerdict.PASS.value]
    yield "differ", counts.total() - counts[CaseVerdict.PASS.value]
    yield "unsupported", unsupported
    yield "causes", len({*engine.causes.values()})


def _theorems() -> Iterator[Number]:
    sources = {path.name: path.read_text(encoding="utf-8") for path in ROCQ.glob("*.v")}
    yield "theorems", len(re.findall(r"^Print Assumptions ", sources["Theorems.v"], re.MULTILINE))
    yield "rocq-files", len(sources)
    yield "rocq-lines", sum(text.count("\n") for text in sources.values())


def _rules_in_use() -> Iterator[Number]:
    for row in _table(2):
        yield from ((f"{row['corpus']}-{name.replace(' ', '-')}", int(row[name])) for name in row if name != "corpus")
    for row in _table(4):
        if row["what"] == "on schedule":
            yield f"{row['corpus']}-{row['code']}", int(row["findings"])
    for row in _table(5):
        yield f"{row['corpus']}-{row['verdict'].replace(' ', '-')}", int(row["rules"])
    yield from _eql_rules(EQL_RULES.read_text(encoding="utf-8"))


def _table(number: int) -> Iterable[Mapping[str, str]]:
    with (DETECTIONS / f"table-{number}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _eql_rules(page: str) -> Iterator[Number]:
    """Yield the counts of the page on Elastic's rules: queries that are read, and sequences by what a run sees."""
    read = {name: int(count) for name, count in re.findall(r"^\| ([a-z ]+) \| (\d+) \| \d+ \|", page, re.MULTILINE)}
    yield "eql-read", sum(read.values())
    yield from ((f"eql-{name.replace(' ', '-')}", count) for name, count in read.items())
    rows = [[cell.strip() for cell in row.split("|")[1:-1]] for row in page.splitlines()]
    findings = [row[5] for row in rows if len(row) == 6 and row[1].startswith("sequence")]
    yield "eql-seen", findings.count("")
    yield "eql-by-phase", sum("may be seen" in finding for finding in findings)
    yield "eql-unseen", sum("is seen by no run" in finding for finding in findings)
    yield "eql-unbounded", sum("no maxspan" in finding for finding in findings)


if __name__ == "__main__":
    for name, value in numbers():
        print(f"{name}: {value}")
