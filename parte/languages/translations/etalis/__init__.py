"""Translations between PARTElang and ETALIS."""

from __future__ import annotations

from typing import Final

from parte.languages.translations.table import Translations, lazily

TRANSLATIONS: Final[Translations] = {
    ("PARTElang", "ETALIS"): lazily("parte.languages.translations.etalis.texts:to_etalis"),
    ("ETALIS", "PARTElang"): lazily("parte.languages.translations.etalis.texts:to_parte"),
}
