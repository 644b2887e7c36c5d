"""The languages that there are translations of, as their folders have them."""

from __future__ import annotations

from tests.guests import modules
from tests.languages.translations.part import Part

PARTS: tuple[Part, ...] = tuple(module.PART for module in modules("part") if hasattr(module, "PART"))
