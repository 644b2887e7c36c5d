"""Each guest can be left out: what remains has its types and import rules, collects its tests, and works."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sampling import sampled
from tests.without import GUESTS, belongs_to, checked, copy_without, run

SAMPLE = ("tests/parte/test_names.py", "tests/parte/test_languages.py", "tests/test_schemas.py")
"""Tests of commands on the languages that are left, of the registry and of the schemas."""


@pytest.mark.parametrize(
    "guest", [pytest.param(guest, marks=sampled(number, usual=len(GUESTS))) for number, guest in enumerate(GUESTS)]
)
def test_the_tree_without_a_guest(guest: str, tmp_path: Path) -> None:
    tree = copy_without(guest, tmp_path)
    for result in checked(tree):
        assert result.returncode == 0, result.stdout[-5_000:] + result.stderr[-5_000:]
    code = "from parte.languages.registry import languages, missing; print(languages()[1:], missing())"
    listed = run(tree, "-c", code)
    assert f"('{guest.upper()}',)" in listed.stdout
    assert f"parte.languages.{guest}" not in listed.stdout
    sample = run(tree, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "-m", "not exhaustive", *SAMPLE)
    assert sample.returncode == 0, sample.stdout[-5_000:] + sample.stderr[-5_000:]


def test_what_belongs_to_a_guest() -> None:
    for name in ("parte/languages/cel/api.py", "tests/languages/translations/cel/part.py"):
        assert belongs_to("cel", Path(name))
        assert not belongs_to("lead", Path(name))
    between = Path("parte/languages/translations/eql/cel/to_cel.py")
    assert [guest for guest in ("cel", "eql", "lead") if belongs_to(guest, between)] == ["cel", "eql"]
    for name in ("parte/languages/cel.py", "parte/languages/registry.py", "docs/cel.md", "parte/cel/a.py"):
        assert not belongs_to("cel", Path(name))
