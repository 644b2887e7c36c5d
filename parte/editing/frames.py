"""Frames: the messages of an editor, each below a header with its length (Language Server Protocol, Base Protocol).

After a wrong header the end of its message is unknown: the reader skips everything up to the next header. No message
contains one, because JSON escapes line breaks in strings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final

from parte.semantics.source.limits import MAX_SOURCE_CHARACTERS

MAX_FRAME_BYTES: Final = 16 * MAX_SOURCE_CHARACTERS
"""The greatest length: a text as long as the limits on sources allow, each character escaped as two surrogates."""
_MAX_LINE = 4_096
_LONGEST_HEADER = 64
_FIELD = re.compile(rb"[A-Za-z][A-Za-z0-9-]*:.*\n")
_LENGTH = re.compile(rb"content-length:\s*(.*?)\s*\n", re.IGNORECASE)
_HEADER = re.compile(rb"content-length:[ \t]*[0-9]+[ \t]*\r?\n\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class BadFrame:
    """A frame whose message cannot be read, and the reason."""

    problem: str


def frames(stream: BinaryIO) -> Iterator[bytes | BadFrame]:
    """Yield the messages of a stream, up to its end."""
    line = stream.readline(_MAX_LINE)
    while line:
        if not line.strip():
            line = stream.readline(_MAX_LINE)
            continue
        lengths: list[bytes] = []
        while _FIELD.fullmatch(line) and len(lengths) < 2:
            if length_field := _LENGTH.fullmatch(line):
                lengths.append(length_field[1])
            line = stream.readline(_MAX_LINE)
        problem = _problem(lengths, line)
        if problem:
            yield BadFrame(problem)
            line = _next_header(stream, line)
            continue
        length = int(lengths[0])
        body = stream.read(length)
        yield body if len(body) == length else BadFrame(f"the input ends after {len(body)} of {length} bytes")
        line = stream.readline(_MAX_LINE)


def _problem(lengths: list[bytes], end: bytes) -> str:
    """Return the problem of a header with these lengths and this last line; "" if it has none."""
    if len(lengths) != 1 or end.strip():
        return "expected one header `Content-Length: NUMBER`, and an empty line behind it"
    (length,) = lengths
    excerpt = length[:40].decode("ascii", "backslashreplace")
    if not re.fullmatch(b"[0-9]+", length):
        return f"`Content-Length: {excerpt}`: expected a number of bytes"
    if len(length) > len(str(MAX_FRAME_BYTES)) or int(length) > MAX_FRAME_BYTES:
        return f"a message of {excerpt} bytes; at most {MAX_FRAME_BYTES} are read"
    return ""


def _next_header(stream: BinaryIO, line: bytes) -> bytes:
    """Return the first header from a line on, without the text before it on its line; b"" at the end of the stream."""
    while line:
        if header := _HEADER.search(line):
            return header[0]
        rest = b"" if line.endswith(b"\n") else line[-_LONGEST_HEADER:]
        following = stream.readline(_MAX_LINE)
        line = rest + following if following else b""
    return b""
