"""The page of the grammar, as EBNF, from the lark file that the parser runs.

Rules keep their names and their order. A terminal that is one text is written as this text;
any other keeps its name and is shown as its regular expression. The notation with which lark builds trees (`?`,
`-> name`, priorities) is left out.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

WIDTH = 100
"""Columns of a production beyond which it is broken at its alternatives."""

_LINE = re.compile(r"(?P<name>[?_A-Za-z]\w*)(\.\d+)?\s*:\s*(?P<body>.*)")
_TERMINAL = re.compile(r"_?[A-Z]+")
_TOKEN = re.compile(r'\s*(?P<token>"[^"]*"|/(?:\\.|[^/\\])*/|->\s*\w+|\w+|[()\[\]|*+?])')
_SECTION = re.compile(r"--- (?P<title>[^:]*?)(?:: (?P<remark>.*?))? -*")


class GrammarPageError(ValueError):
    """A line of the grammar that this page cannot show."""


@dataclass(frozen=True, slots=True)
class _Section:
    """The text between two headings: the remarks before the rules, and the rules."""

    title: str
    remarks: tuple[str, ...]
    rules: tuple[tuple[str, str], ...]


def grammar_page(notice: str) -> str:
    """Return the page."""
    text = resources.files("parte.semantics.partelang.syntax").joinpath("grammar.lark").read_text(encoding="utf-8")
    sections = tuple(_sections(text))
    literals = {
        name: body for section in sections for name, body in section.rules if _is_terminal(name) and _is_text(body)
    }
    introduction = (
        "A production is written `name ::= …`, with `|` for alternatives, `?` for what may be missing and `*` for what "
        'may come any number of times. `"…"` stands for itself; a name in capitals is a word that a regular expression '
        "describes, [at the end](#words-numbers-symbols). White space and comments may stand between any two words. "
        "Which programs are valid among those that the grammar derives is on the page [PARTElang](language.md)."
    )
    page_text = f"# Grammar\n\n{notice}\n\n{_filled(introduction)}\n"
    for section in sections:
        page_text += f"\n## {section.title}\n" + "".join(f"\n{_filled(remark)}\n" for remark in section.remarks)
        rules = [(name, body) for name, body in section.rules if not _is_terminal(name)]
        if rules:
            page_text += "\n```text\n" + "".join(_production(name, body, literals) for name, body in rules) + "```\n"
    return f"{page_text}\n{_words([rule for section in sections for rule in section.rules])}"


def _filled(paragraph: str) -> str:
    return textwrap.fill(paragraph, 120, break_long_words=False, break_on_hyphens=False)


# --- Reading the lark file --------------------------------------------------------------------------------------------


def _sections(text: str) -> Iterator[_Section]:
    title, remarks, rules = "Programs", list[str](), list[tuple[str, str]]()
    for line in text.split("\n"):
        if heading := _SECTION.fullmatch(line.removeprefix("// ")):
            yield _Section(title, tuple(remarks), tuple(rules))
            title, remarks, rules = heading["title"], [], []
            if heading["remark"]:
                remarks.append(f"{heading['remark'][0].upper()}{heading['remark'][1:]}.")
        elif line.startswith("//"):
            remark = line.removeprefix("//").strip()
            if not remark or not remarks:
                remarks.append(remark)
            else:
                remarks[-1] = f"{remarks[-1]} {remark}".strip()
        elif line.startswith((" ", "\t")):
            name, body = rules[-1]
            rules[-1] = name, f"{body} {line.strip()}"
        elif line.startswith("%ignore"):
            rules.append(("%ignore", line.split()[1]))
        elif line:
            match = _LINE.fullmatch(line)
            if match is None:
                raise GrammarPageError(f"not a rule of the grammar: {line}")
            rules.append((match["name"].removeprefix("?"), match["body"].strip()))
    yield _Section(title, tuple(remarks), tuple(rules))


def _is_terminal(name: str) -> bool:
    return name == "%ignore" or _TERMINAL.fullmatch(name) is not None


def _is_text(body: str) -> bool:
    return re.fullmatch(r'"[^"]*"', body) is not None


# --- Writing EBNF -----------------------------------------------------------------------------------------------------


def _production(name: str, body: str, literals: Mapping[str, str]) -> str:
    alternatives = _alternatives(_tokens(body, literals))
    line = f"{name} ::= {' | '.join(alternatives)}"
    if len(alternatives) > 1 and len(line) > WIDTH:
        line = f"{name} ::= " + f"\n{' ' * len(name)}   | ".join(alternatives)
    return line + "\n"


def _tokens(body: str, literals: Mapping[str, str]) -> Sequence[str]:
    tokens, place = list[str](), 0
    while place < len(body.rstrip()):
        match = _TOKEN.match(body, place)
        if match is None:
            raise GrammarPageError(f"not a part of a rule: {body[place:]}")
        place = match.end()
        token = match["token"]
        if token.startswith("->"):
            continue
        tokens.append({"[": "(", "]": ")?"}.get(token) or literals.get(token, token))
    return _without_needless_brackets(tokens)


def _without_needless_brackets(tokens: Sequence[str]) -> Sequence[str]:
    """Return `( x )?` as `x?`, for a single x."""
    shortened = list[str]()
    for token in tokens:
        if token == ")?" and len(shortened) > 1 and shortened[-2] == "(":
            shortened[-2:] = [f"{shortened[-1]}?"]
        else:
            shortened.append(token)
    return shortened


def _alternatives(tokens: Sequence[str]) -> Sequence[str]:
    """Return the alternatives of a body, each as it is written; alternatives in brackets belong to one."""
    parts, depth = [list[str]()], 0
    for token in tokens:
        depth += (token == "(") - (token in (")", ")?"))
        if token == "|" and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return [_joined(part) for part in parts]


def _joined(tokens: Sequence[str]) -> str:
    text = ""
    for token in tokens:
        text += token if token in ("*", "+", "?", ")", ")*", ")?") or not text or text.endswith("(") else f" {token}"
    return text


def _words(rules: Sequence[tuple[str, str]]) -> str:
    named = [(name, body) for name, body in rules if _is_terminal(name) and not _is_text(body) and name != "%ignore"]
    ignored = [body for name, body in rules if name == "%ignore"]
    width = max(len(name) for name, _ in named)
    lines = "".join(f"{name:<{width}} ::= {body}\n" for name, body in named)
    return f"```text\n{lines}```\n\nBetween words {' and '.join(f'`{name}`' for name in ignored)} are ignored.\n"
