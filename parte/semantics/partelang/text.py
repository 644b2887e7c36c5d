"""PARTElang as text: read and print programs, compare and print matches."""

from __future__ import annotations

from functools import lru_cache

from parte.semantics.partelang.reported_matches import key_in, match_lines
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.codes import CODES
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.partelang.syntax.imports import parse_at, source_at
from parte.semantics.partelang.syntax.json_form import program_to_json, schema
from parte.semantics.partelang.syntax.parser import parse_source
from parte.semantics.partelang.syntax.printer import print_program
from parte.semantics.source.text import Text


@lru_cache(8)
def parsed(text: str) -> core.Program:
    """Return the program in a text; the last few programs are cached, for other traces."""
    return parse(text)


_OF_FILES = frozenset(
    {
        *("invalid-import", "import-not-found", "import-outside", "import-level", "cyclic-import"),
        "too-many-imports",
    }
)
"""The codes of programs in several files. A text alone has none of them: it imports nothing."""

TEXT = Text(
    parse=parsed,
    source=parse_source,
    layout=print_program,
    warnings=lambda program: program.warnings,
    tree=program_to_json,
    schema=schema,
    key=key_in,
    match_lines=match_lines,
    codes=tuple(code for code in CODES if code not in _OF_FILES),
    parse_at=parse_at,
    joined=lambda text, path, include: print_program(source_at(text, path, include)),
)
