"""Shorten a program that Coq has extracted as JSON to the functions that its roots reach, without types.

`python reduced.py EXTRACTED REDUCED ROOT...` writes a table of functions by name, each on a line of its own. A term is
a variable (a string), or a list: `["global", name]`, `["apply", term, [term, ...]]`, `["lambda", [name, ...], term]`,
`["let", name, term, term]`, `["make", constructor, [term, ...]]`, or `["case", term, [[constructor, [name, ...], term],
...]]`, where the constructor `_` stands for all others. A name with a dot is one of Coq's library and has no function.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

Term = str | list[Any]


def reduced(extracted: str, roots: Sequence[str]) -> str:
    """Return the table of what the roots reach, as text. Raise KeyError for what is missing or has another form."""
    defined = dict(_definitions(json.loads(extracted)["declarations"]))
    waiting, reached = list(roots), set[str]()
    while waiting:
        name = waiting.pop()
        if name not in reached and "." not in name:
            reached.add(name)
            waiting.extend(_globals(defined[name]))
    lines = (f"{json.dumps(name)}: {json.dumps(defined[name])}" for name in defined if name in reached)
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _definitions(declarations: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Term]]:
    for declaration in declarations:
        for item in declaration.get("fixlist", [declaration]):
            if declaration["what"] in ("decl:term", "decl:fixgroup") and "." not in item["name"]:
                yield item["name"], _term(item["value"])


def _term(term: Mapping[str, Any]) -> Term:
    match term["what"].removeprefix("expr:"):
        case "rel":
            return str(term["name"])
        case "global":
            return ["global", term["name"]]
        case "apply":
            return ["apply", _term(term["func"]), [_term(argument) for argument in term["args"]]]
        case "lambda":
            return ["lambda", term["argnames"], _term(term["body"])]
        case "let":
            return ["let", term["name"], _term(term["nameval"]), _term(term["body"])]
        case "constructor":
            return ["make", term["name"], [_term(argument) for argument in term["args"]]]
        case "case":
            return [
                "case",
                _term(term["expr"]),
                [[*_pattern(case["pat"]), _term(case["body"])] for case in term["cases"]],
            ]
        case form:
            raise KeyError(form)


def _pattern(pattern: Mapping[str, Any]) -> tuple[str, Sequence[str]]:
    return ("_", []) if pattern["what"] == "pat:wild" else (pattern["name"], pattern["argnames"])


def _globals(term: Term) -> Iterator[str]:
    match term:
        case ["global", name]:
            yield name
        case list():
            for part in term:
                yield from _globals(part)


if __name__ == "__main__":
    source, target, *names = sys.argv[1:]
    Path(target).write_text(reduced(Path(source).read_text(encoding="utf-8"), names), encoding="utf-8")
