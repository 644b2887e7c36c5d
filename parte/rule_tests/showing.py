"""The results of tests on a terminal: a table of the files, and what is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from parte import terminal
from parte.conformance.casefiles.cases import Answers
from parte.conformance.casefiles.layout import filled
from parte.conformance.kit import KIT
from parte.conformance.reports.text import STYLES
from parte.conformance.reports.wording import counted
from parte.conformance.results import CaseVerdict
from parte.rule_tests.discovery import Flaw
from parte.rule_tests.mutants import Status, Survey
from parte.rule_tests.running import Outcome, input_of
from parte.semantics.events.strictjson import dumped

_WIDTH = 9
_MOST_LINES = 20
"""Lines of a list of matches, or of reasons, that are shown."""
_MOST_EVENTS = 30


def show(console: Console, outcomes: Sequence[Outcome], flaws: Sequence[Flaw]) -> None:
    """Print the table, the failures, and the flaws of files."""
    for outcome in outcomes:
        if outcome.verdict is not CaseVerdict.PASS:
            for line in _failure(outcome):
                console.print(line, soft_wrap=True)
    for flaw in flaws:
        show_flaw(console, flaw)
    if outcomes:
        console.print(_table(outcomes))
    counts = Counter(outcome.verdict for outcome in outcomes)
    broken = f", {len(flaws)} flaw{'' if len(flaws) == 1 else 's'} of files" if flaws else ""
    console.print(Text(f"{len(outcomes)} test{'' if len(outcomes) == 1 else 's'}: {counted(counts)}{broken}", "bold"))


def show_survey(console: Console, survey: Survey) -> None:
    """Print what became of the edits of a program: those that no test notices, and tests that would."""
    counts = [(status, len(survey.having(status))) for status in Status]
    total = len(survey.edits)
    listed = ", ".join(f"{count} {status.value}" for status, count in counts if count)
    console.print(
        Text(f"{survey.program.path}: {total} edit{'' if total == 1 else 's'} of rules: {listed or 'none'}", "bold")
    )
    if survey.beyond:
        console.print(Text(f"  there are more edits; the first {total:,} are tried", "yellow"))
    if same := len(survey.having(Status.SAME)):
        console.print(Text(f"  the solver proves that {same} edited rules match the same; they are left out"))
    for examined in survey.having(Status.UNNOTICED):
        edit = examined.edit
        console.print(
            Text(f"  not noticed: {edit.file}:{edit.line}:{edit.column} {edit.name}, {edit.kind}", "yellow"),
            soft_wrap=True,
        )
        console.print(Text(f"    - {edit.before}", "red"), soft_wrap=True)
        if edit.after:
            console.print(Text(f"    + {edit.after}", "green"), soft_wrap=True)


def show_suggestions(console: Console, survey: Survey) -> None:
    """Print the tests that would notice edits, ready to be put into a file of tests."""
    unnoticed = survey.having(Status.UNNOTICED)
    suggestions = dict.fromkeys(examined.suggestion.text for examined in unnoticed if examined.suggestion is not None)
    if suggestions:
        console.print(Text(f"\n# Tests of {survey.program.path} that notice these edits", "dim"))
    for suggestion in suggestions:
        console.print(Text(f"\n{suggestion}".rstrip()), soft_wrap=True)
    if lacking := [examined.edit for examined in unnoticed if examined.suggestion is None]:
        console.print(Text(f"\n# No trace was found that shows {len(lacking)} of them", "dim"))
        for edit in lacking:
            console.print(Text(f"# {edit}", "dim"), soft_wrap=True)


def show_flaw(console: Console, flaw: Flaw) -> None:
    """Print what is wrong with a file."""
    console.print(Text.assemble(("error: ", "bold red"), str(flaw)), soft_wrap=True)
    if flaw.hint:
        console.print(Text(f"  hint: {flaw.hint}", "cyan"), soft_wrap=True)


def _table(outcomes: Sequence[Outcome]) -> Table:
    verdicts = [verdict for verdict in CaseVerdict if any(outcome.verdict is verdict for outcome in outcomes)]
    table = terminal.table("tests")
    table.columns[0].no_wrap = True
    for column in ("program", *(verdict.value for verdict in verdicts)):
        table.add_column(column, justify="left" if column == "program" else "right")
    rows: dict[tuple[str, str], list[Outcome]] = {}
    for outcome in outcomes:
        rows.setdefault((outcome.file, outcome.program.path), []).append(outcome)
    for (file, program), own in rows.items():
        counts = Counter(outcome.verdict for outcome in own)
        cells = [
            Text(str(counts[verdict] or "·"), STYLES[verdict] if counts[verdict] else "dim") for verdict in verdicts
        ]
        table.add_row(Text(file), Text(program), *cells)
    return table


def _failure(outcome: Outcome) -> Iterator[Text]:
    """Yield the lines about a test that did not pass."""
    style = STYLES[outcome.verdict]
    about = f": {outcome.test.about}" if outcome.test.about else ""
    yield Text.assemble((outcome.verdict.value.upper(), f"bold {style}"), f" {outcome.place}  {outcome.test.id}{about}")
    for word, line in labelled(outcome):
        yield Text.assemble((f"  {word:{_WIDTH}}", "dim"), line)
    yield Text("")


def labelled(outcome: Outcome) -> Iterator[tuple[str, str]]:
    """Yield the details of a test that did not pass, each line with a label for its first one."""
    for flaw in outcome.flaws:
        yield "error", str(flaw)
        if flaw.hint:
            yield "hint", flaw.hint
    if outcome.flaws:
        return
    if outcome.message:
        yield "because", outcome.message
    yield "program", outcome.rule_place
    if outcome.verdict is CaseVerdict.UNSUPPORTED:
        return
    yield from _listed("trace", tuple(_trace(outcome)))
    yield from _listed("expected", outcome.expected)
    yield from _listed("got", outcome.got)
    notation = outcome.program.language[KIT].notation
    if outcome.expected and outcome.got:
        for word, matches in (("missing", outcome.missing), ("further", outcome.spurious)):
            if matches:
                plain = all("rule" not in match or "emission" not in match for match in matches)
                lines = notation.write(Answers(matches)) if plain else [dumped(match) for match in matches]
                yield from _listed(word, tuple(lines))
    yield from _listed("why", outcome.reasons)


def _listed(word: str, lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    for line in lines[:_MOST_LINES]:
        yield word, line
        word = ""
    if len(lines) > _MOST_LINES:
        yield "", f"and {len(lines) - _MOST_LINES} more lines"


def _trace(outcome: Outcome) -> Iterator[str]:
    test = outcome.test
    if test.log:
        yield test.log
        return
    items = input_of(outcome.file, test).trace[:_MOST_EVENTS]
    yield from filled("", outcome.program.language[KIT].notation.write_items(items, {})).lines()
    if len(test.trace) > _MOST_EVENTS:
        yield f"and {len(test.trace) - _MOST_EVENTS} more"
