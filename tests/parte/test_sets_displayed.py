"""Sets on timelines, and the tools that refuse programs with sets by name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import parte
from parte.conformance.partelang.fuzz.mending import without_pattern
from parte.drawing.timeline import MOST_EVENTS, draw_timeline
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax import ast
from parte.semantics.partelang.syntax.printer import print_expression
from tests.guests import is_absent
from tests.parte.examples import Command

PROGRAM = """level 2
template A { k : Integer }
template B { k : Integer }
template D { k : Integer }
predicate odd(Integer)
rule R where
    a : A,
    all b : B { k = a.k, odd(k) },
    all d : D
when
    b in a [-10 ms, 5 ms],
    d in a [0 ms, 5 ms]
having
    count(b) >= 2
rule S where
    a : A
then
    emit D at a.timestamp + 1 ms with { k = a.k }
"""
NO_PREDICATE = PROGRAM.replace("predicate odd(Integer)\n", "").replace(", odd(k)", "")


def test_the_elements_of_a_set_are_marked_on_its_band() -> None:
    program = parte.parse(PROGRAM)
    events = [
        Event("b1", "B", 5, {"k": 1}, "s"),
        Event("b2", "B", 9, {"k": 1}, "s"),
        Event("other", "B", 9, {"k": 2}, "s"),
        Event("a", "A", 10, {"k": 1}, "s"),
        Event("late", "B", 16, {"k": 1}, "s"),
    ]
    domain = {"odd": lambda k: bool(k % 2)}
    matches = parte.execute(program, events, model="indexed", domain=domain).matches
    svg = parte.timeline(events, matches, program, domain=domain).svg
    assert svg.count('class="set"') == 2
    assert re.findall(r'class="element".*<title>(.*)</title>', svg) == ["b has b1", "b has b2", "d has S(a=a)"]
    assert "all b in a [-10 ms, 5 ms]" in svg
    # Without the domain it is not known what `b` has.
    unknown = parte.timeline(events, matches, program).svg
    assert re.findall(r'class="element".*<title>(.*)</title>', unknown) == ["d has S(a=a)"]


def test_a_selection_and_a_window_without_a_beginning_are_on_the_timeline() -> None:
    text = """level 2
template A { k : Integer }
template B { k : Integer }
rule R where
    a : A,
    last b : B,
    all past : B { k = a.k }
when
    b in a [-9 ms, -1 ms],
    past in a (-ever, -1 ms]
having
    exists(past)
"""
    program = parte.parse(text)
    events = [Event(name, name[0].upper(), time, {"k": 1}, "s") for name, time in (("b1", 0), ("b2", 90), ("a", 95))]
    svg = parte.timeline(events, parte.execute(program, events, model="indexed").matches, program).svg
    assert re.findall(r">  ([^<]* in a [^<]*)</text>", svg) == [
        "last b in a [-9 ms, -1 ms]",
        "all past in a [-ever, -1 ms]",
    ]
    # The band without a beginning begins at the first event.
    (band, first) = re.search(r'class="set" x="([^"]*)"', svg), re.search(r'data-event="b1" cx="([^"]*)"', svg)
    assert band is not None
    assert first is not None
    assert band[1] == first[1]


def test_a_large_set_does_not_make_a_large_drawing() -> None:
    program = parte.parse(NO_PREDICATE)
    events = [
        *(Event(f"b{n}", "B", 5, {"k": 1}, "s") for n in range(3 * MOST_EVENTS)),
        Event("a", "A", 10, {"k": 1}, "s"),
    ]
    svg = draw_timeline(events, parte.execute(program, events, model="indexed").matches, program).svg
    assert 0 < svg.count('class="element"') <= MOST_EVENTS + 1
    assert "more events are not drawn" in svg


def test_rules_that_demand_more_and_less_of_a_set_are_not_equivalent(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "p.parte"
    second = NO_PREDICATE[NO_PREDICATE.index("rule R") :].split("rule S")[0].replace("rule R", "rule T")
    path.write_text(f"{NO_PREDICATE}{second.replace('>= 2', '>= 3')}", encoding="utf-8")
    assert command("relate", path, "R", "T").code == 1
    assert command("relate", path, "R", "R").code == 0


@pytest.mark.parametrize("language", [name for name in ("CEL", "ETALIS") if not is_absent(name)])
def test_these_translations_have_no_sets(command: Command, tmp_path: Path, language: str) -> None:
    path = tmp_path / "p.parte"
    path.write_text(NO_PREDICATE.split("rule S")[0].replace("d in a [0", "d in a [1"), encoding="utf-8")
    result = command("translate", path, "--to", language)
    assert result.code == 2
    assert f"sets, `all`: the translation to {language} has no such construct" in result.err


def test_a_difference_of_a_program_with_sets_is_reported_with_its_step(command: Command, tmp_path: Path) -> None:
    program, trace = tmp_path / "p.parte", tmp_path / "t.jsonl"
    text = "level 2\ntemplate A { k : Integer }\ntemplate B { k : Integer }\nrule R where a : A, all b : B, no c : A\n"
    program.write_text(
        f"{text}when b in a [-2 ms, 3 ms], no c in a [1 ms, 3 ms]\nhaving count(b) >= 1", encoding="utf-8"
    )
    rows = [f'{{"id": "{t}{n}", "template": "{t}", "timestamp": {n}, "attributes": {{"k": 1}}}}' for t, n in ROWS]
    trace.write_text("\n".join(rows), encoding="utf-8")
    result = command("why", program, trace, "--bindings", "a=A3", "--model", "published")
    assert result.code == 1
    assert "R(a=A3): 1 match" in result.out
    assert "published differs:" in result.out
    assert "step 13: PARTE/NOT-RIGHT (D §5.4.6) at not:R.c, on the right token <A3; 3>" in result.out


ROWS = (("B", 1), ("B", 2), ("A", 3), ("B", 9), ("A", 9))


def test_a_rule_without_a_set_is_mended_without_what_is_on_it() -> None:
    rule = parte.parse(NO_PREDICATE + PROGRAM_OF_TWO).source.declarations[-1]
    assert isinstance(rule, ast.Rule)
    mended = without_pattern(rule, rule.patterns[1])
    assert [pattern.variable for pattern in mended.patterns] == ["a", "d"]
    assert [constraint.subject for constraint in mended.constraints] == ["d"]
    assert [print_expression(condition) for condition in mended.having] == ["exists(d)"]
    assert print_expression(mended.emissions[0].assignments[0].value) == "0"


PROGRAM_OF_TWO = """
template E { k : Integer }
rule Two where
    a : A,
    all b : B,
    all d : D
when
    b in a [0 ms, 5 ms],
    d in a [0 ms, 5 ms]
having
    count(b) >= 2, exists(d), count(d) > count(b)
then
    emit E at a.timestamp with { k = count(b) }
"""
