"""EQL: everything that this language needs, in the same roles as PARTE itself."""

from __future__ import annotations

from typing import Final

from parte.languages.language import Language

EQL: Final = Language(
    "EQL",
    ".eql",
    "Q",
    {
        "text": "parte.languages.eql.semantics.text:TEXT",
        "run": "parte.languages.eql.running:RUNNER",
        "rules": "parte.languages.eql.semantics.listing:LISTING",
        "lemmas": "parte.languages.eql.proofs.catalogue:CATALOGUE",
        "controls": "parte.languages.eql.proofs.controls:SUBJECT",
        "kit": "parte.languages.eql.conformance.kit:KIT",
        "check": "parte.languages.eql.checker.check:check",
        "commands": "parte.languages.eql.commands:COMMANDS",
        "editing": "parte.languages.eql.editing.support:SUPPORT",
        "translations": "parte.languages.translations.eql:TRANSLATIONS",
        "python": "parte.languages.eql.api:parse",
    },
)
