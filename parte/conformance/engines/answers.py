"""What engines of every language with traces of events say alike: traces as lines, and what is wrong as records."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from parte.conformance.protocol import INVALID_TRACE, DiagnosticRecord, Rejected
from parte.semantics.events.problems import TraceError
from parte.semantics.source.diagnostics import Diagnostic

Json = Any


def lines_of(trace: Sequence[Json]) -> list[str]:
    """The items of a request as lines of a trace."""
    return [json.dumps(line, ensure_ascii=False) for line in trace]


def invalid(error: TraceError) -> Rejected:
    """The reply to a trace that cannot be used."""
    return Rejected(
        tuple({"code": INVALID_TRACE, "line": item.line, "message": item.message} for item in error.problems)
    )


def diagnostic_to_json(diagnostic: Diagnostic) -> DiagnosticRecord:
    """A diagnostic as replies hold it."""
    start = diagnostic.span.start
    return {"code": diagnostic.code, "line": start.line, "column": start.column, "message": diagnostic.message}
