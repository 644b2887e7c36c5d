"""Following whole proofs: an example that cvc5 wrote, what is done to it, and what is no proof at all."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parte.proofs.certificates.check import Outcome, check
from parte.proofs.certificates.reading import problem, term, trees
from parte.proofs.certificates.terms import IllFormed, Sort, Term, variable
from tests.proofs.certificates.meaning import satisfiable

HERE = Path(__file__).parent
PROBLEM = (HERE / "example.smt2").read_text(encoding="utf-8")
PROOF = (HERE / "example.cpc").read_text(encoding="utf-8")
LINES = PROOF.strip().splitlines()[1:-1]


def _with(number: int, *lines: str) -> str:
    """The proof with other lines in place of one."""
    return _proof(*LINES[:number], *lines, *LINES[number + 1 :])


def _proof(*lines: str) -> str:
    return "\n".join(["(", *lines, ")"])


def _numbered(name: str) -> int:
    """The line that a name is given to."""
    return next(number for number, line in enumerate(LINES) if f" {name} " in line.split(":")[0])


def test_the_example_is_checked() -> None:
    report = check(PROBLEM, PROOF)
    assert (report.outcome, report.trouble) == (Outcome.CHECKED, "")
    assert report.steps == PROOF.count("(step")


# --- Damage -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(len(LINES)), ids=lambda number: LINES[number].split(" :")[0])
def test_no_line_can_be_left_out(number: int) -> None:
    declares = LINES[number].startswith("(declare-const")
    assert (check(PROBLEM, _with(number)).outcome is Outcome.CHECKED) is declares, "the problem declares variables too"


DAMAGES = {
    "a constant": ("@t4", "-2))", "-1))", "expected a multiple of the difference"),
    "a coefficient": ("@t3", "(* -1 |the y|)", "(* 1 |the y|)", "step @p11: expected the same sum on both sides"),
    "a coefficient of the sum": (
        "@p62",
        "(-1 @t8)",
        "(-2 @t8)",
        "step @p67: expected a premise of the form (=> F G), where F = (and (< -1 0)",
    ),
    "a premise left out": (
        "@p68",
        "(@p67 @p61)",
        "(@p67)",
        "step @p69: expected a premise of the form (= F G), where F = (<= (+ ",
    ),
    "premises exchanged": ("@p67", "(@p66 @p62)", "(@p62 @p66)", "a premise of the form (=> F G)"),
    "a wrong conclusion": ("@p61", "@p61 :rule", "@p61 (<= @t3 -4) :rule", "int_tight_ub concludes (<= "),
    "a conclusion that is too strong": ("@p90", "@t8", "@t5", "step @p87: expected an application of not"),
    "another rule": ("@p61", "int_tight_ub", "int_tight_lb", "an application of >"),
    "a rule that is not known": ("@p61", "int_tight_ub", "trust", "the rule trust is not known"),
    "a position": ("@p6", "(p)", "(x)", "= does not take Int Bool"),
    "an assumption that is none": ("@p2", "@p2 p", "@p2 (not p)", "the problem does not assert (not p)"),
    "a step from a scope that is closed": ("@p70", "(@p93)", "(@p69)", "@p69 is no step that holds here"),
    "a variable of another sort": ("@t1", "(+ x 2)", "(+ x 2/1)", "+ does not take Int Real"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_told(damage: str) -> None:
    name, old, new, message = DAMAGES[damage]
    number = _numbered(name)
    assert old in LINES[number]
    report = check(PROBLEM, _with(number, LINES[number].replace(old, new)))
    assert report.outcome is (Outcome.UNKNOWN_RULE if "not known" in damage else Outcome.REFUSED)
    assert message in report.trouble
    assert report.steps < PROOF.count("(step")


def test_the_proof_must_be_of_the_problem() -> None:
    report = check(PROBLEM.replace("(+ x 2)", "(+ x 3)"), PROOF)
    assert "assume @p1: the problem does not assert" in report.trouble


def test_the_proof_must_end_in_false_and_outside_all_scopes() -> None:
    scope, inside = _numbered("@p90"), _numbered("@p69")
    assert "expected false from the problem's assertions" in check(PROBLEM, _proof(*LINES[:-1])).trouble
    assert "expected false from the problem's assertions" in check(PROBLEM, _proof(*LINES[: inside + 1])).trouble
    assert "expected false from the problem's assertions" in check(PROBLEM, _proof(*LINES[:scope])).trouble


@st.composite
def _damaged(draw: st.DrawFn) -> str:
    """The proof with one to three atoms replaced by others of its own, or numbers by their neighbours."""
    atoms = re.split(r"(\s+|[()]|\|[^|]*\|)", PROOF)
    places = [place for place, atom in enumerate(atoms) if atom.strip() and atom not in "()" and atom[0] != ":"]
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.sampled_from(places))
        if re.fullmatch(r"-?\d+", atoms[place]):
            atoms[place] = str(int(atoms[place]) + draw(st.sampled_from((-3, -1, 1, 3))))
        else:
            atoms[place] = atoms[draw(st.sampled_from(places))]
    return "".join(atoms)


def _written(formula: Term) -> str:
    if formula.head == "the y":
        return "|the y|"
    return (
        f"({' '.join([str(formula.head), *map(_written, formula.arguments)])})"
        if formula.arguments
        else str(formula.head)
    )


def _assumed(proof: str) -> list[Term]:
    """What a proof assumes. IllFormed if that cannot be read."""
    names = dict(problem(PROBLEM).variables)
    assumed = []
    (commands,) = trees(proof)
    for command in commands:
        match command:
            case ["define", str(name), [], tree]:
                names[name] = term(tree, names)
            case ["assume", _, tree]:
                assumed.append(term(tree, names))
    return assumed


@given(_damaged())
def test_nothing_that_can_hold_is_refuted(proof: str) -> None:
    """Whatever is damaged, if the proof refutes what it assumes then, that cannot hold."""
    try:
        assumed = _assumed(proof)
        stated = [line for line in PROBLEM.splitlines() if line.startswith("(declare")]
        asserted = "\n".join([*stated, *(f"(assert {_written(formula)})" for formula in assumed)])
        accepted = check(asserted, proof).outcome is Outcome.CHECKED
    except (IllFormed, ValueError):
        return
    assert not (accepted and satisfiable(assumed))
    assert not (satisfiable(assumed) and check(PROBLEM, proof).outcome is Outcome.CHECKED)


# --- Texts that are no proofs or problems -----------------------------------------------------------------------------


def _multiples(left: int, right: int) -> str:
    differences = f"(= (* {left} (- x |the y|)) (* {right} (- x |the y|)))"
    comparisons = "(= (>= x |the y|) (>= x |the y|))"
    return f"(assume-push @p1 {differences}) (step @p2 :rule arith_poly_norm_rel :premises (@p1) :args ({comparisons}))"


@pytest.mark.parametrize(
    ("proof", "message"),
    [
        ("", "the end: expected false"),
        ("(step @p1 :rule", "the text ends within a list"),
        ("(assume @p1 p))", "character 16 closes what was not opened"),
        ("(assume @p1 |p)", "character 13 begins nothing that is known"),
        ("(assume @p1 q)", "the name q is not known"),
        ("(assume @p1 (xor p p))", "the operator xor is not known"),
        ("(assume @p1 ((not) p))", "is no term"),
        ("(assume @p1 (and))", "and does not take nothing"),
        ("(assume @p1 p) (assume @p1 p)", "there is a step @p1 already"),
        ("(assume @p1 p) (step @p2 :rule and_elim :premises (@p1) :args (0))", "an application of and, found p"),
        ("(assume @p1 p) (step @p2 :rule and_intro :premises p)", "no rule with premises and arguments"),
        ("(step @p2 :rule cnf_or_neg :args ((or p p) 2))", "expected a position in (or p p), found 2"),
        ("(step @p2 :rule cnf_or_neg :args ((or p p) -1))", "expected a position in (or p p), found -1"),
        ("(step @p2 :rule refl :args (p p))", "expected 1 arguments, found 2"),
        ("(step @p2 :rule refl :args ((@list p)))", "= does not take @List @List"),
        ("(step-pop @p2 :rule scope :premises (@p1))", "the rule scope with one premise, in a scope"),
        ("(assume-push @p1 x)", "x is no formula"),
        ("(define @t1 () p) (define @t1 () x)", "@t1 is no new name"),
        ("(define x () 5)", "x is no new name"),
        ("(declare-const x Bool)", "the problem declares no x of sort Bool"),
        ("(declare-const z Int)", "the problem declares no z of sort Int"),
        ("(declare-const z String)", "the sort String is not known"),
        ("(trust false)", "trust false: the command"),
        (f"(assume @p1 (= x {'9' * 1001}))", "at most 1000 are read"),
        (f"(assume @p1 {'(not ' * 5000}p{')' * 5000})", "terms are nested too deeply"),
        ("(assume @p1 p) (step @p2 :rule process_scope :premises (@p1) :args (p))", "expected an implication"),
        ("(step @p2 :rule trans)", "expected a premise"),
        ("(step @p2 :rule cong :args ((not p)))", "a premise for an argument of (not p), found 0"),
        ("(assume @p1 p) (step @p2 :rule cong :premises (@p1 @p1) :args ((not p)))", "of (not p), found 2"),
        ("(assume @p1 p) (step @p2 :rule resolution :premises (@p1 @p1) :args (p p))", "true or false, found p"),
        ("(step @p2 :rule chain_resolution :args (@list.nil @list.nil))", "as many pivots as clauses"),
        ("(step @p2 :rule arith_sum_ub)", "+ does not take nothing"),
        ("(step @p2 :rule and_intro)", "and does not take nothing"),
        ("(step @p2 :rule arith_trichotomy :premises (@p2 @p2))", "@p2 is no step that holds here"),
        (_multiples(1, -1), "expected one comparison twice"),
        (_multiples(0, 0), "expected one comparison twice"),
        ("(assume-push @p1 (< (to_real x) 3/2)) (step @p2 :rule int_tight_ub :premises (@p1))", "an integer"),
        ("(step @p2 :rule evaluate :args ((< x 0)))", "a term with a value, found x"),
        ("(step @p2 :rule arith_reduction :args ((div_total x 0)))", "a divisor other than 0"),
        ("(step @p2 :rule arith_poly_norm :args ((= (* x x) (* 2 x))))", "the same sum on both sides"),
        (f"(step @p2 :rule arith_poly_norm :args ((= (* {'(+ x |the y| 1) ' * 60}) x)))", "at most 1000 summands"),
        ("(define @t1 () @int_div_by_zero) (assume @p1 (= x @t1))", "the name @t1 is not known"),
    ],
)
def test_what_is_no_proof_is_refused(proof: str, message: str) -> None:
    report = check(PROBLEM, f"({proof})")
    assert report.outcome is Outcome.REFUSED
    assert message in report.trouble
    assert len(report.trouble) < 600


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(declare-fun x () Int) (declare-fun |x| () Bool)", "|x| is declared twice"),
        ("(declare-fun f (Int) Int)", "is not known"),
        ("(declare-fun |not| () Bool)", "a variable may not be called not"),
        ("(declare-fun |@t1| () Bool)", "a variable may not be called @t1"),
        ("(assert 5)", "5 is asserted and no formula"),
        ("(assert (let ((a true b)) a))", "is no binding"),
        ("(define-fun f () Bool true)", "is not known"),
    ],
)
def test_a_problem_that_is_not_understood_is_refused(text: str, message: str) -> None:
    report = check(text, PROOF)
    assert report.outcome is Outcome.REFUSED
    assert report.trouble.startswith("the problem: ")
    assert message in report.trouble


def test_bindings_hold_where_they_are_made() -> None:
    shadowed = problem("(declare-fun x () Int)(assert (let ((x (+ x 1)) (y x)) (let ((x y)) (< x y))))")
    x = variable("x", Sort.INT)
    assert shadowed.assertions == {term(["<", "x", "x"], {"x": x})}
    with pytest.raises(IllFormed, match="y is not known"):
        problem("(declare-fun x () Int)(assert (and (let ((y x)) (< y x)) (< y x)))")


def test_many_bindings_nest() -> None:
    text = f"(declare-fun p () Bool)(assert {''.join(f'(let ((q{n} p)) ' for n in range(5000))}q1{')' * 5000})"
    assert len(problem(text).assertions) == 1


def test_the_checker_needs_no_solver() -> None:
    """Nor does it import one where it could be had."""
    code = "import sys, parte.proofs.certificates.check; print(*{'z3', 'cvc5'} & sys.modules.keys())"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == ""


SHARED = {
    "products": ("evaluate", "9" * 900, "*", 40, "a number of at most 32768 bits"),
    "sums": ("evaluate", "1", "+", 20_000, "a number of at most 32768 bits"),
    "products of sums": ("arith_poly_norm", "(+ x 1)", "*", 40, "at most"),
    "sums of sums": ("arith_poly_norm", "(+ x 1)", "+", 200, ""),
}


@pytest.mark.parametrize("kind", SHARED)
def test_terms_that_are_shared_many_times_cost_no_more_than_their_lines(kind: str) -> None:
    """Each line doubles the term of the line before; without limits some thousand steps of this would never end."""
    rule, first, operator, lines, trouble = SHARED[kind]
    defined = [f"(define @t0 () {first})"]
    defined += [f"(define @t{number} () ({operator} @t{number - 1} @t{number - 1}))" for number in range(1, lines + 1)]
    claim = f"@t{lines}" if rule == "evaluate" else f"(= (+ @t{lines} 0) (+ 0 @t{lines}))"
    steps = [f"(step @p1 :rule {rule} :args ({claim}))"]
    report = check("(declare-fun x () Int)", _proof(*defined, *steps))
    assert report.outcome is Outcome.REFUSED
    # What is within the limits is shown, but is not false.
    assert (trouble or "expected false") in report.trouble or "nested too deeply" in report.trouble
