"""Negative controls of the proofs: faults in the code of the lemmas, each of which a lemma must detect.

A lemma detects a control if it holds of the code but not in modules with the fault: it is refuted, its hypotheses
cannot hold, or it cannot be run on that code any more. A lemma that a solver merely leaves undecided detects nothing.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from types import FrameType

from parte.checker.solver.problems import TIMEOUT
from parte.checker.solver.verdict import Verdict
from parte.proofs import prove
from parte.proofs.edited_modules import Modules, NotImported, edited
from parte.proofs.lemma import Catalogue, Lemma
from parte.proofs.mutation import Edit
from parte.proofs.symbolic import UNDECIDABLE, paths_of
from parte.semantics.events.files import write_whole
from parte.semantics.events.records import read_records
from parte.semantics.source.packages import data_file
from parte.semantics.source.workers import end_with_parent

_REFUTED = "refuted: "


@dataclass(frozen=True, slots=True)
class Detection:
    """The lemma that detected a control in the last measurement, and whether by a counterexample."""

    lemma: str
    refuted: bool


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """The lemmas of a language, for checking them against faults.

    The root of `modules` has the lemmas as its `CATALOGUE`, and imports the code that decides them. `code` are prefixes
    of the names of the modules that the lemmas are about; the other modules decide them. `folder` has the controls that
    are not mutants of the suite (`controls.toml`), and the lemma that detected each control in the last measurement
    (`detected.json`).
    """

    modules: Modules
    code: tuple[str, ...]
    catalogue: Catalogue
    folder: Path

    @property
    def controls(self) -> tuple[Control, ...]:
        """Every control that is not a mutant of the suite. Raises BadRecord for an invalid table."""
        detecting = self.detections
        read = read_records(self.folder / "controls.toml", "control", Control)
        return tuple(replace(control, detected=detecting.get(control.name)) for control in read)

    @property
    def detections(self) -> Mapping[str, Detection]:
        """The detection of each control, and of each mutant of the suite, by name."""
        groups: dict[str, dict[str, str]] = json.loads((self.folder / "detected.json").read_text(encoding="utf-8"))
        return {
            name: Detection(lemma, way == "refuted") for way, lemmas in groups.items() for name, lemma in lemmas.items()
        }

    def record(self, detections: Mapping[str, Detection]) -> None:
        """Write the file: detections by a counterexample, and detections of code that a lemma cannot decide."""
        groups: dict[str, dict[str, str]] = {"refuted": {}, "undecidable": {}}
        for name, detection in detections.items():
            groups["refuted" if detection.refuted else "undecidable"][name] = detection.lemma
        write_whole(self.folder / "detected.json", json.dumps(groups, indent=1) + "\n")


def subject_of(guest: str, catalogue: Catalogue) -> Subject:
    """Return the lemmas of a guest, the package `guest`: they are about its machine and its definition."""
    about = (f"{guest}.semantics.", f"{guest}.algebra.")
    return Subject(Modules.of_guest(guest, "proofs.catalogue"), about, catalogue, data_file(guest, "proofs"))


@dataclass(frozen=True, slots=True)
class Control:
    """A fault: changed lines, or repairs that a machine lacks (`without`).

    `reason` says why no lemma can detect it and tests do; `case` is the case of the suite that does, if it is a mutant
    of the suite. `detected` is the result of the last measurement, None if no lemma detected it.
    """

    name: str
    edits: tuple[Edit, ...] = ()
    without: tuple[str, ...] = ()
    reason: str = ""
    case: str = field(default="", compare=False)
    detected: Detection | None = field(default=None, compare=False)

    @property
    def detected_by(self) -> str:
        """The lemma that detected it in the last measurement, empty if none did."""
        return self.detected.lemma if self.detected else ""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result for a control: the lemma that detected it, and how; both empty if none of those `tried` did.

    A control is detected by a counterexample (`refuted`), or because its code is not in a form that the lemma can
    decide, which a rewriting that keeps the meaning may cause as well.
    """

    control: Control
    lemma: str
    how: str
    tried: int
    seconds: float

    @property
    def refuted(self) -> bool:
        """True if a counterexample breaks the lemma."""
        return self.how.startswith(_REFUTED) and not self.how.startswith(f"{_REFUTED}{UNDECIDABLE}")

    @property
    def detection(self) -> Detection | None:
        """The detection to record; None if no lemma detected the control."""
        return Detection(self.lemma, self.refuted) if self.lemma else None

    @property
    def fault(self) -> str:
        """The fault in the proofs, or in the reason why only tests detect the control; empty if there is none."""
        name, reason = self.control.name, self.control.reason
        if self.lemma and reason:
            return f"{name} is detected by {self.lemma}, though only tests should detect it: {reason}"
        if not self.lemma and self.control.detected_by:
            return f"{name} is detected by no lemma, though {self.control.detected_by} is recorded to detect it"
        if not self.lemma and not reason and not self.control.case:
            return f"{name} is detected by no lemma, and no reason is stated"
        return ""


def find(subject: Subject, control: Control, *, among: Iterable[str] = (), timeout: float = TIMEOUT) -> Finding:
    """Return the lemma that detects a control: one of `among`, or else the recorded one, or one that may detect it.

    Raise NoSuchLine if the control does not fit the code.
    """
    started = time.perf_counter()
    tried = 0
    with suppress(NotImported):  # then no lemma can detect it
        for identity in among or _candidates(subject, control):
            how = _detection(subject, control, identity, timeout)
            tried += 1
            if how:
                return Finding(control, identity, how, tried, time.perf_counter() - started)
    return Finding(control, "", "", tried, time.perf_counter() - started)


def findings(controls: Sequence[Control], look: Callable[[Control], Finding], *, jobs: int = 1) -> Iterator[Finding]:
    """Yield the result of `look` at each control, in their order; with `jobs` above 1 in several processes."""
    if jobs <= 1:
        yield from map(look, controls)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn"), end_with_parent) as workers:
        waiting = [workers.submit(look, control) for control in controls]
        yield from (future.result() for future in waiting)


def _detection(subject: Subject, control: Control, identity: str, timeout: float) -> str:
    """Return how a lemma detects a control; "" if it does not."""
    modules = edited(subject.modules, control.edits)
    catalogue: Catalogue = modules.module(subject.modules.root).CATALOGUE
    if control.without:
        catalogue = catalogue.lacking(control.without)
    (lemma,) = catalogue.chosen([identity])
    try:
        result = modules.module(prove.__name__).decide(
            lemma, lemma.home, timeout=timeout, catalogue=catalogue, refuting=True
        )
    except Exception as error:  # faulty code may fail in any way; then the lemma does not hold of it
        if "KeyboardInterrupt" in str(error):  # ctypes wraps an interruption that comes while it converts an argument
            raise KeyboardInterrupt from error
        return f"cannot be run: {type(error).__name__}"
    if result.verdict is Verdict.REFUTED:
        return f"{_REFUTED}{result.counterexample.broken[0]}"
    return str(result.trouble)


# --- Lemmas that may detect a control ---------------------------------------------------------------------------------


def _candidates(subject: Subject, control: Control) -> Iterator[str]:
    if any(lemma.id == control.detected_by for lemma in subject.catalogue.lemmas):  # it may have been removed since
        yield control.detected_by
    for identity, names in _reached(subject).items():
        # A lemma that runs none of the code reads its text, and may detect any fault.
        if identity != control.detected_by and (not names or not control.edits or _concerned(control.edits, names)):
            yield identity


def _concerned(edits: Iterable[Edit], names: Iterable[str]) -> bool:
    """Return whether some function is changed, or is in a module of which a constant is changed."""
    places = tuple(edit.place for edit in edits)
    within = tuple(f"{place.split(':')[0]}:" if place.split(":")[1].isupper() else f"{place}." for place in places)
    return any(name in places or name.startswith(within) for name in names)


@cache
def _reached(subject: Subject) -> Mapping[str, frozenset[str]]:
    """Return the functions that each lemma that holds runs, as `module:name`; those with the shortest runs first, and
    last those that read the text of functions, for a counterexample says more than they do."""
    measured: list[tuple[float, str, frozenset[str]]] = []
    for lemma in subject.catalogue.lemmas:
        if lemma.expected[lemma.home] is Verdict.PROVED:
            started = time.perf_counter()
            names = _run(subject, lemma)
            measured.append((time.perf_counter() - started, lemma.id, names))
    shortest = sorted(measured, key=lambda entry: (not entry[2], *entry[:2]))
    return {identity: names for _, identity, names in shortest}


def _run(subject: Subject, lemma: Lemma) -> frozenset[str]:
    names: set[str] = set()

    def called(frame: FrameType, event: str, argument: object) -> None:
        del argument
        own = frame.f_code.co_filename != "<string>"  # not of a dataclass
        if event == "call" and own and (module := frame.f_globals.get("__name__", "")).startswith(subject.code):
            names.add(f"{module}:{frame.f_code.co_qualname}")

    sys.setprofile(called)
    try:
        paths_of(lemma.body, subject.catalogue.models[lemma.home])
    finally:
        sys.setprofile(None)
    return frozenset(names)
