"""Negation: events that must be absent, from when, until when, and which of them count."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.authoring.drafts import Draft

_NO = ("SPEC 2", "SPEC 4")


def _rule(interval: str, conditions: str = "") -> str:
    inside = f" {{ {conditions} }}" if conditions else ""
    return f"rule R where a : A, no b : B{inside} when no b in a [{interval}]"


def drafts() -> Iterator[Draft]:
    """All cases of this module."""
    yield from _windows()
    yield from _conditions()
    yield from _places()
    yield from _time()


def _windows() -> Iterator[Draft]:
    for time in (1, 2, 4, 5, 6):
        defeats = 2 <= time <= 5
        yield Draft(
            f"negation/after-at-{time}",
            f"An event {time} ms later {'defeats' if defeats else 'does not defeat'} an absence in [2 ms, 5 ms]",
            _rule("2 ms, 5 ms"),
            f"a1@0 b1@{time}",
            "" if defeats else "a1",
            _NO,
        )
    for time in (-6, -5, -2, -1):
        defeats = -5 <= time <= -2
        yield Draft(
            f"negation/before-at-minus-{-time}",
            f"An event {-time} ms earlier {'defeats' if defeats else 'does not defeat'} an absence in [-5 ms, -2 ms]",
            _rule("-5 ms, -2 ms"),
            f"b1@{time} a1@0",
            "" if defeats else "a1",
            _NO,
        )
    for time in (-1, 0, 1):
        yield Draft(
            f"negation/zero-width-{'before' if time < 0 else 'after' if time else 'same'}",
            f"An absence in [0 ms, 0 ms] looks at one instant; the event is at {time} ms",
            _rule("0 ms, 0 ms"),
            f"b1@{time} a1@0" if time < 0 else f"a1@0 b1@{time}",
            "a1" if time else "",
            _NO,
        )
    yield Draft(
        "negation/nothing-came", "Without any event nothing is defeated", _rule("0 ms, 5 ms"), "a1@0", "a1", _NO
    )
    yield Draft(
        "negation/end-of-the-trace",
        "At the end of a trace every open absence is decided",
        _rule("0 ms, 1000000 ms"),
        "a1@0 a2@5 b1@3 a3@9",
        "a2; a3",
        _NO,
    )
    yield Draft(
        "negation/straddling",
        "A window may reach to both sides of its reference",
        _rule("-2 ms, 2 ms"),
        "b1@0 a1@2 a2@3 a3@10 b2@13",
        "a2; a3",
        _NO,
    )
    yield Draft(
        "negation/tie-reversed",
        "An event that ties with its reference and arrives first defeats as well",
        _rule("0 ms, 5 ms"),
        "b1@0 a1@0 a2@1",
        "a2",
        _NO,
    )
    yield Draft(
        "negation/two-windows-intersect",
        "Two constraints of an absence hold both: an event defeats when it lies in both windows",
        "rule R where a : A, b : B, no c : C when b in a [0 ms, 9 ms] no c in a [0 ms, 5 ms] no c in b [-2 ms, 2 ms]",
        "a1@0 c1@1 b1@4 a2@20 c2@23 b2@24 a3@40 b3@44 c3@46",
        "a1 b1; a3 b3",
        _NO,
    )
    yield Draft(
        "negation/contradictory-windows",
        "An absence whose windows exclude each other is never violated; the program is warned",
        "rule R where a : A, no b : B when no b in a [0 ms, 1 ms] no b in a [3 ms, 4 ms]",
        "a1@0 b1@0 b2@1 b3@2 b4@3 b5@4",
        "a1",
        ("SPEC 2", "docs/language.md"),
    )
    yield Draft(
        "negation/far-beyond-64-bit",
        "A window that ends beyond the greatest timestamp is decided at the end of the trace",
        _rule("1 ms, 9223372036854775807 ms"),
        "a1@5 a2@9 b1@9",
        "a2",
        _NO,
    )


def _conditions() -> Iterator[Draft]:
    yield Draft(
        "negation/condition",
        "Only an event that fulfils the conditions of the absent pattern defeats",
        _rule("0 ms, 5 ms", "k = 1"),
        "a1@0 b1@1(k=2) a2@10 b2@11(k=1)",
        "a1",
        _NO,
    )
    yield Draft(
        "negation/condition-on-the-positive-event",
        "Conditions of an absent pattern may refer to events before it",
        _rule("0 ms, 5 ms", "k = a.k"),
        "a1@0(k=1) a2@0(k=2) b1@1(k=2)",
        "a1",
        _NO,
    )
    yield Draft(
        "negation/condition-and-window",
        "An event defeats only if it is in the window and fulfils the condition",
        _rule("0 ms, 5 ms", "k > a.k"),
        "a1@0(k=1) b1@6(k=9) a2@20(k=1) b2@21(k=1) a3@40(k=1) b3@45(k=2)",
        "a1; a2",
        _NO,
    )
    yield Draft(
        "negation/condition-without-value",
        "A condition without value does not hold, so the event does not defeat",
        _rule("0 ms, 5 ms", "k + 1 > 0"),
        f"a1@0 b1@1(k={2**63 - 1}) a2@10 b2@11(k=5)",
        "a1",
        _NO,
    )
    yield Draft(
        "negation/predicate",
        "A predicate may say which events defeat",
        "predicate bad(Integer)\n" + _rule("0 ms, 5 ms", "bad(k)"),
        "a1@0 b1@1(k=1) a2@10 b2@11(k=2)",
        "a1",
        _NO,
        {"bad": {"true_for": [[2]]}},
    )
    yield Draft(
        "negation/of-two-positive-events",
        "An absence may depend on two events",
        "rule R where a : A, b : B, no c : C { k > a.k, k < b.k } when b in a [0 ms, 9 ms] no c in b [0 ms, 5 ms]",
        "a1@0(k=1) b1@1(k=5) b2@2(k=2) c1@3(k=3)",
        "a1 b2",
        _NO,
    )
    yield Draft(
        "negation/equal-contents",
        "Of two equal events one is defeated and not the other, if only one has the offender in its window",
        _rule("0 ms, 2 ms"),
        "a1@0(k=7) a2@3(k=7) b1@2",
        "a2",
        _NO,
    )


def _places() -> Iterator[Draft]:
    yield Draft(
        "negation/self-defeat",
        "An absent pattern may be filled by an event that is bound positively: the rule defeats itself",
        "rule R where a : A, no b : A when no b in a [0 ms, 0 ms]",
        "a1@0 a2@5",
        "",
        ("SPEC 4", "D §4.4.3"),
    )
    yield Draft(
        "negation/self-excluded-by-a-condition",
        "A condition keeps the event from defeating itself",
        "rule R where a : A, no b : A { k != a.k } when no b in a [0 ms, 3 ms]",
        "a1@0(k=1) a2@2(k=2) a3@9(k=3)",
        "a2; a3",
        ("SPEC 4",),
    )
    yield Draft(
        "negation/self-excluded-by-the-window",
        "A window that begins later keeps the event from defeating itself: each is the last for a while",
        "rule R where a : A, no b : A when no b in a [1 ms, 3 ms]",
        "a1@0 a2@2 a3@5 a4@5 a5@20",
        "a3; a4; a5",
        ("SPEC 4",),
    )
    yield Draft(
        "negation/between-two-patterns",
        "An absent pattern may stand between positive ones",
        "rule R where a : A, no b : B, c : C when no b in a [0 ms, 5 ms] c in a [0 ms, 9 ms]",
        "a1@0 c1@1 b1@6 c2@9 a2@20 b2@21 c3@22",
        "a1 c1; a1 c2",
        _NO,
    )
    yield Draft(
        "negation/between-two-events-in-time",
        "Nothing between two events: two windows, one from each",
        "rule R where a : A, b : B, no c : C when b in a [1 ms, 9 ms] no c in a [1 ms, 9 ms] no c in b [-9 ms, -1 ms]",
        "a1@0 b1@2 c1@3 b2@4",
        "a1 b1",
        _NO,
    )
    yield Draft(
        "negation/two-absences",
        "Two absent patterns must both be absent",
        "rule R where a : A, no b : B, no c : C when no b in a [0 ms, 2 ms] no c in a [0 ms, 4 ms]",
        "a1@0 a2@10 b1@11 a3@20 c1@24 a4@30 b2@33 c2@35",
        "a1; a4",
        _NO,
    )
    yield Draft(
        "negation/two-absences-of-one-template",
        "Two absences of one template are two patterns",
        "rule R where a : A, no b : B { k = 1 }, no c : B { k = 2 } when no b in a [0 ms, 2 ms] no c in a [3 ms, 5 ms]",
        "a1@0 b1@1(k=2) b2@4(k=1) a2@10 b3@11(k=1) a3@20 b4@23(k=2)",
        "a1",
        _NO,
    )
    yield Draft(
        "negation/after-a-later-event",
        "An absence may lie after the later of two events",
        "rule R where a : A, b : B, no c : C when b in a [0 ms, 5 ms] no c in b [0 ms, 2 ms]",
        "a1@0 b1@2 c1@3 b2@4",
        "a1 b2",
        _NO,
    )
    yield Draft(
        "negation/of-an-old-event",
        "An absence related to an old event of a partial match",
        "rule R where a : A, b : B, no c : C when b in a [8 ms, 9 ms] no c in a [0 ms, 1 ms]",
        "a1@0 a2@2 c1@1 b1@10",
        "a2 b1",
        _NO,
    )
    yield Draft(
        "negation/of-emitted-events",
        "An event that a rule emits defeats like any other: the rule is evaluated a stratum above",
        "rule Emit where b : B then emit D at b.timestamp with { k = b.k }\n"
        "rule Quiet where a : A, no d : D when no d in a [0 ms, 5 ms]",
        "a1@0 b1@5 a2@6 a3@20",
        "Emit: b1; Quiet: a2; Quiet: a3",
        ("SPEC 2", "SPEC 4"),
        profile="negation",
    )
    yield Draft(
        "negation/of-emitted-events-in-the-past",
        "An emitted event with an old timestamp defeats what it precedes in time, though it is emitted late",
        "rule Emit where b : B then emit D at b.timestamp - 10 ms with { k = b.k }\n"
        "rule Quiet where a : A, no d : D when no d in a [0 ms, 2 ms]",
        "a1@0 b1@11 a2@3",
        "Emit: b1; Quiet: a2",
        ("SPEC 4", "SPEC 5"),
        profile="negation",
    )
    yield Draft(
        "negation/silent-template",
        "A template of which no source speaks defeats nothing",
        _rule("0 ms, 5 ms"),
        "a1@0 a2@1",
        "a1; a2",
        ("SPEC 3",),
    )


def _time() -> Iterator[Draft]:
    yield Draft(
        "negation/decided-late",
        "The offender may arrive long after the event that it defeats, from a slow source",
        _rule("0 ms, 5 ms"),
        "a1@0/fast a2@50/fast a3@100/fast b1@3/slow b2@52/slow",
        "a3",
        ("SPEC 3", "SPEC 4"),
        profile="negation",
    )
    yield Draft(
        "negation/right-events-first",
        "Offenders may arrive before what they defeat and must be kept until then",
        _rule("-5 ms, 5 ms"),
        "b1@0 b2@20 a1@4/late a2@6/late a3@17/late",
        "a2",
        ("SPEC 4",),
        profile="negation",
    )
    yield Draft(
        "negation/many-offenders",
        "Several offenders defeat a match once, and one offender several matches",
        _rule("0 ms, 3 ms"),
        "a1@0 a2@1 b1@1 b2@2 b3@3 a3@4",
        "a3",
        _NO,
    )
    yield Draft(
        "negation/alternating",
        "Long alternations of events and offenders",
        _rule("1 ms, 2 ms"),
        "a1@0 b1@1 a2@2 a3@3 b2@6 a4@5 a5@7 b3@10".replace("b2@6 a4@5", "a4@5 b2@6"),
        "a2; a3; a5",
        _NO,
    )
