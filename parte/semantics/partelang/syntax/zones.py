"""Time zones by their names in the table of IANA (specification: function-clocks).

The table is that of the package `tzdata`, never the machine's own: a program means the same on every machine that has
the same version of the package.
"""

from __future__ import annotations

from datetime import UTC as _UTC
from datetime import tzinfo
from functools import lru_cache
from importlib import import_module
from typing import Final

UTC: Final = "UTC"
"""The zone that needs no table."""

_PACKAGE: Final = "tzdata"


class UnknownZone(ValueError):
    """A name that the table of zones lacks."""


def table() -> str:
    """Return the name of the table of zones, as in "IANA 2026f"; say so if there is none."""
    try:
        return f"IANA {import_module(_PACKAGE).IANA_VERSION}"
    except ModuleNotFoundError:
        return "no table: the package tzdata is not installed"


@lru_cache(1)
def names() -> frozenset[str]:
    """Return the names of all zones in the table."""
    from importlib import resources  # slow to import

    try:
        listed = resources.files(_PACKAGE).joinpath("zones").read_text(encoding="utf-8")
    except ModuleNotFoundError:
        return frozenset({UTC})
    return frozenset(listed.split()) | {UTC}


@lru_cache(64)
def zone(name: str) -> tzinfo:
    """Return the zone with a name. Raise UnknownZone if there is none."""
    if name == UTC:
        return _UTC
    if name not in names():
        raise UnknownZone(f"there is no time zone {name!r} in the table ({table()})")
    from importlib import resources
    from zoneinfo import ZoneInfo  # few programs name a zone, and the module looks for those of the machine

    with resources.files(_PACKAGE).joinpath("zoneinfo", *name.split("/")).open("rb") as data:
        return ZoneInfo.from_file(data, key=name)
