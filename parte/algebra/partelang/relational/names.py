"""Names of columns that people see. SQL engines hold `a` and `A` for one name, PARTElang does not."""

from __future__ import annotations


class Names:
    """Hands out names that differ even when case is ignored.

    A `$` is no part of PARTElang's names, so what is made up with it collides with none of them.
    """

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def fresh(self, wanted: str) -> str:
        """The name itself if it is free, else one that begins with it."""
        name, number = wanted, 1
        while name.lower() in self._taken:
            number += 1
            name = f"{wanted}${number}"
        self._taken.add(name.lower())
        return name
