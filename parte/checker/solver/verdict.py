"""What is known of a claim, a guarantee of a program or a lemma, once the solvers have answered."""

from __future__ import annotations

from enum import Enum


class Verdict(Enum):
    """PROVED: it always holds. REFUTED: a counterexample shows that it does not. NOT_PROVED: neither is known.
    VACUOUS: there is nothing that it could hold of."""

    PROVED = "proved"
    REFUTED = "refuted"
    NOT_PROVED = "not proved"
    VACUOUS = "vacuous"


DECIDED = (Verdict.PROVED, Verdict.REFUTED, Verdict.NOT_PROVED)
"""What is said of a claim that is about something."""
