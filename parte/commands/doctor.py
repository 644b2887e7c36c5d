"""`parte doctor`: what is installed, what is not, and which commands that concerns."""

from __future__ import annotations

import platform
import re
from collections.abc import Callable, Iterable, Iterator
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
from parte.conformance.languages import languages
from parte.semantics.events.installation import install_command, requirements, version
from parte.semantics.source.packages import Unavailable

FIRST = {
    "z3": "check, relate, prove",
    "duckdb": "run --model duckdb",
    "parquet": "traces in Parquet",
    "lsp": "lsp",
    "conformance": "fuzz, suite lint",
    "spark": "spark",
    "experiments": "experiment",
}
"""What each extra is for that users of programs and traces may want, the most useful one first."""
PURPOSE = {
    **FIRST,
    "cvc5": "prove --solver cvc5",
    "clips": "conform clips",
    "polars": "conform polars",
    "durable": "conform durable",
    "flink": "conform flink, match-recognize",
    "flink-cep": "conform flink-cep",
    "drools": "conform drools",
    "docs": "make docs, in a checkout",
}
"""What each extra is for; that none is left out is a test."""


_NAME = re.compile(r"[A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that commands need: what it is, for what, and what was found; `advice` says how to get it."""

    name: str
    purpose: str
    found: str
    advice: str = ""


def doctor(
    every: Annotated[
        bool, typer.Option("--all", help="Also list what other engines, second solvers and the documentation need.")
    ] = False,
) -> None:
    """Say what this machine has of what commands need beside Python, and how to get the rest.

    Exit code 0, whatever is missing: nothing of it is needed by all.
    """
    needing = {command for purpose in PURPOSE.values() for command in purpose.split(", ")}
    ready = ", ".join(command for command in COMMANDS if command not in needing)
    console = terminal.output_console()
    console.print(f"parte {version()}, on Python {platform.python_version()}", soft_wrap=True)
    console.print(f"These commands need nothing else: {ready}.")
    first = [_packages(extra, packages) for extra, packages in extras().items() if extra in FIRST]
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
    """A table, and below it how to get what is missing, each way once."""
    table = terminal.table("", Column("what needs it"), Column("found", overflow="fold"))
    advice: dict[str, list[str]] = {}
    for each in findings:
        table.add_row(each.name, each.purpose, each.found, style="yellow" if each.advice else None)
        if each.advice:
            advice.setdefault(each.advice, []).append(each.name)
    console.print(table)
    for line, names in advice.items():
        console.print(f"to have {', '.join(names)}: {line}", soft_wrap=True)


def others() -> Iterator[Finding]:
    """What is needed beside what is listed first: extras, and engines that are not the project's own."""
    for extra, packages in extras().items():
        if extra not in FIRST:
            yield _packages(extra, packages)
    for language in languages():
        engines = language.engines()
        for name in foreign(engines):
            yield _tried(f"engine {name}", f"conform, fuzz ({language.name})", partial(require, engines, name))


def _java() -> Finding:
    from parte.spark_adapter.java import find_java

    return _tried("Java", "spark", lambda: find_java().origin)


def extras() -> dict[str, list[str]]:
    """The packages of each extra that users may install, as the installed package declares them."""
    found: dict[str, list[str]] = {}
    for extra, requirement in requirements():
        if extra in PURPOSE:
            found.setdefault(extra, []).append(_NAME.match(requirement)[0])  # type: ignore[index] # each begins with it
    return found


def _packages(extra: str, packages: list[str]) -> Finding:
    have, lack = [], []
    for package in packages:
        try:
            have.append(f"{package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            lack.append(package)
    if lack:
        return Finding(extra, PURPOSE[extra], f"missing: {', '.join(lack)}", install_command(extra))
    return Finding(extra, PURPOSE[extra], ", ".join(have))


def _tried(name: str, purpose: str, look: Callable[[], object]) -> Finding:
    try:
        found = look()
    except Unavailable as problem:
        return Finding(name, purpose, f"missing: {problem.message}", problem.hint)
    return Finding(name, purpose, str(found) if found else "ready")
