"""Programs as JSON: valid against the schema, and read back as the same program."""

from __future__ import annotations

import json
from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, ValidationError

from semantics.syntax import parse
from semantics.syntax.json_form import Json, program_to_json
from semantics.syntax.json_reader import FormatError, program_from_json
from semantics.syntax.printer import print_program
from tests.semantics.syntax.programs import EVERYTHING, REFUND_SCAM, VALID

SCHEMA = json.loads(resources.files("semantics.syntax").joinpath("program.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
DAY = 86_400_000


def check(text: str) -> None:
    """The JSON of a program is valid, says all of it, and what is printed means the same."""
    program = parse(text)
    data = json.loads(json.dumps(program_to_json(program), allow_nan=False))
    VALIDATOR.validate(data)
    assert program_from_json(data) == program
    assert parse(print_program(program.source)) == program


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", sorted(VALID))
def test_valid_programs(name: str) -> None:
    check(VALID[name])


def numbers(attributes: list[str]) -> st.SearchStrategy[str]:
    """Numeric expressions as text; bare, so that they mean the same in every pattern."""
    leaves = st.one_of(
        st.integers(-(2**63), 2**63 - 1).map(str),
        st.floats(allow_nan=False, allow_infinity=False).map(repr),
        st.sampled_from(attributes),
    )
    return st.recursive(
        leaves,
        lambda parts: st.one_of(
            st.builds("({} {} {})".format, parts, st.sampled_from("+-*/"), parts),
            st.builds("-({})".format, parts),
            st.builds("{}({}, {})".format, st.sampled_from(["min", "max", "avg", "sum"]), parts, parts),
            st.builds("abs({})".format, parts),
        ),
        max_leaves=6,
    )


def conditions(attributes: list[str]) -> st.SearchStrategy[str]:
    signs = st.sampled_from(["=", "!=", "<", "<=", ">", ">="])
    comparison = st.builds("{} {} {}".format, numbers(attributes), signs, numbers(attributes))
    text = st.builds("s {} {}".format, signs, st.text(max_size=5).map(json.dumps))
    flag = st.builds("b {} ({})".format, st.sampled_from(["=", "!="]), comparison)
    return st.one_of(comparison, text, flag, st.just("near(s, i)"), st.just("near(s, f) = b"))


@given(st.data())
def test_programs_at_random(data: st.DataObject) -> None:
    def drawn(*attributes: str) -> str:
        return ", ".join(data.draw(st.lists(conditions(list(attributes)), max_size=3)))

    bounds = [sorted((data.draw(st.integers(-5, 5)), data.draw(st.integers(-5, 5)))) for _ in range(3)]
    windows = [f"[{lower} days, {upper} days]" for lower, upper in bounds]
    check(
        f"""
        predicate near(String, Float)
        template T {{ i : Integer, f : Float, s : String, b : Boolean }}
        template O {{ f : Float, xs : [Float; 3] }}
        rule R where
            x : T {{ {drawn("i", "f", "x.i")} }},
            y : T {{ {drawn("i", "f", "x.f", "y.i")} }},
            no n : T {{ {drawn("i", "x.f", "y.i", "n.f")} }}
        when y in x {windows[0]}, no n in x {windows[1]}, no n in y {windows[2]}
        then emit O at min(x.timestamp, y.timestamp - {bounds[0][0]} ms) with {{
            f = {data.draw(numbers(["x.i", "y.f", "x.timestamp"]))},
            xs = list({", ".join(data.draw(st.lists(numbers(["x.i", "y.f"]), max_size=3)))}),
        }}
        """
    )


def test_the_closure_of_a_rule() -> None:
    data: Json = json.loads(json.dumps(program_to_json(parse(REFUND_SCAM))))
    assert isinstance(data, dict)
    rules = data["rules"]
    assert isinstance(rules, list)
    rule = rules[0]
    assert isinstance(rule, dict)
    assert rule["closure"] == {
        "contradictory": False,
        "positive": [
            {"subject": "refund", "reference": "incoming", "lower": 0, "upper": 14 * DAY},
            {"subject": "claim", "reference": "incoming", "lower": 0, "upper": 14 * DAY},
            {"subject": "claim", "reference": "refund", "lower": -14 * DAY, "upper": 14 * DAY},
        ],
        "negated": [
            {"subject": "additional", "reference": "incoming", "lower": -14 * DAY, "upper": 14 * DAY},
            {"subject": "additional", "reference": "refund", "lower": -14 * DAY, "upper": 0},
            {"subject": "additional", "reference": "claim", "lower": -28 * DAY, "upper": 14 * DAY},
        ],
    }


def test_contradictory_windows_have_no_closure() -> None:
    text = "template T {} rule R where a : T b : T when b in a [1 ms, 2 ms] a in b [0 ms, 1 ms]"
    data = json.dumps(program_to_json(parse(text)))
    assert '"closure": {"contradictory": true, "positive": [], "negated": []}' in data
    check(text)


def places(data: Json, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The paths of all objects and lists in a tree of JSON."""
    if isinstance(data, dict):
        return [path, *(place for key, value in data.items() for place in places(value, (*path, key)))]
    if isinstance(data, list):
        return [path, *(place for number, value in enumerate(data) for place in places(value, (*path, number)))]
    return []


@given(st.data())
def test_damaged_json_is_refused(data: st.DataObject) -> None:
    """Remove or replace one entry: the schema refuses it, and the reader at most takes what it does not look at."""
    tree = json.loads(json.dumps(program_to_json(parse(EVERYTHING))))
    path = data.draw(st.sampled_from([place for place in places(tree) if place]))
    holder = tree
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = data.draw(st.sampled_from([None, 7, "x", {}, {"kind": "nothing"}]))
    with pytest.raises(ValidationError):
        VALIDATOR.validate(tree)
    if "closure" not in path:
        try:
            program_from_json(tree)
        except FormatError:
            return
        assert "type" in path


@pytest.mark.parametrize("change", [{"version": 2}, {"format": "other"}, {"rules": None}])
def test_other_formats_are_refused(change: dict[str, Json]) -> None:
    with pytest.raises(FormatError):
        program_from_json(program_to_json(parse(EVERYTHING)) | change)
