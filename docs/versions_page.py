"""The page of versions: what has one, what it is now, and what changes when."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import metadata

from parte.checker.partelang import relations
from parte.checker.report import json_form as checks
from parte.conformance import exchange, protocol, results, suites
from parte.conformance.partelang.language import PARTELANG
from parte.semantics.partelang.syntax import json_form as programs
from parte.spark_adapter.replay import job as replay
from parte.spark_adapter.stream import checkpoint

_TEXT = """
All versions are of one scheme: a first number that is raised when what was written for the one before no longer fits,
and for what people install or quote a second one that is raised when something is added (the package has a third, for
corrections). A number is never lowered nor used twice.

{table}
- The **package** follows its API and its command: options, exit codes and formats of output. Before 1.0 the second
  number is raised for changes that break something; CHANGELOG.md says what. Diagnostic codes, names of models, repairs
  and mutants, ids of rules and clauses are part of the API: they are added, not renamed.
- The **suite** is raised in its second number when cases are added, in its first when an expectation is corrected or a
  case is taken out. An id is never given to another case; every case says with which version it came. Its digest is of
  everything that an engine is given and held against, so equal digests are equal suites.
- The **protocol** is raised when an engine written for the one before would no longer understand a request, or be
  understood. The runner speaks all versions down to {oldest}; an engine says in `hello` which is its own.
- A **format** of files is raised when a reader of the one before could misread or would refuse what is written now; a
  new optional key does not raise it. Readers refuse versions that they do not know, and say so.
"""


def versions_page(notice: str, table: Callable[[Sequence[str], Iterable[Sequence[str]]], str]) -> str:
    """The page as Markdown."""
    rows = [
        ("package `parte`", metadata.version("parte"), "`parte --version`"),
        ("suite of PARTElang", suites.suite_version(PARTELANG.suite), "`parte suite`, reports"),
        ("engine protocol", str(protocol.PROTOCOL), "`hello`"),
        ("cases as JSON", str(exchange.VERSION), f'`"format": "{exchange.FORMAT}"`'),
        ("reports of the suite", str(results.VERSION), f'`"format": "{results.FORMAT}"`'),
        ("programs as JSON", str(programs.VERSION), f'`"format": "{programs.FORMAT}"`'),
        ("reports of `parte check`", str(checks.VERSION), f'`"format": "{checks.FORMAT}"`'),
        ("results of `parte relate`", str(relations.VERSION), f'`"format": "{relations.FORMAT}"`'),
        ("jobs of `parte spark replay`", str(replay.FORMAT), "`job.json` in the output"),
        ("checkpoints of `parte spark stream`", str(checkpoint.VERSION), "`parte.json` in the checkpoint"),
    ]
    text = _TEXT.format(table=table(("what", "version", "where it is said"), rows), oldest=1)
    return f"# Versions\n\n{notice}\n{text}"
