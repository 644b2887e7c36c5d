"""CEL: everything that this language needs, in the same roles as PARTE itself."""

from __future__ import annotations

from typing import Final

from parte.languages.language import Language

CEL: Final = Language(
    "CEL",
    ".ceql",
    "T",
    {
        "text": "parte.languages.cel.semantics.text:TEXT",
        "run": "parte.languages.cel.running:RUNNER",
        "rules": "parte.languages.cel.semantics.listing:LISTING",
        "check": "parte.languages.cel.checker.check:check",
        "lemmas": "parte.languages.cel.proofs.catalogue:CATALOGUE",
        "controls": "parte.languages.cel.proofs.controls:SUBJECT",
        "rocq": "parte.languages.cel.proofs.rocq:THEORY",
        "kit": "parte.languages.cel.conformance.kit:KIT",
        "commands": "parte.languages.cel.commands:COMMANDS",
        "editing": "parte.languages.cel.editing.support:SUPPORT",
        "playground": "parte.languages.cel.playground:TASKS",
        "translations": "parte.languages.translations.cel:TRANSLATIONS",
        "experiment": "parte.languages.cel.experiments.experiment:CORE",
        "python": "parte.languages.cel.api:parse",
    },
)
