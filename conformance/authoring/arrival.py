"""Arrival: several sources, promises, events out of order; and what engines elsewhere get wrong about them."""

from __future__ import annotations

import json
from collections.abc import Iterator

from conformance.authoring.drafts import Draft
from conformance.defects import DEFECTS

_PROMISES = ("SPEC 3", "docs/traces.md")
_PAIR = "rule R where a : A, b : B when b in a [0 ms, 5 ms]"
_NO = "rule R where a : A, no b : B when no b in a [0 ms, 5 ms]"


def drafts() -> Iterator[Draft]:
    """All cases of this module."""
    yield from _sources()
    yield from _orders()
    yield from _pitfalls()
    yield from _defects()


def _sources() -> Iterator[Draft]:
    yield Draft(
        "sources/one-of-each-template",
        "Two sources speak of a template each and drift apart",
        _PAIR,
        "b1@3/right b2@9/right b3@40/right a1@0/left a2@4/left a3@38/left",
        "a1 b1; a2 b2; a3 b3",
        _PROMISES,
    )
    yield Draft(
        "sources/of-one-template",
        "Two sources speak of one template; their events interleave in time",
        _PAIR,
        "a1@0/x a2@10/x b1@5/x b2@15/x a3@2/y b3@7/y a4@11/y b4@30/y",
        "a1 b1; a2 b2; a3 b1; a3 b3; a4 b2",
        _PROMISES,
    )
    yield Draft(
        "sources/one-runs-ahead",
        "A source that runs far ahead is not waited for, and its events are not lost",
        _PAIR,
        "a1@0/fast a2@100/fast a3@200/fast b1@103/fast b2@205/fast a4@1/slow b3@4/slow b4@104/slow",
        "a1 b3; a2 b1; a2 b4; a3 b2; a4 b3",
        _PROMISES,
    )
    yield Draft(
        "sources/ties-across",
        "Events of two sources with one timestamp and equal contents are two events",
        _PAIR,
        "a1@0/x a2@0/y b1@0/y b2@0/x",
        "a1 b1; a1 b2; a2 b1; a2 b2",
        _PROMISES,
    )
    yield Draft(
        "sources/many",
        "Five sources with one event each, in no order of time",
        "rule R where a : A, b : A when b in a [1 ms, 10 ms]",
        "a1@30/p a2@10/q a3@20/r a4@0/s a5@40/t",
        "a4 a2; a2 a3; a3 a1; a1 a5",
        _PROMISES,
    )
    yield Draft(
        "sources/negation-from-the-slow-one",
        "What a slow source says later still defeats",
        _NO,
        "a1@0/fast a2@10/fast a3@20/fast b1@13/slow b2@26/slow",
        "a1; a3",
        _PROMISES,
    )
    yield Draft(
        "sources/silent-one-decides-by-progress",
        "A promise of progress settles an absence without any event",
        _NO,
        "B>=0/watch a1@0 a2@10 B>=6/watch B>=100/watch a3@50",
        "a1; a2; a3",
        _PROMISES,
    )
    yield Draft(
        "sources/emission-and-external-source",
        "Emitted events meet events of slow sources",
        "rule Make where a : A then emit D at a.timestamp with { k = a.k }\n"
        "rule Use where d : D, b : B when b in d [-3 ms, 3 ms]",
        "a1@0/x a2@10/x a3@20/x b1@3/slow b2@8/slow b3@24/slow",
        "Make: a1; Make: a2; Make: a3; Use: Make(a=a1) b1; Use: Make(a=a2) b2",
        _PROMISES,
        profile="multi-source",
    )
    yield Draft(
        "sources/names-of-any-kind",
        "Sources may be called anything that does not look like a rule",
        "rule R where a : A, b : A when b in a [1 ms, 1 ms]",
        [
            {"id": "a1", "template": "A", "timestamp": 0, "source": "bank a/ü", "attributes": {"k": 0}},
            {"id": "a2", "template": "A", "timestamp": 1, "source": "rule", "attributes": {"k": 0}},
        ],
        "a1 a2",
        _PROMISES,
    )


def _orders() -> Iterator[Draft]:
    yield Draft(
        "order/reversed",
        "Under promises that allow it, a trace may arrive in reversed order",
        _PAIR,
        "A>=0 B>=0 b3@9 b2@5 b1@1 a3@8 a2@5 a1@0",
        "a1 b1; a1 b2; a2 b2; a2 b3; a3 b3",
        _PROMISES,
    )
    yield Draft(
        "order/within-the-promise",
        "An event may arrive as late as the promise allows, and no later is needed",
        _PAIR,
        "A>=0 B>=0 a2@9 a1@3 A>=9 b3@14 b1@3 b2@8 a3@9 B>=20",
        "a1 b1; a1 b2; a2 b3; a3 b3",
        _PROMISES,
    )
    yield Draft(
        "order/exactly-at-the-promise",
        "A promise of t allows events at t",
        _PAIR,
        "A>=0 B>=0 a1@4 A>=7 a2@7 B>=7 b1@7",
        "a1 b1; a2 b1",
        _PROMISES,
    )
    yield Draft(
        "order/promise-repeated-and-lowered",
        "A promise that is lower than an earlier one promises nothing new",
        _PAIR,
        "A>=5 a1@6 A>=3 a2@5 B>=5 B>=5 b1@9",
        "a1 b1; a2 b1",
        _PROMISES,
    )
    yield Draft(
        "order/disorder",
        "With a disorder of 4 ms events may lag so far behind the latest of their source and template",
        _PAIR,
        "a2@10 a1@6 b2@15 b1@11 a3@12 b3@16",
        "a1 b1; a2 b1; a2 b2; a3 b2; a3 b3",
        ("SPEC 3",),
        disorder=4,
    )
    yield Draft(
        "order/disorder-and-negation",
        "An absence is not settled before the disorder has passed",
        _NO,
        "a1@0 b1@9 a2@8 b2@5 a3@20",
        "a3",
        ("SPEC 3",),
        disorder=4,
    )
    yield Draft(
        "order/negation-defeated-late",
        "An offender that arrives late, but within the promise, defeats",
        _NO,
        "B>=0 a1@0 a2@10 a3@20 b3@30 b2@15 b1@6 B>=30",
        "a1; a3",
        _PROMISES,
    )
    yield Draft(
        "order/old-event-joins-old-ones",
        "A late event still meets the old events that it joins",
        "rule R where a : A, b : B, c : C when b in a [0 ms, 5 ms] c in b [0 ms, 5 ms]",
        "A>=0 B>=0 C>=0 c1@9 a1@0 c2@4 b2@8 b1@4 a2@6",
        "a1 b1 c1; a1 b1 c2; a2 b2 c1",
        _PROMISES,
    )
    yield Draft(
        "order/promise-to-the-end-of-time",
        "A promise may be the greatest timestamp, and the source speaks no more",
        _NO,
        f"a1@0 B>={2**63 - 1} a2@10",
        "a1; a2",
        _PROMISES,
    )
    yield Draft(
        "order/one-template-only",
        "Progress of one template says nothing of another of the same source",
        _NO,
        "a1@0 A>=1000 b1@3 a2@1000",
        "a2",
        _PROMISES,
    )


def _pitfalls() -> Iterator[Draft]:
    three = "rule R where a : A, b : B, c : C when b in a [0 ms, 5 ms] c in a [0 ms, 5 ms]"
    yield Draft(
        "pitfalls/closed-upper-bound",
        "Elsewhere the upper end of a window is dropped: it belongs to the window",
        _PAIR,
        "a1@0 b1@5 a2@100 b2@105",
        "a1 b1; a2 b2",
        ("SPEC 4",),
    )
    yield Draft(
        "pitfalls/closed-upper-bound-of-a-negation",
        "Elsewhere an offender at the very end of the window is overlooked",
        _NO,
        "a1@0 b1@5 a2@100 b2@106",
        "a2",
        ("SPEC 4",),
    )
    for order, trace in (("first", "a1@7 b1@7 c1@7"), ("last", "c1@7 b1@7 a1@7"), ("middle", "b1@7 a1@7 c1@7")):
        yield Draft(
            f"pitfalls/equal-timestamps-reference-{order}",
            f"Elsewhere events with equal timestamps are lost in one order of arrival: the reference comes {order}",
            three,
            trace,
            "a1 b1 c1",
            ("SPEC 3", "SPEC 4"),
        )
    yield Draft(
        "pitfalls/within-guards-every-pair",
        "Elsewhere `within` guards only part of a pattern: each constraint holds, for the last pattern too",
        "rule R where a : A, b : B, c : C when b in a [0 ms, 5 ms] c in b [0 ms, 5 ms] c in a [0 ms, 6 ms]",
        "a1@0 b1@4 c1@6 c2@7 c3@9",
        "a1 b1 c1",
        ("SPEC 4",),
    )
    yield Draft(
        "pitfalls/within-guards-the-first-pair",
        "Elsewhere a window is measured from the last event only",
        three,
        "a1@0 c3@0 b2@5 c1@5 b1@6 c2@6",
        "a1 b2 c1; a1 b2 c3",
        ("SPEC 4",),
    )
    yield Draft(
        "pitfalls/state-that-a-negation-needs",
        "Elsewhere offenders are discarded with the events that they join, though a negation still needs them",
        "rule Pair where a : A, b : B when b in a [0 ms, 1 ms]\n"
        "rule Quiet where c : C, no b : B when no b in c [-20 ms, -10 ms]",
        "a1@0 b1@1 a2@14 b2@15 c1@15 c2@40",
        "Pair: a1 b1; Pair: a2 b2; Quiet: c2",
        ("SPEC 4",),
    )
    yield Draft(
        "pitfalls/state-of-a-later-negation",
        "Elsewhere the positive event is forgotten before its negation is decided",
        "rule R where a : A, b : B, no c : C when b in a [0 ms, 2 ms] no c in a [0 ms, 30 ms]",
        "a1@0 b1@2 a2@10 b2@11 a3@20 b3@21 c1@35",
        "a1 b1",
        ("SPEC 4",),
    )
    yield Draft(
        "pitfalls/last-match-is-not-the-only-one",
        "Elsewhere an event is used up by its first match, or replaces the one before it",
        "rule R where a : A, b : B { k = a.k } when b in a [0 ms, 9 ms]",
        "a1@0(k=1) a2@1(k=1) b1@2(k=1) b2@3(k=1)",
        "a1 b1; a1 b2; a2 b1; a2 b2",
        ("SPEC 4",),
    )
    yield Draft(
        "pitfalls/negation-at-the-end-of-the-input",
        "Elsewhere an absence that is open when the input ends is never reported",
        _NO,
        "b1@0 a1@10",
        "a1",
        ("SPEC 3",),
    )
    yield Draft(
        "pitfalls/order-of-matches",
        "Elsewhere an order of matches is asserted that nobody promised: here it means nothing",
        "rule Z where a : A\nrule Y where a : A",
        "a2@0 a1@0",
        "Z: a1; Z: a2; Y: a1; Y: a2",
        ("SPEC 3",),
    )


def _defects() -> Iterator[Draft]:
    for defect in DEFECTS:
        yield Draft(
            f"defects/{defect.number:02}-{defect.repair}",
            f"Defect {defect.number}: {defect.title}",
            defect.program.strip(),
            [json.loads(line) for line in defect.trace.splitlines()],
            None,
            ("SPEC 5", "docs/defects.md"),
            origin="conformance.defects",
        )
    # Defects 8 to 12 show in bounded histories only. These traces are long enough for engines that bound theirs.
    yield Draft(
        "defects/08-many-rejected",
        "Many events that fail the conditions of an absent pattern, and nothing else: every absence is settled",
        "rule R where a : A, no b : A { k = 1 } when no b in a [0 ms, 0 ms]",
        " ".join(f"a{n}@{n}" for n in range(60)),
        "; ".join(f"a{n}" for n in range(60)),
        ("SPEC 5", "docs/defects.md"),
    )
    yield Draft(
        "defects/09-left-side-floods",
        "Many events of the first pattern before the second one speaks",
        "rule R where a : A, b : B when b in a [0 ms, 0 ms]",
        " ".join(f"a{n}@{n}" for n in range(60)) + " " + " ".join(f"b{n}@{n}" for n in range(0, 60, 20)),
        "a0 b0; a20 b20; a40 b40",
        ("SPEC 5", "docs/defects.md"),
    )
    yield Draft(
        "defects/10-many-released-at-once",
        "One event settles many absences at once",
        "rule R where a : A, no b : B when no b in a [0 ms, 100 ms]",
        " ".join(f"a{n}@{n}" for n in range(40)) + " b1@130",
        "; ".join(f"a{n}" for n in range(30)),
        ("SPEC 5", "docs/defects.md"),
    )
    yield Draft(
        "defects/11-source-far-ahead",
        "A source is sixty events ahead of another",
        "rule R where a : A, b : A when b in a [0 ms, 0 ms]",
        " ".join(f"a{n}@{n}/fast" for n in range(60)) + " a60@0/slow a61@30/slow",
        "; ".join([f"a{n} a{n}" for n in range(62)] + ["a0 a60", "a60 a0", "a30 a61", "a61 a30"]),
        ("SPEC 5", "docs/defects.md"),
    )
    yield Draft(
        "defects/12-window-that-begins-later",
        "An event a millisecond, and a window from 40 ms to 42 ms",
        "rule R where a : A, b : A when b in a [40 ms, 42 ms]",
        " ".join(f"a{n}@{n}" for n in range(60)),
        "; ".join(f"a{n} a{m}" for n in range(60) for m in range(n + 40, min(n + 43, 60))),
        ("SPEC 5", "docs/defects.md"),
    )
