"""Changes of comments in modules that nearly all lemmas of ETALIS need."""

from __future__ import annotations

from parte.proofs.mutation import Edit

LANGUAGE = "ETALIS"
HARMLESS = [
    Edit("parte.languages.etalis.semantics.goals:Goals", "They are three lists", "These are three lists"),
    Edit(
        "parte.languages.etalis.algebra.patterns:agreed",
        "the assignment that extends",
        "an assignment that extends",
    ),
]
