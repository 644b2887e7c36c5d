"""Negative controls of the proofs: faults of the code that lemmas are about, each of which a lemma must detect.

A lemma detects a control if it holds for the code as it is, and does not hold in modules with the fault: it is refuted,
or its hypotheses cannot hold, or it cannot run on that code any more. A lemma that a solver leaves undecided detects
nothing.
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
from parte.proofs.symbolic import paths_of
from parte.semantics.events.files import write_whole
from parte.semantics.events.records import read_records


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """The lemmas of a language that must detect faults.

    The root of `modules` has the lemmas as its `CATALOGUE`, and imports what decides them. `code` is how the modules
    begin that the lemmas are about; the rest is how they are decided.
    In `folder` are the controls that are not mutants of the suite (`controls.toml`), and the lemma that detected each
    control at the last measurement (`told.json`).
    """

    modules: Modules
    code: tuple[str, ...]
    catalogue: Catalogue
    folder: Path

    @property
    def controls(self) -> tuple[Control, ...]:
        """Every control that is not a mutant of the suite. BadRecord for a table that is no control."""
        told = self.told
        read = read_records(self.folder / "controls.toml", "control", Control)
        return tuple(replace(control, told_by=told.get(control.name, "")) for control in read)

    @property
    def told(self) -> Mapping[str, str]:
        """The lemma that detected each control, and each mutant of the suite, by name."""
        found: dict[str, str] = json.loads((self.folder / "told.json").read_text(encoding="utf-8"))
        return found

    def record(self, told: Mapping[str, str]) -> None:
        """Write to a file which lemma detected each control."""
        write_whole(self.folder / "told.json", json.dumps(told, indent=1) + "\n")


@dataclass(frozen=True, slots=True)
class Control:
    """A fault: changed lines, or repairs that a machine lacks (`without`).

    `reason` says why only tests can detect it, and no lemma; `case` is the case of the suite that does, if it is a
    mutant of the suite. `told_by` is the lemma that detected it at the last measurement, empty if none did.
    """

    name: str
    edits: tuple[Edit, ...] = ()
    without: tuple[str, ...] = ()
    reason: str = ""
    case: str = field(default="", compare=False)
    told_by: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Finding:
    """The lemma that detects a control, and how it does; both are empty if none of those `tried` detects it."""

    control: Control
    lemma: str
    how: str
    tried: int
    seconds: float

    @property
    def fault(self) -> str:
        """A fault of the proofs, or of the reason why only tests detect the control; empty if there is none."""
        name, reason = self.control.name, self.control.reason
        if self.lemma and reason:
            return f"{name} is told by {self.lemma}, though only tests are to tell it: {reason}"
        if not self.lemma and self.control.told_by:
            return f"{name} is told by no lemma, though {self.control.told_by} is recorded to tell it"
        if not self.lemma and not reason and not self.control.case:
            return f"{name} is told by no lemma, and no reason is stated"
        return ""


def find(subject: Subject, control: Control, *, among: Iterable[str] = (), timeout: float = TIMEOUT) -> Finding:
    """Find a lemma that detects a control: try those in `among`, or else the one that is recorded, then all that may.

    NoSuchLine if the control does not fit the code.
    """
    started = time.perf_counter()
    tried = 0
    with suppress(NotImported):  # then no lemma can detect it
        for identity in among or _candidates(subject, control):
            how = _told(subject, control, identity, timeout)
            tried += 1
            if how:
                return Finding(control, identity, how, tried, time.perf_counter() - started)
    return Finding(control, "", "", tried, time.perf_counter() - started)


def findings(controls: Sequence[Control], look: Callable[[Control], Finding], *, jobs: int = 1) -> Iterator[Finding]:
    """Yield the finding of `look` for each control, in their order; in several processes if `jobs` is above one."""
    if jobs <= 1:
        yield from map(look, controls)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn")) as workers:
        waiting = [workers.submit(look, control) for control in controls]
        yield from (future.result() for future in waiting)


def _told(subject: Subject, control: Control, identity: str, timeout: float) -> str:
    """Return how a lemma detects a control; empty if it does not."""
    modules = edited(subject.modules, control.edits)
    catalogue: Catalogue = modules.module(subject.modules.root).CATALOGUE
    if control.without:
        catalogue = catalogue.lacking(control.without)
    (lemma,) = catalogue.chosen([identity])
    try:
        result = modules.module(prove.__name__).decide(lemma, lemma.home, timeout=timeout, catalogue=catalogue)
    except Exception as error:  # faulty code may fail in any way, and then the lemma does not hold of it
        if "KeyboardInterrupt" in str(error):  # ctypes wraps an interruption that comes while it converts an argument
            raise KeyboardInterrupt from error
        return f"cannot be run: {type(error).__name__}"
    if result.verdict is Verdict.REFUTED:
        return f"refuted: {result.counterexample.broken[0]}"
    return str(result.trouble)


# --- Which lemmas may tell a control ----------------------------------------------------------------------------------


def _candidates(subject: Subject, control: Control) -> Iterator[str]:
    if any(lemma.id == control.told_by for lemma in subject.catalogue.lemmas):  # it may have been taken out since
        yield control.told_by
    for identity, names in _reached(subject).items():
        # A lemma that runs none of the code reads its text, and may detect any fault.
        if identity != control.told_by and (not names or not control.edits or _concerned(control.edits, names)):
            yield identity


def _concerned(edits: Iterable[Edit], names: Iterable[str]) -> bool:
    """Return whether edits change one of the functions, or a constant of a module that has one of them."""
    places = tuple(edit.place for edit in edits)
    within = tuple(f"{place.split(':')[0]}:" if place.split(":")[1].isupper() else f"{place}." for place in places)
    return any(name in places or name.startswith(within) for name in names)


@cache
def _reached(subject: Subject) -> Mapping[str, frozenset[str]]:
    """The functions that each proved lemma runs, as `module:name`; the lemmas that run fastest come first."""
    found: list[tuple[float, str, frozenset[str]]] = []
    for lemma in subject.catalogue.lemmas:
        if lemma.expected[lemma.home] is Verdict.PROVED:
            started = time.perf_counter()
            names = _run(subject, lemma)
            found.append((time.perf_counter() - started, lemma.id, names))
    return {identity: names for _, identity, names in sorted(found, key=lambda one: one[:2])}


def _run(subject: Subject, lemma: Lemma) -> frozenset[str]:
    names: set[str] = set()

    def called(frame: FrameType, event: str, argument: object) -> None:
        del argument
        if event == "call" and (module := frame.f_globals.get("__name__", "")).startswith(subject.code):
            names.add(f"{module}:{frame.f_code.co_qualname}")

    sys.setprofile(called)
    try:
        paths_of(lemma.body, subject.catalogue.models[lemma.home])
    finally:
        sys.setprofile(None)
    return frozenset(names)
