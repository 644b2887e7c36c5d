"""The record of PARTElang, whose parts lie in the roles of PARTE itself."""

from __future__ import annotations

from typing import Final

from parte.languages.language import Language

PARTELANG: Final = Language(
    "PARTElang",
    ".parte",
    "D",
    {
        "text": "parte.semantics.partelang.text:TEXT",
        "rules": "parte.semantics.partelang.listing:LISTING",
        "check": "parte.checker.partelang.check:check_text",
        "lemmas": "parte.proofs.partelang.catalogue:CATALOGUE",
        "controls": "parte.proofs.partelang.controls:SUBJECT",
        "rocq": "parte.proofs.rocq.links:THEORY",
        "kit": "parte.conformance.partelang.kit:KIT",
        "editing": "parte.editing.partelang.support:SUPPORT",
        "playground": "parte.playground.partelang:TASKS",
        "python": "parte.api:parse",
        "rule_tests": "parte.rule_tests.partelang.support:SUPPORT",
    },
)
