"""Bytes changed for the worse: flips, cuts, huge numbers, nesting, odd Unicode, wrong types, keys twice, long lines."""

from __future__ import annotations

import io
import json
import random
import re
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any


class Odd(Enum):
    """What may lie in the place of a file."""

    FIFO = "a FIFO"
    DIRECTORY = "a directory"
    MISSING = "nothing"
    LOOP = "a link to itself"
    ENDLESS = "a link to /dev/zero"
    FAILING = "a file whose reading fails"
    HUGE = "a file of 8 GiB"


Content = bytes | Odd

NUMBERS = (
    *("0", "-0", "1", "-1", "1e999", "-1e999", "1e308", "5e-324", "0.0", "-0.0", "1.5", "NaN", "Infinity", "0x7f"),
    *(str(2**63), str(2**63 - 1), str(-(2**63)), str(-(2**63) - 1), str(2**64), str(2**31), str(10**30)),
    *("9" * 400, "9" * 5000, "1" + "0" * 100_000, "1e" + "9" * 400, "007", "1_000", "١٢", "+1", "--1"),
)
TEXTS = (
    *(
        "",
        " ",
        "\x00",
        "\ufeff",
        "\u202e",
        "\u2066x\u2069",
        "\u200b",
        "a\u0301",
        "e\u0301" * 500,
        "\U0001f469\u200d\U0001f680",
    ),
    *(
        "\u0085",
        "\u2028",
        "\r",
        "\n",
        "\t",
        "\x1b[31m",
        "\x9b2J",
        "\x7f",
        "ｔｉｍｅ",
        "ſ",
        "İ",
        "'",
        '"',
        "\\",
        "`",
        "{",
        "}",
    ),
    *(
        "[",
        "]",
        "%s",
        "{0}",
        "--",
        ";",
        "rule:x",
        "rule:R#1",
        "timestamp",
        "template",
        "__class__",
        "x" * 129,
        "x" * 70_000,
    ),
    *(
        "../x",
        "/etc/passwd",
        "a/b",
        "NUL",
        "null",
        "true",
        "1",
        "R(a=a1)",
        "R#1(a=a1)",
        "default",
        "Integer",
        "no",
        "min",
    ),
)
RAW = (
    *(b"\xff", b"\x80", b"\xc0\x80", b"\xed\xa0\x80", b"\xed\xb0\x80", b"\xf4\x90\x80\x80", b"\xfe\xff", b"\xff\xfe"),
    *(
        b"\xef\xbb\xbf",
        b"\x00",
        b"\x00" * 4096,
        b"\r\n",
        b"\x0b",
        b"\x0c",
        b"\x1a",
        b"\x1b]0;x\x07",
        b"\\ud800",
        b"\\udc00",
    ),
    *(
        b"\\u0000",
        b"\\ud83d\\ude00",
        b"[" * 2000,
        b"(" * 2000,
        b"{" * 2000,
        b'{"a":' * 2000,
        b"[" * 100_000,
        b"-" * 5000,
    ),
    *(
        b"/*",
        b"//",
        b"#",
        b'"',
        b"'''",
        b'"""',
        b",,",
        b"::",
        b"=",
        b"..",
        b"@",
        b">=",
        b"no ",
        b"emit ",
        b"in ",
        b"where ",
    ),
)


def mutated(source: random.Random, content: bytes) -> bytes:
    """The bytes after one to three changes."""
    for _ in range(source.choice((1, 1, 1, 2, 3))):
        content = source.choice(_CHANGES)(source, content)
    return content


def _place(source: random.Random, content: bytes) -> int:
    return source.randrange(len(content) + 1)


def _bit(source: random.Random, content: bytes) -> bytes:
    if not content:
        return content
    place = source.randrange(len(content))
    return content[:place] + bytes([content[place] ^ 1 << source.randrange(8)]) + content[place + 1 :]


def _byte(source: random.Random, content: bytes) -> bytes:
    place = _place(source, content)
    return content[:place] + bytes([source.randrange(256)]) + content[place + 1 :]


def _cut(source: random.Random, content: bytes) -> bytes:
    return content[: _place(source, content)]


def _removed(source: random.Random, content: bytes) -> bytes:
    start = _place(source, content)
    return content[:start] + content[start + source.choice((1, 1, 2, 5, 20, 200)) :]


def _repeated(source: random.Random, content: bytes) -> bytes:
    start = _place(source, content)
    part = content[start : start + source.choice((1, 5, 20, 200))]
    return content[:start] + part * source.choice((2, 2, 3, 100)) + content[start:]


def _moved(source: random.Random, content: bytes) -> bytes:
    """Lines in another order, or twice."""
    lines = content.split(b"\n")
    first, second = source.randrange(len(lines)), source.randrange(len(lines))
    if source.random() < 0.5:
        lines[first], lines[second] = lines[second], lines[first]
    else:
        lines.insert(second, lines[first])
    return b"\n".join(lines)


def _inserted(source: random.Random, content: bytes) -> bytes:
    place = _place(source, content)
    text = source.choice(TEXTS).encode("utf-8", "surrogatepass")
    return content[:place] + source.choice((source.choice(RAW), text)) + content[place:]


def _number(source: random.Random, content: bytes) -> bytes:
    return _exchanged(source, content, rb"-?\d+(\.\d+)?", lambda: source.choice(NUMBERS).encode())


def _text(source: random.Random, content: bytes) -> bytes:
    def exchanged_text() -> bytes:
        text = source.choice(TEXTS)
        kind = source.random()
        if kind < 0.5:
            return json.dumps(text).encode()
        return b'"' + (text.encode() if kind < 0.8 else source.choice(RAW)) + b'"'

    return _exchanged(source, content, rb'"[^"\n]*"', exchanged_text)


def _word(source: random.Random, content: bytes) -> bytes:
    """A word exchanged for another of the file, or for a text."""
    words = re.findall(rb"[A-Za-z_]+", content) or [b"x"]
    return _exchanged(
        source, content, rb"[A-Za-z_]+", lambda: source.choice((source.choice(words), source.choice(TEXTS).encode()))
    )


def _exchanged(source: random.Random, content: bytes, what: bytes, by: Callable[[], bytes]) -> bytes:
    matches = list(re.finditer(what, content))
    if not matches:
        return _inserted(source, content)
    chosen = source.choice(matches)
    return content[: chosen.start()] + by() + content[chosen.end() :]


def _value(source: random.Random, content: bytes) -> bytes:
    """A value somewhere in the JSON of a line, or of the whole, exchanged for one of another type; or a key twice."""
    lines = [content] if source.random() < 0.3 or b"\n" not in content.strip() else content.split(b"\n")
    number = source.randrange(len(lines))
    try:
        tree = json.loads(lines[number])
    except (ValueError, RecursionError):
        return _text(source, content)
    places = list(_places(tree))
    if not places:
        return _text(source, content)
    holder, key = source.choice(places)
    marker = "\ue000marked\ue001"
    if source.random() < 0.15 and isinstance(holder, dict):
        twice = f"{json.dumps(marker)}: {json.dumps(holder[key])}"
        holder[marker] = 0
        text = json.dumps(tree).replace(f"{json.dumps(marker)}: 0", twice.replace(json.dumps(marker), json.dumps(key)))
    elif source.random() < 0.15:
        del holder[key]
        text = json.dumps(tree)
    else:
        holder[key] = marker
        text = json.dumps(tree).replace(json.dumps(marker), _hostile(source))
    lines[number] = text.encode("utf-8", "surrogatepass")
    return b"\n".join(lines)


def _hostile(source: random.Random) -> str:
    return source.choice(
        (
            *(
                "null",
                "true",
                "[]",
                "{}",
                '""',
                "[[]]",
                '{"a": 1, "a": 2}',
                "[null]",
                "1.0",
                "-1",
                '"\\ud800"',
                '"\\u0000"',
            ),
            *(
                "[" * 500 + "]" * 500,
                "[" * 5000 + "]" * 5000,
                '{"a":' * 900 + "1" + "}" * 900,
                "[0" + ", 0" * 20_000 + "]",
            ),
            source.choice(NUMBERS),
            json.dumps(source.choice(TEXTS)),
            json.dumps([source.choice(TEXTS)] * 3),
        )
    )


def _places(tree: Any) -> Iterator[tuple[Any, Any]]:
    for key in tree if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ():
        yield tree, key
        yield from _places(tree[key])


def _long(source: random.Random, content: bytes) -> bytes:
    """A line without end, or lines without end."""
    place = _place(source, content)
    filling = source.choice((b" ", b"x", b"0", b"[", b"(", b"\n", b"#", b'"', b"a ", b"\xe2\x80\x8b", b"\x00", b"-1 "))
    return content[:place] + filling * source.choice((3_000, 100_000, 2**20 + 5, 3 * 2**20)) + content[place:]


def _encoded(source: random.Random, content: bytes) -> bytes:
    text = content.decode("utf-8", "replace")
    return source.choice(
        (
            text.encode("utf-16"),
            text.encode("utf-32-le"),
            b"\xef\xbb\xbf" + content,
            b"\xef\xbb\xbf" * 2 + content,
            content.replace(b"\n", b"\r\n"),
            content.replace(b"\n", b"\r"),
            text.encode("latin-1", "replace"),
            b"",
            content * 2,
        )
    )


_CHANGES: tuple[Callable[[random.Random, bytes], bytes], ...] = (
    *(_bit, _byte, _cut, _removed, _repeated, _moved, _inserted, _inserted),
    *(_number, _number, _text, _text, _word, _word, _value, _value, _value, _long, _encoded),
)


# --- Parquet ----------------------------------------------------------------------------------------------------------


def parquet(table: Any) -> bytes:
    """A table as a file."""
    import pyarrow.parquet

    buffer = io.BytesIO()
    pyarrow.parquet.write_table(table, buffer)
    return buffer.getvalue()


def hostile_parquet(source: random.Random, table: Any) -> bytes:
    """A table with a column of another type, name or length, or with bytes of its file changed."""
    import pyarrow as pa

    kind = source.random()
    if kind < 0.4:
        content = parquet(table)
        # Most of the file is what describes it, at its end.
        changes = (_bit, _byte, _cut, _removed, _inserted, _repeated)
        for _ in range(source.choice((1, 1, 2))):
            content = source.choice(changes)(source, content)
        return content
    if kind < 0.45:
        return parquet(
            pa.table({name: pa.array([table.column(name)[0].as_py()] * 10**7) for name in table.schema.names[:1]})
        )
    rows = len(table)
    number = source.randrange(table.num_columns)
    name = table.schema.names[number]
    if kind < 0.6:
        name = source.choice((*TEXTS, *table.schema.names, name.upper(), "attributes", "attributes.k"))
        names = [*table.schema.names[:number], name, *table.schema.names[number + 1 :]]
        try:
            return parquet(table.rename_columns(names))
        except (pa.ArrowException, ValueError):
            return parquet(table)
    value: Any = source.choice(
        (
            pa.array([None] * rows),
            pa.array([None] * rows, pa.int64()),
            pa.array(
                [2**62] * rows,
                pa.timestamp(source.choice(("s", "ms", "us", "ns")), tz=source.choice((None, "UTC", "+99:99"))),
            ),
            pa.array([2**62] * rows, pa.date64()),
            pa.array([2**31 - 1] * rows, pa.date32()),
            pa.array([-(2**31)] * rows, pa.date32()),
            pa.array([2**62] * rows, pa.duration("s")),
            pa.array([86_399] * rows, pa.time32("s")),
            pa.array([float("nan")] * rows),
            pa.array([float("inf")] * rows),
            pa.array([2**64 - 1] * rows, pa.uint64()),
            pa.array([7] * rows, pa.int8()),
            pa.array([b"\xff\xfe"] * rows),
            pa.array(["\x00"] * rows),
            pa.array(["same"] * rows),
            pa.array([[1, None]] * rows),
            pa.array([[[[1]]]] * rows),
            pa.array([True] * rows),
            pa.array([10**37] * rows, pa.decimal128(38)),
            pa.array([[("a", 1), ("a", 2)]] * rows, pa.map_(pa.string(), pa.int64())),
            pa.array([{source.choice(TEXTS): 1, "k": None}] * rows),
            pa.array([{"k": 2**62, "s": "x"}] * rows),
            pa.array(["a"] * rows).dictionary_encode(),
            pa.array([], pa.int64()),
            pa.StructArray.from_arrays([pa.array([1] * rows), pa.array([2] * rows)], ["k", "k"]),
            pa.Array.from_buffers(
                pa.string(), rows, [None, pa.py_buffer(_offsets(rows)), pa.py_buffer(b"\xff" * rows)]
            ),
        )
    )
    try:
        if len(value) != rows:
            return parquet(pa.table({name: value}))
        return parquet(table.set_column(number, name, value))
    except (pa.ArrowException, ValueError):
        return parquet(table)


def _offsets(rows: int) -> bytes:
    return b"".join(number.to_bytes(4, "little") for number in range(rows + 1))


def bomb(rows: int) -> bytes:
    """A small file that says that it has very many rows, all of one value."""
    import pyarrow as pa
    import pyarrow.parquet

    buffer = io.BytesIO()
    part = pa.table({"x": pa.array(["E"] * 10**6).dictionary_encode()})
    with pyarrow.parquet.ParquetWriter(buffer, part.schema) as writer:
        for _ in range(rows // 10**6):
            writer.write_table(part)
    return buffer.getvalue()
