"""Every lemma comes out as the catalogue says, by either solver, and its mutant breaks it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import jsonschema
import pytest
from _pytest.mark import ParameterSet

from parte.checker.solver.problems import Decision, Problem, by_cvc5
from parte.checker.solver.verdict import Verdict
from parte.conformance.kit import KIT
from parte.languages.registry import language_called, languages
from parte.proofs.facets import CONTROLS, LEMMAS
from parte.proofs.json_form import results_to_json, schema
from parte.proofs.lemma import MODELS, PUBLISHED, SOUND, Lemma, UnknownLemma
from parte.proofs.mutation import Mutant, NoSuchLine, applied
from parte.proofs.partelang.catalogue import CATALOGUE
from parte.proofs.prove import decide, prove
from parte.proofs.symbolic import Claims, NoCounterexample, Run, paths_of, replay
from parte.semantics.partelang import kernel
from parte.semantics.partelang.repairs import MODELS as MACHINES
from parte.semantics.rulebook.listing import RULES
from tests.sampling import sampled

PARTE = Path(__file__).resolve().parents[2] / "parte"
CATALOGUES = {language.name: language[LEMMAS] for language in languages() if language.has(LEMMAS)}
EVERY_LEMMA = [(name, lemma) for name, catalogue in CATALOGUES.items() for lemma in catalogue.lemmas]
CASES = [(name, lemma, model) for name, lemma in EVERY_LEMMA for model in MODELS if model in lemma.expected]
QUICK = {language.name: 8 for language in languages()} | {"PARTElang": 2}
"""One of so many lemmas goes into the tests that always run: whole machines run in many of these."""

USUAL = 3
"""Of the mutants and of the repairs of lemmas `make test-all` takes one of so many: the lemma itself is decided every
time."""

SLOW = (
    "moments-aggregates",
    "set-SET-LEFT-other-any",
    "set-SET-RIGHT-other-any",
    "suppression-ONCE",
)
"""These take many seconds; the instances of most of them are quick."""


def _each(lemmas: Sequence[tuple[str, Lemma]]) -> list[ParameterSet]:
    """Each as a parameter; `make test-all` takes one of `USUAL` beside those that always run.
    PARTElang's of partial matches of any number of events take longer than those of one or two;
    of the rest, one of so many is enough to see that all is well."""
    longer = [
        (name == "PARTElang" and lemma.id.endswith(("-3", "-any"))) or lemma.id in SLOW or number % QUICK[name] > 0
        for number, (name, lemma) in enumerate(lemmas)
    ]
    return [
        pytest.param(*pair, id=pair[1].id, marks=sampled(number, usual=USUAL) if long else ())
        for number, (pair, long) in enumerate(zip(lemmas, longer, strict=True))
    ]


WITHOUT_CERTIFICATES = (
    "bounds-PROD-BOTTOM",
    "history-indexed-overlapping",
    "history-indexed-passed",
    "history-indexed-without",
    "shares-cover-all-results-once",
    "shares-differ-by-one",
)
"""cvc5 proves them, but takes minutes or does not end when it has to write the proof; or the problem divides,
or the proof uses an operator (`abs`), which the checker does not know (docs/proofs.md)."""


Z3_ALONE = tuple(f"staged-{rule}-LEFT-{count}" for rule in ("JOIN", "NOT") for count in (1, 2))
"""cvc5 does not decide them within its time limit (docs/proofs.md)."""

CERTIFIED = {language.name: 5 for language in languages()} | {"PARTElang": 1}
"""One of so many lemmas is decided by cvc5 too, which leaves a certificate; `parte prove` does so with any. Of these,
`make test-all` takes one of three."""


def _decisions() -> Iterator[ParameterSet]:
    """Each lemma under each model, with the solvers that decide it: in one test if the same runs ask both, so that its
    paths are explored once."""
    for number, (name, lemma, model) in enumerate(CASES):
        plain = [pytest.mark.exhaustive] * (lemma.id in SLOW or number % QUICK[name] > 0)
        solver_sets: list[tuple[tuple[str, ...], Sequence[pytest.MarkDecorator]]] = [(("z3",), plain)]
        if number % CERTIFIED[name] == 0 and lemma.id not in Z3_ALONE:
            certified = sampled(number // CERTIFIED[name], usual=6)
            together = [*certified] == plain
            solver_sets = [(("z3", "cvc5"), plain)] if together else [*solver_sets, (("cvc5",), certified)]
        for solvers, marks in solver_sets:
            identity = f"{lemma.id}-{model}-{'-'.join(solvers)}"
            yield pytest.param(name, lemma, model, solvers, id=identity, marks=marks)


@pytest.mark.parametrize(("name", "lemma", "model", "solvers"), list(_decisions()))
def test_a_lemma_is_decided_alike_by_both_solvers(name: str, lemma: Lemma, model: str, solvers: Sequence[str]) -> None:
    """And what cvc5 proves leaves a proof that is checked."""
    certificates = "cvc5" in solvers and lemma.id not in WITHOUT_CERTIFICATES
    result = decide(lemma, model, solvers=solvers, certificates=certificates, catalogue=CATALOGUES[name])
    assert not result.trouble
    assert result.verdict is lemma.expected[model]
    assert (result.certificate is not None) is (certificates and result.verdict is Verdict.PROVED)
    assert (result.counterexample is not None) is (result.verdict is Verdict.REFUTED)


@pytest.mark.parametrize(("name", "lemma"), _each([pair for pair in EVERY_LEMMA if pair[1].mutant is not None]))
def test_a_mutant_breaks_its_lemma(name: str, lemma: Lemma) -> None:
    assert lemma.mutant is not None
    assert not lemma.mutant.function.startswith("parte.proofs"), "a mutant changes what the lemma is about"
    with applied(lemma.mutant):
        assert decide(lemma, lemma.home, catalogue=CATALOGUES[name], refuting=True).verdict is Verdict.REFUTED
    assert lemma.mutant.source() != ""


def _by_defect(language: str) -> dict[int, tuple[str, ...]]:
    """The repairs of each defect."""
    repairs: dict[int, tuple[str, ...]] = {}
    for name, repair in CATALOGUES[language].models[SOUND].declaration.declared().items():
        for number in repair.defects:
            repairs[number] = (*repairs.get(number, ()), name)
    return repairs


REPAIRS_OF: Mapping[str, Mapping[int, tuple[str, ...]]] = {
    language.name: _by_defect(language.name) for language in languages() if language.has(LEMMAS)
}
NOT_A_RULE = "retention-as-printed"
"""This one is about sizes, which no rule computes."""


@pytest.mark.parametrize(
    ("name", "lemma"), _each([pair for pair in EVERY_LEMMA if pair[1].defects and pair[1].id != NOT_A_RULE])
)
def test_the_repairs_of_its_defects_and_no_fewer_mend_a_lemma(name: str, lemma: Lemma) -> None:
    (model,) = lemma.expected.keys() - {SOUND}
    assert lemma.expected[model] is Verdict.REFUTED
    subject = language_called(name)[CONTROLS]
    for left_out in (None, *lemma.defects):
        repairs = REPAIRS_OF[name]
        mended = {repair for number in lemma.defects if number != left_out for repair in repairs[number]}
        lacking = tuple(repair for several in repairs.values() for repair in several if repair not in mended)
        variant = subject.catalogue.lacking(lacking)
        expected = Verdict.PROVED if left_out is None else Verdict.REFUTED
        assert decide(lemma, SOUND, catalogue=variant, refuting=left_out is not None).verdict is expected


def test_every_refutation_of_the_published_rules_names_its_defects() -> None:
    for _, lemma in EVERY_LEMMA:
        only_there = lemma.expected.get(SOUND) is not Verdict.REFUTED
        if lemma.expected.get(PUBLISHED) is Verdict.REFUTED and only_there:
            assert lemma.defects, lemma.id


@pytest.mark.parametrize("name", CATALOGUES)
def test_ids_and_statements_are_one_each(name: str) -> None:
    lemmas = CATALOGUES[name].lemmas
    assert len({lemma.id for lemma in lemmas}) == len(lemmas)
    for lemma in lemmas:
        assert lemma.statement.endswith(".")
        assert lemma.scope
        clause = lemma.section.startswith(f"{name.lower()}-")  # a source without numbers
        assert clause or any(part.isdigit() for part in lemma.section.split(".")[0])


@pytest.mark.parametrize(
    ("name", "model"),
    [
        (language.name, model)
        for language in languages()
        for model in MODELS
        if language.name in CATALOGUES and model in language[KIT].models
    ],
)
def test_every_rule_of_a_model_has_a_lemma_there(name: str, model: str) -> None:
    """That it has a mutant and a case too is for the test of the documentation (`docs.rule_links`)."""
    named = {rule for lemma in CATALOGUES[name].lemmas if model in lemma.expected for rule in lemma.rules}
    assert {rule.id for rule in language_called(name)[RULES].rules.values() if model in rule.models} == named


# --- No lemma does arithmetic of its own ------------------------------------------------------------------------------


def _offences(source: str) -> list[str]:
    """Comparisons of times and arithmetic; comparisons of identity and membership are about names and phases."""
    offences = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Compare):
            offences += [type(op).__name__ for op in node.ops if isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE)]
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.Mult | ast.Div | ast.FloorDiv | ast.Mod):
            offences.append(type(node.op).__name__)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and not _of_text(node):
            offences.append("Add")
    return offences


def _of_text(node: ast.BinOp) -> bool:
    return any(
        isinstance(part, ast.JoinedStr) or (isinstance(part, ast.Constant) and isinstance(part.value, str))
        for part in ast.walk(node)
    )


def test_the_languages_without_lemmas_are_listed() -> None:
    """They do not list `prove` either (docs/architecture.md)."""
    assert {language.name for language in languages() if language.name not in CATALOGUES} == set()


THEOREMS = sorted([*PARTE.glob("proofs/partelang/theorems/*.py"), *PARTE.glob("languages/*/proofs/theorems/*.py")])


def test_every_language_with_lemmas_has_its_theorems_there() -> None:
    assert len({path.parent for path in THEOREMS}) == len(CATALOGUES)


@pytest.mark.parametrize("path", THEOREMS, ids=lambda path: path.stem)
def test_a_theorem_leaves_the_arithmetic_to_the_kernel(path: Path) -> None:
    assert _offences(path.read_text(encoding="utf-8")) == []


def test_restated_arithmetic_is_found() -> None:
    assert _offences("stale = ends < bound") == ["Lt"]
    assert _offences("width = upper - lower") == ["Sub"]
    assert _offences("closes = timestamp + maximum") == ["Add"]


# --- The framework itself ---------------------------------------------------------------------------------------------

MACHINE = MACHINES[SOUND]


def _lemma(body: object, expected: Verdict = Verdict.REFUTED) -> Lemma:
    return Lemma("l", "A statement.", "8", (), "unbounded", body, None, {SOUND: expected})  # type: ignore[arg-type]


def test_hypotheses_that_cannot_hold_are_trouble() -> None:
    def body(run: Run) -> Claims:
        time = run.integer("t")
        run.assume(kernel.is_stale(time, time))
        return (("anything", True),)

    result = decide(_lemma(body))
    assert result.trouble == "the hypotheses cannot hold"
    assert not result.as_expected


def test_a_lemma_that_claims_nothing_is_trouble() -> None:
    assert decide(_lemma(lambda _: ())).trouble == "nothing is claimed on any path"


def test_every_path_is_explored() -> None:
    def body(run: Run) -> Claims:
        first, second = run.integers("t", 2)
        if kernel.is_stale(first, second):
            return (("earlier", True),)
        return (("later", kernel.is_stale(second, first)),)

    assert len(paths_of(body, MACHINE).paths) == 2
    result = decide(_lemma(body))
    assert result.counterexample is not None
    assert result.counterexample.broken == ("later",)
    values = result.counterexample.values
    assert values["t 1"] == values["t 2"]


def test_a_counterexample_is_replayed() -> None:
    with pytest.raises(NoCounterexample):
        replay(lambda run: (("c", run.truth("c")),), MACHINE, {"c": True})


def test_a_mutant_needs_its_line() -> None:
    with (
        pytest.raises(NoSuchLine),
        applied(Mutant("m", "parte.semantics.partelang.kernel:is_stale", "no such line", "")),
    ):
        pass


def test_a_mutant_is_undone() -> None:
    with applied(Mutant("m", "parte.semantics.partelang.kernel:is_stale", "ends < bound", "ends <= bound")):
        assert kernel.is_stale(0, 0)
    assert not kernel.is_stale(0, 0)


def test_unknown_lemmas_are_named() -> None:
    with pytest.raises(UnknownLemma, match="kernel-shifted"):
        CATALOGUE.chosen(["kernel-shift"])


def test_a_proof_that_is_not_accepted_is_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_proof(problem: Problem, timeout: float) -> tuple[Decision, str]:
        return by_cvc5(problem, timeout), "((assume @p1 false))"

    monkeypatch.setattr("parte.proofs.prove.proof_by_cvc5", no_proof)
    result = decide(CATALOGUE.chosen(["kernel-shifted"])[0], solvers=("cvc5",), certificates=True)
    assert result.verdict is Verdict.PROVED
    assert result.trouble == "the proof by cvc5 is not accepted: assume @p1: the problem does not assert false"
    assert not result.as_expected


def test_results_as_json_and_smtlib(tmp_path: Path) -> None:
    results = (*prove(["at-*"], export=tmp_path), *prove(["expiry-left-join-1"], model="published", solvers=("cvc5",)))
    jsonschema.validate(results_to_json(results), dict(schema()))
    assert results[-1].counterexample is not None
    text = (tmp_path / "at-monotone-avg.sound.smt2").read_text(encoding="utf-8")
    assert "(set-logic ALL)" in text
    assert "(check-sat)" in text
