"""Experiment `detections`: how many public rules are imported, pass the checks and agree with their tests."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from parte.experiments.detections.corpora import CORPORA, EQLLIB, PANTHER, SIGMA, commit_of, files_of
from parte.experiments.experiment import Experiment, Presentation, Row, Scale, Table, Unit
from parte.experiments.parameters import ParametersError
from parte.semantics.source.packages import require

if TYPE_CHECKING:
    import pandas as pd

NO_COMMIT = "no commit"
MAX_FILES = 10_000


@dataclass(frozen=True, slots=True)
class Parameters:
    """The folders of the corpora, of which one is enough; an empty text stands for none.

    Of Sigma's files at most `sigma_files` are read, evenly over all, and one of `sigma_every` rules is checked, since
    the checks take most of the time. A question of a check has at most `timeout` seconds.
    """

    panther: str = ""
    sigma: str = ""
    elastic: str = ""
    eqllib: str = ""
    sigma_files: int = MAX_FILES
    sigma_every: int = 8
    timeout: int = 10


def _units(parameters: Parameters) -> list[Unit]:
    from parte.experiments.detections.imported import refer_to_each_other

    units: list[Unit] = []
    for name, corpus in CORPORA.items():
        folder = getattr(parameters, name)
        if not folder:
            continue
        files = _files(parameters, name, folder)
        _require(name)
        part = len(files) if refer_to_each_other(name, files) else corpus.part
        # A unit has the commit, so that an interrupted run does not go on with the files of another one.
        commit = commit_of(folder) or NO_COMMIT
        units += [
            {"corpus": name, "commit": commit, "first": first, "files": min(part, len(files) - first)}
            for first in range(0, len(files), part)
        ]
    if not units:
        options = ", ".join(f"--{name}" for name in CORPORA)
        raise ParametersError(f"no corpus is named: expected at least one of {options}, each with a folder")
    return units


def _files(parameters: Parameters, name: str, folder: str) -> list[str]:
    return files_of(name, folder, parameters.sigma_files if name == SIGMA else MAX_FILES)


def _require(name: str) -> None:
    if name in (PANTHER, SIGMA):
        require("import", "yaml", "sigma")
    if name in (SIGMA, EQLLIB):
        require("duckdb", "duckdb", "pyarrow")


def _measure(parameters: Parameters, unit: Unit) -> Sequence[Row]:
    from parte.experiments.detections.events import matched
    from parte.experiments.detections.imported import measured
    from parte.experiments.detections.spans import scheduled

    name, first, number = str(unit["corpus"]), int(unit["first"] or 0), int(unit["files"] or 0)
    folder = getattr(parameters, name)
    files = _files(parameters, name, folder)[first : first + number]
    begun = time.perf_counter()
    if name in (PANTHER, SIGMA):
        rows = measured(name, folder, files, parameters.sigma_every if name == SIGMA else 1, parameters.timeout)
    elif name == EQLLIB:
        rows = [row for file in files for row in matched(file)]
    else:
        rows = scheduled(files, parameters.timeout)
    return [*rows, {"what": "time", "detail": "", "number": 0, "seconds": time.perf_counter() - begun}]


# --- Presentation ----------------------------------------------------------------------------------------------------


def _present(_: Parameters, rows: pd.DataFrame) -> Presentation:
    rows = rows.reindex(columns=list(dict.fromkeys([*rows.columns, "log", "seconds"])))
    # Of a page that is written again from its rows, the units are in the order in which they ended.
    places = rows["corpus"].map(list(CORPORA).index)
    rows = rows.assign(place=places).sort_values(["place", "first"], kind="stable").drop(columns="place")
    tables = [
        Table("What was read", _read(rows), READ),
        Table("Imported rules", _imported(rows), IMPORTED),
        Table("Reasons of refusals", _by_detail(rows, ["refused"], "reason", "rules"), REFUSED),
        Table("Findings", _by_detail(rows, ["finding", "open question", "on schedule"], "code", "findings"), FINDINGS),
        Table("Schedules of Elastic's sequence rules", _by_detail(rows, ["schedule"], "verdict", "rules"), SCHEDULED),
        Table("Logs of eqllib", _logs(rows), LOGS),
        Table("Matches on the logs", _matches(rows), MATCHES),
    ]
    return Presentation([table for table in tables if len(table.frame)], [], _answer(rows))


READ = "The seconds of all units together; units run side by side, one for each core, so that the run takes less time."
IMPORTED = (
    "A check is that of `parte check` without the schedule; of Sigma one of `sigma_every` rules is checked. A check is "
    "open if it was not decided in time. A test is one that the rule's file brings, or for Sigma the log of the attack "
    "that the file names: it agrees if the program matches it."
)
REFUSED = "Without what they quote and without their numbers, which differ from rule to rule."
FINDINGS = (
    "An `open question` was not decided in time. Findings `on schedule` are about the schedule that a rule's file "
    "names, and fail no check."
)
SCHEDULED = (
    "Of each rule only maxspan, interval and lookback are read. `covered`: some run sees each match. `covered in some "
    "phases`: the lookback is at least maxspan, but not longer by the interval, so that it depends on when the runs "
    "begin. `covered in no phase`: the lookback is below maxspan. `without maxspan`: no lookback is enough."
)
LOGS = "Events of each template of the mapping `eqllib.toml`, and records that are none of them. Seconds of conversion."
MATCHES = "Matches of the rules of `eqllib.parte`, by the indexed evaluator, with the seconds of each run."


def _total(rows: pd.DataFrame, what: str) -> int:
    return int(rows[rows["what"] == what]["number"].sum())


def _read(rows: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(
        [
            {
                "corpus": CORPORA[str(name)].address,
                "commit": str(group["commit"].iloc[0])[:12],
                "files": int(group[group["what"] == "time"]["files"].sum()),
                "seconds": float(group[group["what"] == "time"]["seconds"].sum()),
            }
            for name, group in rows.groupby("corpus", sort=False)
        ]
    )


def _imported(rows: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(
        [
            {
                "corpus": name,
                "rules": _total(group, "rules"),
                "written": _total(group, "written"),
                "refused": _total(group, "refused"),
                "checked": sum(_total(group, what) for what in ("check holds", "check fails", "check open")),
                "hold": _total(group, "check holds"),
                "fail": _total(group, "check fails"),
                "open": _total(group, "check open"),
                "tests agree": _total(group, "test agrees"),
                "disagree": _total(group, "test disagrees"),
                "unreadable": _total(group, "test unreadable"),
            }
            for name, group in rows.groupby("corpus", sort=False)
            if name in (PANTHER, SIGMA)
        ]
    )


def _by_detail(rows: pd.DataFrame, whats: list[str], column: str, counted: str) -> pd.DataFrame:
    chosen = rows[rows["what"].isin(whats)]
    by = ["corpus", "what", "detail"] if len(whats) > 1 else ["corpus", "detail"]
    sums = chosen.groupby(by, sort=False)["number"].sum().reset_index()
    ordered = sums.sort_values(["corpus", "number", "detail"], ascending=[True, False, True])
    return ordered.rename(columns={"detail": column, "number": counted}).reset_index(drop=True)


def _logs(rows: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    lines: list[dict[str, object]] = []
    for log, group in rows[rows["log"].notna()].groupby("log", sort=False):
        line: dict[str, object] = {"log": log, "records": _total(group, "records")}
        line |= {f"{row['detail']}": int(row["number"]) for row in group[group["what"] == "events"].to_dict("records")}
        line["rejected"] = _total(group, "rejected")
        line["unreadable"] = _total(group, "log unreadable")
        line["seconds"] = float(group[group["what"] == "records"]["seconds"].sum())
        lines.append(line)
    return pd.DataFrame(lines)


def _matches(rows: pd.DataFrame) -> pd.DataFrame:
    chosen = rows[rows["what"] == "matches"][["log", "detail", "number", "seconds"]]
    return chosen.rename(columns={"detail": "rule", "number": "matches"}).reset_index(drop=True)


def _answer(rows: pd.DataFrame) -> str:
    sentences = []
    for row in _imported(rows).to_dict("records"):
        tests = row["tests agree"] + row["disagree"] + row["unreadable"]
        sentences.append(
            f"Of {row['rules']:,} rules of {row['corpus']} {row['written']:,} are written and {row['refused']:,} "
            f"refused; of {row['checked']:,} checks {row['hold']:,} hold, {row['fail']:,} fail and {row['open']:,} are "
            f"open; {row['tests agree']:,} of {tests:,} tests agree."
        )
    schedules = _by_detail(rows, ["schedule"], "verdict", "rules").to_dict("records")
    if schedules:
        listed = ", ".join(f"{row['rules']:,} {row['verdict']}" for row in schedules)
        sentences.append(f"Elastic's sequence rules on their schedules: {listed}.")
    matches = _matches(rows)
    for log, group in matches.groupby("log", sort=False):
        listed = ", ".join(f"{row['rule']} {row['matches']:,}" for row in group.to_dict("records"))
        sentences.append(f"Matches on {log}: {listed}.")
    return " ".join(sentences)


DETECTIONS = Experiment(
    name="detections",
    title="Public detection rules and logs",
    question="How many rules of public corpora does `parte import` write, what does it refuse, do the programs pass "
    "the checks, and agree with the tests that come with them? Which sequence rules of Elastic does their schedule "
    "cover, and how many matches have rules on the logs of eqllib?",
    data="Clones that the reader names: "
    + "; ".join(f"`--{name}`, a clone of {corpus.address}" for name, corpus in CORPORA.items())
    + ". Nothing of them is stored here but counts. [What it means](../../detections.md).",
    scales={
        Scale.SMALL: Parameters(sigma_files=40, sigma_every=1),
        Scale.DEFAULT: Parameters(),
        Scale.FULL: Parameters(sigma_every=1),
    },
    units=_units,
    measure=_measure,
    present=_present,
    clocked=frozenset({"seconds"}),
    inputs=tuple(CORPORA),
)
