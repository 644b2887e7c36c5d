"""The sources of the page of engines: for each foreign engine a summary of one run and its list of known failures.

`python -m parte.conformance.engines.summary REPORT…` reads reports of `parte conform … --report REPORT` and writes, for
every engine in them (by its label, so start the engine with `LABEL=`; of several reports of a case the last counts):

- `reports/LABEL.json`: name, version, suite and digests, counts by profile and verdict, the reasons for `unsupported`
  with their counts, and the seconds that all cases took;
- `known/LABEL.jsonl`: the known failures in the form of `parte conform --known-failures`, each with the `cause` that
  it had in the list before, or `unexplained`.

`known/LABEL.json` is written by hand: how the engine is called (`asked`, a list of sentences) and the meaning of each
cause: `title`, `engine` (what it does), `spec` (what the specification requires), `right` (which of them is right) and
`example` (the id of a small case of the suite that shows it); also, if it was, how it was `fuzzed` (sentences). A
variant of another engine may contain `extends`: LABEL, and need not repeat the explanations of that one.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from parte.conformance.fixtures import Suite
from parte.conformance.kit import KIT
from parte.conformance.results import CaseVerdict, Report, read_report
from parte.conformance.suites import load_suite
from parte.languages.registry import language_called
from parte.semantics.events.files import MAX_REPORT, read_text, write_whole

Json = Any

REPORTS, KNOWN = "reports", "known"
"""The folders of a language for the summaries and for the known failures of foreign engines."""

UNEXPLAINED = "unexplained"


def summary(report: Report, label: str) -> dict[str, Json]:
    """Return the summary of one engine of a report."""
    info = next(engine for engine in report.engines if engine.label == label)
    results = report.of(label)
    counts = {
        profile: {
            verdict.value: number for verdict in CaseVerdict if (number := report.counts(label, profile)[verdict])
        }
        for profile in report.profiles()
    }
    reasons = Counter(result.message for result in results if result.verdict is CaseVerdict.UNSUPPORTED)
    return {
        "engine": label,
        "name": info.name,
        "version": info.version,
        "suite": report.suite,
        "digest": report.digest,
        **({"extensions": dict(report.extensions)} if report.extensions else {}),
        "cases": len(results),
        "seconds": round(sum(result.seconds for result in results)),
        "counts": counts,
        "unsupported": dict(sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0]))),
    }


def known_failures(report: Report, label: str, causes: Mapping[str, str]) -> list[dict[str, str]]:
    """Return the failures of one engine, sorted, each with its cause."""
    bad = sorted((result.case, result.verdict.value) for result in report.of(label) if result.verdict.bad)
    return [
        {"engine": label, "case": case, "verdict": verdict, "cause": causes.get(case, UNEXPLAINED)}
        for case, verdict in bad
    ]


def read_causes(recorded: Path, label: str) -> dict[str, str]:
    """Return the cause of each case in the list of known failures of an engine; empty if there is no list."""
    path = recorded / KNOWN / f"{label}.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {record["case"]: record["cause"] for record in map(json.loads, lines)}


def merged(reports: Sequence[Report], suite: Suite) -> Report:
    """Return one report of several. Cases that the suite no longer has are left out. The digest is that of the suite if
    every case was run with every engine, else that of the first report; an extension has its digest in the first case
    only."""
    first = reports[0]
    results = {(r.engine, r.case): r for report in reports for r in report.results if r.case in suite.cases}
    engines = {engine.label: engine for report in reports for engine in report.engines}
    lacking = {case.profile for case in suite.cases.values() for label in engines if (label, case.id) not in results}
    digest = first.digest if lacking - suite.extensions.keys() else suite.digest
    extensions = {profile: of for profile, of in suite.extensions.items() if profile not in lacking}
    ordered = sorted(results.values(), key=lambda result: (result.case, result.engine))
    complete = all(report.complete for report in reports)
    about = (first.suite, digest, first.started, tuple(engines.values()), tuple(ordered), complete, first.language)
    return Report(*about, extensions=extensions)


def write(report: Report, recorded: Path) -> Iterable[Path]:
    """Write the summary and the list of every engine of a report, and yield the files that were written."""
    for engine in report.engines:
        label = engine.label
        document = json.dumps(summary(report, label), indent=2, ensure_ascii=False)
        lines = [json.dumps(line) for line in known_failures(report, label, read_causes(recorded, label))]
        for path, text in (
            (recorded / REPORTS / f"{label}.json", f"{document}\n"),
            (recorded / KNOWN / f"{label}.jsonl", "".join(f"{line}\n" for line in lines)),
        ):
            write_whole(path, text)
            yield path


def main(arguments: Sequence[str]) -> int:
    """Run the command. Exit code 2 for wrong usage or a report that was cut off."""
    if not arguments:
        print("usage: python -m parte.conformance.engines.summary REPORT...", file=sys.stderr)
        return 2
    reports = [read_report(read_text(path, MAX_REPORT).splitlines()) for path in arguments]
    language = language_called(reports[0].language)
    report = merged(reports, load_suite(language))
    if not report.complete:
        print("the report was cut off", file=sys.stderr)
        return 2
    for path in write(report, language[KIT].recorded):
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
