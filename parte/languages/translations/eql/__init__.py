"""Translations of EQL: to PARTElang and back, and to CEL and LEAD."""

from __future__ import annotations

from typing import Final

from parte.languages.translations.table import Translations, lazily

TRANSLATIONS: Final[Translations] = {
    ("PARTElang", "EQL"): lazily("parte.languages.translations.eql.texts:to_eql"),
    ("EQL", "PARTElang"): lazily("parte.languages.translations.eql.texts:to_parte"),
    ("EQL", "CEL"): lazily("parte.languages.translations.eql.cel.to_cel:to_cel"),
    ("EQL", "LEAD"): lazily("parte.languages.translations.eql.lead.to_lead:to_lead"),
}
