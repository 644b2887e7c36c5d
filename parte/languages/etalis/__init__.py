"""ETALIS: everything that this language needs, in the same roles as PARTE itself."""

from __future__ import annotations

from typing import Final

from parte.languages.language import Language

ETALIS: Final = Language(
    "ETALIS",
    ".etalis",
    "E",
    {
        "text": "parte.languages.etalis.semantics.text:TEXT",
        "run": "parte.languages.etalis.running:RUNNER",
        "rules": "parte.languages.etalis.semantics.listing:LISTING",
        "check": "parte.languages.etalis.checker.check:check",
        "lemmas": "parte.languages.etalis.proofs.catalogue:CATALOGUE",
        "controls": "parte.languages.etalis.proofs.controls:SUBJECT",
        "kit": "parte.languages.etalis.conformance.kit:KIT",
        "commands": "parte.languages.etalis.commands:COMMANDS",
        "editing": "parte.languages.etalis.editing.support:SUPPORT",
        "playground": "parte.languages.etalis.playground:TASKS",
        "translations": "parte.languages.translations.etalis:TRANSLATIONS",
        "experiment": "parte.languages.etalis.experiments.experiment:ETALIS",
        "python": "parte.languages.etalis.api:parse",
    },
)
