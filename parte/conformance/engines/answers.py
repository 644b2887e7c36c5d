"""Shared answers of the engines of all languages with traces of events: traces as lines, and problems as records."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from parte.conformance.protocol import INVALID_TRACE, DiagnosticRecord, Rejected
from parte.semantics.events.problems import TraceError
from parte.semantics.source.diagnostics import Diagnostic

Json = Any


def lines_of(trace: Sequence[Json]) -> list[str]:
    """Return the items of a request as lines of a trace."""
    return [json.dumps(line, ensure_ascii=False) for line in trace]


def invalid(error: TraceError) -> Rejected:
    """Return the reply to an invalid trace."""
    return Rejected(
        tuple({"code": INVALID_TRACE, "line": item.line, "message": item.message} for item in error.problems)
    )


def diagnostic_to_json(diagnostic: Diagnostic) -> DiagnosticRecord:
    """Return a diagnostic as a record of a reply."""
    start = diagnostic.span.start
    return {"code": diagnostic.code, "line": start.line, "column": start.column, "message": diagnostic.message}
