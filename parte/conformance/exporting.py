"""Suites as JSON for engines that have no Python: `parte suite export`."""

from __future__ import annotations

import json
from pathlib import Path

from parte.conformance.exchange import fixture_text, schema
from parte.conformance.fixtures import FixtureError, Json, Suite, is_case_id
from parte.conformance.kit import KIT
from parte.conformance.protocol import DEFAULT_LANGUAGE
from parte.conformance.runner.judging import prepare
from parte.conformance.suites import SCHEMA_FILE, SUITE_FILE, SUITE_FORMAT
from parte.languages.language import Language
from parte.semantics.events.files import below, make_directory, write_whole
from parte.semantics.events.schemas import written
from parte.semantics.events.strictjson import quoted


def export_suite(suite: Suite, directory: Path, language: Language) -> None:
    """Write a suite: a file for each case, named by its id, with the elaborated tree of its program as `ast` (null if
    it must be rejected); the schema of these files; and the version and the digests.

    OSError if writing fails. FixtureError if an id is not a path; nothing is written then.
    """
    for case in suite.cases.values():
        if not is_case_id(case.id):
            raise FixtureError(
                f"{quoted(case.id)}: the id is none like windows/closed-at-both-ends, so it names no file"
            )
    make_directory(directory)
    about: dict[str, Json] = {
        "format": SUITE_FORMAT,
        "version": suite.version,
        "digest": suite.digest,
        "cases": len(suite.cases),
    }
    if suite.extensions:
        about["extensions"] = dict(suite.extensions)
    if language.name != DEFAULT_LANGUAGE:
        about["language"] = language.name
    for case in suite.cases.values():
        write_whole(below(directory, f"{case.id}.json"), fixture_text(case, ast=prepare(case, language).load.ast))
    write_whole(directory / SCHEMA_FILE, written(schema(language[KIT].shapes())))
    write_whole(directory / SUITE_FILE, json.dumps(about) + "\n")  # last: a directory without it is not a suite
