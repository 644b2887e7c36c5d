"""What guests bring to general tests: modules of one name in their folders, found by what there is."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

from parte.languages.registry import missing

TESTS = Path(__file__).resolve().parent


def modules(name: str) -> list[ModuleType]:
    """Return the modules `NAME.py` in the folders of guests, `languages/GUEST/`, then in those of their translations,
    `languages/translations/GUEST/`. A name may have folders, as in "campaigns/catalogue"."""
    paths = [*sorted(TESTS.glob(f"languages/*/{name}.py")), *sorted(TESTS.glob(f"languages/translations/*/{name}.py"))]
    return [import_module(".".join(path.relative_to(TESTS.parent).with_suffix("").parts)) for path in paths]


def is_absent(place: str) -> bool:
    """Return whether a path or the name of a module belongs to a language that is registered and was deleted
    (`registry.missing`): what is written by hand about all languages goes on to name it."""
    words = re.split(r"[\W_]+", place.lower())
    return any(name in words for name in _absent())


@cache  # entry points are read from files, again and again
def _absent() -> tuple[str, ...]:
    return tuple(name.lower() for name in missing())
