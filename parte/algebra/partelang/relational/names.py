"""Names of columns that people see. SQL engines treat `a` and `A` as one name, PARTElang does not."""

from __future__ import annotations


class Names:
    """A generator of names that differ even when case is ignored.

    PARTElang's names contain no `$`, so names that are generated with it collide with none of them.
    """

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def fresh(self, wanted: str) -> str:
        """Return the name itself if it is free, else one that begins with it."""
        name, number = wanted, 1
        while name.lower() in self._taken:
            number += 1
            name = f"{wanted}${number}"
        self._taken.add(name.lower())
        return name
