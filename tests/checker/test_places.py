"""A check has three places: its tables in `checks.toml`, its function, its clause in the specification."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path

import pytest

import parte
from parte.checker.report.collecting import Code, Collector, GuaranteeKind
from parte.checker.report.contents import Severity

PACKAGE = Path(parte.__file__).parent
SPECIFICATION = PACKAGE.parent / "docs" / "specification"
CHECKERS = sorted(path.parent for path in PACKAGE.rglob("codes.py") if "checker" in path.parts)
"""The checkers of languages: folders with a module `codes`."""


def _strings(folder: Path) -> set[str]:
    """The strings in a checker without its rows, and in the front end of a guest, whose codes it keeps."""
    return {
        node.value
        for path in (*folder.rglob("*.py"), *folder.parent.glob("semantics/syntax/*.py"))
        if path.name != "codes.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def _specified() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(SPECIFICATION.glob("*.md")))


def missing(
    kinds: Mapping[str, GuaranteeKind], codes: Mapping[str, Code], strings: set[str], specified: str
) -> Iterator[str]:
    """What each check lacks, in words that name it."""
    for kind in kinds.values():
        if all(code.guarantee != kind.name for code in codes.values()):
            yield f"{kind.name}: no code is about it"
        if kind.name not in strings:
            yield f"{kind.name}: no function decides it"
        anchors = re.findall(r"specification: ([\w-]+)", kind.section)
        if f"`{kind.name}`" not in specified and not anchors:
            yield f"{kind.name}: the specification does not list it"
        for anchor in anchors:
            if f'<a id="{anchor}"' not in specified:
                yield f"{kind.name}: the specification has no clause {anchor}"
    for code in codes.values():
        if code.guarantee not in kinds:
            yield f"{code.name}: no guarantee is called {code.guarantee}"
        if code.name not in strings:
            yield f"{code.name}: no function finds it"


def test_the_checkers_are_found() -> None:
    assert len(CHECKERS) == 1 + len(list((PACKAGE / "languages").glob("*/checker/codes.py")))


@pytest.mark.parametrize("folder", CHECKERS, ids=lambda folder: str(folder.relative_to(PACKAGE)))
def test_each_check_is_in_its_three_places(folder: Path) -> None:
    rows = import_module(".".join(("parte", *folder.relative_to(PACKAGE).parts, "codes")))
    assert list(missing(rows.GUARANTEES, rows.CODES, _strings(folder), _specified())) == []


def test_each_guarantee_of_partelang_is_specified_as_it_is_shown() -> None:
    from parte.checker.partelang.codes import GUARANTEES

    text = (SPECIFICATION / "checking.md").read_text(encoding="utf-8")
    assert [kind.name for kind in GUARANTEES.values() if f"| `{kind.name}` | {kind.sentence} |" not in text] == []


KIND = GuaranteeKind("no-idle-template", "every template is read", "specification: templates")
CODE = Code("idle-template", "no-idle-template", "No rule reads the template.", Severity.NOTE)
WHOLE = ({KIND.name: KIND}, {CODE.name: CODE}, {KIND.name, CODE.name}, '<a id="templates"></a>')


@pytest.mark.parametrize(
    ("place", "nothing", "expected"),
    [
        (0, {}, ["idle-template: no guarantee is called no-idle-template"]),
        (1, {}, ["no-idle-template: no code is about it"]),
        (2, set(), ["no-idle-template: no function decides it", "idle-template: no function finds it"]),
        (3, "", ["no-idle-template: the specification has no clause templates"]),
    ],
)
def test_a_check_that_lacks_a_place_is_named(place: int, nothing: object, expected: list[str]) -> None:
    assert list(missing(*WHOLE)) == []
    assert list(missing(*(nothing if part == place else original for part, original in enumerate(WHOLE)))) == expected  # type: ignore[arg-type] # one part is replaced


def test_a_decision_without_a_code_is_named() -> None:
    collector = Collector.of_text({}, "")
    with pytest.raises(ValueError, match="no-idle-template"), collector.deciding(KIND.name):
        pass
