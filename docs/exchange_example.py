"""The exchange in the guide to adapters: the requests of the runner to the template in Python for one case, and its
replies; and the expected results of a case with emissions. The guide's other lines are written by hand."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from textwrap import wrap
from typing import Any, Final

from parte.conformance.exchange import fixture_to_json
from parte.conformance.messages import request_to_json
from parte.conformance.protocol import PROTOCOL, Bye, Hello, Request, Run
from parte.conformance.runner.judging import prepare
from parte.conformance.suites import load_suite
from parte.languages.partelang import PARTELANG

Json = Any

ENGINES = Path(__file__).parent.parent / "examples" / "engines"
GUIDE = ENGINES / "README.md"
ASKED: Final = "windows/two-to-five-at-5"
EMITTING: Final = "novalue/one-of-two-emissions"
_WIDTH: Final = 118
_SECONDS: Final = 60


def guide() -> str:
    """Return the guide with both examples, computed again."""
    text = GUIDE.read_text(encoding="utf-8")
    for name, output in (("exchange", exchange()), ("emissions", emissions())):
        block = re.compile(rf"(?<=<!-- {name} -->\n```text\n).*?(?=```\n)", re.DOTALL)
        (place,) = block.finditer(text)
        text = text[: place.start()] + output + text[place.end() :]
    return text


def exchange() -> str:
    """Return the requests (`>`) and the replies of the template (`<`), each one line on its stream."""
    suite = load_suite(PARTELANG)
    case = suite.cases[ASKED]
    requests: list[Request] = [Hello(PROTOCOL, suite.version), prepare(case, PARTELANG).load, Run(case.trace), Bye()]
    request_lines = [request_to_json(request, seq) for seq, request in enumerate(requests, 1)]
    replies = subprocess.run(
        [sys.executable, "engine.py"],
        cwd=ENGINES,
        input="".join(f"{json.dumps(request)}\n" for request in request_lines),
        capture_output=True,
        text=True,
        check=True,
        timeout=_SECONDS,
    ).stdout.splitlines()
    pairs = zip(request_lines, map(json.loads, replies), strict=True)
    return "".join(f"> {_laid(request, 2)}\n< {_laid(reply, 2)}\n" for request, reply in pairs)


def emissions() -> str:
    """Return the program, the trace and the expected reply of a case with emissions."""
    case = load_suite(PARTELANG).cases[EMITTING]
    expected = fixture_to_json(case)["expect"]
    trace = "".join(f"{json.dumps(item)}\n" for item in case.trace)
    return f"{case.text.rstrip()}\n{trace}< {_laid({'reply': 'matches'} | expected, 2)}\n"


def _laid(value: Json, indent: int) -> str:
    """Return JSON on one line if it fits, else a line for each part; several plain words share a line."""
    line = json.dumps(value, ensure_ascii=False)
    if indent + len(line) <= _WIDTH or not isinstance(value, dict | list):
        return line
    inner = indent + 1
    if isinstance(value, dict):
        opening, closing = "{", "}"
        parts = [f"{json.dumps(key)}: {_laid(part, inner + len(key) + 4)}" for key, part in value.items()]
    else:
        opening, closing = "[", "]"
        parts = [_laid(part, inner) for part in value]
        if not any(isinstance(part, dict | list) for part in value):
            return (
                opening
                + ("\n" + " " * inner).join(
                    wrap(", ".join(parts), _WIDTH - inner, break_on_hyphens=False, break_long_words=False)
                )
                + closing
            )
    return opening + (",\n" + " " * inner).join(parts) + closing
