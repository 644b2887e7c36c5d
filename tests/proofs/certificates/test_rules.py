"""What a rule accepts follows, says z3: of every pattern, and of steps of real proofs however they are damaged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parte.checker.solver.problems import proof_by_cvc5, smtlib
from parte.proofs.certificates.check import check
from parte.proofs.certificates.forms import Form, forms
from parte.proofs.certificates.reading import Tree, term, trees
from parte.proofs.certificates.rules import RULES, Rule, Unfounded
from parte.proofs.certificates.terms import IllFormed, Sort, Term, apply, number, variable
from parte.proofs.partelang.catalogue import CATALOGUE
from parte.proofs.symbolic import paths_of
from tests.proofs.certificates.meaning import follows

LEMMAS = (
    "bounds-ENTRY",
    "progress-takes-ALPHA",
    "fold-every",
    "kernel-lifetime",
    "expiry-left-prompt-1",
)
"""Lemmas with short proofs that together use most rules that are functions; `WRITTEN` has the others."""

_NAMES = {name: variable(name, Sort.BOOL if name in "pq" else Sort.INT) for name in "pqxy"}


# --- Patterns ---------------------------------------------------------------------------------------------------------


def _names(pattern: Tree) -> set[str]:
    """The names of a pattern that stand for terms."""
    if isinstance(pattern, list):
        return {name for part in pattern[1:] for name in _names(part)}
    return {pattern} if pattern.isalpha() and pattern not in ("true", "false") else set()


def _readings(form: Form) -> list[tuple[list[Term], list[Term], Term]]:
    """Premises, arguments and conclusion of variables of all sorts that fit."""
    names = sorted({name for part in (*form.premises, *form.arguments, form.conclusion) for name in _names(part)})
    readings = []
    for sorts in product((Sort.BOOL, Sort.INT, Sort.REAL), repeat=len(names)):
        meant = {name: variable(name, sort) for name, sort in zip(names, sorts, strict=True)}
        try:
            premises = [term(premise, meant) for premise in form.premises]
            arguments = [term(argument, meant) for argument in form.arguments]
            term(form.conclusion, meant)
            if all(premise.sort is Sort.BOOL for premise in premises):
                readings.append((premises, arguments, form(premises, arguments)))
        except IllFormed:
            continue
    return readings


@pytest.mark.parametrize("name", forms())
def test_a_pattern_is_valid_for_all_sorts_that_fit(name: str) -> None:
    readings = _readings(forms()[name])
    assert readings
    for premises, _, conclusion in readings:
        assert follows(premises, conclusion)


def test_a_pattern_that_is_not_valid_is_told() -> None:
    wrong = Form((), ("t", "s"), ["=", ["<", "t", "s"], ["not", [">", "t", "s"]]])
    assert not all(follows(premises, conclusion) for premises, _, conclusion in _readings(wrong))


def test_a_rule_is_stated_once() -> None:
    assert not RULES.keys() & forms().keys()


# --- Steps ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Step:
    """A rule with what it was applied to."""

    rule: str
    premises: tuple[Term, ...]
    arguments: tuple[Term, ...]


def _written(rule: str, premises: str = "", arguments: str = "") -> Step:
    read = [tuple(term(tree, _NAMES) for tree in trees(texts)) for texts in (premises, arguments)]
    return Step(rule, *read)


WRITTEN = (
    _written("factoring", "(or p q p)"),
    _written("not_or_elim", "(not (or p q))", arguments="1"),
    _written("arith_reduction", arguments="(div_total x 3)"),
    _written("arith_reduction", arguments="(div_total x -3)"),
    _written("arith_reduction", arguments="(div_total x y)"),
    _written("arith_reduction", arguments="(div x y)"),
    _written("int_tight_lb", "(> x 5)"),
    _written("arith_mult_pos", arguments="3 (< x y)"),
    _written("arith_poly_norm", arguments="(= (* x (+ y 1)) (+ (* y x) x))"),
)


@cache
def steps() -> tuple[Step, ...]:
    """Every step of the proofs of `LEMMAS`, and those of `WRITTEN`."""
    recorded: dict[Step, None] = dict.fromkeys(WRITTEN)

    def recording(name: str, rule: Rule) -> Rule:
        def recorder(premises: Sequence[Term], arguments: Sequence[Term]) -> Term:
            recorded[Step(name, tuple(premises), tuple(arguments))] = None
            return rule(premises, arguments)

        return recorder

    with pytest.MonkeyPatch.context() as patch:
        for name, rule in RULES.items():
            patch.setitem(RULES, name, recording(name, rule))
        for lemma in CATALOGUE.chosen(LEMMAS):
            problem = paths_of(lemma.body, CATALOGUE.models["sound"]).problem(lemma.id)
            assert not check(smtlib(problem), proof_by_cvc5(problem)[1]).trouble
    return tuple(recorded)


def test_every_rule_is_among_the_steps() -> None:
    assert {step.rule for step in steps()} == RULES.keys()


@pytest.mark.parametrize("rule", RULES)
def test_what_a_rule_concludes_follows(rule: str) -> None:
    for step in [step for step in steps() if step.rule == rule][:20]:
        assert follows(step.premises, RULES[rule](step.premises, step.arguments))


def _subterms(terms: Sequence[Term]) -> list[Term]:
    """The terms and all in them, each once."""
    subterms: dict[Term, None] = {}
    pending = list(terms)
    while pending:
        term = pending.pop()
        if term not in subterms:
            subterms[term] = None
            pending += term.arguments
    return list(subterms)


def _replaced(whole: Term, old: Term, new: Term) -> Term:
    if whole is old:
        return new
    if not whole.arguments:
        return whole
    return apply(str(whole.head), *(_replaced(argument, old, new) for argument in whole.arguments))


_CONFUSED = (("<", "<=", ">", ">=", "="), ("and", "or", "=>"), ("+", "-", "*"))


@st.composite
def damages(draw: st.DrawFn, rule: str) -> Step:
    """A step of a rule in which something is not as it was, if what was drawn is well-formed."""
    step = draw(st.sampled_from([step for step in steps() if step.rule == rule]))
    places = [*step.premises, *step.arguments]
    for _ in range(draw(st.integers(1, 2))):
        place = draw(st.integers(0, len(places) - 1))
        inside = _subterms([places[place]])
        old = draw(st.sampled_from(inside))
        match draw(st.sampled_from(("number", "operator", "subterm", "swap", "negate", "part"))):
            case "number" if not isinstance(old.head, str):
                new = number(old.head + draw(st.sampled_from((-2, -1, 1, 2))), old.sort)
            case "operator" if (others := [heads for heads in _CONFUSED if old.head in heads]) and old.arguments:
                new = _or_same(old, draw(st.sampled_from(others[0])), old.arguments)
            case "part" if len(old.arguments) > 1:
                left_out = draw(st.integers(0, len(old.arguments) - 1))
                terms = (*old.arguments[:left_out], *old.arguments[left_out + 1 :])
                new = _or_same(old, str(old.head), terms)
            case "negate" if old.sort is Sort.BOOL:
                new = old.arguments[0] if old.head == "not" else apply("not", old)
            case "swap" if len(old.arguments) > 1:
                new = _or_same(old, str(old.head), draw(st.permutations(old.arguments)))
            case _:
                same = [term for term in _subterms(places) if term.sort is old.sort]
                new = draw(st.sampled_from(same))
        try:
            places[place] = _replaced(places[place], old, new)
        except IllFormed:
            continue
    count = len(step.premises)
    premises, arguments = places[:count], places[count:]
    shorter: bool = draw(st.booleans())
    if premises and shorter:
        del premises[draw(st.integers(0, len(premises) - 1))]
    return Step(step.rule, tuple(premises), tuple(arguments))


def _or_same(old: Term, operator: str, arguments: Sequence[Term]) -> Term:
    try:
        new = apply(operator, *arguments)
    except IllFormed:
        return old
    return new if new.sort is old.sort else old


@pytest.mark.parametrize("rule", RULES)
@given(data=st.data())
def test_what_is_accepted_of_a_damaged_step_still_follows(rule: str, data: st.DataObject) -> None:
    step = data.draw(damages(rule))
    try:
        conclusion = RULES[rule](step.premises, step.arguments)
    except (Unfounded, IllFormed):
        return
    assert follows([premise for premise in step.premises if premise.sort is Sort.BOOL], conclusion)
