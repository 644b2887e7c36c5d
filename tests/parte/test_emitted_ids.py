"""Ids of emitted events are bounded, by every evaluator in the same way (specification: emitted-ids-bounded)."""

from __future__ import annotations

import json
import tracemalloc
from hashlib import sha256
from pathlib import Path

import pytest
from typer.testing import CliRunner

import parte
from parte.cli import app
from parte.semantics.events.match import LONGEST_ID, Match, derivation, emitted_id, shortened

STRATA = 26


def chain(strata: int = STRATA) -> str:
    """Each rule binds what the one before emits to two variables, so that full ids would double."""
    templates = "".join(f"template T{number} {{}} " for number in range(strata + 1))
    rules = (
        f"rule R{number} where a : T{number}, b : T{number} when b in a [0 ms, 0 ms] "
        f"then emit T{number + 1} at a.timestamp with {{}}\n"
        for number in range(strata)
    )
    return templates + "".join(rules)


TRACE = (parte.Event("e1", "T0", 0, {}),)


def expected(strata: int = STRATA) -> list[Match]:
    """By hand: the digest is of the text in which the id below stands twice."""
    identity, matches = "e1", []
    for number in range(strata):
        bindings = (("a", identity), ("b", identity))
        text = f"R{number}(a={identity},b={identity})"
        identity = text if len(text) <= 200 else f"R{number}(sha256:{sha256(text.encode()).hexdigest()})"
        event = parte.Event(identity, f"T{number + 1}", 0, {}, f"rule:R{number}#1")
        matches.append(Match(f"R{number}", bindings, (event,)))
    return matches


@pytest.mark.parametrize("model", ["algebra", "indexed", "duckdb", "sound", "published", "rudimentary"])
def test_ids_do_not_double_with_every_stratum(model: str) -> None:
    strata = 10 if model == "published" else STRATA  # whose tokens double with each stratum, whatever the ids
    program = parte.parse(chain(strata))
    matches = parte.run(program, TRACE, model=model)
    assert [match.to_json() for match in matches] == sorted(match.to_json() for match in expected(strata))
    assert max(len(event.id) for match in matches for event in match.emits) <= LONGEST_ID


@pytest.mark.parametrize("model", ["algebra", "indexed", "sound", "rudimentary"])
def test_no_long_id_is_built_on_the_way(model: str) -> None:
    program = parte.parse(chain())
    parte.run(program, TRACE, model=model)
    tracemalloc.start()
    parte.run(program, TRACE, model=model)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5_000_000  # an id alone would take a gigabyte


def test_an_id_of_exactly_the_longest_length_stands_in_full() -> None:
    def emitted(identity: str) -> str:
        return emitted_id("R", None, [("a", parte.Event(identity, "T", 0, {}))])

    longest = "é" * (LONGEST_ID - len("R(a=)"))
    assert emitted(longest) == f"R(a={longest})"
    assert emitted(longest + "é") == f"R(sha256:{sha256(f'R(a={longest}é)'.encode()).hexdigest()})"
    assert shortened(f"R#2(a={'x' * 300})").startswith("R#2(sha256:")


@pytest.mark.parametrize("model", ["algebra", "indexed", "duckdb", "sound"])
@pytest.mark.parametrize("length", [180, 191, 192, 193, 5000])
@pytest.mark.parametrize("character", ["é", "🦆", "=", "\\"])
def test_what_is_counted_are_code_points_of_the_id_as_it_would_stand(model: str, length: int, character: str) -> None:
    program = parte.parse(
        """template T { i : Integer } template E {}
        rule R where a : T then emit E at a.timestamp with {} emit E at a.timestamp with {}"""
    )
    event = parte.Event(character * length, "T", 0, {"i": 1})
    (match,) = parte.run(program, [event], model=model)
    assert [emitted.id for emitted in match.emits] == [emitted_id("R", n, [("a", event)]) for n in (1, 2)]


def test_a_derivation_has_every_match_once_after_what_it_binds() -> None:
    matches = parte.run(parte.parse(chain(60)), TRACE)
    wanted = derivation(matches, expected(60)[-1].emits[0].id)
    assert wanted == expected(60)
    assert derivation(matches, expected(60)[1].emits[0].id) == expected(60)[:2]
    assert derivation(matches, "e1") == []


def test_the_command_prints_a_derivation(tmp_path: Path) -> None:
    (tmp_path / "p.parte").write_text(chain(8), encoding="utf-8")
    (tmp_path / "t.jsonl").write_text('{"id":"e1","template":"T0","timestamp":0}\n', encoding="utf-8")
    arguments = ["run", str(tmp_path / "p.parte"), str(tmp_path / "t.jsonl")]
    every = [json.loads(line) for line in CliRunner().invoke(app, arguments).stdout.splitlines()]
    (wanted,) = (match["emits"][0]["id"] for match in every if match["rule"] == "R6")
    assert wanted.startswith("R6(sha256:")
    result = CliRunner().invoke(app, [*arguments, "--derivation", wanted])
    assert [json.loads(line)["rule"] for line in result.stdout.splitlines()] == [f"R{number}" for number in range(7)]
    refused = CliRunner().invoke(app, [*arguments, "--derivation", "R5(x)"])
    assert refused.exit_code == 2
    assert "no match emitted an event with this id" in refused.stderr
