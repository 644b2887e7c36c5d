"""The support of editors for PARTElang."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from parte.editing.partelang.colouring import COLOURING
from parte.editing.partelang.names import declarations, imports, names
from parte.editing.partelang.typing import type_at
from parte.editing.support import Support
from parte.semantics.events.duration import UNITS
from parte.semantics.partelang.syntax import core, functions
from parte.semantics.partelang.syntax.codes import CODES
from parte.semantics.partelang.syntax.parser import expected, level_of
from parte.semantics.source.spans import Position
from parte.semantics.source.tokens import Token


def _of_functions() -> dict[str, str]:
    """Return the clauses that define built-in functions, each with the names of its functions."""
    words: dict[str, list[str]] = {}
    for function in functions.BUILT_IN.values():
        words.setdefault(function.clause, []).append(function.name)
    return {clause: " ".join(names) for clause, names in words.items() if clause}


CLAUSES = {
    "type-aliases": "type",
    "templates": "template",
    "predicate-declarations": "predicate",
    "patterns": "rule where no",
    "windows-closed": "when in",
    "windows-ever": "ever",
    "selections": "first last",
    "alternatives": "either",
    "sets": "all",
    "having": "having",
    "aggregates": "exists count sum distinct",
    "named-patterns": "pattern exports end",
    "use": "use as",
    "imports": "import",
    "emissions": "then emit",
    "at-forms": "at",
    "assignments": "with",
    "suppression": "once per",
    "keywords": "true false",
    "connectives": "and or not",
    "presence": "is present missing",
    "scalar-types": "Integer Float String Boolean",
    **_of_functions(),
    "list-values": "list",
}
"""The clauses of the specification, each with the words whose meaning it states."""


def _files(program: object) -> Mapping[str, str]:
    return cast(core.Program, program).source.files


def _last_declaration(tokens: Sequence[Token]) -> Sequence[Token]:
    *_, last = [(), *declarations(tokens)]
    return [*(tokens[:2] if level_of(tokens) > 1 else ()), *last]


SUPPORT = Support(
    COLOURING,
    CODES,
    names,
    expected,
    _last_declaration,
    {"UNIT": list(UNITS), "AMONG": ["in"]},
    {word: unit.value for word, unit in UNITS.items()},
    cast(Callable[[object, Position], str], type_at),
    exact=True,
    clauses=CLAUSES,
    imports=imports,
    files=_files,
)
