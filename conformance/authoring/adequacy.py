"""Cases for errors that no other case would tell: each kills a mutant (`conformance.mutants`) that had survived."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.authoring.drafts import Draft

_NO = ("SPEC 2", "SPEC 4")


def drafts() -> Iterator[Draft]:
    """All cases of this module."""
    yield Draft(
        "negation/defeats-before-and-after",
        "One event defeats what came before it and what comes after it: it is not used up",
        "rule R where a : A, no b : B when no b in a [-10 ms, 10 ms]",
        "a1@0 b1@1 a2@2 a3@12",
        "a3",
        _NO,
    )
    yield Draft(
        "negation/defeats-a-later-arrival-at-one-time",
        "Of three events at one time the second defeats the third, though the first has promised that time already",
        "rule R where a : A, no b : B when no b in a [0 ms, 0 ms]",
        "a1@5 b1@5 a2@5 a3@6",
        "a3",
        _NO,
    )
    yield Draft(
        "order/three-results-of-one-step",
        "An event completes three partial matches at once, the earliest of which arrived last and has a partner below",
        "rule R where a : A, b : B, c : C when b in a [-10 ms, 10 ms], c in a [0 ms, 1 ms]",
        "a1@5 a2@5 a3@0 c1@0 b1@5",
        "a3 b1 c1",
        ("SPEC 4", "SPEC 5"),
        disorder=5,
    )
    yield Draft(
        "ties/after-a-rejected-event",
        "An event that fails a condition says nothing about the next one at the same time",
        "rule R where a : A, b : B { k = 1 } when b in a [0 ms, 0 ms]",
        "a1@0 b1@0 b2@0(k=1)",
        "a1 b2",
        ("SPEC 4", "SPEC 5"),
    )
    yield Draft(
        "novalue/equal-to-no-value",
        "Two sides without value are not equal",
        "rule R where a : A, b : B { k / 0 = a.k / 0 } when b in a [0 ms, 9 ms]",
        "a1@0 b1@1",
        "",
        ("SPEC 2",),
    )
    yield Draft(
        "novalue/function-of-no-value",
        "A function has no value if one of its arguments has none, whatever the others are",
        "rule R where v : V { min(1.0 / f, 2.0) > 1.0 }",
        "v1@0 v2@1(f=0.5)",
        "v2",
        ("SPEC 2",),
    )
    yield Draft(
        "numbers/whole-number-beyond-binary64-for-a-float",
        "A whole number given for a Float is the nearest binary64 number, here one less",
        "rule R where v : V { f = 9007199254740992.0 }",
        "v1@0(f=9007199254740993) v2@1(f=9007199254740994)",
        "v1",
        ("SPEC 2", "SPEC 3"),
    )
    yield Draft(
        "negation/absences-one-after-the-other",
        "Each event waits for its own absence, some of them defeated by the next one",
        "rule R where a : A, no b : A when no b in a [1 ms, 2 ms]",
        "a1@3 a2@3 a3@6 a4@9 a5@11 a6@14 a7@16 a8@17",
        "a1; a2; a3; a5; a8",
        _NO,
    )
    yield Draft(
        "windows/chain-around-the-middle",
        "The middle event lies anywhere around the first and is the last one as well, one event a millisecond",
        "rule R where a : A, b : A { k = 1 }, c : A when b in a [-4 ms, 4 ms], c in b [0 ms, 0 ms]",
        "a1@1 a2@2 a3@3 a4@4(k=1) a5@5 a6@6 a7@7 a8@8 a9@9",
        "; ".join(f"a{first} a4 a4" for first in range(1, 9)),
    )
