"""Deployment files are read strictly, and every problem is reported with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from parte.checker.environment.deployment import (
    Cardinality,
    Deployment,
    DeploymentError,
    Emits,
    Source,
    load_deployment,
    read_deployment,
)
from parte.checker.partelang.deployment import fit
from parte.semantics.events.files import UnusableFile
from parte.semantics.events.rates import Rate, Supply, least_span, within
from parte.semantics.partelang.syntax.elaborate import parse

FULL = """
event_bytes = 100
steps_per_second = 1_000_000

[[source]]
name = "bank-a"
late = "5 seconds"

[[source.emits]]
template = "MoneyTransferred"
every = "20 seconds"

[[source.emits]]
template = "Claimed"
at_most = 3
per = "1 minute"

[[source]]
name = "bank-b"
every = "7 ms"

[[source.emits]]
template = "MoneyTransferred"

[[cardinality]]
template = "MoneyTransferred"
attribute = "originator"
at_most = 2
per = "1 days"
distinct = 1_000
"""


def test_everything_that_can_be_said_is_read() -> None:
    deployment = read_deployment(FULL)
    assert deployment == Deployment(
        sources=(
            Source("bank-a", (Emits("MoneyTransferred", Rate(1, 20_000)), Emits("Claimed", Rate(3, 60_000))), 5_000),
            Source("bank-b", (Emits("MoneyTransferred", Rate(1, 7)),)),
        ),
        cardinalities=(Cardinality("MoneyTransferred", ("originator",), Rate(2, 86_400_000), 1_000),),
        event_bytes=100,
        steps_per_second=1_000_000,
    )
    assert deployment.senders() == {"MoneyTransferred": ("bank-a", "bank-b"), "Claimed": ("bank-a",)}
    assert deployment.supplies()["bank-b", "MoneyTransferred"] == Supply(Rate(1, 7), 0)
    assert deployment.skew == 5_000


NO_UNIT = "expected a duration such as '5 minutes' or '250 ms', in quotes, found {}, a number without a unit"
SOURCE = '[[source]]\nname = "s"\n[[source.emits]]\ntemplate = "A"\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = ", "not TOML"),
        ("x = " + "9" * 5_000, "an integer lies outside the signed 64-bit range"),
        ("x = " + "[" * 100_000, "not usable TOML: more than 64 brackets are open at once (at line 1, column 69)"),
        (f"{'x' * 100_000} = 1", f"{'x' * 100}: this key is unknown"),
        (f"source = '{'x' * 100_000}'", "source: expected tables, as in [[source]], found 'xxxxxxxxxxxx...xxx"),
        ("", "there is no [[source]]"),
        ("[[source]]\nname = 's'\nevery = '1 ms'\n", "source[1]: there is no [[source.emits]]"),
        (SOURCE + "every = '1 ms'\nsources = 2\n", "source[1].emits[1].sources: this key is unknown"),
        ("late = 1\n" + SOURCE + "every = '1 ms'\n", "late: this key is unknown"),
        (SOURCE, "source[1].emits[1]: expected a rate"),
        (SOURCE + "every = '1 ms'\nat_most = 2\n", "source[1].emits[1]: expected a rate"),
        (SOURCE + "at_most = 2\n", "source[1].emits[1]: the key 'per' is missing"),
        (SOURCE + "every = '0 ms'\n", "source[1].emits[1].every: expected at least one millisecond, found '0 ms'"),
        (SOURCE + "every = '5'\n", "source[1].emits[1].every: expected a duration such as"),
        (SOURCE + "every = 1.5\n", "source[1].emits[1].every: expected a duration such as"),
        ("[[source]]\nname = 's'\nlate = 2\n", f"source[1].late: {NO_UNIT.format(2)}"),
        (SOURCE + "every = true\n", "source[1].emits[1].every: expected a duration such as"),
        (SOURCE + "at_most = 0\nper = 1\n", "source[1].emits[1].at_most: expected a whole number from 1, found 0"),
        ("[[source]]\nname = ''\n[[source.emits]]\ntemplate = 'A'\nevery = '1 ms'", "source[1].name: expected a name"),
        ("[[source]]\n[[source.emits]]\ntemplate = 'A'\nevery = '1 ms'", "source[1]: the key 'name' is missing"),
        ("source = 3", "source: expected tables, as in [[source]], found 3"),
        ("[[source]]\nname = 's'\nlate = '-1 ms'\n", "source[1].late: expected no negative duration"),
        (SOURCE + "every = '1 ms'\n" + SOURCE + "every = '1 ms'\n", "source: the name 's' occurs more than once"),
        ("event_bytes = 'x'\n" + SOURCE + "every = '1 ms'\n", "event_bytes: expected a whole number from 1"),
        ("[[cardinality]]\ntemplate = 'A'\n", "cardinality[1]: the key 'attribute' is missing"),
    ],
)
def test_what_is_wrong_is_reported_with_its_place(text: str, expected: str) -> None:
    with pytest.raises(DeploymentError) as caught:
        read_deployment(text, filename="d.toml")
    assert f"d.toml: {expected}" in str(caught.value)


def test_every_problem_is_reported() -> None:
    with pytest.raises(DeploymentError) as caught:
        read_deployment("a = 1\nb = 2\n" + SOURCE + "every = 0\n")
    assert len(caught.value.problems) == 3


def test_a_deployment_must_fit_the_program() -> None:
    program = parse("template MoneyTransferred { amount: Float }\nrule R where a: MoneyTransferred then")
    with pytest.raises(DeploymentError) as caught:
        fit(read_deployment(FULL), program)
    text = str(caught.value)
    assert "source 'bank-a' emits 'Claimed', which the program does not declare" in text
    assert "MoneyTransferred has no attribute 'originator'" in text


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "d.toml"
    path.write_text(FULL, encoding="utf-8")
    assert load_deployment(path) == read_deployment(FULL)
    path.write_bytes(b"\xff")
    with pytest.raises(UnusableFile, match="UTF-8"):
        load_deployment(path)


@pytest.mark.parametrize("rates", [[Rate(1, 1)], [Rate(1, 3)], [Rate(2, 3)], [Rate(1, 2), Rate(3, 5)]])
def test_the_least_span_inverts_the_count(rates: list[Rate]) -> None:
    supplies = [Supply(rate) for rate in rates]
    for events in range(1, 30):
        span = least_span(supplies, events)
        assert within(supplies, span) >= events
        assert within(supplies, span - 1) < events
