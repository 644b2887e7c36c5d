"""Shortest paths and the solver agree about every `when`, and advice about it can be followed."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from parte.checker.partelang.windows import analyse, formula
from parte.checker.solver import terms
from parte.checker.solver.queries import Session, Status
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.temporal import closure

VARIABLES = ("a", "b", "c", "d")
NEGATED = ("m", "n")


@st.composite
def rules(draw: st.DrawFn, negated: bool = True) -> core.Rule:
    """Rules with nothing but a `when`: contradictory, redundant, tied or not."""
    constraints: list[core.Constraint] = []
    for _ in range(draw(st.integers(0, 6))):
        subject, reference = draw(st.permutations(VARIABLES))[:2]
        absent = negated and draw(st.integers(0, 3)) == 0
        if absent:
            subject = draw(st.sampled_from(NEGATED))
        lower = draw(st.integers(-6, 8))
        upper = lower + draw(st.integers(0, 8))
        constraints.append(core.Constraint(subject, reference, lower, upper, absent))
    patterns = [core.Pattern(variable, "A", False, ()) for variable in VARIABLES]
    used = {constraint.subject for constraint in constraints}
    patterns += [core.Pattern(variable, "A", True, ()) for variable in NEGATED if variable in used]
    return core.Rule("R", tuple(patterns), tuple(constraints), ())


@given(rules(negated=False))
def test_shortest_paths_and_the_solver_agree(rule: core.Rule) -> None:
    session = Session()
    distances = closure(VARIABLES, rule.constraints)
    session.add(*map(formula, rule.constraints))
    satisfiable = session.ask("all").status is Status.SATISFIABLE
    assert distances.contradictory is not satisfiable
    if distances.contradictory:
        return
    for subject in VARIABLES:
        for reference in VARIABLES:
            difference = terms.minus(terms.integer(f"t {subject}"), terms.integer(f"t {reference}"))
            i, j = distances.variables.index(subject), distances.variables.index(reference)
            greatest = distances.greatest[i][j]
            if greatest is None:
                beyond = terms.below(terms.whole(10**9), difference)
                assert session.ask("unbounded", beyond).status is Status.SATISFIABLE
            else:
                beyond = terms.below(terms.whole(greatest), difference)
                assert session.ask("beyond", beyond).status is Status.UNSATISFIABLE
                reached = terms.equal(terms.whole(greatest), difference)
                assert session.ask("reached", reached).status is Status.SATISFIABLE


@given(rules())
def test_clashes_are_minimal(rule: core.Rule) -> None:
    session = Session()
    for clash in analyse(rule, session).clashes:
        formulas = [formula(constraint) for constraint in clash.constraints]
        assert session.ask("all", *formulas).status is Status.UNSATISFIABLE
        for left_out in range(len(formulas)):
            rest = formulas[:left_out] + formulas[left_out + 1 :]
            assert session.ask("without one", *rest).status is Status.SATISFIABLE


@given(rules())
def test_advice_can_be_followed_all_at_once(rule: core.Rule) -> None:
    """Without the redundant constraints, and with the others tightened, the rule allows the same timestamps."""
    session = Session()
    analysis = analyse(rule, session)
    if analysis.clashes:
        return
    changed: list[core.Constraint] = []
    advice = {id(looseness.constraint): looseness.tight for looseness in analysis.loose}
    for constraint in rule.constraints:
        if id(constraint) not in advice:
            changed.append(constraint)
        elif (tight := advice[id(constraint)]) is not None:
            assert (constraint.lower, constraint.upper) != tight
            changed.append(replace(constraint, lower=tight[0], upper=tight[1]))
    positive = [constraint for constraint in rule.constraints if not constraint.negated]
    # What is said of a negated variable counts where the positive ones fit, and for each such variable alone.
    for about in (None, *NEGATED):
        before, after = (
            terms.both(*[formula(c) for c in constraints if not c.negated or c.subject == about])
            for constraints in (rule.constraints, changed)
        )
        differs = terms.negated(terms.same(before, after))
        if about is None:
            assert session.ask("same", differs).status is Status.UNSATISFIABLE
        else:
            given_ = [formula(constraint) for constraint in positive]
            assert session.ask("same", *given_, differs).status is Status.UNSATISFIABLE
