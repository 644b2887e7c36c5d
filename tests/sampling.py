"""Which of many tests that are alike each run takes.

`make test` takes one of `quick`, `make test-all` one of `usual`, and `make test-whole` all of them.
"""

from __future__ import annotations

import pytest

EXHAUSTIVE = (pytest.mark.exhaustive,)
WHOLE = (pytest.mark.exhaustive, pytest.mark.whole)


def sampled(number: int, *, usual: int, quick: int = 0) -> tuple[pytest.MarkDecorator, ...]:
    """Return the marks of the test with a number. With `quick` 0, `make test` takes none; else it is a multiple of
    `usual`."""
    if number % usual:
        return WHOLE
    return () if quick and number % quick == 0 else EXHAUSTIVE
