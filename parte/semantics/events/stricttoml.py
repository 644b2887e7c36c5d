"""TOML within limits, with one kind of error for all invalid text."""

from __future__ import annotations

import re
import tomllib
from typing import Final

MAX_CHARACTERS: Final = 2**20
"""Maximum number of characters of a text: parsing so many takes up to some seconds."""
MAX_DEPTH: Final = 64
"""Maximum number of parts of a key, and of open brackets: the parser takes quadratic time, or recurses."""

_LONGEST = 200

_TOKENS = re.compile(
    # A string that is not closed ends with its line or the text: repeated searches for its end take quadratic time.
    r'''(?P<text>"""(?:\\.|[^\\])*?(?:"""|\\?\Z)|'{3}.*?(?:'{3}|\Z)|"(?:\\.|[^"\\\n])*"?|'[^'\n]*'?)'''
    r"|(?P<comment>#[^\n]*)|(?P<bare>[A-Za-z0-9_-]+)|(?P<dot>\.)|(?P<space>[ \t]+)|(?P<open>[\[{])|(?P<close>[\]}])|.",
    re.DOTALL,
)


class MalformedToml(ValueError):
    """Text that is not TOML, or is too large or too deep."""


def decode(text: str) -> dict[str, object]:
    """Return the table in `text`. Raise MalformedToml, also for text beyond the limits, which is not parsed."""
    _check_limits(text)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message, _, place = str(error).rpartition(" (")  # the message may be as long as the file
        raise MalformedToml(f"not TOML: {message[:_LONGEST]} ({place}") from None
    except RecursionError:
        raise MalformedToml("not usable TOML: it nests too deeply") from None
    except ValueError:  # the interpreter refuses to convert thousands of digits
        raise MalformedToml("an integer lies outside the signed 64-bit range") from None


def _check_limits(text: str) -> None:
    """Raise MalformedToml for a text whose parsing takes too long or recurses too deeply."""
    if len(text) > MAX_CHARACTERS:
        raise MalformedToml(f"not usable TOML: it has more than {MAX_CHARACTERS:,} characters")
    parts = brackets = 0
    after_dot = False
    for token in _TOKENS.finditer(text):
        match token.lastgroup:
            case "text" | "bare":
                parts, after_dot = parts + 1 if after_dot else 1, False
                if parts > MAX_DEPTH:
                    message = f"not usable TOML: a key has more than {MAX_DEPTH} parts"
                    raise MalformedToml(f"{message} ({_place(text, token)}")
            case "dot":
                after_dot = True
            case "space":
                pass
            case kind:
                parts, after_dot = 0, False
                brackets += (kind == "open") - (kind == "close")
                if brackets > MAX_DEPTH:
                    message = f"not usable TOML: more than {MAX_DEPTH} brackets are open at once"
                    raise MalformedToml(f"{message} ({_place(text, token)}")


def _place(text: str, token: re.Match[str]) -> str:
    """Return the place of a token, in the form of the parser's messages."""
    before = text[: token.start()]
    return f"at line {before.count(chr(10)) + 1}, column {token.start() - before.rfind(chr(10))})"
