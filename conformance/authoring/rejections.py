"""What must be rejected: a program for every diagnostic code, and traces and domains that cannot be used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from conformance.authoring.codes import DECLARATIONS, ERRORS, marked
from conformance.authoring.drafts import Draft
from conformance.fixtures import Place
from conformance.protocol import INVALID_DOMAIN, INVALID_TRACE
from semantics.syntax.codes import CODES
from semantics.syntax.limits import MAX_REPORTED, MAX_SOURCE_CHARACTERS, MAX_TOKENS

_LONGEST = 20_000
_RULE = (
    "template A { k : Integer, f : Float }\ntemplate B { k : Integer }\n"
    "rule R where a : A, b : B when b in a [0 ms, 5 ms]"
)


def drafts() -> Iterator[Draft]:
    """All cases of this module."""
    yield from _programs()
    yield from _large_programs()
    yield from _traces()
    yield from _domains()


def _programs() -> Iterator[Draft]:
    numbers: Counter[str] = Counter()
    for code, text in ERRORS:
        numbers[code] += 1
        source, (line, column) = marked(DECLARATIONS.strip("\n") + "\n" + text)
        if len(source) > _LONGEST:
            continue  # written in short below
        if "\ud800" in source:
            continue  # cannot be sent: no text in UTF-8 holds half a surrogate pair
        yield Draft(
            f"rejects/{code}-{numbers[code]}",
            f"Rejected: {CODES[code].title} ({numbers[code]})",
            source.split("\n"),
            rejected=Place(code, line, column),
            sections=("SPEC 2", "docs/diagnostics.md"),
        )


def _large_programs() -> Iterator[Draft]:
    sections = ("SPEC 2", "docs/language.md")
    yield Draft(
        "rejects/source-too-large-1",
        "Rejected: a source of one character too many",
        [{"repeat": " ", "times": MAX_SOURCE_CHARACTERS + 1}],
        rejected=Place("source-too-large", 1, 1),
        sections=sections,
    )
    yield Draft(
        "rejects/source-too-large-2",
        "Rejected: a source of one word too many",
        [{"repeat": ",", "times": MAX_TOKENS + 1}],
        rejected=Place("source-too-large", 1, MAX_TOKENS + 1),
        sections=sections,
    )
    yield Draft(
        "rejects/too-many-errors-1",
        "Rejected: after the thousandth error no more are listed",
        [{"repeat": "template T {}\n", "times": MAX_REPORTED + 100}],
        rejected=Place("too-many-errors", MAX_REPORTED + 2, 10),
        sections=sections,
    )


def _event(id_: str, template: str, timestamp: object, **more: object) -> dict[str, Any]:
    slots = {"A": {"k": 0, "f": 0.0}, "B": {"k": 0}}
    return {"id": id_, "template": template, "timestamp": timestamp, "attributes": slots.get(template, {})} | more


def _traces() -> Iterator[Draft]:
    first = _event("a1", "A", 10)
    wrong: list[tuple[str, str, list[dict[str, Any]]]] = [
        ("broken-promise", "an event that is older than its source promised by its last one", [_event("a2", "A", 9)]),
        (
            "broken-progress",
            "an event below the promise of a progress line",
            [{"source": "default", "template": "B", "progress": 5}, _event("b1", "B", 4)],
        ),
        ("unknown-template", "an event of a template that is not declared", [_event("c1", "C", 10)]),
        (
            "unknown-template-of-a-promise",
            "a promise for a template that is not declared",
            [{"source": "default", "template": "C", "progress": 5}],
        ),
        ("missing-attribute", "an event that lacks an attribute", [_event("a2", "A", 10, attributes={"k": 0})]),
        (
            "surplus-attribute",
            "an event with an attribute too many",
            [_event("b1", "B", 10, attributes={"k": 0, "x": 1})],
        ),
        ("wrong-type", "a String for an Integer", [_event("b1", "B", 10, attributes={"k": "0"})]),
        (
            "fraction-for-an-integer",
            "a number with a point for an Integer",
            [_event("b1", "B", 10, attributes={"k": 1.0})],
        ),
        ("boolean-for-an-integer", "a Boolean for an Integer", [_event("b1", "B", 10, attributes={"k": True})]),
        ("null", "an attribute without a value", [_event("b1", "B", 10, attributes={"k": None})]),
        ("integer-out-of-range", "an Integer beyond 64 bit", [_event("b1", "B", 10, attributes={"k": 2**63})]),
        ("list-for-a-scalar", "a list for an Integer", [_event("b1", "B", 10, attributes={"k": [1]})]),
        ("duplicate-id", "an id that is used twice, of two templates", [_event("a1", "B", 11)]),
        ("id-of-an-emitted-event", "an id that looks like one of an emitted event", [_event("R(a=1)", "B", 11)]),
        ("source-of-a-rule", "a source that looks like a rule", [_event("b1", "B", 11, source="rule:R#1")]),
        ("empty-id", "an empty id", [_event("", "B", 11)]),
        ("timestamp-out-of-range", "a timestamp beyond 64 bit", [_event("b1", "B", 2**63)]),
        ("timestamp-fraction", "a timestamp that is no whole number", [_event("b1", "B", 11.5)]),
        ("timestamp-without-offset", "a time without an offset", [_event("b1", "B", "2018-01-01T08:00:00")]),
        ("timestamp-too-fine", "a time finer than a millisecond", [_event("b1", "B", "2018-01-01T08:00:00.0005Z")]),
        ("unknown-key", "an event with a key that events do not have", [_event("b1", "B", 11, colour="red")]),
        ("no-timestamp", "an event without a timestamp", [{"id": "b1", "template": "B", "attributes": {"k": 0}}]),
    ]
    for name, what, items in wrong:
        yield Draft(
            f"rejects/trace-{name}",
            f"A trace is rejected at its line: {what}",
            _RULE,
            [first, *items],
            rejected=Place(INVALID_TRACE, 1 + len(items)),
            sections=("SPEC 3", "docs/traces.md"),
        )
    yield Draft(
        "rejects/trace-disorder-exceeded",
        "A trace is rejected at its line: an event that lags by more than the disorder",
        _RULE,
        [_event("a1", "A", 10), _event("a2", "A", 7), _event("a3", "A", 6)],
        disorder=3,
        rejected=Place(INVALID_TRACE, 3),
        sections=("SPEC 3",),
    )


def _domains() -> Iterator[Draft]:
    program = 'template A { k : Integer }\npredicate p(Integer, String)\nrule R where a : A { p(k, "x") }'
    trace = [{"id": "a1", "template": "A", "timestamp": 0, "attributes": {"k": 0}}]
    for name, what, domain in (
        ("missing", "a declared predicate that is not supplied", {}),
        ("surplus", "a predicate that is not declared", {"p": {"true_for": []}, "q": {"true_for": []}}),
        ("too-few-columns", "a row that is too short", {"p": {"true_for": [[1]]}}),
        ("too-many-columns", "a row that is too long", {"p": {"true_for": [[1, "x", 2]]}}),
        ("wrong-type", "a value of the wrong type", {"p": {"true_for": [["1", "x"]]}}),
        ("both-meanings", "rows for both meanings", {"p": {"true_for": [], "false_for": []}}),
        ("no-meaning", "neither meaning", {"p": {}}),
        ("no-rows", "no list of rows", {"p": {"true_for": 7}}),
    ):
        yield Draft(
            f"rejects/domain-{name}",
            f"A domain is rejected: {what}",
            program,
            trace,
            domain=domain,
            rejected=Place(INVALID_DOMAIN, 1),
            sections=("SPEC 2", "docs/traces.md"),
        )
