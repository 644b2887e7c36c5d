"""Translations between PARTElang and LEAD."""

from __future__ import annotations

from typing import Final

from parte.languages.translations.table import Translations, lazily

TRANSLATIONS: Final[Translations] = {
    ("PARTElang", "LEAD"): lazily("parte.languages.translations.lead.texts:to_lead"),
    ("LEAD", "PARTElang"): lazily("parte.languages.translations.lead.texts:to_parte"),
}
