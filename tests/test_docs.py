"""The documentation is what the code says."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from docs import concordance_page, cookbook_page, engines_page
from docs.commands_page import commands
from docs.generate import BUILT, FOLDER, PLACE, generated_files, main, page
from docs.licences_page import LOCK, locked
from docs.limits_page import limits
from docs.networks import NETWORKS
from docs.rule_links import rule_links
from docs.rules_page import TYPESET
from parte.conformance.controls import every
from parte.conformance.kit import KIT
from parte.conformance.suites import load_suite
from parte.languages.registry import languages, missing
from parte.proofs.facets import CONTROLS, LEMMAS
from parte.semantics.partelang.repairs import repair_names
from parte.semantics.partelang.rulebook import RULEBOOK
from parte.semantics.partelang.syntax.codes import CODES
from parte.semantics.rulebook.listing import RULES
from tests.guests import is_absent, modules

GENERATED = generated_files()


@pytest.mark.parametrize(
    ("path", "text_of"),
    [pytest.param(*file, id=str(path.relative_to(FOLDER.parent))) for file in GENERATED.items() for path in file[:1]],
)
def test_a_generated_file_that_git_keeps_is_up_to_date(path: Path, text_of: Callable[[], str]) -> None:
    assert path.read_text(encoding="utf-8") == text_of(), "run python -m docs.generate"


# --- Pages that are built with the site -------------------------------------------------------------------------------

ENTRIES: dict[str, Callable[[], Iterable[str]]] = {
    "index": lambda: ["rule Forced where", "match: Forced (o2)", "near miss: Forced (o1)"],
    "commands": lambda: [f"### `parte {name}`\n" for name, _ in commands()],
    "rules": lambda: [f" {rule}\n" for language in languages() for rule in language[RULES].rules],
    "defects": lambda: [f"Repair: `{name}`" for name in repair_names()],
    "concordance": lambda: [
        f"**{entry.name}**" for entries in concordance_page.entries().values() for entry in entries
    ],
    "errata": lambda: [
        *(f"**{name}** " for name in concordance_page.listings()),
        *(erratum.correct for erratum in concordance_page.errata()),
        *(future.here for future in concordance_page.future()),
    ],
    "cookbook": lambda: [
        f"\n### {recipe.title}\n"
        for example in cookbook_page.EXAMPLES
        for recipe in cookbook_page.parts(example.text)[1]
    ],
    "constructs": lambda: [f"| `{name}` |" for language in languages() for name in language[KIT].profiles],
    "checker": lambda: ["| `self-blocked` |", "| `useless-negation` |"],
    "evidence": lambda: [f"## Rules of {language.name}" for language in languages()],
    "coverage": lambda: [f"| `{case}` |" for language in languages() for case in load_suite(language).cases],
    "mutants": lambda: [f"| `{mutant.name}` |" for language in languages() for mutant in language[KIT].mutants()],
    "engines": lambda: [
        f"(`{engine.label}`)"
        for language in languages()
        if (language[KIT].recorded / "reports").is_dir()
        for engine in engines_page.engines(language[KIT].recorded)
    ],
    "controls": lambda: [
        f"| `{control.name}` |" for language in languages() if language.has(CONTROLS) for control in every(language)
    ],
    "limits": lambda: [
        f"| `{limit.place.split(':')[1]}` | `{limit.place.split(':')[0].removeprefix('parte.')}` |"
        for table in limits().values()
        for limit in table
    ],
    "licences": lambda: [f"| {package} |" for package in locked(LOCK.read_text(encoding="utf-8"))],
    "upstream": lambda: ["To: The author of the dissertation.", "### Smallest case", "erases the character before it"],
    "benchmarks": lambda: ['tabindex="0" role="region"', "</svg>"],
    "versions": lambda: ["| engine protocol |", "| suite of PARTElang |", "`parte check`"],
    **{name: lambda: ['tabindex="0" role="region"', "</svg>"] for name in NETWORKS},
} | {f"{guest.NAME}-defects": guest.headings for guest in modules("defects")}
"""What must stand on each page. Lemmas take long to generate: tests/test_site.py looks at them in the site."""


def written(name: str) -> str:
    return (FOLDER / f"{name}.md").read_text(encoding="utf-8")


def test_every_page_that_is_built_is_looked_at() -> None:
    assert {*ENTRIES, "lemmas"} == BUILT.keys()


@pytest.mark.parametrize("name", ENTRIES)
def test_a_page_is_built_whole_and_its_links_lead_somewhere(name: str) -> None:
    text = page(name, written(name))
    missing = [entry for entry in ENTRIES[name]() if entry not in text]
    assert missing == []
    assert "<!-- built -->" not in text
    assert all((FOLDER / link).exists() for link in re.findall(r"\]\(([^)#:]+)\)", text) if link != TYPESET)


@pytest.mark.parametrize(
    "path",
    sorted(path for path in FOLDER.rglob("*.md") if not is_absent(path.name)),
    ids=lambda path: str(path.relative_to(FOLDER)),
)
def test_a_page_says_where_its_content_is_if_it_is_built(path: Path) -> None:
    places = PLACE.findall(path.read_text(encoding="utf-8"))
    if path.parent == FOLDER and path.stem in BUILT:
        assert len(places) == 1
        assert "`make docs`" in places[0]
    else:
        assert not places


def test_a_page_without_its_place_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"docs/versions\.md has 0 places"):
        page("versions", "# Versions\n")


def test_a_built_page_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["versions"]) == 0
    assert capsys.readouterr().out == page("versions", written("versions"))
    assert main(["versiosn"]) == 2
    assert "no page called versiosn is built; there are index, " in capsys.readouterr().err


# --- All pages --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", sorted(FOLDER.glob("*.md")), ids=lambda page: str(page.name))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
    assert all((page.parent / link).exists() for link in links)


EVERY_LEMMA = [lemma for language in languages() if language.has(LEMMAS) for lemma in language[LEMMAS].lemmas]
WRITTEN = [
    FOLDER.parent / "README.md",
    *sorted(path for path in set(FOLDER.glob("*.md")) - GENERATED.keys() if not is_absent(path.name)),
]


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: str(page.name))
def test_lemmas_and_tests_that_a_page_names_exist(page: Path) -> None:
    """`join-*` stands for all that begin so; a name that begins like that of a lemma is one of a lemma."""
    text = page.read_text(encoding="utf-8")
    families = tuple({lemma.id.split("-")[0] + "-" for lemma in EVERY_LEMMA})
    others = {
        *CODES,
        *(repair for language in languages() if language.has(RULES) for repair in language[RULES].repairs),
    }
    for name in re.findall(r"`([a-z]+-[A-Za-z0-9*-]+)`", text):
        # A page may name lemmas of a guest that was deleted, and then nothing tells them from wrong names.
        if name.startswith(families) and name not in others and not missing():
            assert any(fnmatchcase(lemma.id, name) for lemma in EVERY_LEMMA), f"no lemma is called {name}"
    for path in re.findall(r"tests/[A-Za-z0-9_/]+\.py", text):
        assert (FOLDER.parent / path).exists(), f"there is no {path}"


def test_the_index_names_every_page() -> None:
    index = (FOLDER / "index.md").read_text(encoding="utf-8")
    assert all(f"]({page.name})" in index for page in FOLDER.glob("*.md") if page.name != "index.md")


def test_the_way_to_a_first_report_is_as_short_as_the_guide_says() -> None:
    """Page by page what somebody reads who connects an engine: the guide says which pages, and how many words."""
    guide = (FOLDER.parent / "examples" / "engines").resolve() / "README.md"
    text = guide.read_text(encoding="utf-8")
    (first,) = re.findall(r"\*\*For a first report\*\*.*?(?=\n- )", text, re.DOTALL)
    pages = [guide.parent / link for link in re.findall(r"\]\(([^)#]+)\)", first)]
    (words,) = re.findall(r"less than ([0-9,]+) words", first)
    assert pages
    read = [text, *(page.read_text(encoding="utf-8") for page in pages)]
    assert sum(len(page_text.split()) for page_text in read) < int(words.replace(",", "")) <= 2_500


@pytest.mark.parametrize("rule", RULEBOOK)
def test_a_rule_has_a_lemma_a_mutant_and_a_case(rule: str) -> None:
    (links,) = (links for links in rule_links() if links.rule == rule)
    assert links.lemmas
    assert links.mutants
    assert links.cases or links.unreachable
