"""The meaning of `in_network` (specification: function-in-network), by the addresses of Python."""

from __future__ import annotations

from ipaddress import ip_address

from parte.semantics.source.networks import network


def is_in_network(text: str, of: str) -> bool | None:
    """Return whether an address is in a network; no value if the text is no address."""
    try:
        address = ip_address(text)
    except ValueError:
        return None
    if "%" in text:  # the zone of an interface
        return None
    within = network(of)
    shift = within.bits - within.length
    return address.max_prefixlen == within.bits and int(address) >> shift == within.address >> shift
