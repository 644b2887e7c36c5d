"""Construction of a PARTElang program from the templates and rules of a translation."""

from __future__ import annotations

from collections.abc import Iterable

from parte.languages.translations.naming import Vocabulary
from parte.semantics.partelang.syntax import ast, core
from parte.semantics.partelang.syntax.elaborate import elaborate
from parte.semantics.partelang.syntax.expectations import KEYWORDS
from parte.semantics.source.diagnostics import ProgramError
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.spans import Span

PARTELANG = Vocabulary("PARTElang", KEYWORDS, ("timestamp",))
BARE = ("true", "false")
"""Attributes that are constants if they stand without a variable."""


def elaborated(
    templates: Iterable[ast.Template], rules: Iterable[ast.Rule], span: Span, hint: str, reporter: Reporter
) -> core.Program:
    """Return the program of some templates and rules. Raise ProgramError, at `span`, if a name in it means something
    else."""
    templates = tuple(templates)
    for template in templates:
        PARTELANG.refuse_template(template.name, span, reporter)
        for slot in template.slots:
            PARTELANG.refuse_attribute(slot.name, span, reporter)
    reporter.raise_if_failed()
    try:
        return elaborate(ast.SourceProgram((*templates, *rules)))
    except ProgramError as error:
        message = f"in PARTElang {error.diagnostics[0].message}"
        reporter.report("no-counterpart", span, message, hint)
        reporter.raise_if_failed()
        raise
