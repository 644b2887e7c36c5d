"""LEAD: everything that this language needs, in the same roles as PARTE itself."""

from __future__ import annotations

from typing import Final

from parte.languages.language import Language

LEAD: Final = Language(
    "LEAD",
    ".lead",
    "L",
    {
        "text": "parte.languages.lead.semantics.text:TEXT",
        "run": "parte.languages.lead.running:RUNNER",
        "rules": "parte.languages.lead.semantics.listing:LISTING",
        "check": "parte.languages.lead.checker.check:check",
        "lemmas": "parte.languages.lead.proofs.catalogue:CATALOGUE",
        "controls": "parte.languages.lead.proofs.controls:SUBJECT",
        "kit": "parte.languages.lead.conformance.kit:KIT",
        "commands": "parte.languages.lead.commands:COMMANDS",
        "editing": "parte.languages.lead.editing.support:SUPPORT",
        "playground": "parte.languages.lead.playground:TASKS",
        "translations": "parte.languages.translations.lead:TRANSLATIONS",
        "experiment": "parte.languages.lead.experiments.experiment:LEAD",
        "python": "parte.languages.lead.api:parse",
    },
)
