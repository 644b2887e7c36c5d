"""What the page knows before Python runs in it: languages with what can be asked of them, colours, and examples."""

from __future__ import annotations

import json
from dataclasses import asdict
from importlib import metadata
from typing import Any

from parte import api
from parte.conformance.kit import KIT
from parte.conformance.protocol import DEFAULT_LANGUAGE
from parte.editing.support import colourings
from parte.editing.words import Colouring
from parte.languages.language import Language
from parte.languages.registry import languages
from parte.playground.answers import tasks_of
from parte.semantics.partelang.schedules import SCHEDULES
from playground.examples import examples

ELSEWHERE = ("duckdb",)
"""Models that need what there is not in a browser."""
_DISORDERLY = ("PARTElang", "LEAD")
"""The languages of which a trace may be out of order."""

Json = Any


def contents() -> str:
    """All of it as JSON."""
    content = {
        "version": metadata.version("parte"),
        "languages": [_language(language) for language in languages()],
        "examples": [asdict(example) for example in examples()],
    }
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def _language(language: Language) -> Json:
    first = language.name == DEFAULT_LANGUAGE
    (colouring,) = (colouring for colouring in colourings() if colouring.language == language.name)
    models = [model for model in (api.MODEL_NAMES if first else language[KIT].models) if model not in ELSEWHERE]
    return {
        "name": language.name,
        "ending": language.ending,
        "tasks": list(tasks_of(language)),
        "models": models,
        "machines": [model for model in models if first and api.model_called(model) is not None],
        "schedules": list(SCHEDULES) if first else [],
        "seeded": list(api.SEEDED),
        "domain": first,
        "disorder": language.name in _DISORDERLY,
        "colouring": colours(colouring),
    }


def colours(colouring: Colouring) -> Json:
    """How a language is coloured, as `page/colouring.js` reads it."""
    return {
        "tokens": [*map(list, colouring.lexis.groups.items())],
        "words": {word: kind.value for word, kind in colouring.words.items()},
        "units": sorted(colouring.units),
        "places": [[place.behind, place.ahead, sorted(place.words)] for place in colouring.places],
        "anyCase": colouring.any_case,
    }
