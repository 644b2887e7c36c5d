"""Translations between PARTElang and CEL."""

from __future__ import annotations

from typing import Final

from parte.languages.translations.table import Translations, lazily

TRANSLATIONS: Final[Translations] = {
    ("PARTElang", "CEL"): lazily("parte.languages.translations.cel.texts:to_cel"),
    ("CEL", "PARTElang"): lazily("parte.languages.translations.cel.texts:to_parte"),
}
