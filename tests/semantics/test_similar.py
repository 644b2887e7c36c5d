"""What is said of a name that there is not."""

from __future__ import annotations

import pytest

from parte.semantics.source.similar import advice


@pytest.mark.parametrize(
    ("name", "known", "otherwise", "expected"),
    [
        ("soundd", ["sound", "published"], "", "did you mean sound?"),
        ("else", ["sound", "published"], "", "there are: sound, published"),
        ("else", ["sound", "published"], "see there", "see there"),
        ("", [], "", "there are: none"),
        ("x" * 100_000, ["sound"], "see there", "see there"),
    ],
)
def test_advice(name: str, known: list[str], otherwise: str, expected: str) -> None:
    assert advice(name, known, otherwise) == expected


def test_among_many_a_few_are_compared() -> None:
    assert advice("e1999999", (f"e{number}" for number in range(200_000))).startswith("did you mean e1")
