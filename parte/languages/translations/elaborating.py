"""Construction of a PARTElang program from the templates and rules of a translation."""

from __future__ import annotations

from collections.abc import Iterable

from parte.languages.translations.naming import Vocabulary
from parte.semantics.partelang.syntax import ast, core
from parte.semantics.partelang.syntax.elaborate import elaborate
from parte.semantics.partelang.syntax.expectations import KEYWORDS, LEVEL_2
from parte.semantics.source.diagnostics import ProgramError
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.spans import Span

PARTELANG = Vocabulary("PARTElang", {*KEYWORDS, *LEVEL_2}, ("timestamp",))
_LEVEL_1 = Vocabulary("PARTElang", KEYWORDS, ("timestamp",))
BARE = ("true", "false", *LEVEL_2)
"""Attributes that mean something else if they stand without a variable."""


def elaborated(
    templates: Iterable[ast.Template], rules: Iterable[ast.Rule], span: Span, hint: str, reporter: Reporter
) -> core.Program:
    """Return the program of some templates and rules, of level 2 if it needs that.

    Raise ProgramError, at `span`, if a name in it means something else.
    """
    templates, rules = tuple(templates), tuple(rules)
    nodes = ast.NODES.within(ast.SourceProgram((*templates, *rules)))
    level = 2 if any(_is_of_level_2(node) for node in nodes) else 1
    vocabulary = PARTELANG if level == 2 else _LEVEL_1
    for template in templates:
        vocabulary.refuse_template(template.name, span, reporter)
        for slot in template.slots:
            vocabulary.refuse_attribute(slot.name, span, reporter)
    reporter.raise_if_failed()
    try:
        return elaborate(ast.SourceProgram((*templates, *rules), level))
    except ProgramError as error:
        message = f"in PARTElang {error.diagnostics[0].message}"
        reporter.report("no-counterpart", span, message, hint)
        reporter.raise_if_failed()
        raise


def _is_of_level_2(node: ast.Node) -> bool:
    match node:
        case ast.Pattern(selection=ast.Selection()) | ast.Slot(optional=True):
            return True
        case _:
            return isinstance(node, ast.Compound | ast.Presence)
