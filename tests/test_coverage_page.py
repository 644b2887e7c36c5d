"""The page of what the suites cover says where cases come from, in words."""

from __future__ import annotations

import re

from docs.coverage_page import coverage_page
from parte.languages.registry import languages


def test_origins_are_words_and_numbers() -> None:
    page = coverage_page(lambda *_: "")
    lines = re.findall("By origin: (.*)[.]$", page, re.MULTILINE)
    assert len(lines) == len(languages())
    for line in lines:
        assert all(re.fullmatch(r"\d+ [\w.]*\w( \w+)*", part) for part in line.split(", ")), line
