"""Variants: each does what its registration says to lemmas, suite and explorer, and leaves nothing behind."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

import parte
from parte.conformance.partelang.engines.table import ENGINES
from parte.conformance.runner.judging import judge_case, prepare
from parte.conformance.runner.sessions import LocalSession
from parte.conformance.suites import load_suite
from parte.experiments.catalogue import BY_NAME
from parte.experiments.experiment import Scale
from parte.experiments.parameters import ParametersError, to_toml
from parte.experiments.running import run_experiment
from parte.experiments.store import Store
from parte.languages.partelang import PARTELANG
from parte.proofs.partelang.catalogue import CATALOGUE
from parte.proofs.partelang.exploration.explore import explore
from parte.proofs.partelang.variants import EAGER_EXPIRY, LATE_EXPIRY, NO_EXPIRY, VARIANTS
from parte.proofs.prove import proving
from parte.proofs.variants import Function, NoVariant, Variant, applied, current, variant_called
from parte.semantics.events.domain import bind_domain
from parte.semantics.events.event import Event
from parte.semantics.events.scenario import Scenario
from parte.semantics.events.trace import read_trace
from parte.semantics.partelang import kernel
from parte.semantics.partelang.execution import network_of
from parte.semantics.partelang.histories import History, PlainHistory
from parte.semantics.partelang.machine import Machine
from parte.semantics.partelang.network import AlphaNode
from parte.semantics.partelang.repairs import Repairs
from parte.semantics.partelang.rules.alpha import alpha_match
from parte.semantics.partelang.rules.premises import expire_left
from parte.semantics.partelang.rules.registry import Conclusion, Effect, Site, TwoInputData
from parte.semantics.partelang.schedules import settle
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.tokens import Alpha, BetaToken

each_variant = pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)

TIE = """template A {}
template B {}
rule AB where a : A, b : B, when b in a [0 ms, 10 ms],
"""
TRACE = (
    '{"id":"a","template":"A","timestamp":0}',
    '{"id":"b1","template":"B","timestamp":10}',
    '{"id":"b2","template":"B","timestamp":10}',
)


def _tie() -> Scenario[core.Program]:
    program = parte.parse(TIE)
    return Scenario.of(program, read_trace(TRACE), bind_domain(program, {}))


# --- What is expected of those that are registered --------------------------------------------------------------------


def _decided(variant: Variant, *ids: str) -> list[str]:
    """The lemmas that do not come out as the variant says."""
    with applied(variant):
        results = proving(ids, catalogue=CATALOGUE.refuting(variant.refutes))
        return [result.lemma.id for result in results if not result.as_expected]


@pytest.mark.parametrize("variant", [LATE_EXPIRY, EAGER_EXPIRY, NO_EXPIRY], ids=lambda variant: variant.name)
def test_lemmas_on_expiry_tell_what_is_expected(variant: Variant) -> None:
    assert variant.refutes
    assert _decided(variant, "expiry-*", "refines-JOIN-RIGHT-*") == []


@each_variant
def test_the_suite_tells_what_is_expected(variant: Variant) -> None:
    """On a part of it, and on all that the variant is to fail."""
    suite = load_suite(PARTELANG).cases
    session = LocalSession(ENGINES[variant.name].make())
    cases = [
        case
        for name, case in suite.items()
        if name in EAGER_EXPIRY.fails or name.startswith(("expiry/", "ties/", "order/"))
    ]
    failed = {case.id for case in cases if judge_case(session, prepare(case, PARTELANG), 60.0).verdict.bad}
    assert failed == set(variant.fails)
    assert len(cases) > 2 * len(EAGER_EXPIRY.fails)


@each_variant
def test_the_explorer_tells_what_is_expected(variant: Variant) -> None:
    with applied(variant):
        exploration = explore(_tie())
    assert exploration.agrees is not bool(variant.fails)
    assert exploration.confluent is not bool(variant.fails)


def test_histories_are_larger_where_less_expires() -> None:
    """What is kept after pairs that are each long past the one before."""
    assert [_kept(None), *map(_kept, (EAGER_EXPIRY, LATE_EXPIRY, NO_EXPIRY))] == [1, 1, 2, 20]


def _kept(variant: Variant | None) -> int:
    """Left partial matches, after twenty events that can be joined for 10 ms, 15 ms after each other."""
    program = parte.parse(TIE)
    lines = [f'{{"template":"{kind}","timestamp":{15 * n}}}' for n in range(20) for kind in "AB"]
    scenario = Scenario.of(program, read_trace(lines), bind_domain(program, {}))
    machine = Machine(network_of(scenario))
    with applied(variant) if variant else nullcontext():
        for arrival in scenario.arrivals:
            if arrival.event is not None:
                settle(machine, (machine.feed(arrival),))
    (join,) = (state.data for state in machine.nodes if isinstance(state.data, TwoInputData))
    return len(join.left)


# --- The mechanism ----------------------------------------------------------------------------------------------------


def test_nothing_is_left_behind() -> None:
    code, names = expire_left.__code__, set(expire_left.__globals__)
    with applied(EAGER_EXPIRY):
        assert current() is EAGER_EXPIRY
        assert expire_left.__code__ is not code
    assert (current(), expire_left.__code__, set(expire_left.__globals__)) == (None, code, names)
    with pytest.raises(NoVariant), applied(Variant("", "", {kernel.is_stale: _stale, expire_left: _stale})):
        pass
    assert (current(), kernel.is_stale(1, 1)) == (None, False)


SHIFT = 5


def _stale(ends: int, bound: int) -> bool:
    return any(ends + shift < bound for shift in (SHIFT,))


def test_a_variant_uses_the_names_of_its_own_module() -> None:
    with applied(Variant("shifted", "", {kernel.is_stale: _stale})):
        assert [kernel.is_stale(0, bound) for bound in (1, 5, 6)] == [False, False, True]
    assert not hasattr(kernel, "SHIFT")


def _other_parameters(ends: int) -> bool:
    return ends < 0


highest = 3


def _other_name(ends: int, bound: int) -> bool:
    return ends < bound + highest


def _within() -> Function:
    shift = 1

    def stale(ends: int, bound: int) -> bool:
        return ends + shift < bound

    return stale


@pytest.mark.parametrize(
    ("replaces", "said"),
    [
        ({kernel.is_stale: _other_parameters}, "expected (ends, bound), found (ends)"),
        ({kernel.is_stale: _other_name}, "'highest' in the variant mine is something else in parte.semantics"),
        ({kernel.is_stale: _within()}, "a function within a function"),
        ({kernel.is_stale: PlainHistory}, "is no plain function"),
        ({bind_domain.__get__: _stale}, "is no plain function"),
        ({parte.run: parte.execute}, "parte.api:run, which is no part of a machine"),
    ],
)
def test_what_does_not_fit(replaces: Mapping[Function, Function], said: str) -> None:
    with pytest.raises(NoVariant, match=re.escape(said)), applied(Variant("mine", "", replaces)):
        pass


FILE = """
from parte import Variant
from parte.semantics.partelang import kernel
from parte.semantics.partelang.execution import network_of

def is_stale(ends, bound):
    return ends + 1000 < bound

ONE = Variant("one", "later", {kernel.is_stale: is_stale})
"""


def test_one_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(FILE, encoding="utf-8")
    with parte.varied(str(file)):
        assert not kernel.is_stale(0, 1000)
        assert [match.rule for match in parte.run(parte.parse(TIE), parte.read_trace(TRACE))] == ["AB", "AB"]
    file.write_text(FILE + 'TWO = Variant("two", "later", {})\n', encoding="utf-8")
    assert variant_called(f"{file}:two", ()).name == "two"
    for place, said in (
        (f"{file}", "has several variants: one, two"),
        (f"{file}:three", "is called 'three'"),
        (f"{tmp_path}/none.py", "there is no file"),
        ("late-expirie", "no variant is called 'late-expirie'"),
    ):
        with pytest.raises(NoVariant, match=said):
            variant_called(place, VARIANTS)
    file.write_text("", encoding="utf-8")
    with pytest.raises(NoVariant, match="has no variant"):
        variant_called(str(file), ())


def _at_once(repairs: Repairs, history: History, bound: int) -> History:
    del repairs, bound
    return history.without(list(history))


def test_experiments_take_one_and_say_so(tmp_path: Path) -> None:
    reactivity, experiment = BY_NAME["reactivity"], BY_NAME["sizes"]
    few = replace(
        reactivity.scales[Scale.SMALL], lengths=(100, 200), periods=(16,), windows=(128,), length=100, repetitions=1
    )
    sound = run_experiment(reactivity, few)
    with parte.varied(Variant("lossy", "joins forget at once", {expire_left: _at_once})):
        lossy = run_experiment(reactivity, few)
    assert "Under the variant `lossy`: joins forget at once." in lossy.markdown
    assert "parte experiment reactivity --variant lossy" in lossy.markdown
    assert "variant" not in sound.markdown
    assert not lossy.rows["matches"].equals(sound.rows["matches"])
    Store(tmp_path).prepare(to_toml(few), fresh=False)
    with parte.varied("late-expiry"):
        with pytest.raises(ParametersError, match="other parameters"):
            run_experiment(reactivity, few, tmp_path)
        with pytest.raises(ParametersError, match="changes nothing"):
            run_experiment(experiment, experiment.scales[Scale.SMALL])


def _take_all(site: Site[AlphaNode], data: None, token: Alpha[Event]) -> Conclusion:  # noqa: ARG001 - as alpha_match
    return Effect(data, (BetaToken((token.bound,), (token.payload,)),))


def test_no_rule_is_passed_over_that_a_variant_changes() -> None:
    program = parte.parse("template T { k : Integer } rule R where a : T { k = 1 }, then")
    events = parte.read_trace('{"id":"e","template":"T","timestamp":0,"attributes":{"k":2}}')
    assert parte.run(program, events) == []
    with applied(Variant("unasked", "alpha nodes take every event", {alpha_match: _take_all})):
        assert [dict(match.bindings) for match in parte.run(program, events)] == [{"a": "e"}]
    assert parte.run(program, events) == []
