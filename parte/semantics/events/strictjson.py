"""Strict JSON, unlike that of the standard library: no NaN, no repeated key in an object, no overflow."""

from __future__ import annotations

import json
from math import isfinite


class MalformedJson(ValueError):
    """Text that is not JSON. `line` counts from 1; it is 0 if it is not known."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) != len(pairs):
        seen = set[str]()
        for name, _ in pairs:
            if name in seen:
                raise MalformedJson(f"the key {quoted(name)} stands twice in one object")
            seen.add(name)
    return result


def _constant(text: str) -> object:
    raise MalformedJson(f"{text} is not a JSON number; numbers must be finite")


def _finite(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise MalformedJson(f"{text[:30]} is beyond the finite binary64 numbers")
    return value


_decode = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant).decode
_decode_finite = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant, parse_float=_finite).decode


def decode(text: str, *, finite: bool = False, surrogates: bool = False) -> object:
    """Return the value in `text`. Numbers beyond binary64 become infinite, unless all must be `finite`.

    The caller then checks ranges. Raise MalformedJson, also for text that nests too deeply and, unless `surrogates` are
    allowed, for strings with half a surrogate pair.
    """
    try:
        value: object = _decode_finite(text) if finite else _decode(text)
        # Only an escape, or a decoder that accepts any bytes, produces a lone surrogate; most lines have neither.
        if not surrogates and (not text.isascii() or "\\u" in text):
            check_text(json.dumps(value, ensure_ascii=False))
    except json.JSONDecodeError as error:
        raise MalformedJson(
            f"not JSON: {error.msg.removesuffix(' at')} at column {error.colno}", error.lineno
        ) from None
    except RecursionError:
        raise MalformedJson("not usable JSON: it nests too deeply") from None
    except MalformedJson:
        raise
    except ValueError:  # the interpreter refuses to convert thousands of digits
        raise MalformedJson("an integer lies outside the signed 64-bit range") from None
    return value


def check_text(text: str) -> None:
    """Raise MalformedJson if `text` cannot be encoded as UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        code = ord(error.object[error.start])
        if 0xDC80 <= code <= 0xDCFF:  # a byte, encoded by "surrogateescape"
            raise MalformedJson(f"not UTF-8: there is a byte 0x{code - 0xDC00:02x}, or half a surrogate pair") from None
        raise MalformedJson(f"a string holds half a surrogate pair (\\u{code:04x})") from None


def quoted(text: str, limit: int = 60) -> str:
    """Return `text` as a JSON string for a message: shortened if long, and in ASCII if a terminal could not show it."""
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    return json.dumps(cut, ensure_ascii=not cut.isprintable())


def dumped(value: object) -> str:
    """Return JSON on one line; control characters, and characters that an editor would hide, are escaped."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return text if text.isprintable() else json.dumps(value, allow_nan=False)


def compact(value: object) -> str:
    """As `dumped`, without spaces: the layout of the matches of every language."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text if text.isprintable() else json.dumps(value, allow_nan=False, separators=(",", ":"))
