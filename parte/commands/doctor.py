"""`parte doctor`: what is installed, what is not, and which commands that concerns."""

from __future__ import annotations

import platform
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import metadata

from rich.table import Column

from parte import terminal
from parte.conformance.engines.registry import foreign, require
from parte.conformance.languages import languages
from parte.semantics.source.packages import Unavailable

PURPOSE = {
    "z3": "check, relate, prove",
    "cvc5": "prove --solver cvc5",
    "spark": "spark",
    "experiments": "experiment",
    "clips": "conform clips",
    "polars": "conform polars",
    "durable": "conform durable",
    "flink": "conform flink, match-recognize",
    "flink-cep": "conform flink-cep",
    "drools": "conform drools",
    "parquet": "traces in Parquet",
    "conformance": "fuzz, suite lint",
    "duckdb": "run --model duckdb",
    "lsp": "lsp",
    "docs": "make docs, in a checkout",
}
"""What each extra is for; that none is left out is a test."""

_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+).*?extra == ['\"]([a-z0-9-]+)['\"]")


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that commands need: what it is, for what, and what was found; `advice` says how to get it."""

    name: str
    purpose: str
    found: str
    advice: str = ""


def doctor() -> None:
    """Say what this machine has of what commands need beside Python, and how to get the rest.

    Exit code 0, whatever is missing: nothing of it is needed by all.
    """
    table = terminal.table("", Column("what needs it"), Column("found", overflow="fold"))
    advice: dict[str, None] = {}
    for each in findings():
        table.add_row(each.name, each.purpose, each.found, style="yellow" if each.advice else None)
        advice.update({each.advice: None} if each.advice else {})
    console = terminal.output_console()
    console.print(table)
    for line in advice:
        console.print(f"to have it: {line}", soft_wrap=True)


def findings() -> Iterator[Finding]:
    """All that there is to know, a line each."""
    yield Finding("parte", "", f"{metadata.version('parte')}, on Python {platform.python_version()}")
    for extra, packages in extras().items():
        yield _packages(extra, packages)
    from parte.spark_adapter.java import find_java

    yield _tried("Java", "spark", lambda: find_java().origin)
    for language in languages():
        engines = language.engines()
        for name in foreign(engines):
            yield _tried(f"engine {name}", f"conform, fuzz ({language.name})", partial(require, engines, name))


def extras() -> dict[str, list[str]]:
    """The packages of each extra that users may install, as the installed package declares them."""
    found: dict[str, list[str]] = {}
    for requirement in metadata.requires("parte") or ():
        if (parts := _REQUIREMENT.match(requirement)) and parts[2] in PURPOSE:
            found.setdefault(parts[2], []).append(parts[1])
    return found


def _packages(extra: str, packages: list[str]) -> Finding:
    have, lack = [], []
    for package in packages:
        try:
            have.append(f"{package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            lack.append(package)
    if lack:
        return Finding(extra, PURPOSE[extra], f"missing: {', '.join(lack)}", f"pip install 'parte[{extra}]'")
    return Finding(extra, PURPOSE[extra], ", ".join(have))


def _tried(name: str, purpose: str, look: Callable[[], object]) -> Finding:
    try:
        found = look()
    except Unavailable as problem:
        return Finding(name, purpose, f"missing: {problem.message}", problem.hint)
    return Finding(name, purpose, str(found) if found else "ready")
