"""Plain words: pages without the retired words of docs/glossary.md, docstrings that begin with a verb or a noun."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from docs.generate import kept

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
GLOSSARY = DOCS / "glossary.md"


FORBIDDEN = ("What ", "Whether ", "How ", "Where ", "Why ", "When ")

PAGES = sorted(
    {ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS.glob("*.md"), *(DOCS / "specification").glob("*.md")}
    - kept().keys()
    | {DOCS / "architecture.md"}
)
"""The pages written by hand. The generated tables of architecture.md are not examined."""

FENCE = re.compile(r"^ *(`{3,})[^\n]*\n.*?^ *\1 *$", re.MULTILINE | re.DOTALL)
GENERATED = re.compile(r"<!-- tree: .*?<!-- end -->", re.DOTALL)
CODE = re.compile(r"(`+)(?:(?!\n\n).)+?\1", re.DOTALL)
TARGET = re.compile(r"\]\([^)]*\)|<[^>]*>")


# --- Retired words ----------------------------------------------------------------------------------------------------


def retired(glossary: str) -> list[str]:
    """Return the words in the first column of the table of retired words."""
    section = glossary.partition("\n## Retired words\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    return [word for row in rows for word in re.findall(r"`([^`]+)`", row)]


def expression(word: str) -> re.Pattern[str]:
    """Return the expression of a retired word; `…` is up to eight words."""
    parts = [r"\s+".join(map(re.escape, part.split())) for part in word.split("…")]
    return re.compile(r"(?<![\w/-])" + r"\s+(?:[^\s.;]+\s+){0,8}?".join(parts) + r"(?![\w-])", re.IGNORECASE)


RETIRED = {word: expression(word) for word in retired(GLOSSARY.read_text(encoding="utf-8"))}


def prose(text: str) -> str:
    """Return a page without code, targets of links and generated tables; lines keep their numbers."""
    for part in (FENCE, GENERATED, CODE, TARGET):
        text = part.sub(lambda match: "`" + "\n" * match.group().count("\n"), text)
    return text


def uses(text: str) -> list[str]:
    """Return the retired words in a page, each with its line."""
    plain = prose(text)
    return [
        f"line {plain.count(chr(10), 0, match.start()) + 1}: {word}"
        for word, pattern in RETIRED.items()
        for match in pattern.finditer(plain)
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_has_no_retired_word(page: Path) -> None:
    assert uses(page.read_text(encoding="utf-8")) == [], "docs/glossary.md has the words to use instead"


@pytest.mark.parametrize("word", RETIRED)
def test_a_retired_word_is_found(word: str) -> None:
    used = word.replace("…", "an engine of another project")
    assert f"line 3: {word}" in uses(f"# A page\n\nThis sentence {used} something.\n")
    assert f"line 3: {word}" in uses(f"# A page\n\n{used.capitalize().replace(' ', chr(10))} ends a line.\n")


def test_code_targets_and_generated_tables_are_not_examined() -> None:
    text = "`tells`, `a\ntells`, [a link](tells.md)\n```text\ntells\n```\n<!-- tree: facets -->\ntells\n<!-- end -->\n"
    assert uses(text) == []
    assert uses(text + "It tells a story.\n") == ["line 9: tells"]


def test_longer_words_and_other_sentences_are_not_found() -> None:
    assert uses("An error in ten terms, foretold; the rule CORE/FORGET; half-told.") == []
    assert uses("The nodes hold tokens. The machine runs against time.") == []


def test_the_table_of_retired_words_is_read() -> None:
    assert {"tells", "told", "has it that", "holds … against"} <= RETIRED.keys()
    assert retired(
        "# Glossary\n\n## Retired words\n\n| word | use |\n|---|---|\n| `a`, `b c` | `d` |\n\n## More\n| `e` |"
    ) == [
        "a",
        "b c",
    ]
    assert retired("# Glossary\n") == []


# --- Docstrings -------------------------------------------------------------------------------------------------------


def docstrings(source: str) -> Iterator[tuple[int, str]]:
    """Yield each docstring of a module, its classes, functions and attributes, with its line."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            for statement in node.body:
                match statement:
                    case ast.Expr(value=ast.Constant(value=str(text))):
                        yield statement.lineno, text.strip()


def clauses(source: str) -> list[str]:
    """Return the docstrings that begin with a forbidden word, each with its line."""
    return [f"line {line}: {text.splitlines()[0]}" for line, text in docstrings(source) if text.startswith(FORBIDDEN)]


MODULES = sorted(path for path in (ROOT / "parte").rglob("*.py") if "__pycache__" not in path.parts)


def test_no_docstring_begins_with_a_clause() -> None:
    wrong = {str(path.relative_to(ROOT)): clauses(path.read_text(encoding="utf-8")) for path in MODULES}
    assert {path: lines for path, lines in wrong.items() if lines} == {}


def test_a_docstring_that_begins_with_a_clause_is_found() -> None:
    source = (
        '"""What a module holds."""\n'
        "LIMIT = 3\n"
        '"""How many there may be."""\n'
        "class Box:\n"
        '    """Whether it is a class."""\n'
        "    def open(self):\n"
        '        """\n'
        "        When it is opened.\n"
        '        """\n'
        "        return lambda: 1 if self else 2\n"
        "def close(box):\n"
        '    """Close a box. What is in it stays."""\n'
        '    return "Why not"\n'
    )
    assert sorted(clauses(source)) == [
        "line 1: What a module holds.",
        "line 3: How many there may be.",
        "line 5: Whether it is a class.",
        "line 7: When it is opened.",
    ]
    assert clauses('"""Whatever is matched."""') == []
