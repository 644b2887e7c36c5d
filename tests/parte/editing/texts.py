"""Texts for the tests of the language server: programs of the examples and of the suites, and whatever text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from hypothesis import strategies as st

from parte.conformance.fixtures import Fixture
from parte.conformance.suites import load_suite
from parte.editing.support import Support, supported
from parte.languages.registry import language_called

ROOT = Path(__file__).parents[3]
_LONG = 10_000


@cache
def cases(language: str) -> Sequence[Fixture]:
    """The cases of a suite but those with huge programs, one for each program."""
    cases_by_name = {
        case.text: case for case in load_suite(language_called(language)).cases.values() if len(case.text) < _LONG
    }
    return tuple(cases_by_name.values())


@cache
def examples(support: Support) -> Sequence[str]:
    """The examples in a language that are whole programs; tests of imports have files that import others."""
    paths = sorted((ROOT / "examples").rglob(f"*{support.colouring.ending}"))
    texts = (path.read_text(encoding="utf-8") for path in paths)
    return tuple(text for text in texts if '\nimport "' not in text)


@cache
def programs(support: Support) -> Sequence[str]:
    """The examples, and the programs of the suite that are valid."""
    valid = (case.text for case in cases(support.colouring.language) if case.expected.rejected is None)
    return (*examples(support), *valid)


_STRANGE = "ab1_ \n\r\t\"'/%-#.=<>:!&|{}()[],;é𝄞e\u0301\x00\ufeff\u2028\x0b\ud800\udc00"

anything = st.text(st.sampled_from(_STRANGE) | st.characters(), max_size=60)
"""Texts that no editor should send, and some that it may."""


@st.composite
def damaged(draw: st.DrawFn) -> tuple[Support, str]:
    """A language, and a text that was a program in it before something happened to it."""
    support = draw(st.sampled_from(supported()))
    text = draw(st.sampled_from([*examples(support), *programs(support)[:200:10], ""]))
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(text)))
        end = start + draw(st.integers(0, 12))
        text = text[:start] + draw(anything) + text[end:]
    return support, draw(st.sampled_from([text, text.replace("\n", "\r\n"), text.rstrip("\n")]))
