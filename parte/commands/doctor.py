"""`parte doctor`: what is installed, what is not, and which commands that concerns."""

from __future__ import annotations

import platform
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Column

from parte import terminal
from parte.commands.catalogue import COMMANDS
from parte.conformance.engines.registry import foreign, require
from parte.conformance.kit import KIT
from parte.languages.registry import languages
from parte.semantics.events.installation import install_command, requirements, version
from parte.semantics.partelang.syntax import zones
from parte.semantics.source.packages import Unavailable

FIRST = {
    "z3": "check, relate, prove, test --mutants",
    "duckdb": "log, run --model duckdb",
    "parquet": "traces in Parquet",
    "lsp": "lsp",
    "conformance": "fuzz, suite lint",
    "spark": "spark",
    "experiments": "experiment",
    "import": "import",
}
"""The purpose of each extra that users of programs and traces may want, the most useful one first."""


OTHERS = {"cvc5": "prove --solver cvc5", "docs": "make docs, in a checkout", "paper": "make paper, in a checkout"}
"""The purposes of other extras, except those of foreign engines, which state them themselves (`Listed.needed_by`)."""


def purposes() -> dict[str, str]:
    """The purpose of each extra; a test checks that none is left out."""
    of_engines = {
        listed.extra: listed.needed_by
        for language in languages()
        for listed in language[KIT].engines().values()
        if listed.needed_by
    }
    return {**FIRST, **OTHERS, **of_engines}


_NAME = re.compile(r"[A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that commands need: its name, its purpose, and what is installed; `advice` says how to get it."""

    name: str
    purpose: str
    installed: str
    advice: str = ""


def doctor(
    every: Annotated[
        bool, typer.Option("--all", help="Also list what other engines, second solvers and the documentation need.")
    ] = False,
) -> None:
    """Say what this machine has of what commands need beside Python, and how to get the rest.

    Exit code 0, whatever is missing: nothing of it is needed by all.
    """
    needing = {command for purpose in FIRST.values() for command in purpose.split(", ")}
    ready = ", ".join(command for command in COMMANDS if command not in needing)
    console = terminal.output_console()
    console.print(
        f"parte {version()}, on Python {platform.python_version()}; time zones: {zones.table()}", soft_wrap=True
    )
    console.print(f"These commands need nothing else: {ready}.")
    first = list(_of_extras(FIRST))
    if every or not any(finding.name == "spark" and finding.advice for finding in first):
        first.append(_java())
    _show(sorted(first, key=lambda finding: [*FIRST, finding.name].index(finding.name)), console)
    if every:
        _show(others(), console)
    else:
        console.print(
            "parte doctor --all also lists what other engines, second solvers and the documentation need.",
            soft_wrap=True,
        )


def _show(findings: Iterable[Finding], console: Console) -> None:
    """Print a table, and below it how to install what is missing, each command once."""
    table = terminal.table("", Column("what needs it"), Column("found", overflow="fold"))
    advice: dict[str, list[str]] = {}
    for finding in findings:
        table.add_row(finding.name, finding.purpose, finding.installed, style="yellow" if finding.advice else None)
        if finding.advice:
            advice.setdefault(finding.advice, []).append(finding.name)
    console.print(table)
    for line, names in advice.items():
        console.print(f"to have {', '.join(names)}: {line}", soft_wrap=True)


def others() -> Iterator[Finding]:
    """Findings about the extras that are not listed first, and about engines that are not the project's own."""
    yield from _of_extras({extra: purpose for extra, purpose in purposes().items() if extra not in FIRST})
    for language in languages():
        engines = language[KIT].engines()
        for name in foreign(engines):
            yield _tried(f"engine {name}", f"conform, fuzz ({language.name})", partial(require, engines, name))


def _java() -> Finding:
    from parte.spark_adapter.java import find_java

    return _tried("Java", "spark", lambda: find_java().origin)


def extras() -> dict[str, list[str]]:
    """The packages of each extra, as the installed package declares them."""
    packages: dict[str, list[str]] = {}
    for extra, requirement in requirements():
        packages.setdefault(extra, []).append(_NAME.match(requirement)[0])  # type: ignore[index] # each begins with it
    return packages


def _of_extras(purposes: Mapping[str, str]) -> Iterator[Finding]:
    """Findings about the installed packages of extras, each with its purpose."""
    for extra, packages in extras().items():
        if extra in purposes:
            yield _packages(extra, packages, purposes[extra])


def _packages(extra: str, packages: list[str], purpose: str) -> Finding:
    have, lack = [], []
    for package in packages:
        try:
            have.append(f"{package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            lack.append(package)
    if lack:
        return Finding(extra, purpose, f"missing: {', '.join(lack)}", install_command(extra))
    return Finding(extra, purpose, ", ".join(have))


def _tried(name: str, purpose: str, look: Callable[[], object]) -> Finding:
    try:
        version = look()
    except Unavailable as problem:
        return Finding(name, purpose, f"missing: {problem.message}", problem.hint)
    return Finding(name, purpose, str(version) if version else "ready")
