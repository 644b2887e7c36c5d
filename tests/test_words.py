"""Plain words: pages without the retired words of docs/glossary.md, docstrings that begin with a verb or a noun."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from docs.generate import generated_files
from tests.pages import CODE, FENCE, GENERATED, TARGET

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
GLOSSARY = DOCS / "glossary.md"


FORBIDDEN = ("What ", "Whether ", "How ", "Where ", "Why ", "When ")

PAGES = sorted(
    {ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS.glob("*.md"), *(DOCS / "specification").glob("*.md")}
    - generated_files().keys()
    | {DOCS / "architecture.md"}
)
"""The pages written by hand. The generated tables of architecture.md are not examined."""


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


# --- Names ------------------------------------------------------------------------------------------------------------

FOLDERS = ("parte", "tests", "benchmarks", "docs", "playground")
"""The folders whose names are examined; those of other packages beneath them are not."""

SOURCES = sorted(
    path
    for folder in FOLDERS
    for path in (ROOT / folder).rglob("*.py")
    if not {"__pycache__", "node_modules"} & {*path.relative_to(ROOT).parts}
)

GENERAL = frozenset({"found", "other", "one", "shown", "asked", "each", "told", "kept", "made", "given"})
"""Words that are no name by themselves: a name says which value it has, or what a function does."""

KNOWN_ELSEWHERE = {
    "parte/conformance/results.py": {"asked"},  # a key of reports
    "parte/drawing/stepper/page.py": {"shown"},  # an attribute of the public API, as the next two
    "parte/languages/etalis/semantics/machine.py": {"kept"},
    "parte/languages/lead/semantics/feeding.py": {"kept"},
    "parte/semantics/partelang/rules/collection.py": {"other"},  # `parte rules` prints the names of these rules
    "parte/semantics/partelang/rules/join.py": {"other"},
    "parte/semantics/partelang/rules/negation.py": {"other"},
    "parte/semantics/partelang/rules/rudimentary.py": {"other"},
}
"""The general words that a module may use as names, because a reader of another text knows them."""


def bound(source: str) -> Iterator[tuple[int, str]]:
    """Yield the names that a module binds, with their lines; but the parameter `other` of an operator, and the names
    of hypothesis, which is known by them."""
    exempt: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield node.lineno, name
                if name.startswith("__") and name.endswith("__") and isinstance(node, ast.FunctionDef):
                    exempt |= {id(argument) for argument in node.args.args if argument.arg == "other"}
            case ast.ImportFrom(module="hypothesis", names=aliases):
                exempt |= {id(alias) for alias in aliases if alias.asname is None}
            case ast.arg(arg=name) if id(node) not in exempt:
                yield node.lineno, name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield node.lineno, name
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                yield node.lineno, name
            case ast.ExceptHandler(name=str(name)):
                yield node.lineno, name
            case ast.alias(name=name, asname=known_as) if id(node) not in exempt:
                yield node.lineno, known_as or name
            case _:
                pass


def general(path: str, source: str) -> list[str]:
    """Return the general words that a module of a path binds, each with its line."""
    refused = GENERAL - KNOWN_ELSEWHERE.get(path, set())
    return [f"line {line}: {name}" for line, name in bound(source) if name in refused]


def test_no_name_is_a_general_word() -> None:
    wrong = {
        path: general(path, module.read_text(encoding="utf-8"))
        for path, module in ((module.relative_to(ROOT).as_posix(), module) for module in SOURCES)
    }
    assert {path: names for path, names in wrong.items() if names} == {}, "a name says which value it has"


def test_a_general_word_is_found_wherever_it_is_bound() -> None:
    source = (
        "from parte.faults import told\n"
        "import parte.logs as other\n"
        "class each: pass\n"
        "def shown(asked, *, kept): pass\n"
        "async def made(*given): pass\n"
        "self.one, found = 1, 2\n"
        "[0 for one in ()]\n"
        "(lambda each: 0)\n"
        "with a as found: pass\n"
        "match 0:\n"
        "    case [found, *other]: pass\n"
        "    case {**told}: pass\n"
        "try: pass\n"
        "except E as given: pass\n"
        "if (found := 1): pass\n"
    )
    names = ["1 told", "2 other", "3 each", "4 shown", "4 asked", "4 kept", "5 made", "5 given", "6 one", "6 found"]
    names += ["7 one", "8 each", "9 found", "11 found", "11 other", "12 told", "14 given", "15 found"]
    assert sorted(general("a.py", source)) == sorted(f"line {name.replace(' ', ': ')}" for name in names)


def test_names_that_say_which_and_exceptions_are_no_general_words() -> None:
    source = (
        "class Number:\n"
        "    def __eq__(self, other): return self is other\n"
        "    def __add__(self, other): return found(other).shown\n"
        "found_lines = one_line = given(kept=1)\n"
    )
    assert general("a.py", source) == []
    assert general("a.py", "class A:\n    def plus(self, other): pass\n") == ["line 2: other"]
    assert general("a.py", "from hypothesis import example, given\nimport hypothesis\n") == []
    assert general("a.py", "from hypothesis import find as found\n") == ["line 1: found"]
    assert general("a.py", "from hypothesis.core import given\n") == ["line 1: given"]
    assert general("parte/conformance/results.py", "asked = 1\nfound = 1\n") == ["line 2: found"]


def test_each_exception_is_needed() -> None:
    for path, names in KNOWN_ELSEWHERE.items():
        assert names == {name for _, name in bound((ROOT / path).read_text(encoding="utf-8"))} & GENERAL, path
