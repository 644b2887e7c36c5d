"""State that ends too early: small cases that Drools, which infers when its events expire, was found to fail."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.authoring.drafts import Draft

_NO = "rule R where a : A, no b : B when no b in a [0 ms, 5 ms]"
_SECTIONS = ("SPEC 3", "SPEC 4")


def drafts() -> Iterator[Draft]:
    """All cases of this module."""
    yield Draft(
        "expiry/offender-before-the-end-of-the-absence",
        "Elsewhere what defeats an absence expires before the absence is decided, which then holds",
        _NO,
        "a1@0 b1@1",
        "",
        _SECTIONS,
    )
    yield Draft(
        "expiry/tie-at-the-end-of-the-absence",
        "Elsewhere an absence is decided at the end of its window, before a tie that arrives later",
        "rule R where a : A, no b : B when no b in a [1 ms, 5 ms]",
        "a1@0 a2@5 b1@5",
        "a2",
        _SECTIONS,
    )
    for name, trace in (("at-once", "a1@0 b1@0 b2@1 c1@2"), ("later", "a1@0 b1@0 b2@1 c2@1 c1@2")):
        yield Draft(
            f"expiry/sibling-of-what-expires-{name}",
            "Elsewhere an event that expires takes along the partial match of another that joined the same events",
            "rule R where a : A, b : B, c : C when b in a [0 ms, 1 ms] c in b [0 ms, 1 ms]",
            trace,
            "a1 b2 c1" if name == "at-once" else "a1 b1 c2; a1 b2 c2; a1 b2 c1",
            ("SPEC 4",),
        )
    yield Draft(
        "expiry/absence-in-two-windows",
        "Elsewhere an event expires with the first of the windows of its absence, which is decided with the last",
        "rule R where a : A, no b : B when no b in a [0 ms, 0 ms] no b in a [0 ms, 2 ms]",
        "a1@0",
        "a1",
        _SECTIONS,
    )
    yield Draft(
        "expiry/absence-that-nothing-can-defeat",
        "Elsewhere an event expires before its absence is decided, if the windows of the absence contradict each other",
        "rule R where a : A, no b : B when no b in a [0 ms, 1 ms] no b in a [2 ms, 2 ms]",
        "a1@0",
        "a1",
        ("SPEC 2", "SPEC 4"),
    )
