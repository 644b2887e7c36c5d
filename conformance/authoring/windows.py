"""Windows, ties and identity: the boundaries at which engines part."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.authoring.drafts import Draft

_WINDOW = ("SPEC 4", "D §4.2.2")
_IDENTITY = ("SPEC 3", "SPEC 4")


def drafts() -> Iterator[Draft]:
    """All cases of this module."""
    yield from _ends()
    yield from _shapes()
    yield from _several()
    yield from _extremes()
    yield from _ties()
    yield from _empty()


def _pair(interval: str, subject: str = "b", reference: str = "a") -> str:
    return f"rule R where a : A, b : B when {subject} in {reference} [{interval}]"


def _ends() -> Iterator[Draft]:
    for time, inside in ((1, False), (2, True), (3, True), (5, True), (6, False)):
        yield Draft(
            f"windows/two-to-five-at-{time}",
            f"A window [2 ms, 5 ms] is closed at both ends: {time} ms later is {'in' if inside else 'outside'}",
            _pair("2 ms, 5 ms"),
            f"a1@0 b1@{time}",
            "a1 b1" if inside else "",
            _WINDOW,
        )
    for time, inside in ((-6, False), (-5, True), (-2, True), (-1, False)):
        yield Draft(
            f"windows/negative-at-minus-{-time}",
            f"A window [-5 ms, -2 ms] lies before its reference: {-time} ms before is {'in' if inside else 'outside'}",
            _pair("-5 ms, -2 ms"),
            f"b1@{time} a1@0",
            "a1 b1" if inside else "",
            _WINDOW,
        )
    for time, inside in ((-4, False), (-3, True), (0, True), (3, True), (4, False)):
        yield Draft(
            f"windows/straddling-at-{'minus-' if time < 0 else ''}{abs(time)}",
            f"A window [-3 ms, 3 ms] around its reference: at {time} ms an event is {'in' if inside else 'outside'}",
            _pair("-3 ms, 3 ms"),
            f"b1@{time} a1@0" if time < 0 else f"a1@0 b1@{time}",
            "a1 b1" if inside else "",
            _WINDOW,
        )
    for time, inside in ((-1, False), (0, True), (1, False)):
        yield Draft(
            f"windows/zero-width-{'before' if time < 0 else 'after' if time else 'same'}",
            f"A window [0 ms, 0 ms] holds one instant: {time} ms apart is {'in' if inside else 'outside'}",
            _pair("0 ms, 0 ms"),
            f"b1@{time} a1@0" if time < 0 else f"a1@0 b1@{time}",
            "a1 b1" if inside else "",
            _WINDOW,
        )
    yield Draft(
        "windows/zero-width-elsewhere",
        "A window of no width away from zero holds exactly one distance",
        _pair("4 ms, 4 ms"),
        "a1@0 b1@3 b2@4 b3@5",
        "a1 b2",
        _WINDOW,
    )
    yield Draft(
        "windows/lower-end-with-the-reference-late",
        "The lower end of a window before its reference is closed when the reference arrives last",
        _pair("-2 ms, 0 ms"),
        "b1@7 b2@8 b3@10 b4@11 a1@10",
        "a1 b2; a1 b3",
        _WINDOW,
    )


def _shapes() -> Iterator[Draft]:
    for unit, milliseconds in (
        ("ms", 1),
        ("second", 1000),
        ("minute", 60_000),
        ("hour", 3_600_000),
        ("day", 86_400_000),
    ):
        yield Draft(
            f"windows/unit-{unit}",
            f"One {unit} is {milliseconds} milliseconds, at both ends",
            _pair(f"1 {unit}, 1 {unit}"),
            f"a1@0 b1@{milliseconds - 1} b2@{milliseconds} b3@{milliseconds + 1}",
            "a1 b2",
            ("SPEC 2",),
        )
    yield Draft(
        "windows/plural-units",
        "Plural units mean what singular ones mean, also for numbers that do not agree",
        "rule R where a : A, b : B, c : C when b in a [1 seconds, 2 second] c in a [1 minutes, 1 minute]",
        "a1@0 b1@999 b2@1000 b3@2000 b4@2001 c1@60000",
        "a1 b2 c1; a1 b3 c1",
        ("SPEC 2",),
    )
    yield Draft(
        "windows/reference-is-the-later-pattern",
        "A constraint may name the earlier pattern as its subject: a in b is as good as b in a, mirrored",
        _pair("-5 ms, -2 ms", "a", "b"),
        "a1@0 b1@1 b2@2 b3@5 b4@6",
        "a1 b2; a1 b3",
        _WINDOW,
    )
    yield Draft(
        "windows/mixed-units",
        "The two ends of a window may have different units",
        _pair("-1 second, 1 minute"),
        "b1@-1001 b2@-1000 a1@0 b3@60000 b4@60001",
        "a1 b2; a1 b3",
        ("SPEC 2",),
    )


def _several() -> Iterator[Draft]:
    yield Draft(
        "windows/constraints-on-one-pair-intersect",
        "Two constraints on one pair hold both",
        "rule R where a : A, b : B when b in a [0 ms, 5 ms] b in a [3 ms, 9 ms]",
        "a1@0 b1@2 b2@3 b3@5 b4@6",
        "a1 b2; a1 b3",
        _WINDOW,
    )
    yield Draft(
        "windows/constraints-in-both-directions",
        "A pair may be constrained in both directions; both constraints hold",
        "rule R where a : A, b : B when b in a [0 ms, 5 ms] a in b [-9 ms, -3 ms]",
        "a1@0 b1@2 b2@3 b3@5 b4@6",
        "a1 b2; a1 b3",
        _WINDOW,
    )
    yield Draft(
        "windows/chain",
        "Windows along a chain bound first and last only through the middle one",
        "rule R where a : A, b : B, c : C when b in a [1 ms, 3 ms] c in b [1 ms, 3 ms]",
        "a1@0 b1@1 b2@3 c1@2 c2@4 c3@6 c4@7",
        "a1 b1 c1; a1 b1 c2; a1 b2 c2; a1 b2 c3",
        _WINDOW,
    )
    yield Draft(
        "windows/fan",
        "Two windows from one reference leave the others unrelated but for their sum",
        "rule R where a : A, b : B, c : C when b in a [0 ms, 2 ms] c in a [0 ms, 2 ms]",
        "a1@0 c1@0 b1@2 c2@2 b2@3 c3@3",
        "a1 b1 c1; a1 b1 c2",
        _WINDOW,
    )
    yield Draft(
        "windows/triangle",
        "Three windows on three events are held all, though any two of them imply a wider third",
        "rule R where a : A, b : B, c : C when b in a [0 ms, 5 ms] c in b [0 ms, 5 ms] c in a [0 ms, 6 ms]",
        "a1@0 b1@2 b2@5 c1@6 c2@7",
        "a1 b1 c1; a1 b2 c1",
        _WINDOW,
    )
    yield Draft(
        "windows/triangle-tightened-by-the-closure",
        "A window that the others tighten is as narrow as they make it",
        "rule R where a : A, b : B, c : C when b in a [4 ms, 4 ms] c in b [1 ms, 1 ms] c in a [0 ms, 9 ms]",
        "a1@0 c1@4 b1@4 c2@5 c3@6",
        "a1 b1 c2",
        _WINDOW,
    )
    yield Draft(
        "windows/declared-last-arrives-first",
        "The last pattern may be the first in time",
        "rule R where a : A, b : B, c : C when b in a [-2 ms, -1 ms] c in b [-2 ms, -1 ms]",
        "c1@0 c2@1 b1@2 a1@4 a2@5",
        "a1 b1 c1; a1 b1 c2",
        _WINDOW,
    )
    yield Draft(
        "windows/old-partial-match-with-a-young-event",
        "A partial match of an old and a young event lives as long as its own windows say",
        "rule R where a : A, b : B, c : C when b in a [9 ms, 9 ms] c in a [10 ms, 10 ms]",
        "a1@0 a2@1 b1@9 b2@10 c1@10 c2@11",
        "a1 b1 c1; a2 b2 c2",
        _WINDOW,
    )
    yield Draft(
        "windows/contradictory",
        "Windows that contradict each other are legal, and the rule never matches; the program is warned",
        "rule R where a : A, b : B when b in a [1 ms, 2 ms] b in a [4 ms, 5 ms]",
        "a1@0 b1@1 b2@2 b3@3 b4@4 b5@5",
        "",
        ("SPEC 2", "docs/language.md"),
    )
    yield Draft(
        "windows/four-events",
        "Four events in a row, each within its window of the one before",
        "rule R where a : A, b : B, c : C, d : D when b in a [0 ms, 1 ms] c in b [0 ms, 1 ms] d in c [0 ms, 1 ms]",
        "a1@0 b1@1 c1@1 c2@2 d1@3 d2@4",
        "a1 b1 c2 d1",
        _WINDOW,
    )


def _extremes() -> Iterator[Draft]:
    least, greatest = -(2**63), 2**63 - 1
    yield Draft(
        "extremes/timestamps",
        "Timestamps reach over all of signed 64 bit, and windows at both extremes are exact",
        _pair("0 ms, 1 ms"),
        f"a1@{least} b1@{least} b2@{least + 1} b3@{least + 2} a2@{greatest - 1} a3@{greatest} b4@{greatest}",
        "a1 b1; a1 b2; a2 b4; a3 b4",
        ("SPEC 2", "SPEC 3"),
    )
    yield Draft(
        "extremes/window-beyond-the-greatest-timestamp",
        "A window whose end lies beyond 64 bit is not cut, nor does it wrap around",
        _pair(f"0 ms, {greatest} ms"),
        f"b0@{least} a1@5 b1@4 b2@5 b3@{greatest}".replace("b1@4 b2@5", "b2@5"),
        "a1 b2; a1 b3",
        ("SPEC 2", "SPEC 4"),
    )
    yield Draft(
        "extremes/greatest-distance",
        "The distance between the extremes of time exceeds 64 bit and lies in no window that can be written",
        _pair(f"{least} ms, {greatest} ms"),
        f"a1@{least} b1@-1 b2@0 b3@{greatest}",
        "a1 b1",
        ("SPEC 2", "SPEC 4"),
    )
    yield Draft(
        "extremes/before-the-epoch",
        "Timestamps before 1970 are ordinary",
        _pair("0 ms, 5 ms"),
        "a1@-1000 b1@-1001 b2@-995 b3@-994".replace("b1@-1001 ", ""),
        "a1 b2",
        ("SPEC 3",),
    )
    yield Draft(
        "extremes/across-the-epoch",
        "A window may reach from before 1970 to after it",
        _pair("2 ms, 2 ms"),
        "a1@-1 b1@0 b2@1 b3@2",
        "a1 b2",
        ("SPEC 3",),
    )
    yield Draft(
        "extremes/iso-timestamps",
        "Timestamps may be written in ISO 8601 with an offset; the same instant is the same timestamp",
        _pair("0 ms, 0 ms"),
        [
            {"id": "a1", "template": "A", "timestamp": "2018-01-01T08:00:00Z", "attributes": {"k": 0}},
            {"id": "b1", "template": "B", "timestamp": "2018-01-01T09:00:00+01:00", "attributes": {"k": 0}},
            {"id": "b2", "template": "B", "timestamp": 1514793600000, "attributes": {"k": 0}},
            {"id": "b3", "template": "B", "timestamp": "2018-01-01T08:00:00.001Z", "attributes": {"k": 0}},
        ],
        "a1 b1; a1 b2",
        ("SPEC 3", "docs/traces.md"),
    )


def _ties() -> Iterator[Draft]:
    for order, trace in (("declared", "a1@5 b1@5"), ("reversed", "b1@5 a1@5")):
        yield Draft(
            f"ties/two-templates-{order}",
            f"Events with one timestamp match whichever arrives first ({order} order)",
            _pair("0 ms, 3 ms"),
            trace,
            "a1 b1",
            _IDENTITY,
        )
        yield Draft(
            f"ties/at-the-upper-end-{order}",
            f"Ties at the upper end of a window are all in it ({order} order)",
            _pair("0 ms, 3 ms"),
            "a1@0 " + " ".join(sorted(("b1@3", "b2@3"), reverse=order == "reversed")) + " b3@4",
            "a1 b1; a1 b2",
            _WINDOW,
        )
        yield Draft(
            f"ties/at-the-lower-end-{order}",
            f"Ties at the lower end of a window are all in it ({order} order)",
            _pair("2 ms, 3 ms"),
            " ".join(sorted(("a1@0", "a2@0"), reverse=order == "reversed")) + " b0@1 b1@2",
            "a1 b1; a2 b1",
            _WINDOW,
        )
    yield Draft(
        "ties/many",
        "Three events and three others, all at one instant, make nine matches",
        _pair("0 ms, 0 ms"),
        "a1@1 b1@1 a2@1 b2@1 b3@1 a3@1",
        "; ".join(f"a{i} b{j}" for i in (1, 2, 3) for j in (1, 2, 3)),
        _IDENTITY,
    )
    yield Draft(
        "identity/one-event-fills-two-patterns",
        "Nothing is consumed: one event may fill several patterns of a rule",
        "rule R where a : A, b : A when b in a [0 ms, 0 ms]",
        "a1@0",
        "a1 a1",
        _IDENTITY,
    )
    yield Draft(
        "identity/self-join",
        "A self-join pairs every event with itself and with every other in the window, in both roles",
        "rule R where a : A, b : A when b in a [-1 ms, 1 ms]",
        "a1@0 a2@1 a3@2",
        "a1 a1; a1 a2; a2 a1; a2 a2; a2 a3; a3 a2; a3 a3",
        _IDENTITY,
    )
    yield Draft(
        "identity/self-join-later-window",
        "In a self-join whose window begins later no event is its own partner",
        "rule R where a : A, b : A when b in a [1 ms, 2 ms]",
        "a1@0 a2@1 a3@2 a4@4",
        "a1 a2; a1 a3; a2 a3; a3 a4",
        _IDENTITY,
    )
    yield Draft(
        "identity/self-join-of-three",
        "Three patterns of one template take every combination that the windows allow",
        "rule R where a : A, b : A, c : A when b in a [0 ms, 1 ms] c in b [0 ms, 1 ms]",
        "a1@0 a2@1 a3@2",
        "a1 a1 a1; a1 a1 a2; a1 a2 a2; a1 a2 a3; a2 a2 a2; a2 a2 a3; a2 a3 a3; a3 a3 a3",
        _IDENTITY,
    )
    yield Draft(
        "identity/equal-contents",
        "Two events with equal contents are two events: each matches on its own",
        _pair("0 ms, 3 ms"),
        "a1@0 a2@0 b1@1",
        "a1 b1; a2 b1",
        _IDENTITY,
    )
    yield Draft(
        "identity/equal-contents-in-both-patterns",
        "Four events of two contents make four matches",
        _pair("1 ms, 1 ms"),
        "a1@0(k=7) a2@0(k=7) b1@1(k=7) b2@1(k=7)",
        "a1 b1; a1 b2; a2 b1; a2 b2",
        _IDENTITY,
    )
    yield Draft(
        "identity/no-consumption",
        "An event takes part in as many matches as there are partners",
        _pair("0 ms, 9 ms"),
        "a1@0 b1@1 b2@2 b3@3 a2@3",
        "a1 b1; a1 b2; a1 b3; a2 b3",
        _IDENTITY,
    )
    yield Draft(
        "identity/ids-with-delimiters",
        "Ids may hold any characters; those with delimiters are quoted in the ids of emitted events",
        "rule R where a : A then emit N at a.timestamp",
        [
            {"id": "x(y=1)", "template": "A", "timestamp": 0, "attributes": {"k": 0}},
            {"id": 'say "hi", \\ #', "template": "A", "timestamp": 1, "attributes": {"k": 0}},
            {"id": "é 漢 🙂", "template": "A", "timestamp": 2, "attributes": {"k": 0}},
        ],
        None,
        ("SPEC 3", "docs/traces.md"),
    )
    yield Draft(
        "identity/default-ids-and-sources",
        "An event without an id is called after its line, one without a source comes from `default`",
        _pair("0 ms, 1 ms"),
        [
            {"template": "A", "timestamp": 0, "attributes": {"k": 0}},
            {"template": "B", "timestamp": 0, "attributes": {"k": 0}},
            {"template": "B", "timestamp": 1, "source": "default", "attributes": {"k": 0}},
        ],
        "e1 e2; e1 e3",
        ("SPEC 3",),
    )


def _empty() -> Iterator[Draft]:
    yield Draft("empty/trace", "An empty trace has no matches", _pair("0 ms, 1 ms"), "", "", ("SPEC 3",))
    yield Draft(
        "empty/progress-only",
        "A trace of promises alone has no matches",
        _pair("0 ms, 1 ms"),
        "A>=5 B>=5 A>=9",
        "",
        ("SPEC 3",),
    )
    yield Draft(
        "empty/no-partner",
        "Events of one template alone do not match a rule that needs two",
        _pair("0 ms, 1 ms"),
        "a1@0 a2@1 a3@2",
        "",
        ("SPEC 4",),
    )
    yield Draft(
        "empty/no-rules",
        "A program without rules is legal and has no matches; it is warned",
        "template A { k : Integer }",
        "a1@0",
        "",
        ("SPEC 2", "docs/diagnostics.md"),
    )
    yield Draft(
        "empty/template-without-attributes",
        "A template may have no attributes",
        "rule R where n : N, m : N when m in n [1 ms, 1 ms]",
        "n1@0 n2@1",
        "n1 n2",
        ("SPEC 2",),
    )
    yield Draft(
        "empty/unread-template",
        "Events of a template that no rule reads change nothing",
        "template Z { k : Integer }\nrule R where a : A",
        [
            {"id": "z1", "template": "Z", "timestamp": 0, "attributes": {"k": 0}},
            {"id": "a1", "template": "A", "timestamp": 1, "attributes": {"k": 0}},
        ],
        "a1",
        ("SPEC 3",),
    )
    yield Draft(
        "empty/single-pattern",
        "A rule with one pattern matches every event of the template and needs no `when`",
        "rule R where a : A",
        "a1@0 a2@0 b1@1".replace(" b1@1", ""),
        "a1; a2",
        ("SPEC 2",),
    )
