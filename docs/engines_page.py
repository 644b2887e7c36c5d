"""The page of foreign engines, from the recorded runs.

For every `reports/LABEL.json` of a language (`Kit.recorded`) the page shows a column of the matrix and a section.
The files of an engine and how they are written are described in `parte.conformance.engines.summary`; an engine joins by
adding its three files (`reports/LABEL.json`, `known/LABEL.jsonl`, `known/LABEL.json`). Every known failure must have a
cause that is explained, and every cause an example in the suite.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docs.heat_map import Cell, heat_map
from parte.conformance.engines.summary import KNOWN, REPORTS, read_causes
from parte.conformance.kit import KIT
from parte.conformance.results import CaseVerdict
from parte.conformance.suites import load_suite
from parte.languages.language import Language
from parte.languages.partelang import PARTELANG
from parte.languages.registry import languages

Json = Any
Table = Callable[[Sequence[str], Iterable[Sequence[str]]], str]

ROOT = Path(__file__).resolve().parents[1]
_MOST_SHOWN = 12
CELLS = "cases that passed of those that it could be asked, by profile. A cell shows the causes of its failures."


class Unexplained(ValueError):
    """A known failure without an explanation, an explanation without a failure, or an example that does not fail."""


@dataclass(frozen=True, slots=True)
class Engine:
    """A foreign engine: the summary of its run, the cause of each known failure, and the explanations."""

    summary: Mapping[str, Json]
    causes: Mapping[str, str]
    written: Mapping[str, Json]
    inherited: Mapping[str, Json]
    """Causes that it shares with the engine of which it is a variant."""

    @property
    def label(self) -> str:
        """Name of its files."""
        return str(self.summary["engine"])

    def cases(self, cause: str) -> list[str]:
        """Return the cases that fail for a cause."""
        return [case for case, known_cause in self.causes.items() if known_cause == cause]


def engines(recorded: Path = PARTELANG[KIT].recorded) -> list[Engine]:
    """Return all engines that have a summary, by label. Unexplained if their lists and explanations do not fit."""
    engine_list = []
    for path in sorted(
        (recorded / REPORTS).glob("*.json"), key=lambda path: path.stem
    ):  # a variant after what it extends
        written = _written(recorded, path.stem)
        listed = read_causes(recorded, path.stem)
        base = _written(recorded, written["extends"])["causes"] if "extends" in written else {}
        inherited = {name: cause for name, cause in base.items() if name in listed.values()}
        engine = Engine(json.loads(path.read_text(encoding="utf-8")), listed, written, inherited)
        if wrong := sorted(set(listed.values()) ^ {*written["causes"], *inherited}):
            raise Unexplained(f"{path.stem}: causes that are not both listed and explained: {', '.join(wrong)}")
        for name, cause in written["causes"].items():
            if engine.causes.get(cause["example"]) != name:
                raise Unexplained(f"{path.stem}: {cause['example']} is no example of {name}")
        engine_list.append(engine)
    return engine_list


def _written(recorded: Path, label: str) -> Mapping[str, Json]:
    written: Mapping[str, Json] = json.loads((recorded / KNOWN / f"{label}.json").read_text(encoding="utf-8"))
    return written


def engines_page(table: Table) -> str:
    """Return the matrix of the page and a section for each engine; `table` writes a table in Markdown."""
    first, *others = measured()
    return part(first, table) + "".join(
        f"\n## Engines of {language.name}\n\n{part(language, table)}" for language in others
    )


def measured() -> list[Language]:
    """Return the languages with a foreign engine that was run."""
    return [
        language
        for language in languages()
        if language.has(KIT) and any((language[KIT].recorded / REPORTS).glob("*.json"))
    ]


def _and(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def part(language: Language, table: Table) -> str:
    """Return the section about the engines of a language."""
    all_engines = engines(language[KIT].recorded)
    profiles = [
        name for name in language[KIT].profiles if any(name in engine.summary["counts"] for engine in all_engines)
    ]
    cases = load_suite(language).cases
    rows = [
        (
            f"{engine.summary['name']} {engine.summary['version']} ({engine.label})",
            [
                *(
                    _heat(
                        engine.summary["counts"].get(name, {}),
                        engine,
                        (case for case in engine.causes if case in cases and cases[case].profile == name),
                    )
                    for name in profiles
                ),
                _heat(_total(engine), engine, engine.causes),
            ],
        )
        for engine in all_engines
    ]
    matrix = heat_map(language.name.lower(), f"Engines of {language.name}, {CELLS}", ("engine", *profiles, "all"), rows)
    return f"{matrix}\n{''.join(_section(engine, table) for engine in all_engines)}"


def _heat(counts: Mapping[str, int], engine: Engine, failing: Iterable[str]) -> Cell:
    """Return the cell for the cases of a profile: its box has all verdicts, then the causes of the cases that fail, the
    most frequent first."""
    judged = sum(counts.values()) - counts.get(CaseVerdict.UNSUPPORTED.value, 0)
    verdicts = ", ".join(f"{number} {verdict}" for verdict, number in counts.items())
    causes = Counter(engine.causes[case] for case in failing).most_common()
    titles = {name: cause["title"] for name, cause in {**engine.inherited, **engine.written["causes"]}.items()}
    if not judged:
        return Cell("–", None, [verdicts] if verdicts else [])
    passed = counts.get(CaseVerdict.PASS.value, 0)
    return Cell(
        f"{passed}/{judged}", passed / judged, [verdicts, *(f"{number} × {titles[name]}" for name, number in causes)]
    )


def _total(engine: Engine) -> Mapping[str, int]:
    by_profile = engine.summary["counts"].values()
    return {verdict.value: sum(counts.get(verdict.value, 0) for counts in by_profile) for verdict in CaseVerdict}


def _section(engine: Engine, table: Table) -> str:
    summary = engine.summary
    questions = "".join(f"- {sentence}\n" for sentence in engine.written["asked"])
    reasons = [(str(number), reason) for reason, number in summary["unsupported"].items()]
    causes = [
        (
            cause["title"],
            cause["engine"],
            cause["spec"],
            cause["right"],
            f"`{cause['example']}`",
            _listed(engine.cases(name)),
        )
        for name, cause in engine.written["causes"].items()
    ]
    for name, cause in engine.inherited.items():
        causes.append((cause["title"], "as above", "", "", "", _listed(engine.cases(name))))
    fuzzed = "".join(f"- {sentence}\n" for sentence in engine.written.get("fuzzed", ()))
    return (
        f"\n## {summary['name']} (`{engine.label}`)\n\nVersion {summary['version']}; suite {summary['suite']}, digest "
        f"{summary['digest']}, {summary['cases']} cases in {summary['seconds']} s.\n\n{questions}\n"
        f"### What it cannot be asked\n\n"
        + table(("cases", "reason"), reasons)
        + "\n### Where it differs\n\n"
        + (
            table(("what", "the engine", "the specification", "who is right", "smallest case", "cases"), causes)
            if causes
            else "Nowhere.\n"
        )
        + (f"\n### What `parte fuzz` found\n\n{fuzzed}" if fuzzed else "")
    )


def _listed(cases: Sequence[str]) -> str:
    names = [f"`{case}`" for case in cases[:_MOST_SHOWN]]
    more = len(cases) - _MOST_SHOWN
    return f"{len(cases)}: {', '.join(names)}" + (f" and {more} more" if more > 0 else "")
