"""The compilers and the checks of both sides agree on drawn programs, and each comparison notices a planted fault."""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from parte.conformance.fuzz.draw import Seeded
from parte.conformance.partelang.drawing import ProgramShape, drawn_program
from parte.conformance.partelang.engines.rocq.replay import REPLAY, Replay
from parte.proofs.partelang.evaluator.words import own
from parte.semantics.partelang import compilation
from parte.semantics.partelang.expressions import compile_timestamp
from parte.semantics.partelang.network import Network, Successor
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.temporal import Interval
from tests.campaigns import rocq_networks
from tests.campaigns.rocq_networks import compare_networks, compare_strata
from tests.campaigns.running import Broken

pytestmark = pytest.mark.skipif(not REPLAY.is_file(), reason="the theorem was not built, which `make test` says")

SHAPES = (ProgramShape(rules=4), ProgramShape(level=2))


def programs(count: int) -> Iterator[core.Program]:
    for number in range(count):
        yield drawn_program(Seeded(random.Random(number)), SHAPES[number % 2])


def compare(count: int, *, networks: bool = True) -> Counter[str]:
    counts: Counter[str] = Counter()
    with closing(Replay()) as replay:
        for number, program in enumerate(programs(count)):
            if networks:
                compare_networks(program, {}, replay, counts)
            compare_strata(program, random.Random(number), replay, counts)
    return counts


def test_both_compilers_and_checks_agree_on_drawn_programs() -> None:
    counts = compare(60)
    assert counts["networks compared"] == 60
    assert counts["nodes compared"] > 1_000
    for what in (
        "as it is, right",
        "other strata, right",
        "other strata, wrong",
        "a template twice, wrong",
        "a template left out, right",
        "a template left out, wrong",
        "another emission, accepted, right",
        "another emission, rejected, wrong",
    ):
        assert counts[f"strata: {what}"] > 5, what


def narrower(rule: core.Rule) -> Mapping[str, Mapping[str, Interval]]:
    return {
        variable: {reference: (lower, upper - 1) for reference, (lower, upper) in windows.items()}
        for variable, windows in WINDOWS_OF(rule).items()
    }


WINDOWS_OF = compilation.windows_of
NETWORK = compilation._Builder.network
TWO_INPUT = compilation._Builder.two_input
CONDITIONS = own


def with_another_edge(builder: Any) -> Network:
    network = NETWORK(builder)
    successors = [list(edges) for edges in network.successors]
    for edges in successors[::-1]:
        for place, edge in enumerate(edges):
            if edge.slot == 1:
                edges[place] = Successor(edge.node, edge.side, 0)
                return replace(network, successors=tuple(map(tuple, successors)))
    return network


FAULTS: Mapping[str, tuple[object, str, Callable[..., Any]]] = {
    "a window": (compilation, "windows_of", narrower),
    "a negated pattern": (
        compilation._Builder,
        "two_input",
        lambda *arguments: replace(node := TWO_INPUT(*arguments), negated=not node.negated),
    ),
    "a bound": (
        compilation,
        "compile_timestamp",
        lambda *arguments, whole=compile_timestamp, **named: lambda times: whole(*arguments, **named)(times) + 1,
    ),
    "a condition": (rocq_networks, "own", lambda pattern: CONDITIONS(pattern)[1:]),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_the_compiler_is_noticed(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, name, faulty = FAULTS[fault]
    monkeypatch.setattr(owner, name, faulty)
    with pytest.raises(Broken, match="networks differ"):
        compare(20)


def test_an_edge_that_is_elsewhere_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compilation._Builder, "network", with_another_edge)
    with pytest.raises((Broken, KeyError)):
        compare(20)


def test_strata_that_are_not_looked_at_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A front end that finds no cycle and puts all templates into one stratum."""
    elaborating = sys.modules["parte.semantics.partelang.syntax.elaborate"]  # its function has the same name
    monkeypatch.setattr(elaborating, "stratify", lambda templates, *_: tuple((name, 0) for name in templates))
    with pytest.raises(Broken, match="strata differ"):
        compare(20, networks=False)
