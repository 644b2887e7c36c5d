"""Emission: timestamps and attributes of emitted events, ids, strata, and emissions without a value."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.authoring.drafts import Draft

_EMIT = ("SPEC 2", "SPEC 3")
_LEAST, _GREATEST = -(2**63), 2**63 - 1


def drafts() -> Iterator[Draft]:
    """All cases of this module."""
    yield from _timestamps()
    yield from _attributes()
    yield from _strata()
    yield from _failures()


def _at(expression: str, more: str = "") -> str:
    return f"rule R where a : A, b : A when b in a [1 ms, 99 ms] then emit N at {expression}{more}"


def _timestamps() -> Iterator[Draft]:
    for name, expression in (
        ("of-the-first-event", "a.timestamp"),
        ("of-the-last-event", "b.timestamp"),
        ("shifted-later", "a.timestamp + 5 ms"),
        ("shifted-earlier", "a.timestamp - 1 minute"),
        ("duration-first", "1 second + b.timestamp"),
        ("shift-of-shifts", "a.timestamp + (2 ms - 5 ms) - -1 ms"),
        ("min", "min(b.timestamp, a.timestamp)"),
        ("max", "max(a.timestamp, b.timestamp)"),
        ("max-of-one", "max(a.timestamp)"),
        ("avg", "avg(a.timestamp, b.timestamp)"),
        ("avg-of-three", "avg(a.timestamp, b.timestamp, b.timestamp)"),
        ("nested", "max(a.timestamp + 9 ms, min(b.timestamp, a.timestamp + 4 ms)) - 1 ms"),
    ):
        yield Draft(
            f"emission/at-{name}",
            f"The timestamp of an emitted event: {expression}",
            _at(expression),
            "a1@10 a2@15 a3@23",
            "a1 a2; a1 a3; a2 a3",
            _EMIT,
        )
    yield Draft(
        "emission/at-avg-before-the-epoch",
        "The mean of timestamps is rounded towards minus infinity, also when it is negative",
        _at("avg(a.timestamp, b.timestamp)"),
        "a1@-10 a2@-5 a3@2",
        "a1 a2; a1 a3; a2 a3",
        ("SPEC 2", "docs/language.md"),
    )
    yield Draft(
        "emission/at-avg-of-extremes",
        "The mean of extreme timestamps is exact and does not overflow",
        "rule R where a : A, b : A when b in a [1 ms, 99 ms] then emit N at avg(a.timestamp, b.timestamp)",
        f"a1@{_GREATEST - 3} a2@{_GREATEST}",
        "a1 a2",
        ("SPEC 2",),
    )


def _attributes() -> Iterator[Draft]:
    yield Draft(
        "emission/attributes-of-every-type",
        "Attributes are copied from bound events and made of constants",
        "template O { i : Integer, f : Float, s : String, b : Boolean }\n"
        'rule R where v : V then emit O at v.timestamp with { i = v.i, f = v.f, s = "ü\\n", b = true }',
        'v1@0(i=-9223372036854775808,f=-0.5) v2@1(i=9223372036854775807,f=1e300,s="x")',
        "v1; v2",
        _EMIT,
    )
    yield Draft(
        "emission/order-of-assignments",
        "The order of assignments means nothing",
        "template O { x : Integer, y : Integer }\n"
        "rule R where a : A then emit O at a.timestamp with { y = a.k, x = a.k + 1 }",
        "a1@0(k=4)",
        "a1",
        _EMIT,
    )
    yield Draft(
        "emission/integer-becomes-float",
        "An Integer value of a Float attribute is converted",
        "template O { f : Float }\nrule R where a : A then emit O at a.timestamp with { f = a.k * 3 }",
        f"a1@0(k=2) a2@1(k={2**53 + 1})".replace(f"k={2**53 + 1}", "k=1"),
        "a1; a2",
        _EMIT,
    )
    yield Draft(
        "emission/comparison-as-boolean",
        "A comparison makes a Boolean attribute",
        "template O { b : Boolean, c : Boolean }\n"
        "rule R where a : A then emit O at a.timestamp with { b = a.k > 1, c = (a.k = 1) }",
        "a1@0(k=1) a2@1(k=2)",
        "a1; a2",
        _EMIT,
    )
    yield Draft(
        "emission/timestamp-as-attribute",
        "The timestamp of a bound event is an Integer in `with`",
        "template O { t : Integer, d : Float }\n"
        "rule R where a : A, b : A when b in a [1 ms, 9 ms]\n"
        "then emit O at b.timestamp with { t = a.timestamp, d = (b.timestamp - a.timestamp) / 2 }",
        "a1@100 a2@103",
        "a1 a2",
        _EMIT,
    )
    yield Draft(
        "emission/lists",
        "Lists are built from values, in their order, and may be empty",
        "template O { xs : [Integer; 3], fs : [Float; 2], ss : [String; 1] }\n"
        "rule R where a : A, b : A when b in a [1 ms, 9 ms]\n"
        "then emit O at b.timestamp with { xs = list(b.k, a.k, 7), fs = list(a.k, 0.5), ss = list() }",
        "a1@0(k=2) a2@1(k=1)",
        "a1 a2",
        _EMIT,
    )
    yield Draft(
        "emission/list-copied",
        "A list attribute may be copied whole",
        "template O { xs : [Integer; 2] }\ntemplate P { xs : [Integer; 4] }\n"
        "rule First where a : A then emit O at a.timestamp with { xs = list(a.k, a.k) }\n"
        "rule Second where o : O then emit P at o.timestamp with { xs = o.xs }",
        "a1@0(k=2)",
        "First: a1; Second: First(a=a1)",
        ("SPEC 2", "docs/language.md"),
    )
    yield Draft(
        "emission/list-in-a-trace",
        "Events of a trace may have lists",
        "template L { xs : [Integer; 3] }\ntemplate O { xs : [Integer; 3] }\n"
        "rule R where l : L then emit O at l.timestamp with { xs = l.xs }",
        [
            {"id": "l1", "template": "L", "timestamp": 0, "attributes": {"xs": []}},
            {"id": "l2", "template": "L", "timestamp": 1, "attributes": {"xs": [3, 1, 2]}},
        ],
        "l1; l2",
        _EMIT,
    )
    yield Draft(
        "emission/template-without-attributes",
        "An emission may have no attributes, with or without `with`",
        "rule R where a : A then emit N at a.timestamp with {} emit N at a.timestamp",
        "a1@0",
        "a1",
        _EMIT,
    )
    yield Draft(
        "emission/several",
        "A rule may emit several events; their ids tell which emission it was",
        "rule R where a : A then\n    emit D at a.timestamp with { k = 1 }\n"
        "    emit D at a.timestamp + 1 ms with { k = 2 }\n"
        "    emit E at a.timestamp with { k = 3 }",
        "a1@0",
        "a1",
        ("SPEC 3", "docs/traces.md"),
    )


def _strata() -> Iterator[Draft]:
    yield Draft(
        "strata/emitted-event-matches",
        "An emitted event joins the stream and matches patterns of its template",
        "rule Make where a : A then emit D at a.timestamp + 3 ms with { k = a.k }\n"
        "rule Use where d : D, b : B { k = d.k } when b in d [0 ms, 1 ms]",
        "a1@0(k=1) b1@2(k=1) b2@3(k=1) b3@4(k=2) b4@4(k=1)",
        "Make: a1; Use: Make(a=a1) b2; Use: Make(a=a1) b4",
        ("SPEC 2", "SPEC 4"),
    )
    yield Draft(
        "strata/declared-in-any-order",
        "Rules may be declared in any order; strata follow from what they emit",
        "rule Use where d : D then\nrule Make where a : A then emit D at a.timestamp with { k = a.k }",
        "a1@0",
        "Make: a1; Use: Make(a=a1)",
        ("SPEC 2",),
    )
    yield Draft(
        "strata/three",
        "Three strata; the ids of emitted events nest",
        "rule One where a : A then emit D at a.timestamp with { k = a.k }\n"
        "rule Two where d : D then emit E at d.timestamp + 1 ms with { k = d.k + 1 }\n"
        "rule Three where e : E, a : A when a in e [-1 ms, -1 ms] then emit F at e.timestamp with { k = e.k + a.k }",
        "a1@0(k=1) a2@5(k=2)",
        "One: a1; One: a2; Two: One(a=a1); Two: One(a=a2); Three: Two(d=One(a=a1)) a1; Three: Two(d=One(a=a2)) a2",
        ("SPEC 2", "SPEC 3"),
    )
    yield Draft(
        "strata/two-rules-emit-one-template",
        "Two rules may emit one template; their events differ by their ids",
        "rule First where a : A then emit D at a.timestamp with { k = 1 }\n"
        "rule Second where a : A then emit D at a.timestamp with { k = 1 }\n"
        "rule Pair where d : D, e : D when e in d [0 ms, 0 ms]",
        "a1@0",
        "First: a1; Second: a1; Pair: First(a=a1) First(a=a1); Pair: First(a=a1) Second(a=a1); "
        "Pair: Second(a=a1) First(a=a1); Pair: Second(a=a1) Second(a=a1)",
        ("SPEC 3", "SPEC 4"),
    )
    yield Draft(
        "strata/emitted-and-external-events-of-one-template",
        "External events of a template that a rule emits are events like the emitted ones",
        "rule Make where a : A then emit D at a.timestamp with { k = a.k }\nrule Seen where d : D { k > 0 }",
        "a1@0(k=1) d1@0(k=5) a2@1(k=0) d2@2",
        "Make: a1; Make: a2; Seen: Make(a=a1); Seen: d1",
        ("SPEC 4",),
    )
    yield Draft(
        "strata/emitted-in-the-past",
        "An event emitted with an old timestamp still meets old events",
        "rule Make where a : A, b : B when b in a [5 ms, 5 ms] then emit D at a.timestamp - 2 ms with { k = 0 }\n"
        "rule Use where d : D, c : C when c in d [0 ms, 1 ms]",
        "c1@-3 c2@-2 c3@-1 c4@0 a1@0 b1@5",
        "Make: a1 b1; Use: Make(a=a1,b=b1) c2; Use: Make(a=a1,b=b1) c3",
        ("SPEC 4", "SPEC 5"),
    )
    yield Draft(
        "strata/emitted-in-the-future",
        "An event emitted with a future timestamp meets events yet to come",
        "rule Make where a : A then emit D at a.timestamp + 1 second with { k = 0 }\n"
        "rule Use where d : D, c : C when c in d [0 ms, 1 ms]",
        "a1@0 c1@999 c2@1000 c3@1001 c4@1002",
        "Make: a1; Use: Make(a=a1) c2; Use: Make(a=a1) c3",
        ("SPEC 4", "SPEC 5"),
    )
    yield Draft(
        "strata/emitted-events-out-of-order",
        "Matches may be emitted in another order than that of their timestamps",
        "rule Make where a : A, b : B when b in a [1 ms, 20 ms] then\n"
        "    emit D at a.timestamp + 20 ms - 1 ms with { k = b.k }\n"
        "rule Use where d : D, e : D { k > d.k } when e in d [0 ms, 5 ms]",
        "a1@0 a2@2 b1@3(k=1) b2@9(k=2)",
        "Make: a1 b1; Make: a1 b2; Make: a2 b1; Make: a2 b2; "
        "Use: Make(a=a1,b=b1) Make(a=a1,b=b2); Use: Make(a=a1,b=b1) Make(a=a2,b=b2); "
        "Use: Make(a=a2,b=b1) Make(a=a2,b=b2)",
        ("SPEC 4",),
    )
    yield Draft(
        "strata/second-emission-joins-the-first",
        "Two events of one match meet in the next stratum",
        "rule Make where a : A then emit D at a.timestamp with { k = 1 } emit E at a.timestamp + 2 ms with { k = 2 }\n"
        "rule Use where d : D, e : E when e in d [2 ms, 2 ms]",
        "a1@0 a2@2",
        "Make: a1; Make: a2; Use: Make#1(a=a1) Make#2(a=a1); Use: Make#1(a=a2) Make#2(a=a2)",
        ("SPEC 3", "SPEC 4"),
    )


def _failures() -> Iterator[Draft]:
    yield Draft(
        "novalue/emission-attribute",
        "An emission over no value emits nothing, and the match stays",
        "rule Make where a : A then emit D at a.timestamp with { k = a.k + 1 }\nrule Use where d : D",
        f"a1@0(k={_GREATEST}) a2@1(k=1)",
        "Make: a1; Make: a2; Use: Make(a=a2)",
        ("SPEC 2",),
    )
    yield Draft(
        "novalue/emission-timestamp",
        "A timestamp beyond 64 bit has no value, also on the way to one that would have",
        "rule Make where a : A then emit N at a.timestamp + 1 ms - 1 ms\nrule Use where n : N",
        f"a1@0 a2@{_GREATEST}",
        "Make: a1; Make: a2; Use: Make(a=a1)",
        ("SPEC 2", "docs/language.md"),
    )
    yield Draft(
        "novalue/emission-before-all-time",
        "A timestamp before the least has no value",
        "rule Make where a : A then emit N at a.timestamp - 1 ms",
        f"a1@{_LEAST} a2@{_LEAST + 1}",
        "a1; a2",
        ("SPEC 2",),
    )
    yield Draft(
        "novalue/one-of-two-emissions",
        "One emission of a match may fail and another not; the id of the other keeps its number",
        "rule Make where a : A then emit D at a.timestamp with { k = a.k * 2 } emit D at a.timestamp with { k = a.k }\n"
        "rule Use where d : D",
        f"a1@0(k={_GREATEST})",
        "Make: a1; Use: Make#2(a=a1)",
        ("SPEC 2", "SPEC 3"),
    )
    yield Draft(
        "novalue/list-item",
        "A list with an item without value has no value",
        "template O { xs : [Float; 2] }\n"
        "rule Make where a : A then emit O at a.timestamp with { xs = list(1.0, 1 / a.k) }",
        "a1@0(k=0) a2@1(k=4)",
        "a1; a2",
        ("SPEC 2",),
    )
    yield Draft(
        "novalue/emission-that-would-defeat",
        "An emission that failed defeats nothing",
        "rule Make where b : B then emit D at b.timestamp with { k = b.k + 1 }\n"
        "rule Quiet where a : A, no d : D when no d in a [0 ms, 5 ms]",
        f"a1@0 b1@1(k={_GREATEST}) a2@10 b2@11(k=0)",
        "Make: b1; Make: b2; Quiet: a1",
        ("SPEC 2", "SPEC 4"),
    )
