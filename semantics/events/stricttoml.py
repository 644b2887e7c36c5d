"""TOML, with one error for whatever is none."""

from __future__ import annotations

import tomllib

_LONGEST = 200


class MalformedToml(ValueError):
    """Text that is not TOML."""


def decode(text: str) -> dict[str, object]:
    """The table that `text` writes. MalformedToml, also for text that nests too deeply."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message, _, place = str(error).rpartition(" (")  # what was found may be as long as the file
        raise MalformedToml(f"not TOML: {message[:_LONGEST]} ({place}") from None
    except RecursionError:
        raise MalformedToml("not usable TOML: it nests too deeply") from None
    except ValueError:  # the interpreter refuses to convert thousands of digits
        raise MalformedToml("an integer lies outside the signed 64-bit range") from None
