"""The drafts of the suite, in the order of their making."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.authoring import (
    absence,
    adequacy,
    arrival,
    emitting,
    expiry,
    foreign,
    language,
    rejections,
    values,
    windows,
)
from conformance.authoring.drafts import Draft


def handmade() -> Iterator[Draft]:
    """The cases that people wrote."""
    for module in (windows, values, absence, emitting, arrival, expiry, language, rejections, adequacy, foreign):
        yield from module.drafts()


def generated() -> Iterator[Draft]:
    """The cases that programs wrote."""
    from conformance.authoring import breadth, laws

    yield from laws.drafts()
    yield from breadth.drafts()
