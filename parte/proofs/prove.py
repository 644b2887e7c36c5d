"""Decide lemmas: run all paths, make one problem of them, and call the solvers."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from parte.checker.solver.backend import alone
from parte.checker.solver.problems import SOLVERS, TIMEOUT, Decision, Value, by_z3, proof_by_cvc5, satisfiable, smtlib
from parte.checker.solver.queries import Status
from parte.checker.solver.verdict import Verdict
from parte.proofs.certificates.check import Outcome, Report, check
from parte.proofs.lemma import PUBLISHED, SOUND, Catalogue, Lemma
from parte.proofs.partelang.catalogue import CATALOGUE
from parte.proofs.symbolic import Paths, paths_of, replay
from parte.proofs.variants import current
from parte.semantics.events.files import make_directory, write_whole

SOLVER_NAMES = tuple(SOLVERS)


class NoProver(ValueError):
    """Certificates were requested without the solver that writes them."""


@dataclass(frozen=True, slots=True)
class Counterexample:
    """Values for which a lemma does not hold, and those of its claims that they break when the code runs on them."""

    values: Mapping[str, Value]
    broken: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a lemma under a model. `trouble` is a problem with the result itself; "" if there is none.

    `certificate` is the report on the proof by cvc5, if one was requested and cvc5 proved the lemma.
    """

    lemma: Lemma
    model: str
    verdict: Verdict
    decisions: Mapping[str, Decision]
    paths: int
    seconds: float
    counterexample: Counterexample | None
    trouble: str
    certificate: Report | None = None

    @property
    def as_expected(self) -> bool:
        """True if the verdict is that of the catalogue, and there is no trouble."""
        return not self.trouble and self.verdict is self.lemma.expected[self.model]


def prove(
    ids: Iterable[str] = (),
    *,
    model: str = SOUND,
    solvers: Sequence[str] = ("z3",),
    export: Path | None = None,
    timeout: float = TIMEOUT,
    catalogue: Catalogue = CATALOGUE,
    certificates: bool = False,
) -> tuple[Result, ...]:
    """Decide lemmas of a catalogue, by default PARTElang's: those with these ids (`*` stands for any text), or all.

    With `certificates` every proof by cvc5 is checked. With `export`, every problem is written there as SMT-LIB 2, and
    such a proof beside it. Raise UnknownLemma for an id that no lemma has; NoProver for certificates if cvc5 is not
    among the solvers, PackageMissing if it is but is not installed.
    """
    return tuple(
        proving(
            ids,
            model=model,
            solvers=solvers,
            export=export,
            timeout=timeout,
            catalogue=catalogue,
            certificates=certificates,
        )
    )


def proving(
    ids: Iterable[str] = (),
    *,
    model: str = SOUND,
    solvers: Sequence[str] = ("z3",),
    export: Path | None = None,
    timeout: float = TIMEOUT,
    catalogue: Catalogue = CATALOGUE,
    certificates: bool = False,
) -> Iterator[Result]:
    """Do the same, and yield the results one by one."""
    lemmas = [lemma for lemma in catalogue.chosen(ids) if model in lemma.expected]
    return (
        decide(
            lemma,
            model,
            solvers=solvers,
            export=export,
            timeout=timeout,
            catalogue=catalogue,
            certificates=certificates,
        )
        for lemma in lemmas
    )


@alone
def decide(
    lemma: Lemma,
    model: str = SOUND,
    *,
    solvers: Sequence[str] = ("z3",),
    export: Path | None = None,
    timeout: float = TIMEOUT,
    catalogue: Catalogue = CATALOGUE,
    certificates: bool = False,
    refuting: bool = False,
) -> Result:
    """Decide one lemma under one model.

    Vacuity, disagreement of the solvers and a rejected certificate are trouble, and not as expected; so is a variant
    whose functions do not run on terms. If the lemma is expected to be refuted (`refuting`), the first path on which a
    claim fails is enough, and no other is explored.
    """
    if certificates and "cvc5" not in solvers:
        raise NoProver("certificates are proofs by cvc5, which is not asked")
    started = time.perf_counter()
    try:
        paths = paths_of(lemma.body, catalogue.models[model], broken=refuting)
    except Exception as error:
        if current() is None:
            raise
        trouble = f"cannot be run on the variant: {type(error).__name__}: {error}"
        return Result(lemma, model, Verdict.NOT_PROVED, {}, 0, time.perf_counter() - started, None, trouble)
    problem = paths.problem(f"{lemma.id} ({model})")
    decisions = {name: SOLVERS[name](problem, timeout) for name in solvers if not (certificates and name == "cvc5")}
    proof = ""
    if certificates:
        decisions["cvc5"], proof = proof_by_cvc5(problem, timeout)
    certificate = check(smtlib(problem), proof) if proof else None
    if export is not None:
        _write(smtlib(problem), export / f"{lemma.id}.{model}.smt2")
        if proof:
            _write(proof, export / f"{lemma.id}.{model}.cpc")
    verdict, trouble = _verdict(decisions)
    if not paths.whole and verdict is not Verdict.REFUTED:  # a claim only seemed to fail there
        return decide(
            lemma,
            model,
            solvers=solvers,
            export=export,
            timeout=timeout,
            catalogue=catalogue,
            certificates=certificates,
        )
    if certificate is not None and certificate.outcome is not Outcome.CHECKED:
        trouble = trouble or f"the proof by cvc5 is not accepted: {certificate.trouble}"
    trouble = trouble or _vacuity(paths, model, timeout)
    counterexample = None
    if verdict is Verdict.REFUTED:
        values = next((decision.values for decision in decisions.values() if decision.values), None)
        if values is None:  # cvc5 alone: z3 finds the values, and replaying them confirms the answer
            values = by_z3(problem, timeout).values
        counterexample = Counterexample(values, replay(lemma.body, catalogue.models[model], values))
    seconds = time.perf_counter() - started
    return Result(lemma, model, verdict, decisions, len(paths.paths), seconds, counterexample, trouble, certificate)


def _verdict(decisions: Mapping[str, Decision]) -> tuple[Verdict, str]:
    statuses = {decision.status for decision in decisions.values()}
    if {Status.SATISFIABLE, Status.UNSATISFIABLE} <= statuses:
        return Verdict.NOT_PROVED, "the solvers disagree"
    if Status.UNKNOWN in statuses:
        return Verdict.NOT_PROVED, ""
    return (Verdict.REFUTED if Status.SATISFIABLE in statuses else Verdict.PROVED), ""


def _vacuity(paths: Paths, model: str, timeout: float) -> str:
    if satisfiable(paths.hypotheses, timeout, rational=paths.rational) is not Status.SATISFIABLE:
        return "the hypotheses cannot hold"
    # Some rules of `published` send nothing, so there is nothing to claim.
    if model != PUBLISHED and not any(path.claims for path in paths.paths):
        return "nothing is claimed on any path"
    return ""


def _write(text: str, path: Path) -> None:
    make_directory(path.parent)
    write_whole(path, text)
