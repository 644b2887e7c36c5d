"""The networks of `in_network` (specification: function-in-network)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_address

_FORM = re.compile(r"([0-9A-Fa-f:.]+)/(0|[1-9][0-9]{0,2})", re.ASCII)


class InvalidNetwork(ValueError):
    """A text that is no network."""


@dataclass(frozen=True, slots=True)
class Network:
    """The addresses of so many `bits` whose first `length` bits are those of `address`; its others are zero."""

    bits: int
    address: int
    length: int


@lru_cache(1024)
def network(text: str) -> Network:
    """Return the network that a text names. Raise InvalidNetwork if it names none."""
    parts = _FORM.fullmatch(text)
    if parts is None:
        raise InvalidNetwork(f"`{text}` is no network: one is written as in `10.0.0.0/8` or `2001:db8::/32`")
    try:
        address = ip_address(parts[1])
    except ValueError:
        raise InvalidNetwork(f"`{text}` is no network: `{parts[1]}` is no address") from None
    bits, length = address.max_prefixlen, int(parts[2])
    if length > bits:
        raise InvalidNetwork(f"`{text}` is no network: such an address has {bits} bits")
    rest = int(address) % (1 << (bits - length))
    if rest:
        first = type(address)(int(address) - rest)
        raise InvalidNetwork(f"`{text}` has bits of a host: the network is `{first}/{length}`")
    return Network(bits, int(address), length)
