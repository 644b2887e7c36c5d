"""The parts of a page of Markdown that are no prose."""

from __future__ import annotations

import re

FENCE = re.compile(r"^ *(`{3,})[^\n]*\n.*?^ *\1 *$", re.MULTILINE | re.DOTALL)
GENERATED = re.compile(r"<!-- tree: .*?<!-- end -->", re.DOTALL)
CODE = re.compile(r"(`+)(?:(?!\n\n).)+?\1", re.DOTALL)
TARGET = re.compile(r"\]\([^)]*\)|<[^>]*>")
