"""`parte rules`."""

from __future__ import annotations

import json
import re
from pathlib import Path

from parte.languages.registry import languages
from parte.proofs.facets import LEMMAS
from parte.semantics.partelang.repairs import repair_names
from parte.semantics.rulebook.listing import RULES
from tests.parte.examples import Command

ROOT = Path(__file__).parents[2]


def test_json_names_every_rule_with_its_place_in_the_code(command: Command) -> None:
    record = json.loads(command("rules", "--json").out)
    rules = {rule["id"]: rule for rule in record["rules"]}
    assert {
        "PARTE/PROC",
        "PARTE/PROP",
        "PARTE/JOIN-RIGHT-BOTTOM",
        "PARTE/NOT-LEFT-MATCH",
        "PARTE/RUDIMENTARY-JOIN-LEFT",
    } <= rules.keys()
    assert rules["PARTE/JOIN-RIGHT-BOTTOM"]["models"] == ["published", "sound"]
    assert rules["PARTE/PROC"]["models"] == ["rudimentary", "published", "sound"]
    assert rules["PARTE/PROC"]["node"] is None
    for identity, rule in rules.items():
        path, line = rule["location"].split(":")
        source = (ROOT / path).read_text(encoding="utf-8").splitlines()
        assert f'"{identity}"' in "".join(source[int(line) - 1 : int(line) + 2])
        assert rule["section"].startswith("5.")
    assert {repair["name"] for repair in record["repairs"]} == set(repair_names())


def test_the_table_fits_into_80_columns_and_names_all(command: Command) -> None:
    for columns in ("80", "120"):
        result = command("rules", COLUMNS=columns)
        assert (result.code, result.err) == (0, "")
        assert max(map(len, result.out.splitlines())) <= int(columns)
        for rule in json.loads(command("rules", "--json").out)["rules"]:
            assert rule["id"] in result.out
            assert rule["location"] in result.out
        for name in repair_names():
            assert name in result.out


def test_a_rule_is_shown_as_premises_over_its_conclusion(command: Command) -> None:
    result = command("rules", "join-left")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("PARTE/JOIN-LEFT   (Join-↘), §5.4.6, parte/semantics/partelang/rules/join.py:")
    assert result.out.count("\n  has-room-for↘(p̅m̅)\n") == 1
    assert result.out.index("in published:") < result.out.index("in sound:")
    assert "\n  live ⇒ has-room-for↘(p̅m̅)\n" in result.out
    assert command("rules", "PARTE/JOIN-LEFT").out == result.out
    record = json.loads(command("rules", "PRO*", "--json").out)
    assert [rule["id"] for rule in record["rules"]] == ["PARTE/PROD-BOTTOM", "PARTE/PROD", "PARTE/PROC", "PARTE/PROP"]
    (figure,) = record["rules"][1]["figures"]
    assert figure["models"] == ["published", "sound"]
    assert figure["premises"] == ["e′ = gᵉ(pm)", "ℓ = gˡ(ℓmapₜ)"]


def test_with_a_rule_comes_what_is_proved_of_it(command: Command) -> None:
    output = command("rules", "join-left").out
    assert "\nlemmas: bounds-in-batch, " in output
    assert re.search(r"\ndefinitions in Rocq:\n  join_left   parte/proofs/rocq/Nodes.v:\d+\n", output)
    assert re.search(
        r"\n  a_join_sends_exactly_the_pairs_that_match   parte/proofs/rocq/TwoInputCorrect.v:\d+\n", output
    )
    (record,) = json.loads(command("rules", "join-left", "--json").out)["rules"]
    assert "bounds-in-batch" in record["lemmas"]
    assert record["rocq"]["definitions"][0]["name"] == "join_left"
    for rule in (next(iter(language[RULES].rules)) for language in languages()[1:] if language.has(LEMMAS)):
        output = command("rules", rule).out
        assert re.search(r"\nlemmas: [a-z]+-", output), rule
        assert "Rocq" not in output


def test_an_id_tells_the_language_by_its_system(command: Command) -> None:
    for language in languages()[1:]:
        rule = next(iter(language[RULES].rules))
        system, _, local = rule.partition("/")
        named = ("--language", language.name.lower())
        assert command("rules", rule).out == command("rules", local.lower(), *named).out
        assert command("rules", f"{system.lower()}/*", "--json").out == command("rules", "*", "--json", *named).out
        assert f"no rule is called '{rule}X'" in command("rules", f"{rule}X").err


def test_an_unknown_rule_is_named_with_those_near_it(command: Command) -> None:
    result = command("rules", "JOIN-LFET")
    assert result.code == 2
    assert "no rule is called 'JOIN-LFET'" in result.err
    assert "near it: PARTE/JOIN-LEFT" in result.err
