"""The machine's evaluation of `in_network` (specification: function-in-network), by groups of bits."""

from __future__ import annotations

import re
from functools import lru_cache

from parte.semantics.source.networks import network

_BYTE = re.compile("0|[1-9][0-9]?|1[0-9][0-9]|2[0-4][0-9]|25[0-5]", re.ASCII)
_GROUP = re.compile("[0-9A-Fa-f]{1,4}", re.ASCII)
_GROUPS = 8


@lru_cache(4096)
def _address(text: str) -> tuple[int, int] | None:
    """Return the number of bits of an address and the address, or None if the text is none."""
    if ":" not in text:
        groups = _bytes(text)
        return None if groups is None else (32, _joined(groups))
    halves = text.split("::")
    if len(halves) > 2:
        return None
    before = _half(halves[0], last=len(halves) == 1)
    after = _half(halves[1], last=True) if len(halves) == 2 else []
    if before is None or after is None:
        return None
    zeros = _GROUPS - len(before) - len(after)
    if zeros != 0 if len(halves) == 1 else zeros < 1:
        return None
    return 128, _joined([*before, *[0] * zeros, *after])


def _joined(groups: list[int]) -> int:
    number = 0
    for group in groups:
        number = number << 16 | group
    return number


def _half(text: str, *, last: bool) -> list[int] | None:
    """Return the groups of a side of `::`; the end of an address may be four bytes."""
    if not text:
        return []
    *parts, end = text.split(":")
    ending = _bytes(end) if last and "." in end else [int(end, 16)] if _GROUP.fullmatch(end) else None
    if ending is None or not all(map(_GROUP.fullmatch, parts)):
        return None
    return [*(int(part, 16) for part in parts), *ending]


def _bytes(text: str) -> list[int] | None:
    """Return four bytes as two groups."""
    parts = text.split(".")
    if len(parts) != 4 or not all(map(_BYTE.fullmatch, parts)):
        return None
    first, second, third, fourth = map(int, parts)
    return [first << 8 | second, third << 8 | fourth]


def is_in_network(text: str, of: str) -> bool | None:
    """Return whether an address is in a network; no value if the text is no address."""
    parsed = _address(text)
    if parsed is None:
        return None
    bits, address = parsed
    within = network(of)
    mask = (1 << bits) - (1 << (bits - within.length)) if bits == within.bits else 0
    return bits == within.bits and address & mask == within.address
