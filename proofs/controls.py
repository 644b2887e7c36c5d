"""Negative controls of the proofs: faults of the code that lemmas are about, each of which a lemma must tell.

A control is told by a lemma that holds of the code as it is and does not hold in modules with the fault in them: it is
refuted, or its hypotheses cannot hold, or it cannot be run on that code any more. A lemma that a solver merely leaves
undecided tells nothing.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from multiprocessing import get_context
from types import FrameType

from parte.checker.solver.problems import TIMEOUT
from parte.checker.solver.verdict import Verdict
from parte.proofs.edited_modules import Modules, NotImported, edited
from parte.proofs.lemma import Lemma
from parte.proofs.mutation import Edit
from parte.proofs.parte.catalogue import CATALOGUE
from parte.proofs.symbolic import paths_of
from parte.semantics.parte.repairs import MODELS

MODULES = Modules(
    "parte.proofs.prove",
    ("parte.semantics", "parte.algebra", "parte.proofs"),
    frozenset({"parte.semantics.rulebook.registry", "parte.semantics.parte.rules.registry"}),
)
_CODE = ("parte.semantics.", "parte.algebra.")
"""What lemmas are about; the rest is how they are decided."""


@dataclass(frozen=True, slots=True)
class Control:
    """A fault: changed lines, or repairs that a machine lacks (`without`).

    `reason` is why no lemma can tell it and tests do; `case` is the case of the suite that does, if it is a mutant of
    the suite. `told_by` is the lemma that told it when that was last measured, empty if none did.
    """

    name: str
    edits: tuple[Edit, ...] = ()
    without: tuple[str, ...] = ()
    reason: str = ""
    case: str = field(default="", compare=False)
    told_by: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Finding:
    """What the lemmas made of a control: which one told it, and how; both empty if none of those `tried` did."""

    control: Control
    lemma: str
    how: str
    tried: int
    seconds: float

    @property
    def fault(self) -> str:
        """What is wrong with the proofs, or with the reason why tests alone tell the control; empty if nothing is."""
        name, reason = self.control.name, self.control.reason
        if self.lemma and reason:
            return f"{name} is told by {self.lemma}, though only tests are to tell it: {reason}"
        if not self.lemma and not reason and not self.control.case:
            return f"{name} is told by no lemma, and no reason is stated"
        return ""


def find(control: Control, *, among: Iterable[str] = (), timeout: float = TIMEOUT) -> Finding:
    """The lemma that tells a control: the first `among` some, or else that which is known to, or of those that may."""
    started = time.perf_counter()
    tried = 0
    with suppress(NotImported):  # then no lemma can tell it
        for identity in among or _candidates(control):
            how = _told(control, identity, timeout)
            tried += 1
            if how:
                return Finding(control, identity, how, tried, time.perf_counter() - started)
    return Finding(control, "", "", tried, time.perf_counter() - started)


def findings(controls: Sequence[Control], *, timeout: float = TIMEOUT, jobs: int = 1) -> Iterator[Finding]:
    """The same for several, in their order."""
    if jobs <= 1:
        yield from (find(control, timeout=timeout) for control in controls)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn")) as workers:
        waiting = [workers.submit(find, control, timeout=timeout) for control in controls]
        yield from (future.result() for future in waiting)


def _told(control: Control, identity: str, timeout: float) -> str:
    """How a lemma tells a control; empty if it does not."""
    prove = edited(MODULES, control.edits).module(MODULES.root)
    catalogue = replace(prove.CATALOGUE, repairs=lambda model: MODELS[model].without(*control.without).repairs)
    (lemma,) = catalogue.chosen([identity])
    try:
        result = prove.decide(lemma, lemma.home, timeout=timeout, catalogue=catalogue)
    except Exception as error:  # faulty code may fail in any way, and then the lemma does not hold of it
        return f"cannot be run: {type(error).__name__}"
    if result.verdict is Verdict.REFUTED:
        return f"refuted: {result.counterexample.broken[0]}"
    return str(result.trouble)


# --- Which lemmas may tell a control ----------------------------------------------------------------------------------


def _candidates(control: Control) -> Iterator[str]:
    if any(lemma.id == control.told_by for lemma in CATALOGUE.lemmas):  # it may have been taken out since
        yield control.told_by
    for identity, names in reached().items():
        # A lemma that runs nothing of the code reads it, and may tell anything.
        if identity != control.told_by and (not names or not control.edits or _concerned(control.edits, names)):
            yield identity


def _concerned(edits: Iterable[Edit], names: Iterable[str]) -> bool:
    places = [edit.place for edit in edits]
    return any(name == place or name.startswith(f"{place}.") for name in names for place in places) or any(
        name.startswith(f"{place.split(':')[0]}:")
        for name in names
        for place in places
        if place.split(":")[1].isupper()
    )


@cache
def reached() -> Mapping[str, frozenset[str]]:
    """The functions that each lemma runs which holds, as `module:name`; those come first that are run soonest."""
    found: list[tuple[float, str, frozenset[str]]] = []
    for lemma in CATALOGUE.lemmas:
        if lemma.expected[lemma.home] is Verdict.PROVED:
            started = time.perf_counter()
            names = _run(lemma)
            found.append((time.perf_counter() - started, lemma.id, names))
    return {identity: names for _, identity, names in sorted(found, key=lambda one: one[:2])}


def _run(lemma: Lemma) -> frozenset[str]:
    names: set[str] = set()

    def called(frame: FrameType, event: str, argument: object) -> None:
        del argument
        if event == "call" and (module := frame.f_globals.get("__name__", "")).startswith(_CODE):
            names.add(f"{module}:{frame.f_code.co_qualname}")

    sys.setprofile(called)
    try:
        paths_of(lemma.body, CATALOGUE.repairs(lemma.home))
    finally:
        sys.setprofile(None)
    return frozenset(names)
