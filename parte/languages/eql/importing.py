"""`parte import --language EQL`: detection rules in Elastic's files of TOML as queries."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from parte import terminal
from parte.api import CHECK_TIMEOUT
from parte.commands.check import AsJson, TimeoutOption
from parte.commands.importing import files_of
from parte.commands.running import options_of
from parte.importers.files import write_files
from parte.inputs import writing
from parte.languages.eql.running import RUNNER
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.parser import parse_source
from parte.languages.eql.semantics.syntax.readings import Readings, readings_of
from parte.options import wrong
from parte.semantics.events.duration import parse_short_duration
from parte.semantics.events.files import read_text
from parte.semantics.events.problems import InputError
from parte.semantics.events.stricttoml import MalformedToml, decode
from parte.semantics.source.diagnostics import Diagnostic, ProgramError, Severity

FORMAT: Final = "elastic"
_EVERY, _FROM = "5m", "now-6m"
"""The schedule of a rule that names none, by Elastic's documentation."""


@dataclass(frozen=True, slots=True)
class Rule:
    """The result for a rule: its name, the form of its query, and its schedule, as the file writes it.

    `refused` is the first error of the query, with its code; `warnings` are the codes of what is probably not meant.
    `place` is that of the error or the query: file, line and column. `findings` are those of a check: severity, `open`
    if the question was not decided, code, and message.
    """

    name: str
    place: str
    form: str = ""
    maxspan: str = ""
    missing: bool = False
    until: bool = False
    every: str = ""
    back: str = ""
    warnings: tuple[str, ...] = ()
    refused: str = ""
    code: str = ""
    text: str = ""
    findings: tuple[tuple[str, str, str], ...] = ()


def rule_of(path: str) -> Rule | None:
    """Return the result for the rule in a file; None if the file has no rule in EQL."""
    try:
        text = read_text(path)
        rule: Any = decode(text).get("rule")
    except (MalformedToml, OSError, InputError) as error:
        return Rule(Path(path).stem, path, refused=str(error), code="file")
    if not isinstance(rule, Mapping) or rule.get("type") != "eql":
        return None
    name, query = " ".join(str(rule.get("name", Path(path).stem)).split()), str(rule.get("query", ""))
    first = text[: max(text.find(query), 0)].count("\n")
    try:
        source = parse_source(query)
    except ProgramError as error:
        problem = next(item for item in error.diagnostics if item.severity is Severity.ERROR)
        return Rule(name, _place(path, first, problem), refused=problem.message, code=problem.code)
    every, back = str(rule.get("interval", _EVERY)), str(rule.get("from", _FROM)).removeprefix("now-")
    warnings = tuple(warning.code for warning in source.warnings)
    return Rule(name, f"{path}:{first + 1}", *_form(source.query), every, back, warnings, text=query)


def _form(query: tree.Query) -> tuple[str, str, bool, bool]:
    """Return the form of a query, its maxspan, and whether it has a missing event and an until."""
    if not isinstance(query, tree.Sequence):
        return type(query).__name__.lower().replace("single", "event"), "", False, False
    span = "" if query.maxspan is None else f"{query.maxspan.amount}{query.maxspan.unit.name.lower()}"
    return "sequence", span, any(stage.missing for stage in query.stages), query.until is not None


def _place(path: str, first: int, problem: Diagnostic) -> str:
    start = problem.span.start
    return f"{path}:{first + start.line}:{start.column}"


def import_(
    form: Annotated[str, typer.Argument(metavar="FORMAT", help="The format of the rules: elastic.")],
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Files of rules; a folder stands for those in and below it.")
    ],
    out: Annotated[str | None, typer.Option("--out", "-o", metavar="DIR", help="Where to write the queries.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Check sequences and samples on their schedules, as `parte check` does.")
    ] = False,
    reading: Annotated[
        list[str] | None, typer.Option("--reading", metavar="NAME=VALUE", help="How --check reads the queries.")
    ] = None,
    timeout: TimeoutOption = CHECK_TIMEOUT,
    as_json: AsJson = False,
) -> None:
    """Read detection rules of Elastic, and write each as a query of EQL, `NAME.eql` for `NAME.toml`.

    Rules in other languages are left out. Findings of --check do not fail the command.
    Exit codes: 0; 1 if a rule is refused; 2 if files or options cannot be used.
    """
    if form != FORMAT:
        raise wrong("FORMAT", f"no format of EQL is called {form!r}; the format is {FORMAT}")
    rules = [(path, rule) for path in files_of(files, (".toml",)) if (rule := rule_of(path)) is not None]
    if not rules:
        raise terminal.unusable("the files have no rules in EQL", 'such a rule has `type = "eql"`')
    if out is not None:
        with writing(out):
            for path, rule in rules:
                if not rule.refused:
                    write_files(out, {f"{Path(path).stem}.eql": _query(rule)}, force=force)
    results = [rule for _, rule in rules]
    if check:
        readings = readings_of(options_of(RUNNER, {}, reading or ()))
        results = [
            rule if rule.refused or rule.form == "event" else checked(rule, timeout, readings) for rule in results
        ]
    if as_json:
        records = [{name: value for name, value in asdict(rule).items() if name != "text"} for rule in results]
        terminal.write(json.dumps({"format": form, "rules": records}, indent=2, ensure_ascii=False) + "\n")
    else:
        terminal.tell("".join(f"{line}\n" for line in _lines(results)))
    if any(rule.refused for rule in results):
        raise typer.Exit(1)


def checked(rule: Rule, timeout: float, readings: Readings) -> Rule:
    """Return a rule with the findings of the check of its query, on its schedule if that is in plain durations."""
    from parte.checker.environment.schedule import QuerySchedule
    from parte.checker.solver.verdict import Verdict
    from parte.languages.eql.checker.check import check

    schedule = None
    with suppress(ValueError):
        schedule = QuerySchedule(parse_short_duration(rule.every), parse_short_duration(rule.back), 0, False)
    findings = [
        (finding.severity.value if finding.verdict is Verdict.REFUTED else "open", finding.code, finding.message)
        for finding in check(rule.text, timeout, readings, schedule).findings
    ]
    return replace(rule, findings=tuple(findings))


def _query(rule: Rule) -> str:
    schedule = " ".join(f"every {rule.every} over the last {rule.back}".split())
    return f"// {rule.name}; {schedule}\n{rule.text.strip()}\n"


def _lines(rules: Sequence[Rule]) -> Iterator[str]:
    """Yield a line for each rule that is refused or warned of, and how many there are of each form and code."""
    for rule in rules:
        if rule.refused:
            yield f"{rule.place}: refused[{rule.code}]: {rule.refused}"
        for code in rule.warnings:
            yield f"{rule.place}: warning[{code}]: {rule.name}"
    forms = Counter(rule.form for rule in rules if not rule.refused)
    yield from (f"{number:>6}  {form}{'' if number == 1 else 's'} read" for form, number in sorted(forms.items()))
    for rule in rules:
        yield from (f"{rule.place}: {severity}[{code}]: {rule.name}: {text}" for severity, code, text in rule.findings)
    findings = Counter(f"{severity}[{code}]" for rule in rules for severity, code in {f[:2] for f in rule.findings})
    yield from (f"{number:>6}  rules with {what}" for what, number in sorted(findings.items()))
    refused = Counter(f"refused[{rule.code}]" for rule in rules if rule.refused)
    warnings = Counter(f"warning[{code}]" for rule in rules for code in rule.warnings)
    yield from (f"{number:>6}  {what}" for counts in (refused, warnings) for what, number in sorted(counts.items()))
