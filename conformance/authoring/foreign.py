"""What foreign engines got wrong, each as small as it gets (docs/engines.md says which, and why)."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.authoring.drafts import Draft, event


def drafts() -> Iterator[Draft]:
    """All cases of this module."""
    yield Draft(
        "strings/backspace-in-a-constant",
        "U+0008 in a constant is a character like any other, and erases none",
        r'rule R where a : V { s = "ab\bc" }',
        [event("v1", 1, s="ab\bc"), event("v2", 2, s="ac")],
        "v1",
        ("SPEC 2",),
    )
    yield Draft(
        "novalue/division-in-an-emission",
        "A division by zero in an emission makes that emission fail, and nothing after it",
        "template F { x : Float }\n"
        "rule Make where a : A then emit F at a.timestamp with { x = 1 / a.k }\n"
        "rule Use where f : F",
        "a1@0(k=0) a2@1(k=4)",
        "Make: a1; Make: a2; Use: Make(a=a2)",
        ("SPEC 2",),
    )
    yield Draft(
        "novalue/division-of-constants",
        "A division by zero that can be seen in the text has no value either, and does no harm to other rules",
        "rule Never where a : A { k > 0 / 0 }\nrule Always where a : A",
        "a1@0",
        "Always: a1",
        ("SPEC 2",),
    )
    yield Draft(
        "windows/at-the-epoch",
        "Timestamp 0 is a timestamp like any other",
        "rule R where a : A, b : B when b in a [0 ms, 0 ms]",
        "a1@0 b1@0",
        "a1 b1",
    )
    yield Draft(
        "windows/before-the-epoch",
        "Negative timestamps are timestamps like any other",
        "rule R where a : A, b : B when b in a [0 ms, 5 ms]",
        "a1@-10 b1@-8",
        "a1 b1",
    )
    yield Draft(
        "negation/before-the-epoch",
        "An absence that ends before timestamp 0 is judged like any other",
        "rule R where a : A, no b : B when no b in a [0 ms, 5 ms]",
        "a1@-30 b1@-28 a2@-20",
        "a2",
    )
