"""Selections and open windows of level 2: all evaluators agree with an enumeration that chooses event by event."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import cast

import pytest
from hypothesis import event, given, settings

from parte.algebra.partelang.expressions import value_of
from parte.algebra.partelang.programs import run
from parte.algebra.partelang.relational import duckdb
from parte.checker.partelang.check import check
from parte.checker.partelang.relations import equivalent
from parte.checker.partelang.replay import without_negation
from parte.checker.solver.verdict import Verdict
from parte.conformance.partelang.drawing import milliseconds
from parte.conformance.partelang.strategies import ProgramShape, cases, programs, schedules
from parte.conformance.partelang.why import UnknownBinding, why
from parte.languages.translations.table import Given, translations
from parte.semantics.events.codec import FormatError
from parte.semantics.events.event import Event, TraceItem
from parte.semantics.events.ids import LastIds
from parte.semantics.events.open_promises import OpenPromises, ends, inputs
from parte.semantics.events.outcome import Outcome
from parte.semantics.events.scenario import Arriving, Scenario
from parte.semantics.events.trace import trace_lines
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.execution import execute
from parte.semantics.partelang.machine import Machine
from parte.semantics.partelang.schedules import Schedule
from parte.semantics.partelang.streaming import Streaming
from parte.semantics.partelang.syntax import ast, core, parse
from parte.semantics.partelang.syntax.elaborate import elaborate
from parte.semantics.partelang.syntax.json_form import program_from_json, program_to_json
from parte.semantics.partelang.syntax.printer import print_program
from parte.semantics.partelang.syntax.source_form import source_of
from parte.semantics.source.diagnostics import ProgramError

SHAPE = ProgramShape(level=2, patterns=5, sets=False, either=False)


# --- The meaning, event by event (specification: selections) ----------------------------------------------------------


def chosen(rule: core.Rule, stream: Sequence[Event]) -> set[tuple[tuple[str, str], ...]]:
    """The bindings of a rule, by an enumeration that knows selections and no hidden patterns."""
    kinds = {variable: selection.event for variable, selection in rule.selections.items()}
    written = rule.written

    def fits(pattern: core.Pattern, bound: dict[str, Event]) -> bool:
        own = pattern.variable
        return all(value_of(condition, bound, {}) is True for condition in pattern.conditions) and all(
            c.begins <= bound[c.subject].timestamp - bound[c.reference].timestamp <= c.upper
            for c in written.constraints
            if own in (c.subject, c.reference) and {c.subject, c.reference} <= bound.keys()
        )

    def extensions(index: int, bound: dict[str, Event]) -> Iterator[dict[str, Event]]:
        if index == len(written.patterns):
            yield bound
            return
        pattern = written.patterns[index]
        there = [item for item in stream if item.template == pattern.template]
        fitting = [item for item in there if fits(pattern, {**bound, pattern.variable: item})]
        if pattern.negated:
            if not fitting:
                yield from extensions(index + 1, bound)
            return
        kind = kinds.get(pattern.variable)
        if kind and fitting:
            best = (min if kind == "first" else max)(item.timestamp for item in fitting)
            fitting = [item for item in fitting if item.timestamp == best]
        for item in fitting:
            yield from extensions(index + 1, {**bound, pattern.variable: item})

    return {tuple((variable, item.id) for variable, item in bound.items()) for bound in extensions(0, {})}


def printed(outcome: Outcome) -> tuple[list[str], list[str]]:
    return [match.to_json() for match in outcome.matches], [str(failure) for failure in outcome.failures]


@settings(max_examples=60)
@given(cases(SHAPE), schedules())
def test_all_evaluators_choose_what_the_enumeration_chooses(
    case: tuple[core.Program, tuple[TraceItem, ...]], schedule: Schedule
) -> None:
    program, items = case
    outcome = run(program, items)
    stream = [item for item in items if isinstance(item, Event)]
    for rules in program.rules_by_stratum():
        names = {rule.name for rule in rules}
        for rule in rules:
            bindings = [match.bindings for match in outcome.matches if match.rule == rule.name]
            assert len(bindings) == len(set(bindings))
            expected = chosen(rule, stream)
            assert set(bindings) == expected
            if rule.selections:
                event(f"selection: {'some' if expected else 'no'} matches")
        stream.extend(emitted for match in outcome.matches if match.rule in names for emitted in match.emits)
    truth = printed(outcome)
    assert printed(run(program, items, evaluator="indexed")) == truth
    assert printed(execute(Scenario.of(program, items), schedule=schedule)) == truth
    assert printed(duckdb.run(program, items)) == truth


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        # Events of one timestamp are all first; the event of `a` takes part, and may be chosen.
        ("a : A { k = 1 }, first v : A when v in a [0 ms, 9 ms]", ["a=e1 v=e1"]),
        ("a : A { k = 1 }, first v : A when v in a (0 ms, 9 ms]", ["a=e1 v=e2", "a=e1 v=e3"]),
        ("a : A { k = 1 }, last v : A when v in a [0 ms, 9 ms]", ["a=e1 v=e5"]),
        ("a : A { k = 1 }, last v : A when v in a [0 ms, 9 ms)", ["a=e1 v=e4"]),
        ("a : A { k = 1 }, last v : A { k = 2 } when a in v [-9 ms, 0 ms]", ["a=e1 v=e3"]),
        # What follows has no part in the choice: a condition, a window, an absence.
        (
            "a : A { k = 1 }, first v : A, b : A { v.k = 2 } when v in a (0 ms, 9 ms], b in v [0 ms, 0 ms]",
            ["a=e1 v=e3 b=e2", "a=e1 v=e3 b=e3"],
        ),
        ("a : A { k = 1 }, first v : A, b : A { k = 4 } when v in a (0 ms, 9 ms], b in v [0 ms, 3 ms]", []),
        ("a : A { k = 1 }, first v : A, no n : A { k = v.k } when v in a (0 ms, 9 ms], no n in v [0 ms, 1 ms]", []),
        ("a : A { k = 1 }, first v : A when v in a (0 ms, 9 ms] having v.k = 2", ["a=e1 v=e3"]),
        ("a : A { k = 1 }, first v : A when v in a (0 ms, 9 ms] having v.k = 4", []),
        (
            "a : A { k = 1 }, last v : A { k < 5 }, all n : A when v in a [0 ms, 9 ms], n in v [0 ms, 9 ms] "
            "having count(n) = 2, v.k > a.k",
            ["a=e1 v=e4"],
        ),
        # The second choice is made among the events after the first.
        (
            "a : A { k = 1 }, first v : A { k = 2 }, last w : A { k > v.k } "
            "when v in a [0 ms, 9 ms], w in v (0 ms, 6 ms)",
            ["a=e1 v=e3 w=e4"],
        ),
        # A window of one point leaves nothing to choose.
        ("a : A { k = 1 }, first v : A when v in a [2 ms, 2 ms]", ["a=e1 v=e2", "a=e1 v=e3"]),
    ],
)
def test_selections_and_open_windows(rule: str, expected: list[str]) -> None:
    events = [
        Event(f"e{number}", "A", time, {"k": k})
        for number, (time, k) in enumerate([(0, 1), (2, 3), (2, 2), (6, 4), (9, 5)], 1)
    ]
    program = parse(f"level 2\ntemplate A {{ k : Integer }}\nrule R where {rule}\n")
    assert program_from_json(json.loads(json.dumps(program_to_json(program)))) == program
    for outcome in (
        run(program, events),
        run(program, events, evaluator="indexed"),
        execute(Scenario.of(program, events)),
        duckdb.run(program, events),
    ):
        matches = [" ".join(f"{variable}={name}" for variable, name in match.bindings) for match in outcome.matches]
        assert matches == expected


@pytest.mark.parametrize(
    ("word", "lines", "reported"),
    [
        # `first` is decided when the bound of its template has reached it: an event at this time is enough.
        ("first", [("A", 0), ("B", 2), ("B", 2), ("B", 7)], {2: ["B1"], 3: ["B2"]}),
        # `last` is decided when the bound has passed the window; at its end nothing can be later.
        ("last", [("A", 0), ("B", 2), ("B", 5), ("B", 9), ("B", 10)], {4: ["B2"]}),
        ("last", [("A", 0), ("B", 2), ("B", 8), ("B", 8), ("B", 10)], {3: ["B2"], 4: ["B3"]}),
    ],
)
def test_the_moments_of_reporting(word: str, lines: list[tuple[str, int]], reported: dict[int, list[str]]) -> None:
    program = parse(
        f"level 2\ntemplate A {{}}\ntemplate B {{}}\nrule R where a : A, {word} v : B when v in a [0 ms, 8 ms]\n"
    )
    events = [Event(f"{name}{number}", name, time, {}, "s") for number, (name, time) in enumerate(lines)]
    sources = inputs(["A", "B"], set())
    machine = Machine(compile_program(program, {}, sources))
    arriving = Arriving(program, OpenPromises(None, 0, emitted=set()), LastIds())
    streaming = Streaming(machine, arriving, lambda: ends(list(sources)))
    reports: dict[int, list[str]] = {}
    for number, line in enumerate(trace_lines(events), 1):
        for batch in streaming.feed([line]):
            reports.setdefault(number, []).extend(dict(match.bindings)["v"] for match in batch)
    for batch in streaming.end():
        assert not batch
    assert reports == reported


# --- The checker ------------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(cases(ProgramShape(level=2, rules=1, strata=1, sets=False, reuse=False)))
def test_advice_keeps_the_meaning(case: tuple[core.Program, tuple[TraceItem, ...]]) -> None:
    """Conditions and constraints that the checker calls redundant can all be removed, and windows be narrowed."""
    drawn, items = case
    program = parse(print_program(drawn.source))
    report = check(program, timeout=2)
    gone = {finding.span for code in ("implied-condition", "redundant-constraint") for finding in report.of(code)}
    narrowed = {finding.span: finding.evidence for finding in report.of("loose-constraint")}
    if not gone and not narrowed:
        event("no advice")
        return

    def advised(rule: ast.Rule) -> ast.Rule:
        constraints = [
            replace(
                constraint,
                lower=milliseconds(evidence["lower"]),
                upper=milliseconds(evidence["upper"]),
                open_lower=False,
                open_upper=False,
            )
            if (evidence := cast(dict[str, int], narrowed.get(constraint.span)))
            else constraint
            for constraint in rule.constraints
            if constraint.span not in gone
        ]
        patterns = [
            replace(pattern, conditions=tuple(part for part in pattern.conditions if part.span not in gone))
            for pattern in rule.patterns
        ]
        return replace(rule, patterns=tuple(patterns), constraints=tuple(constraints))

    source = program.source
    declarations = tuple(advised(item) if isinstance(item, ast.Rule) else item for item in source.declarations)
    changed = elaborate(replace(source, declarations=declarations))
    event("changed" if changed != program else "a part of a condition is implied")
    assert printed(run(changed, items)) == printed(run(program, items))


@settings(max_examples=40, deadline=None)
@given(programs(ProgramShape(rules=1, strata=1, patterns=4, level=2, sets=False, either=False)))
def test_negations_beside_selections(program: core.Program) -> None:
    """A negation makes a difference exactly if the rule without it is another rule."""
    report, (rule,) = check(program, timeout=2), program.rules
    (guarantee,) = (guarantee for guarantee in report.guarantees if guarantee.name == "effective-negations")
    effective = {
        str(record["negated"]) for record in cast(list[dict[str, str]], guarantee.evidence.get("negations", []))
    }
    undecided = any(finding.verdict is Verdict.NOT_PROVED for finding in report.of("useless-negation"))
    for pattern in rule.written.patterns:
        if pattern.negated:
            less = replace(without_negation(rule, pattern.variable), name="Less")
            related = equivalent(program, rule, less, timeout=2).verdict
            if pattern.variable in effective:
                assert related is not Verdict.PROVED
            elif not undecided:
                assert related is not Verdict.REFUTED


def test_a_rule_whose_own_events_come_before_the_first() -> None:
    template = "level 2\ntemplate A { k : Integer }\n"
    assert not check(
        f"{template}rule R where a : A, first v : A, b : A {{ k > v.k }} "
        "when v in a [-5 ms, 5 ms], b in v [1 ms, 2 ms], v in a [1 ms, 5 ms]\n"
    ).of("self-blocked")
    (blocked,) = check(
        f"{template}rule R where a : A, first v : A, b : A "
        "when v in a [-5 ms, 5 ms], b in a [1 ms, 1 ms], b in v [0 ms, 0 ms]\n"
    ).of("self-blocked")
    assert blocked.evidence["filled"] == [{"negated": "first v", "by": "a"}]
    assert "could be `first v`, and comes before it" in blocked.message


# --- Outputs and errors -----------------------------------------------------------------------------------------------

PROGRAM = """level 2

template A { k : Integer }
template B { k : Integer }
template C { k : Integer }

rule R where a : A, first v : B { k = a.k }, last w : B
when v in a (0 ms, 10 ms], w in v [0 ms, 5 ms)
then emit C at w.timestamp with { k = v.k }
"""


def test_why_names_the_choice_in_words() -> None:
    items = (Event("a1", "A", 0, {"k": 1}), Event("b1", "B", 2, {"k": 1}), Event("b2", "B", 3, {"k": 1}))
    scenario = Scenario.of(parse(PROGRAM), items)
    matched = why(scenario, bindings={"a": "a1", "v": "b1", "w": "b2"}).render()
    assert "yes  no earlier B that could be v" in matched
    missed = why(scenario, bindings={"a": "a1", "v": "b2", "w": "b2"}).render()
    assert "NO   no earlier B that could be v" in missed
    assert "chosen instead: b1 (1 ms before v)" in missed
    searched = why(scenario).render()
    assert "    first v : B: 1 of 2 left\n      1 fail  no earlier B that could be v" in searched
    assert "    last w : B: 1 of 2 left" in searched
    with pytest.raises(UnknownBinding, match=r"`?first v`? is no variable"):
        why(scenario, bindings={"first v": "b1"})


def test_no_report_of_the_checker_has_the_hidden_pattern() -> None:
    report = check(PROGRAM)
    (closure,) = report.closures
    assert {row.subject for row in closure.distances} == {"v", "w"}
    assert not report.findings
    assert "first v" not in repr(report)


def test_the_json_tree_has_the_choice_and_the_source_the_word() -> None:
    program = parse(PROGRAM)
    record = json.loads(json.dumps(program_to_json(program)))
    hidden = [pattern for pattern in record["rules"][0]["patterns"] if "selects" in pattern]
    assert [(pattern["variable"], pattern["selects"]) for pattern in hidden] == [
        ("first v", {"variable": "v", "event": "first"}),
        ("last w", {"variable": "w", "event": "last"}),
    ]
    assert program_from_json(record) == program
    assert "first v : B" in print_program(source_of(program))
    for change in ({"event": "last", "variable": "v"}, {"event": "first", "variable": "w"}):
        hidden[0]["selects"] = change
        with pytest.raises(FormatError):
            program_from_json(record)


@pytest.mark.parametrize("way", [way for way in translations() if way[0] == "PARTElang"], ids=lambda way: way[1])
def test_translations_refuse_a_selection_that_they_do_not_have(way: tuple[str, str]) -> None:
    """ETALIS has the absence between two events that a selection is, but these windows are not strictly between. EQL
    has the next event of two, but not in these windows."""
    with pytest.raises(ProgramError) as error:
        translations()[way](Given(PROGRAM.partition("then")[0]))
    (refused,) = error.value.diagnostics
    own = {"ETALIS": "NOT is between two events", "EQL": "a sequence of EQL is one event, or two of which"}
    expected = own.get(way[1], "selections, `first` and `last`: the translation to ")
    assert refused.message.startswith(expected)


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        ("first v : A", "first-pattern-selection"),
        ("a : A, first v : A", "unbounded-selection"),
        ("a : A, first v : A, b : A when v in b [0 ms, 1 ms], b in a [0 ms, 1 ms]", "unbounded-selection"),
        ("a : A, first v : A { k = b.k }, b : A when v in a [0 ms, 1 ms], b in a [0 ms, 1 ms]", "variable-too-early"),
        ("first : A", "syntax-error"),
        ("a : A, no first v : A when v in a [0 ms, 1 ms]", "syntax-error"),
        ("a : A, first v : A when v in a [-5000000000000000000 ms, 5000000000000000000 ms]", "duration-out-of-range"),
        ("a : A, first v : A when a in v [-9223372036854775808 ms, -9223372036854775807 ms]", "duration-out-of-range"),
        ("a : A, b : A when b in a (0 ms, 0 ms]", "empty-interval"),
        ("a : A, b : A when b in a [0 ms, 0 ms)", "empty-interval"),
        ("a : A, b : A when b in a (0 ms, 1 ms)", "empty-interval"),
        ("a : A, b : A when b in a [5 ms, -9223372036854775808 ms)", "empty-interval"),
        ("a : A, b : A when b in a (0 ms, 1 ms", "syntax-error"),
    ],
)
def test_errors(rule: str, code: str) -> None:
    text = f"template A {{ k : Integer }}\nrule R where {rule}\n"
    with pytest.raises(ProgramError) as error:
        parse(f"level 2\n{text}")
    assert [diagnostic.code for diagnostic in error.value.diagnostics] == [code]


@pytest.mark.parametrize(
    "rule",
    ["a : A, first v : A when v in a [0 ms, 1 ms]", "a : A, b : A when b in a (0 ms, 9 ms]"],
)
def test_level_1_has_neither(rule: str) -> None:
    with pytest.raises(ProgramError) as error:
        parse(f"template A {{ k : Integer }}\nrule R where {rule}\n")
    assert [diagnostic.code for diagnostic in error.value.diagnostics] == ["needs-level-2"]


def test_the_words_are_names_of_attributes_and_at_level_1_of_anything() -> None:
    text = (
        "template first { last : Integer }\n"
        "rule last where first : first { last = 1 }, last : first { first.last = last }\n"
    )
    assert len(parse(f"{text}when last in first [0 ms, 1 ms]").rules) == 1
    program = parse(
        "level 2\ntemplate A { first : Integer, last : Integer }\n"
        "rule R where a : A { first = 1 last = 2, last = first }, first v : A { a.first = last }\n"
        "when v in a [0 ms, 1 ms]\n"
    )
    assert len(program.rule("R").written.patterns[0].conditions) == 3


def test_the_layout_keeps_open_ends() -> None:
    text = (
        "level 2\n\ntemplate A {}\n\nrule R where\n    a : A,\n    first v : A,\n"
        "when\n    v in a (0 ms, 1 minute],\n    v in a [0 ms, 1 day),\n"
    )
    assert print_program(parse(text).source) == text
