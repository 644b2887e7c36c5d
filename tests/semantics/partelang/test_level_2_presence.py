"""Optional attributes and `is` of level 2 in readers, texts, the checker, `why`, translations and editors."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from parte.algebra.partelang.programs import run
from parte.algebra.partelang.reasons import explained
from parte.checker.environment.deployment import DeploymentError, read_deployment
from parte.checker.partelang.check import check
from parte.checker.partelang.deployment import fit
from parte.conformance.partelang.strategies import ProgramShape, programs, traces
from parte.editing.analysis import Analysis
from parte.editing.completion import completions
from parte.editing.hover import hover
from parte.editing.support import supported
from parte.editing.words import Kind
from parte.languages.translations.reading import types_of
from parte.languages.translations.table import Given, translations
from parte.semantics.events.conformity import conform
from parte.semantics.events.event import Event, TraceItem
from parte.semantics.events.problems import TraceError
from parte.semantics.events.promises import Promises
from parte.semantics.events.scenario import Arriving
from parte.semantics.events.trace import read_trace
from parte.semantics.partelang.syntax import core, parse
from parte.semantics.partelang.syntax.json_form import program_from_json, program_to_json
from parte.semantics.partelang.syntax.printer import print_program
from parte.semantics.source.diagnostics import ProgramError

HEAD = "level 2\ntemplate A { k : Integer, m : Integer?, s : String?, b : Boolean?, x : Float? }\n"


# --- Readers ---------------------------------------------------------------------------------------------------------


def test_null_is_read_for_optional_attributes_only() -> None:
    program = parse(f"{HEAD}rule R where a : A")
    lines = ['{"template": "A", "timestamp": 0, "attributes": {"k": 1, "m": null}}']
    (item,) = conform(program, read_trace(lines, nulls=True))
    assert isinstance(item, Event)
    assert item.attributes == {"k": 1}
    with pytest.raises(TraceError, match="found null, which no attribute can hold"):
        read_trace(lines)
    for attributes, message in (
        ('{"k": null}', "expected Integer, found null"),
        ('{"m": 1}', 'the attribute "k" is missing'),
        ('{"k": 1, "z": null}', 'A has no attribute "z"'),
        ('{"k": 1, "m": "x"}', "expected Integer, found the string"),
        ('{"k": 1, "m": [null]}', "in the list of attribute"),
    ):
        line = f'{{"template": "A", "timestamp": 0, "attributes": {attributes}}}'
        with pytest.raises(TraceError, match=message):
            conform(program, read_trace([line], nulls=True))
    with pytest.raises(TraceError, match=r"declares A \{k: Integer, m: Integer\?, s: String\?"):
        conform(program, read_trace(['{"template": "A", "timestamp": 0}']))


def test_at_level_1_null_is_what_it_was() -> None:
    program = parse("template A { k : Integer }\nrule R where a : A")
    arriving = Arriving(program, Promises(set(), 0))
    with pytest.raises(TraceError, match='attribute "k": found null, which no attribute can hold'):
        arriving.more(['{"template": "A", "timestamp": 0, "attributes": {"k": null}}'])


# --- Text and JSON ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("template A { k : [Integer; 2]? }", "optional-list"),
        ("type L = [Integer; 2] template A { k : L? }", "optional-list"),
        ("type T = Integer?", "syntax-error"),
        ("predicate p(Integer?)", "syntax-error"),
        ("template A { k : Integer?? }", "syntax-error"),
        ("template A { k : [Integer?; 2] }", "syntax-error"),
        ("template A { l : [Integer; 2] } rule R where a : A { l is missing }", "misplaced-list"),
        ("template A { k : Integer } rule R where a : A { k is null }", "syntax-error"),
        ("template A { k : Integer } rule R where a : A { k is }", "syntax-error"),
        ("template A { k : Integer } rule R where a : A { k is missing is missing }", "unknown-attribute"),
        ("template A { k : Integer } rule R where a : A { z is missing }", "unknown-attribute"),
        ("template A { k : Integer? } rule R where a : A { k + 1 }", "not-a-condition"),
        ("template is {}", "syntax-error"),
        (
            "template A { k : Integer, m : Integer? } rule R where a : A then emit A at a.timestamp with { m = 1 }",
            "missing-assignment",
        ),
        ("template A {} template D {} rule R where a : A then emit D at a.timestamp is missing", "not-a-timestamp"),
    ],
)
def test_errors(text: str, code: str) -> None:
    with pytest.raises(ProgramError) as error:
        parse(f"level 2\n{text}\n")
    assert error.value.diagnostics[0].code == code


@pytest.mark.parametrize(
    ("text", "code", "column"),
    [
        ("template A { k : Integer? }", "needs-level-2", 25),
        ("template A { k : Integer? } rule R where a : A { k is missing or k = 1 }", "needs-level-2", 25),
        ("template A { k : Integer?? }", "invalid-character", 25),
        ("rule R where a : A { k ? = 1 }", "invalid-character", 24),
        ("template A { k : Integer$? }", "invalid-character", 25),
        ("template A { k : Integer } rule R where a : A { (k is missing) = true }", "needs-level-2", 52),
    ],
)
def test_what_level_1_says_of_it(text: str, code: str, column: int) -> None:
    with pytest.raises(ProgramError) as error:
        parse(text)
    first = error.value.diagnostics[0]
    assert first.code == code
    assert not column or first.span.start.column == column


def test_words_are_words_where_they_are_expected_only() -> None:
    text = """level 2

template is_there {
    is      : Integer?,
    missing : Integer?,
    present : Boolean,
}

rule R where
    present : is_there {
        is is missing,
        missing is present and present = true,
        present.is is present or missing = 1,
        (present = true) is present,
    },
"""
    program = parse(text)
    assert print_program(program.source) == text
    assert program_from_json(json.loads(json.dumps(program_to_json(program)))) == program
    assert program.level == 2


def test_the_tree_of_a_program_of_level_1_is_what_it_was() -> None:
    text = "template A { k : Integer } template D { k : Integer }\n"
    text += "rule R where a : A { k = 1 } then emit D at a.timestamp with { k = a.k }"
    assert "optional" not in json.dumps(program_to_json(parse(text)))


# --- The checker -----------------------------------------------------------------------------------------------------


def verdicts(text: str) -> dict[str, str]:
    report = check(parse(f"{HEAD}{text}"), timeout=5)
    return {finding.code: finding.verdict.value for finding in report.findings}


@pytest.mark.parametrize(
    ("conditions", "code"),
    [
        ("m is missing, m = 1", "unsatisfiable-pattern"),
        ("m is missing, s is present", None),
        ("m = 1 or m is missing", None),
        ("not (m = 1), not (m != 1)", "unsatisfiable-pattern"),
        ("(m = 1) is missing, m is missing", "implied-condition"),
        ("k is missing", "unsatisfiable-pattern"),
        ("m is present, m = 2", "implied-condition"),
        ("(m = 1 or m != 1) is missing", None),
        ("m + 1 is missing, m is present", None),
    ],
)
def test_the_checker_knows_that_an_attribute_may_be_missing(conditions: str, code: str | None) -> None:
    findings = verdicts(f"rule R where a : A {{ {conditions} }}")
    findings.pop("unused-template", None)
    if code is None:
        assert not {"unsatisfiable-pattern", "implied-condition", "never-matches"} & findings.keys(), findings
    else:
        assert code in findings, findings


@settings(max_examples=60)
@given(
    programs(ProgramShape(rules=1, strata=1, patterns=3, level=2, emissions=False, sets=False, either=False)).flatmap(
        lambda program: st.tuples(st.just(parse(print_program(program.source))), traces(program))
    )
)
def test_what_the_checker_says_of_conditions_is_true(case: tuple[core.Program, tuple[TraceItem, ...]]) -> None:
    program, trace = case
    report = check(program, timeout=2)
    matches = {match.bindings for match in run(program, trace).matches}
    (rule,) = program.rules
    spans = {finding.span for finding in report.findings if finding.code == "implied-condition"}
    spans -= {finding.span for finding in report.findings if finding.verdict.value != "refuted"}
    event(f"implied conditions: {bool(spans)}, matches: {bool(matches)}")
    patterns = tuple(
        replace(pattern, conditions=tuple(c for c in pattern.conditions if c.span not in spans))
        for pattern in rule.patterns
    )
    without = replace(program, rules=(replace(rule, patterns=patterns),))
    assert {match.bindings for match in run(without, trace).matches} == matches
    for guarantee in report.guarantees:
        if guarantee.name == "can-match" and guarantee.verdict.value == "refuted":
            assert not matches
        if guarantee.name == "can-match" and guarantee.verdict.value == "proved":
            evidence: Any = guarantee.evidence
            events = conform(
                program, [Event(e["id"], e["template"], e["timestamp"], e["attributes"]) for e in evidence["trace"]]
            )
            assert tuple(evidence["bindings"].items()) in {match.bindings for match in run(program, events).matches}


def test_a_witness_lacks_what_must_be_missing() -> None:
    report = check(parse(f'{HEAD}rule R where a : A {{ m is missing, s = "x", b is present }}'), timeout=5)
    evidence: Any
    (evidence,) = [g.evidence for g in report.guarantees if g.name == "can-match"]
    (item,) = evidence["trace"]
    assert "m" not in item["attributes"]
    assert item["attributes"]["s"] == "x"
    assert "b" in item["attributes"]
    assert None not in item["attributes"].values()


def test_a_cardinality_of_an_optional_attribute_is_refused() -> None:
    text = '[[source]]\nname = "s"\nevery = "1 seconds"\n[[source.emits]]\ntemplate = "A"\n'
    text += '[[cardinality]]\ntemplate = "A"\nattribute = "%s"\nevery = "1 seconds"\n'
    program = parse(f"{HEAD}rule R where a : A")
    fit(read_deployment(text % "k"), program)
    with pytest.raises(DeploymentError, match="attribute 'm' of A is optional"):
        fit(read_deployment(text % "m"), program)


# --- Why, and other languages -----------------------------------------------------------------------------------------


def test_why_names_what_is_missing() -> None:
    program = parse(f"{HEAD}rule R where a : A {{ m = 1, m is missing, m + 9223372036854775807 is missing }}")
    for attributes, expected in (
        ({}, ["m is missing", "m is missing", "m is missing, m + 9223372036854775807 = no value"]),
        ({"m": 1}, ["m = 1", "m = 1", "m = 1, m + 9223372036854775807 = no value"]),
    ):
        item = Event("a", "A", 0, {"k": 1, **attributes})
        result = explained(program.rules[0], {"a": item}, [item], {})
        values = [reason.value.split(" (")[0] for reason in result.reasons]
        assert values == expected
        assert [reason.holds for reason in result.reasons] == (
            [False, True, True] if not attributes else [True, False, True]
        )


TRANSLATED = [way for way in translations() if way[0] == "PARTElang"]


@pytest.mark.parametrize("way", TRANSLATED, ids=lambda way: way[1])
@pytest.mark.parametrize(("condition", "reason"), [("m = 1", "optional"), ("x = 1", "optional"), ("m is missing", "")])
def test_translations_have_optional_attributes_or_refuse_them_by_name(
    condition: str, reason: str, way: tuple[str, str]
) -> None:
    source = Given(f"{HEAD}rule R where a : A {{ {condition} }}")
    if way[1] in ("CEL", "EQL", "LEAD"):  # in which a comparison with what is missing is false
        assert re.search(rf"\b{condition[0]}\b", translations()[way](source))
        return
    with pytest.raises(ProgramError) as error:
        translations()[way](source)
    assert error.value.diagnostics[0].code == "no-counterpart"
    assert reason in error.value.diagnostics[0].message


def test_templates_for_translations_have_no_optional_attributes() -> None:
    assert types_of("level 2 template A { k : Integer }") == {"A": {"k": core.Scalar.INTEGER}}
    with pytest.raises(ProgramError) as error:
        types_of(HEAD)
    assert [diagnostic.code for diagnostic in error.value.diagnostics] == ["no-counterpart"]


# --- Editors ---------------------------------------------------------------------------------------------------------

PARTELANG = supported()[0]
TEXT = f"{HEAD}rule R where a : A {{ m is missing, a.m is present }}\n"


@pytest.mark.parametrize(
    ("before", "words"),
    [("rule R where a : A { m ", {"is", "and", "or", "in"}), ("rule R where a : A { m is ", {"present", "missing"})],
)
def test_words_are_proposed(before: str, words: set[str]) -> None:
    text = HEAD + before
    proposed = {item.word for item in completions(PARTELANG, text, len(text))[1]}
    assert words <= proposed
    if before.endswith("is "):
        assert proposed == words


def test_hovering_says_that_an_attribute_is_optional_and_what_the_words_mean() -> None:
    analysis = Analysis(PARTELANG, TEXT)

    def said(word: str) -> str:
        hovering = hover(analysis, TEXT.rindex(word))
        assert hovering is not None
        return hovering[1]

    assert "type: `Integer?`" in said("m is present")
    assert "m : Integer?" in said("m is present")
    assert "has a value" in said("is present")
    assert "has a value" in said("present }")


def test_colours() -> None:
    words = ("is", "missing", "present")
    assert "?" in [text for _, kind, text in PARTELANG.colouring.pieces(TEXT) if kind is Kind.SYMBOL]
    assert [kind for _, kind, text in PARTELANG.colouring.pieces(TEXT) if text in words] == [Kind.OPERATOR] * 4
    text = (
        "template A { missing : Integer?, is : Boolean } rule R where a : A { missing = 1, a.present = 2, is = true }"
    )
    assert {kind for _, kind, piece in PARTELANG.colouring.pieces(text) if piece in words} == {Kind.NAME}


def test_names_of_attributes_called_like_the_words() -> None:
    text = (
        "level 2 template A { is : Integer?, missing : Integer } rule R where a : A { is is missing, a.is is present, "
    )
    text += "missing = 1 }"
    names = Analysis(PARTELANG, text).names.names
    assert [name.entity.name for name in names if name.entity.sort.name == "ATTRIBUTE"] == [
        *("is", "missing"),
        *("is", "is", "missing"),
    ]
