"""From the source tree to the elaborated program, with all errors (specification: every-error)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain

from parte.semantics.partelang.syntax import ast, core
from parte.semantics.partelang.syntax.codes import CODES
from parte.semantics.partelang.syntax.declarations import Declarations, declare
from parte.semantics.partelang.syntax.parser import parse_source
from parte.semantics.partelang.syntax.reuse import NamedPatterns
from parte.semantics.partelang.syntax.rules import check_patterns, elaborate_rule
from parte.semantics.partelang.syntax.stratification import stratify
from parte.semantics.partelang.syntax.windows import check_consistent
from parte.semantics.source.collection import paused_collection
from parte.semantics.source.diagnostics import Diagnostic, ProgramError, Severity
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.spans import Position, Span


def parse(text: str, filename: str | None = None) -> core.Program:
    """Read, scope and type a program; raise ProgramError with all errors if there are any.

    The message of the error names the file; nothing is read from it.
    """
    try:
        return elaborate(parse_source(text))
    except ProgramError as error:
        if filename is None:
            raise
        raise ProgramError(error.diagnostics, filename) from None


def elaborate(source: ast.SourceProgram) -> core.Program:
    """Scope and type a program; raise ProgramError with all errors, in source order, if there are any."""
    program, _ = elaborate_tolerantly(source, ())
    return program


def elaborate_tolerantly(
    source: ast.SourceProgram, tolerated: Collection[str]
) -> tuple[core.Program, tuple[Diagnostic, ...]]:
    """Do the same as `elaborate`, but raise nothing if all errors have tolerated codes.

    For analyses that explain such an error better than a diagnostic can: the program is well-typed, but may not be
    run. The diagnostics, tolerated errors among them, are returned with it.
    """
    with paused_collection():
        return _elaborate(source, tolerated)


def _elaborate(source: ast.SourceProgram, tolerated: Collection[str]) -> tuple[core.Program, tuple[Diagnostic, ...]]:
    reporter = Reporter(source.text, CODES, source.files)
    for item in source.imports:
        message = f"this text is in no file, from which `{item.path}` could be found"
        hint = "write the declarations here, or read the program from a file"
        reporter.report("import-without-file", item.span, message, hint)
    reporter.raise_if_failed()  # without those declarations names would be unknown
    declarations = declare(source, reporter)
    written = [item for item in source.declarations if isinstance(item, ast.Rule)]
    patterns = NamedPatterns(source, declarations, reporter)
    check_patterns(patterns, declarations, reporter)
    expanded = [patterns.expand(node) for node in written]
    nodes = [node.rule for node in expanded if node is not None]
    cases = [elaborate_rule(node, declarations, reporter) for node in expanded if node is not None]
    _check_rule_names(written, reporter)
    strata = stratify(tuple(declarations.templates), nodes, reporter)
    # Warnings are about the meaning of a program, so it must be valid first.
    reporter.raise_if_failed(tolerated)
    for alternatives, node in zip(cases, nodes, strict=True):
        check_consistent(alternatives[0], node, reporter)  # all cases have the same windows
        _warn_unused_sets(alternatives, node, reporter)
    rules = tuple(chain.from_iterable(cases))
    _warn_unused(source, declarations, reporter)
    if not rules:
        start = Position(1, 1)
        hint = "add a rule: `rule Name where a : Template { … }`"
        reporter.report("no-rules", Span(start, start, file=source.file), "the program has no rules", hint)
    predicates = tuple(
        core.Predicate(item.name, tuple(_complete(declarations, item.name)), span=item.span)
        for item in source.declarations
        if isinstance(item, ast.Predicate)
    )
    templates = tuple(schema.template for schema in declarations.templates.values())
    diagnostics = reporter.diagnostics()
    warnings = tuple(diagnostic for diagnostic in diagnostics if diagnostic.severity is Severity.WARNING)
    return core.Program(
        templates, predicates, rules, strata, source.level, warnings=warnings, source=source
    ), diagnostics


def _complete(declarations: Declarations, name: str) -> list[core.Scalar]:
    return [parameter for parameter in declarations.predicates[name] if parameter is not None]


def _check_rule_names(rules: list[ast.Rule], reporter: Reporter) -> None:
    lines: dict[str, str] = {}
    for rule in rules:
        if rule.name in lines:
            message = f"there is a rule called `{rule.name}` already ({lines[rule.name]})"
            reporter.report("duplicate-name", rule.name_span, message, "choose another name")
        lines.setdefault(rule.name, rule.name_span.line)


def _warn_unused_sets(cases: Sequence[core.Rule], node: ast.Rule, reporter: Reporter) -> None:
    """Warn about sets of a rule that no condition of `having` and no emission reads.

    A named pattern may offer sets that some of its uses read: its own are never reported.
    """
    read = set[str]()
    for case in cases:
        read.update(*map(core.variables_of, case.having))
        for emission in case.emissions:
            read.update(core.variables_of(emission.at))
            read.update(*(core.variables_of(assignment.value) for assignment in emission.assignments))
    for pattern in node.patterns:
        if pattern.collected and pattern.variable not in read and "." not in pattern.variable:
            message = f"nothing reads the set `{pattern.variable}`: `{node.name}` matches without such events too"
            hint = f"require events by `having count({pattern.variable}) >= 1`, or remove the pattern"
            reporter.report("unused-set", pattern.variable_span, message, hint)


def _warn_unused(source: ast.SourceProgram, declarations: Declarations, reporter: Reporter) -> None:
    for item in source.declarations:
        elsewhere = item.span.file != source.file
        if elsewhere or isinstance(item, ast.Rule | ast.NamedPattern) or item.name in declarations.used:
            continue
        hint = "remove the declaration if it has no purpose"
        match item:
            case ast.TypeAlias():
                code, message = "unused-type", f"nothing uses the type `{item.name}`"
            case ast.Template():
                code, message = "unused-template", f"no rule matches or emits `{item.name}`"
                hint = "keep the declaration if traces have such events, otherwise remove it"
            case ast.Predicate():
                code, message = "unused-predicate", f"no condition calls the predicate `{item.name}`"
        reporter.report(code, item.name_span, message, hint)
