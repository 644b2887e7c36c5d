"""`parte rules`."""

from __future__ import annotations

import json
from pathlib import Path

from semantics.repairs import DESCRIPTIONS
from tests.parte.examples import Command

ROOT = Path(__file__).parents[2]


def test_json_names_every_rule_with_its_place_in_the_code(command: Command) -> None:
    record = json.loads(command("rules", "--json").out)
    rules = {rule["id"]: rule for rule in record["rules"]}
    assert {"PROC", "PROP", "JOIN-RIGHT-BOTTOM", "NOT-LEFT-MATCH", "RUDIMENTARY-JOIN-LEFT"} <= rules.keys()
    assert rules["JOIN-RIGHT-BOTTOM"]["models"] == ["published", "sound"]
    assert rules["PROC"]["models"] == ["rudimentary", "published", "sound"]
    assert rules["PROC"]["node"] is None
    for identity, rule in rules.items():
        path, line = rule["location"].split(":")
        source = (ROOT / path).read_text(encoding="utf-8").splitlines()
        assert f'"{identity}"' in "".join(source[int(line) - 1 : int(line) + 2])
        assert rule["section"].startswith("5.")
    assert {repair["name"] for repair in record["repairs"]} == set(DESCRIPTIONS)


def test_the_table_fits_into_80_columns_and_names_all(command: Command) -> None:
    for columns in ("80", "120"):
        result = command("rules", COLUMNS=columns)
        assert (result.code, result.err) == (0, "")
        assert max(map(len, result.out.splitlines())) <= int(columns)
        for rule in json.loads(command("rules", "--json").out)["rules"]:
            assert rule["id"] in result.out
            assert rule["location"] in result.out
        for name in DESCRIPTIONS:
            assert name in result.out
