"""Names of PARTElang for names of other tools."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import count
from typing import Final

from parte.semantics.partelang.syntax.expectations import EXPECTED, KEYWORDS, LEVEL_2

MAX_NAME: Final = 100
RESERVED: Final = frozenset({*KEYWORDS, *LEVEL_2, *EXPECTED, "timestamp", "ms"})
"""Words that no name of an import is, wherever it stands."""


def identifier(text: str, taken: Collection[str] = ()) -> str:
    """Return a name for a text: its letters and digits, with `_` between its words. It is none of `taken`."""
    name = "_".join(re.findall(r"[A-Za-z0-9]+", text))[:MAX_NAME].rstrip("_") or "unnamed"
    if name[0].isdigit() or name in RESERVED:
        name = f"_{name}"
    return next(free for number in count(1) if (free := name if number == 1 else f"{name}_{number}") not in taken)
