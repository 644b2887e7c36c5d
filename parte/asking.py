"""The matches of a model of any language, for a program on a trace, compared with those of the definition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from parte.conformance.kit import KIT
from parte.conformance.protocol import Accepted, DiagnosticRecord, Engine, Failed, Found, Load, Rejected, Unsupported
from parte.languages.language import Language
from parte.semantics.events.differences import Key, differences
from parte.semantics.source.text import TEXT

Json = Any
Numbered = tuple[int, Json]
"""An item of a trace with the number of its line."""


@dataclass(frozen=True, slots=True)
class Complaint:
    """A reason why an engine cannot use the trace, at a line if that is known (else 0), or the program, read before."""

    message: str
    of_trace: bool = False
    line: int = 0


class Refused(Exception):
    """An engine finds fault with its input."""

    def __init__(self, complaints: Sequence[Complaint]) -> None:
        super().__init__("\n".join(complaint.message for complaint in complaints))
        self.complaints = tuple(complaints)


def matches_of(engine: Engine, load: Load, lines: Sequence[Numbered]) -> tuple[Json, ...]:
    """The matches that an engine finds. Refused if it cannot use the program or the trace."""
    reply = engine.load(load)
    if isinstance(reply, Accepted):
        reply = engine.run([record for _, record in lines])
    match reply:
        case Found(matches):
            return matches
        case Rejected(diagnostics):
            raise Refused([_complaint(diagnostic, lines) for diagnostic in diagnostics])
        case Unsupported(reason):
            raise Refused([Complaint(f"{engine.hello().name} cannot express this: {reason}")])
        case other:
            message = other.message if isinstance(other, Failed) else other
            raise Refused([Complaint(f"{engine.hello().name}: {message}")])


def _complaint(diagnostic: DiagnosticRecord, lines: Sequence[Numbered]) -> Complaint:
    """A diagnostic with its line in the trace; the program was read before, so the diagnostic is not about it."""
    place = diagnostic.get("line", 0)
    line = lines[place - 1][0] if 0 < place <= len(lines) else 0
    return Complaint(f"[{diagnostic['code']}] {diagnostic.get('message', '')}".rstrip(), True, line)


def comparison(
    language: Language, model: str, expected: Sequence[Json], found: Sequence[Json], key: Key
) -> tuple[bool, str]:
    """Return whether a model finds the matches of the definition, and lines that report the differences."""
    missing, spurious = differences(expected, found, key)
    agrees = not missing and not spurious
    count = f"{len(expected)} match{'' if len(expected) == 1 else 'es'}"
    told = f"{model} {'agrees with' if agrees else 'differs from'} {language[KIT].definition} ({count})\n"
    for word, matches in (("missing", missing), ("spurious", spurious)):
        told += "".join(f"{word}: {line}\n" for line in language[TEXT].shown(matches))
    return agrees, told
