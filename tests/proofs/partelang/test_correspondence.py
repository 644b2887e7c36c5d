"""The nodes of the theorem, as Coq extracts them, beside the rules of the machine: on drawn runs, and with faults."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parte.checker.solver.verdict import Verdict
from parte.proofs.partelang import correspondence
from parte.proofs.partelang.catalogue import CATALOGUE
from parte.proofs.partelang.correspondence import initial, step
from parte.proofs.prove import decide
from parte.proofs.rocq.reduced import reduced
from parte.proofs.transcription import Made, Transcription, elements, listed
from parte.semantics.events.event import NEGATIVE_INFINITY, Event
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.histories import IndexedHistory, PlainHistory
from parte.semantics.partelang.machine import Machine
from parte.semantics.partelang.network import Side, TwoInputNode
from parte.semantics.partelang.repairs import MODELS, Family, Repairs
from parte.semantics.partelang.rules.registry import Effect, Site, TwoInputData, kind_of, rules_for
from parte.semantics.partelang.tokens import BetaToken
from tests.campaigns.rocq_whole import cases

FOLDER = Path(correspondence.__file__).parents[1] / "rocq"
NODES = FOLDER / "nodes.json"
ROOTS = ("initial", "activate", "takes")


@pytest.mark.skipif(
    shutil.which("coqc") is None or not (FOLDER / "Network.vo").is_file(), reason="the theorem was not built"
)
def test_the_transcription_is_what_coq_extracts(tmp_path: Path) -> None:
    shutil.copy(FOLDER / "Transcribed.v", tmp_path)
    subprocess.run(["coqc", "-q", "-Q", FOLDER, "Parte", "Transcribed.v"], cwd=tmp_path, check=True, timeout=120)
    extracted = (tmp_path / "extracted_nodes.json").read_text(encoding="utf-8")
    assert reduced(extracted, ROOTS) == NODES.read_text(encoding="utf-8")


def test_a_form_that_is_unknown_is_rejected() -> None:
    with pytest.raises(KeyError, match="axiom"):
        reduced(
            json.dumps({"declarations": [{"what": "decl:term", "name": "f", "value": {"what": "expr:axiom"}}]}), "f"
        )
    with pytest.raises(ValueError, match="is no term"):
        _ = Transcription(json.dumps({"f": ["fix", "x"]}))["f"]
    with pytest.raises(ValueError, match="is made by none of Nil, Cons"):
        Transcription(NODES.read_text(encoding="utf-8")).applied("app", 1, listed(()))


def test_functions_of_coq_run_on_values_of_python() -> None:
    program = Transcription(NODES.read_text(encoding="utf-8"))
    assert elements(program.applied("app", listed("ab"), listed("c"))) == ["a", "b", "c"]
    assert elements(program.applied("filter", lambda number: number > 1, listed(range(4)))) == [2, 3]
    assert elements(program.applied("repeat", 7, 2)) == [7, 7]
    assert program.applied("length", listed("abc")) == 3
    assert program.applied("highest", listed((3, 5, 4))) == 5
    assert program.applied("may_be_met", 1, 5, 5) is True
    assert program.applied("existsb", lambda number: number == 4, listed(range(4))) is False
    assert program.applied("initial", correspondence.EVENTS, Made("Terminal")).constructor == "Data"


# --- Drawn runs of one node -------------------------------------------------------------------------------------------


def _events(name: str, times: Sequence[int]) -> tuple[Event, ...]:
    return tuple(Event(f"{name}.{number}", "T", time, {}, "s") for number, time in enumerate(times))


def _node(width: int, windows: Sequence[tuple[int, int]], negated: bool) -> TwoInputNode:
    return TwoInputNode(
        "node",
        "R",
        tuple(f"left {number}" for number in range(width)),
        "right",
        negated,
        lambda events: sum(event.timestamp for event in events) % 5 > 0,
        tuple(least for least, _ in windows),
        tuple(greatest for _, greatest in windows),
        lambda events: events[0].timestamp % 2,
        lambda events: events[0].timestamp % 2,
    )


@st.composite
def _runs(draw: st.DrawFn) -> tuple[TwoInputNode, list[tuple[Side, BetaToken]], bool]:
    width = draw(st.integers(1, 3))
    windows = [sorted((draw(st.integers(-3, 6)), draw(st.integers(-3, 6)))) for _ in range(width)]
    node = _node(width, [(low, high) for low, high in windows], draw(st.booleans()))
    tokens = []
    for number in range(draw(st.integers(1, 12))):
        side = draw(st.sampled_from((Side.LEFT, Side.RIGHT)))
        count = width if side is Side.LEFT else 1
        times = draw(st.lists(st.integers(0, 12), min_size=count, max_size=count))
        bounds = draw(st.lists(st.integers(0, 8), min_size=count, max_size=count))
        payload = _events(f"{side.name} {number}", times) if draw(st.booleans()) else None
        tokens.append((side, BetaToken(tuple(bounds), payload)))
    return node, tokens, draw(st.booleans())


@given(_runs())
def test_two_input_nodes_take_the_steps_of_the_theorem(
    drawn: tuple[TwoInputNode, list[tuple[Side, BetaToken]], bool],
) -> None:
    node, tokens, indexed = drawn
    width = len(node.minima)
    left, right = (IndexedHistory(width), IndexedHistory(1)) if indexed else (PlainHistory(), PlainHistory())
    data = TwoInputData((NEGATIVE_INFINITY,) * width, NEGATIVE_INFINITY, left, right)
    assert initial(node) == _read(data)
    site = Site(node, Repairs.of(MODELS["sound"]))
    for side, token in tokens:
        expected = step(node, data, side, token)
        rules = rules_for(Family.FEATHERWEIGHT, kind_of(node), side, token.payload is not None)
        effect = next(outcome for rule in rules if isinstance(outcome := rule.function(site, data, token), Effect))
        assert isinstance(effect.data, TwoInputData)
        data = effect.data
        if indexed:  # results and entries come in another order
            assert [sorted(map(str, part)) if isinstance(part, list) else part for part in _read(data)[1:]] == [
                sorted(map(str, part)) if isinstance(part, list) else part for part in expected.data[1:]
            ]
            assert _payloads(effect) == sorted(str(payload) for _, payload in expected.tokens)
            assert list(_sent(effect))[-1][0] == expected.tokens[-1][0]
        else:
            assert _read(data) == expected.data
            assert list(_sent(effect)) == expected.tokens


def _read(data: TwoInputData) -> tuple[list[int], int, list[list[Any]], list[list[Any]]]:
    left, right = ([list(entry.events) for entry in history] for history in (data.left, data.right))
    return list(data.left_bounds), data.right_bound, left, right


def _sent(effect: Effect) -> Iterator[tuple[list[int], list[Any] | None]]:
    for token in effect.tokens:
        assert isinstance(token, BetaToken)
        yield list(token.bounds), None if token.payload is None else list(token.payload)


def _payloads(effect: Effect) -> list[str]:
    return sorted(str(payload) for _, payload in _sent(effect))


# --- Faults in the transcription --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "before", "after", "lemma"),
    [
        ("is_stale", '"Z.ltb"', '"Z.leb"', "refines-JOIN-RIGHT-BOTTOM-2"),
        ("live_right", '"expiration_time"', '"lifetime_closes"', "refines-NOT-LEFT-BOTTOM-2"),
        ("capped", '"Z.min"', '"Z.max"', "refines-JOIN-LEFT-BOTTOM-2"),
        ("entry_step", '"lowest"', '"highest"', "refines-ENTRY-3"),
        ("alpha_step", '["True", [], ["make", "Some", ["p"]]]', '["True", [], ["make", "None", []]]', "refines-ALPHA"),
        ("terminal_step", '["make", "Nil", []]', '["make", "Cons", ["t", ["make", "Nil", []]]]', "refines-TERMINAL"),
        ("collectable", '"Bool.orb"', '"Bool.andb"', "refines-SET-RIGHT-BOTTOM-1"),
    ],
)
def test_a_lemma_detects_a_fault_in_the_transcription(
    monkeypatch: pytest.MonkeyPatch, name: str, before: str, after: str, lemma: str
) -> None:
    lines = NODES.read_text(encoding="utf-8").split("\n")
    changed = [line.replace(before, after) if line.startswith(f'"{name}"') else line for line in lines]
    assert sum(map(str.__ne__, lines, changed)) == 1
    monkeypatch.setattr(correspondence, "NODES", Transcription("\n".join(changed)))
    (refinement,) = CATALOGUE.chosen([lemma])
    assert decide(refinement, refuting=True).verdict is Verdict.REFUTED


# --- Edges on which quick runs send no bounds -------------------------------------------------------------------------


@pytest.mark.exhaustive
def test_where_only_some_successors_get_a_bound_the_others_have_no_data() -> None:
    unequal = 0
    for case in cases():
        sources: dict[str, dict[str, None]] = {}
        for arrival in case.arrivals:
            sources.setdefault(arrival.template, {})[arrival.source] = None
        names = {template: tuple(several) for template, several in sources.items()}
        network = compile_program(case.in_order, case.domain, names)
        slots = Machine(network).unbounded
        assert slots is not None
        for slot in (slots_of[0] for slots_of in slots._slots if slots_of):
            if slot.prompt and len(slot.prompt) < len(slot.targets):
                unequal += 1
                silent = [target for target in slot.targets if target not in slot.prompt]
                assert all(target.state.data is None for target in silent)
    assert unequal > 50
