"""`parte import`: rules of other tools as programs of level 2, with mappings and tests."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Final

import typer

from parte import api, terminal
from parte.commands.budgets import Budget, Clock, OutOfTime
from parte.commands.check import AsJson
from parte.importers.imported import ENDINGS, FORMATS, Options, importer
from parte.inputs import explained, writing
from parte.options import finite, wrong
from parte.semantics.events.files import check_room, refuse_link
from parte.semantics.source.packages import importing
from parte.semantics.source.similar import advice

if TYPE_CHECKING:
    from parte.importers.importing import Result
    from parte.semantics.events.event import Event
    from parte.semantics.partelang.syntax import core

MAX_FILES: Final = 10_000
_KNOWN: Final = f"the formats are {', '.join(sorted(FORMATS))}"


def import_(
    form: Annotated[
        str, typer.Argument(metavar="FORMAT", help="The format of the rules: panther, sigma or match-recognize.")
    ],
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Files of rules; a folder stands for those in and below it.")
    ],
    out: Annotated[str, typer.Option("--out", "-o", metavar="DIR", help="Where to write programs, mappings, tests.")],
    nearest: Annotated[
        bool,
        typer.Option("--nearest", help="Write rules that no program says exactly too, with their differences."),
    ] = False,
    tumbling: Annotated[
        bool,
        typer.Option("--tumbling", help="Read time spans of Sigma's correlations as intervals that follow each other."),
    ] = False,
    deployment: Annotated[
        str | None,
        typer.Option("--deployment", metavar="FILE", help="Rates of templates, as TOML, for the checks of all rules."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
    timeout: Annotated[
        float,
        typer.Option(
            "--timeout",
            min=0.1,
            callback=finite,
            metavar="SECONDS",
            help="For one question to the solver, for all sizes, and for one test.",
        ),
    ] = api.CHECK_TIMEOUT,
    as_json: AsJson = False,
) -> None:
    """Write rules of another tool as programs of level 2, with mappings and tests, and check them.

    What a program cannot say exactly is refused with its place and the reason. Each program is checked as by `parte
    check`, and run on the tests that its file brings. Exit codes: 0; 1 if a rule is refused, or a check or a test
    fails; 4 if only a check was not decided; 2 if files or options cannot be used.
    """
    if form not in FORMATS:
        raise wrong("FORMAT", f"no format is called {form!r}; {advice(form, sorted(FORMATS), _KNOWN)}")
    paths = files_of(files, ENDINGS[form])
    with importing(
        "import", "yaml", "sigma", "sqlglot", message=f"rules of {form} are read by the package {{}}, which is missing"
    ):
        read = importer(form)
    from parte.importers.importing import exit_code, imports

    rates = None
    if deployment is not None:
        from parte.checker.environment.deployment import load_deployment

        with explained(deployment):
            rates = load_deployment(deployment)

    def count(program: core.Program, events: Sequence[Event]) -> int | None:
        try:
            with Clock(Budget(seconds=timeout)).limit():
                return len(api.run(program, events))
        except OutOfTime:
            return None

    results: list[Result] = []
    with explained(deployment or out), writing(out), terminal.telling() as tell:
        if not os.path.exists(out):
            refuse_link(out)
        check_room(out)
        options = Options(nearest, tumbling)
        for result in imports(read, paths, options, out, force=force, timeout=timeout, count=count, deployment=rates):
            results.append(result)
            if tell is not None:
                tell(f"{len(results)} rules, {result.name}")
    if not results:
        raise terminal.unusable("the files have no rules", f"rules of {form} are in files {' or '.join(ENDINGS[form])}")
    if as_json:
        terminal.write(json.dumps(_record(form, results), indent=2, ensure_ascii=False, allow_nan=False) + "\n")
    else:
        _show(results)
    if code := exit_code(results):
        raise typer.Exit(code)


def files_of(named: Sequence[str], endings: tuple[str, ...]) -> list[str]:
    """Return the files that paths stand for: a folder stands for those in and below it that have one of the endings.
    A usage error if there are none, or too many."""
    paths = [path for place in named for path in _files(place, endings)]
    if len(paths) > MAX_FILES:
        raise wrong("FILE", f"{len(paths):,} files are more than {MAX_FILES:,}; name smaller folders")
    return paths


def _files(path: str, endings: tuple[str, ...]) -> list[str]:
    if not os.path.isdir(path):
        if not os.path.lexists(path):
            raise wrong("FILE", f"there is no {path}")
        return [path]
    below = sorted(_below(path, endings))
    if not below:
        raise wrong("FILE", f"{path} has no files {' or '.join(endings)}")
    return below


def _below(folder: str, endings: tuple[str, ...]) -> Iterator[str]:
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (os.path.join(place, name) for name in names if name.endswith(endings))


def _record(form: str, results: Sequence[Result]) -> dict[str, object]:
    refused = sum(bool(result.reason) for result in results)
    tests = [test for result in results for test in result.tests]
    return {
        "format": form,
        "written": len(results) - refused,
        "refused": refused,
        "tests": len(tests),
        "agreeing": sum(test.agrees for test in tests),
        "rules": [result.to_json() for result in results],
    }


def _show(results: Sequence[Result]) -> None:
    from parte.importers.importing import checked, lines_of

    rows = [("rule", "result", "tests", "check")]
    for result in results:
        agreeing = sum(test.agrees for test in result.tests)
        state = "refused" if result.reason else "differs" if result.differences else "written"
        tests = f"{agreeing} of {len(result.tests)}" if result.tests else ""
        rows.append((result.name, state, tests, checked(result)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        terminal.tell("  ".join(map(str.ljust, row, widths)).rstrip() + "\n")
    notes = [line for result in results for line in lines_of(result)]
    if notes:
        terminal.tell("\n" + "".join(f"{line}\n" for line in notes))
    refused = sum(bool(result.reason) for result in results)
    tests_of_all = [test for result in results for test in result.tests]
    verb = "agrees" if len(tests_of_all) == 1 else "agree"
    terminal.tell(
        f"\n{_counted(len(results) - refused, 'rule')} written, {refused} refused; "
        f"{sum(test.agrees for test in tests_of_all)} of {_counted(len(tests_of_all), 'test')} {verb}\n"
    )


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
