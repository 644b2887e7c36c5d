"""Programs as JSON: valid against the schema, and read back as the same program."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from parte.semantics.events.codec import FormatError, Json
from parte.semantics.partelang.syntax import parse
from parte.semantics.partelang.syntax.json_form import NO_TEXT, program_from_json, program_to_json
from parte.semantics.partelang.syntax.printer import print_program
from tests.documents import agree, changed
from tests.semantics.partelang.syntax.programs import EVERYTHING, REFUND_SCAM, VALID

SCHEMA = json.loads(
    resources.files("parte.semantics.partelang.syntax").joinpath("program.schema.json").read_text(encoding="utf-8")
)
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


@given(changed(json.loads(json.dumps(program_to_json(parse(EVERYTHING))))))
def test_the_reader_takes_what_the_schema_takes(tree: Json) -> None:
    """But for constants whose value is not of their type, and what no text means, which the schema does not see."""
    agree(SCHEMA, program_from_json, tree, beyond=("expected a value of type", NO_TEXT))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("rules", None, "$.rules: expected a list, found null"),
        ("format", "other", '$.format: expected "parte-program", found the string "other"'),
        ("version", 2, "$.version: expected 1, found the integer 2"),
        (
            "predicates.1.parameters.0",
            "Int",
            '$.predicates[1].parameters[0]: expected "Boolean" or "Float" or "Integer" or',
        ),
        ("templates.0.stratum", True, "$.templates[0].stratum: expected an integer, found the Boolean true"),
        ("templates.0.stratum", -1, "$.templates[0].stratum: expected an integer >= 0, found the integer -1"),
        ("templates.0.surplus", 1, '$.templates[0]: the key "surplus" is unknown'),
        ("templates.0.attributes.0.type", {}, '$.templates[0].attributes[0].type: the key "kind" is missing'),
        ("rules.0.patterns", [], "$.rules[0].patterns: expected a list of length >= 1, found a list of 0"),
        ("rules.0.emissions.0.at.kind", "then", '$.rules[0].emissions[0].at.kind: expected "timestamp" or "shift" or'),
    ],
)
def test_messages_say_where_and_what(path: str, value: Json, message: str) -> None:
    tree: Any = program_to_json(parse(EVERYTHING))
    *steps, last = (int(step) if step.isdigit() else step for step in path.split("."))
    holder = tree
    for step in steps:
        holder = holder[step]
    holder[last] = value
    with pytest.raises(FormatError) as refusal:
        program_from_json(tree)
    assert str(refusal.value).startswith(message)


def test_what_nests_too_deeply_is_refused() -> None:
    tree: Any = program_to_json(parse(EVERYTHING))
    value: Any = tree["rules"][0]["emissions"][0]["assignments"][0]["value"]
    for _ in range(10_000):
        value = {"kind": "to-float", "type": {"kind": "scalar", "name": "Float"}, "operand": value}
    tree["rules"][0]["emissions"][0]["assignments"][0]["value"] = value
    with pytest.raises(FormatError, match="nests too deeply"):
        program_from_json(tree)


PLAIN = "template A { k : Integer } predicate p(Float) rule R where a : A { p(k) }, b : A when b in a [0 ms, 1 ms]"


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("rules.0.patterns.1.variable", "a", "duplicate-name: the variable `a` is bound"),
        ("rules.0.patterns.1.template", "B", "unknown-template"),
        ("rules.0.name", "where", "syntax-error"),
        ("rules.0.name", "R\n", "a name, a type, a conversion, a stratum or a closure"),
        ("rules.0.constraints", [], "unrelated-variables"),
        ("rules.0.patterns.0.negated", True, "first-pattern-negated"),
        ("rules.0.patterns.0.conditions.0.arguments", [], "wrong-argument-count"),
        ("templates.0.stratum", 1, "a name, a type, a conversion, a stratum or a closure"),
        ("rules.0.closure.positive", [], "a name, a type, a conversion, a stratum or a closure"),
        ("predicates.0.parameters.0", "Integer", "a name, a type, a conversion, a stratum or a closure"),
    ],
)
def test_what_no_text_means_is_refused(path: str, value: Json, message: str) -> None:
    tree: Any = program_to_json(parse(PLAIN))
    *steps, last = (int(step) if step.isdigit() else step for step in path.split("."))
    holder = tree
    for step in steps:
        holder = holder[step]
    holder[last] = value
    with pytest.raises(FormatError, match=f"^{NO_TEXT}: {message}"):
        program_from_json(tree)


@pytest.mark.parametrize("change", [{"version": 2}, {"format": "other"}, {"rules": None}])
def test_other_formats_are_refused(change: dict[str, Json]) -> None:
    with pytest.raises(FormatError):
        program_from_json(program_to_json(parse(EVERYTHING)) | change)
