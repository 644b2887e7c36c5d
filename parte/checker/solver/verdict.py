"""The verdict on a claim, a guarantee of a program or a lemma, after the answers of the solvers."""

from __future__ import annotations

from enum import Enum


class Verdict(Enum):
    """PROVED: it always holds. REFUTED: a counterexample exists. NOT_PROVED: open. VACUOUS: it has no subject."""

    PROVED = "proved"
    REFUTED = "refuted"
    NOT_PROVED = "not proved"
    VACUOUS = "vacuous"


DECIDED = (Verdict.PROVED, Verdict.REFUTED, Verdict.NOT_PROVED)
"""The possible verdicts on a claim that is about something."""
