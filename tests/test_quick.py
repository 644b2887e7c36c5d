"""Which tests `make quick` runs for a change."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import quick


@pytest.mark.parametrize(
    ("changed", "nearest"),
    [
        ("semantics/parte/kernel.py", "tests/semantics/parte/test_kernel.py"),
        ("semantics/parte/syntax/grammar.lark", "tests/semantics/parte/syntax/test_parser.py"),
        ("conformance/suite/parte/windows.cases", "tests/conformance/test_suite.py"),
        ("conformance/parte/mutants/windows.toml", "tests/conformance/test_mutants.py"),
        ("conformance/parte/engines/known/clips.jsonl", "tests/conformance/engines/test_clips.py"),
        ("docs/specification/algebra.md", "tests/test_specification.py"),
        ("tests/conformance/toy/language.py", "tests/conformance/toy/test_toy.py"),
        ("tests/conformance/toy/suite/pairs.cases", "tests/conformance/toy/test_toy.py"),
    ],
)
def test_a_changed_file_concerns_the_tests_near_what_reads_it(changed: str, nearest: str) -> None:
    found = [test for test in quick.tests_for([changed], {}) if test != Path(__file__)]  # which names them all
    assert found[0] == quick.ROOT / nearest
