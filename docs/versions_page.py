"""The page of versions: each versioned thing with its present version, and when it changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import metadata

from parte.checker.partelang import relations
from parte.checker.report import json_form as checks
from parte.conformance import exchange, protocol, results, suites
from parte.conformance.kit import KIT
from parte.languages.partelang import PARTELANG
from parte.semantics.partelang.syntax import json_form as programs
from parte.spark_adapter.replay import job as replay
from parte.spark_adapter.stream import checkpoint


def versions_page(table: Callable[[Sequence[str], Iterable[Sequence[str]]], str]) -> str:
    """Return the table of versions."""
    rows = [
        ("package `parte`", metadata.version("parte"), "`parte --version`"),
        ("suite of PARTElang", suites.suite_version(PARTELANG[KIT].suite), "`parte suite`, reports"),
        ("engine protocol", str(protocol.PROTOCOL), "`hello`"),
        ("cases as JSON", str(exchange.VERSION), f'`"format": "{exchange.FORMAT}"`'),
        ("reports of the suite", str(results.VERSION), f'`"format": "{results.FORMAT}"`'),
        ("programs as JSON", str(programs.VERSION), f'`"format": "{programs.FORMAT}"`'),
        ("reports of `parte check`", str(checks.VERSION), f'`"format": "{checks.FORMAT}"`'),
        ("results of `parte relate`", str(relations.VERSION), f'`"format": "{relations.FORMAT}"`'),
        ("jobs of `parte spark replay`", str(replay.FORMAT), "`job.json` in the output"),
        ("checkpoints of `parte spark stream`", str(checkpoint.VERSION), "`parte.json` in the checkpoint"),
    ]
    return table(("what", "version", "where it is stated"), rows)
