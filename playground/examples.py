"""The examples of the playground: the pages to learn from, `examples`, and every recipe of the cookbook by itself."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap

from docs.cookbook_page import EXAMPLES as OF_COOKBOOK
from docs.cookbook_page import Recipe, parts
from parte.languages.registry import language_of, languages
from parte.semantics.events.strictjson import decode

ROOT = Path(__file__).parents[1]
PAGES = (
    "docs/tutorial.md",
    "docs/level-2-tutorial.md",
    *(page for language in languages() if (ROOT / (page := f"docs/{language.name.lower()}-tutorial.md")).exists()),
)

FIRST = "door/door"

_PART = re.compile(
    r"^## (?P<heading>[^\n]+)$|<!-- (?P<kind>file|console)(?:: (?P<name>\S+))? -->\n```\w*\n(?P<text>.*?)```\n",
    re.MULTILINE | re.DOTALL,
)
_DISORDER = re.compile(r"^parte run .*--disorder '(.+?)'", re.MULTILINE)
_DECLARATION = re.compile(
    r"(?:^//.*\n)*^(?:template|type|predicate) .*(?:\n(?!//|template|type|predicate).*)*", re.MULTILINE
)
_WIDTH = 76


@dataclass(frozen=True, slots=True)
class Example:
    """A program with its trace; `id` is what a link to it says, `group` the heading under which it is listed.

    The domain is the text of a domain file, and the disorder a duration; both may be empty.
    """

    id: str
    language: str
    group: str
    title: str
    program: str
    trace: str
    domain: str = ""
    disorder: str = ""


def examples() -> tuple[Example, ...]:
    """All of them, in the order in which they are listed: first the one of the README."""
    of_folders = [*_of_folders()]
    first = [example for example in of_folders if example.id == FIRST]
    return (*first, *_of_pages(), *(example for example in of_folders if example.id != FIRST))


# --- Pages: what they show as run ------------------------------------------------------------------------------------


def _of_pages() -> Iterator[Example]:
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        files: dict[str, str] = {}
        seen: set[str] = set()
        heading = ""
        for part in _PART.finditer(text):
            if part["heading"]:
                heading = part["heading"]
            elif part["kind"] == "file":
                files[part["name"]] = part["text"]
            else:
                for example in _run_on(heading, files, part["text"].splitlines()):
                    if example.id not in seen:
                        seen.add(example.id)
                        yield example


def _run_on(heading: str, files: dict[str, str], lines: Sequence[str]) -> Iterator[Example]:
    for line, answer in zip(lines, [*lines[1:], ""], strict=True):
        words = shlex.split(line.removeprefix("$ "))
        if not line.startswith("$ parte run ") or not answer.startswith("{"):
            continue
        program, trace, *options = words[2:]
        disorder = options[options.index("--disorder") + 1] if "--disorder" in options else ""
        language = language_of(program)
        assert language is not None, program
        stem = Path(program).stem
        yield Example(
            f"{language.name.lower()}/{stem}",
            language.name,
            "First steps",
            f"{heading} ({stem})".replace("`", ""),
            files[program],
            files[trace],
            disorder=disorder,
        )


# --- Folders ----------------------------------------------------------------------------------------------------------


def _of_folders() -> Iterator[Example]:
    cookbook = {example.folder: example for example in OF_COOKBOOK}
    rest = sorted(path.parent for path in (ROOT / "examples").glob("*/trace.jsonl") if path.parent not in cookbook)
    for folder in (*rest, *cookbook):
        readme = (folder / "README.md").read_text(encoding="utf-8")
        title = readme.splitlines()[0].removeprefix("# ")
        disorder = match[1] if (match := _DISORDER.search(readme)) else ""
        trace = (folder / "trace.jsonl").read_text(encoding="utf-8")
        domain = (folder / "domain.json").read_text(encoding="utf-8") if (folder / "domain.json").exists() else ""
        for path in sorted(folder.iterdir()):
            if path.suffix in (".json", ".jsonl", ".md") or (language := language_of(path.name)) is None:
                continue
            program = path.read_text(encoding="utf-8")
            its_domain = domain if re.search(r"^predicate ", program, re.MULTILINE) else ""
            caption = title if len([*folder.glob(f"*{language.ending}")]) == 1 else f"{title}: {path.stem}"
            whole = Example(
                f"{folder.name}/{path.stem}", language.name, "Examples", caption, program, trace, its_domain, disorder
            )
            yield whole
            if folder in cookbook:
                yield from _recipes(whole)


def _recipes(whole: Example) -> Iterator[Example]:
    """Every recipe of a program with what it reacts to, and with the events that it is about."""
    before, recipes = parts(whole.program)
    level = "level 2\n\n" * bool(re.search(r"^level 2$", whole.program, re.MULTILINE))
    for recipe in recipes:
        code = "\n\n".join(recipe.code for recipe in _needed(recipe, recipes))
        declarations = _declarations(before, code)
        comment = "\n//\n".join(
            "\n".join(f"// {line}" for line in wrap(paragraph, _WIDTH)) for paragraph in (recipe.title, *recipe.text)
        )
        program = f"{comment}\n\n{level}{declarations}\n\n{code}\n"
        name = re.search(r"^rule (\w+)", recipe.code, re.MULTILINE)
        assert name is not None, recipe.title
        yield Example(
            f"{whole.id.partition('/')[0]}/{name[1]}",
            whole.language,
            f"Recipes: {whole.title}",
            recipe.title,
            program,
            _about(set(re.findall(r"^template (\w+)", program, re.MULTILINE)), whole.trace),
            whole.domain if re.search(r"^predicate ", program, re.MULTILINE) else "",
            whole.disorder,
        )


def _needed(recipe: Recipe, recipes: Iterable[Recipe]) -> list[Recipe]:
    """The recipe, after those that emit what its rules are about."""
    emitting = {
        name: recipe for recipe in recipes for name in re.findall(r"^template (\w+)", recipe.code, re.MULTILINE)
    }
    needed = [recipe]
    for dependent in needed:  # which grows
        used = [emitting[name] for name in re.findall(r": (\w+)", dependent.code) if name in emitting]
        needed += [recipe for recipe in dict.fromkeys(used) if recipe not in needed]
    return needed[::-1]


def _declarations(before: str, code: str) -> str:
    """Of the declarations of a program, with the comments on them, those of which the code speaks."""
    relevant = []
    for block in _DECLARATION.findall(before):
        name = re.search(r"^(?:template|type|predicate) (\w+)", block, re.MULTILINE)
        if name is not None and re.search(rf"\b{name[1]}\b", code):
            relevant.append(block.strip())
    return "\n".join(relevant)


def _about(templates: set[str], trace: str) -> str:
    """The lines of a trace that are about some templates."""
    return "".join(line for line in trace.splitlines(keepends=True) if _template(line) in templates)


def _template(line: str) -> str:
    item = decode(line)
    return str(item["template"]) if isinstance(item, dict) else ""
