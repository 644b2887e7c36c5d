"""The paper: its numbers are values of claims, its text has none of its own, its examples print what they show."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from docs import paper, paper_numbers
from docs.paper_numbers import kinds as kinds_of_file
from parte.cli import app
from parte.proofs.partelang.defects import DEFECTS

FOLDER = paper.ROOT / "paper"
TEXT = (FOLDER / "parte.typ").read_text(encoding="utf-8")
EXAMPLES: dict[str, Any] = tomllib.loads((FOLDER / "examples.toml").read_text(encoding="utf-8"))
CLAIMS: dict[str, Any] = tomllib.loads((paper.ROOT / "docs" / "claims.toml").read_text(encoding="utf-8"))
VALUES = {f"{claim['id']}.{value['name']}" for claim in CLAIMS["claim"] for value in claim["expect"]}

ROWS = {
    "row-of-language": ["{what}{id}", "rules", "cases", "mutants", "lemmas", "controls"],
    "row-of-engine": ["{id}-{what}", "asked", "pass", "differ", "causes"],
}
"""The helpers of the text that write a row of numbers: the form of a name, and its parts."""


# --- Numbers ----------------------------------------------------------------------------------------------------------


def used() -> set[str]:
    """Return the ids of the values that the text inserts."""
    ids = {id_ for id_ in re.findall(r'\bn\("([^"]+)"\)', TEXT) if not id_.endswith(".")}
    for helper, (form, *parts) in ROWS.items():
        rows = re.findall(rf'\.\.{helper}\(.*, "([^"]*)"\)', TEXT)
        assert len(rows) > 5, helper
        ids |= {"paper." + form.format(what=what, id=row) for row in rows for what in parts}
    return ids


def test_each_number_of_the_text_is_a_value_of_a_claim() -> None:
    assert used() - VALUES == set()
    assert len(used()) > 100


def test_the_claims_about_the_paper_are_used_and_are_printed() -> None:
    (claim,) = (claim for claim in CLAIMS["claim"] if claim["id"] == "paper")
    printed = "".join(f"{name}: {value}\n" for name, value in paper_numbers.numbers())
    missing = [value["name"] for value in claim["expect"] if not re.search(value["find"], printed, re.MULTILINE)]
    assert missing == []
    defects_of_kinds = {
        f"paper.defects-{name}-{kind}" for name, table in paper_numbers.kinds().items() for kind in table
    }
    whole = {f"paper.defects-{kind}" for table in paper_numbers.kinds().values() for kind in table}
    assert {f"paper.{value['name']}" for value in claim["expect"]} == {
        id_ for id_ in used() | defects_of_kinds | whole if id_.startswith("paper.")
    }


NO_PROSE = (
    r"//.*",
    r"`[^`]*`",
    r"\$[^$]*\$",
    r'"[^"\n]*"',
    r"-?\d+(?:\.\d+)?(?:pt|em|cm|fr|deg|%)|columns: \d|\.at\(\d\)|calc\.\w+",
)
"""Comments, code, mathematics, ids and other arguments, and lengths of the layout."""
NAMES = ("Coq 8.16", "64 bits", "definition 12", "level 1", "level 2", "year 1970", "CORE2", "Z3", "cvc5")
"""Numbers in the text that nothing measures: versions, names, and constants of the languages."""


def prose(text: str) -> str:
    """Return the text without code, mathematics, inserted values, and numbers that are names."""
    for pattern in NO_PROSE:
        text = re.sub(pattern, " ", text)
    for name in NAMES:
        text = re.sub(re.escape(name).replace(r"\ ", r"\s+"), " ", text)
    return text


def test_the_text_has_no_number_of_its_own() -> None:
    assert re.findall(r".{0,30}\d.{0,30}", prose(TEXT)) == []


def test_a_number_that_is_typed_is_found() -> None:
    for typed in ("There are 117 defects.", 'It proved #n("paper.rules") of 24 lemmas.'):
        assert re.search(r"\d", prose(f"{TEXT}\n{typed}\n")), typed


# --- Defects and examples ---------------------------------------------------------------------------------------------


def test_each_defect_has_one_kind() -> None:
    listed = paper_numbers.defects()
    sorted_out = {
        name: [number for numbers in table.values() for number in numbers]
        for name, table in paper_numbers.kinds().items()
    }
    assert {name: sorted(numbers) for name, numbers in sorted_out.items()} == {
        name: sorted(numbers) for name, numbers in listed.items()
    }


def test_the_kind_of_a_defect_of_partelang_is_its_symptom() -> None:
    symptoms: dict[str, list[int]] = {}
    for defect in DEFECTS:
        symptoms.setdefault(defect.symptom, []).append(defect.number)
    assert kinds_of_file()["partelang"] == symptoms


@pytest.mark.parametrize("example", EXAMPLES["counterexample"], ids=lambda example: example["file"])
def test_a_counterexample_prints_what_the_paper_shows(example: dict[str, Any], tmp_path: Path) -> None:
    program, trace = tmp_path / example["file"], tmp_path / "trace.jsonl"
    program.write_text(example["program"] + "\n", encoding="utf-8")
    trace.write_text(example["trace"] + "\n", encoding="utf-8")
    for option, expected in (
        (f"--model {example['model']}", example["defined"]),
        (example["printed"], example["wrong"]),
    ):
        ran = CliRunner().invoke(app, ["run", str(program), str(trace), *option.split()])
        assert (ran.exit_code, ran.stdout.rstrip("\n")) == (0, expected), option
    assert example["defect"] in paper_numbers.defects()[example["language"].lower()]


def test_the_schedule_misses_what_the_paper_shows(tmp_path: Path) -> None:
    example = EXAMPLES["schedule"]
    (tmp_path / "leaves.parte").write_text(example["program"] + "\n", encoding="utf-8")
    _, command, name, *options = shlex.split(example["command"])
    ran = CliRunner().invoke(app, [command, str(tmp_path / name), *options])
    assert ran.exit_code == 1
    assert example["prints"].strip("\n") in ran.output


def test_a_refuted_lemma_prints_what_the_paper_shows() -> None:
    _, *command = shlex.split(EXAMPLES["lemma"]["command"])
    ran = CliRunner().invoke(app, command)
    assert ran.exit_code == 0
    assert EXAMPLES["lemma"]["prints"].strip("\n") in ran.output


@pytest.mark.parametrize("quote", EXAMPLES["quote"], ids=lambda quote: quote["name"])
def test_a_quote_is_in_its_file(quote: dict[str, str]) -> None:
    assert quote["text"].strip("\n") in (paper.ROOT / quote["file"]).read_text(encoding="utf-8")


# --- The PDF ----------------------------------------------------------------------------------------------------------


def test_references_are_cited_and_the_other_way_round() -> None:
    cited = {key for keys in re.findall(r"#cite\(([^)]*)\)", TEXT) for key in re.findall(r'"(\w+)"', keys)}
    assert cited == tomllib.loads((FOLDER / "references.toml").read_text(encoding="utf-8")).keys()


def test_without_the_values_the_paper_is_not_built(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert paper.main([], tmp_path / "found.json") == 1
    assert "'make artefact' writes it" in capsys.readouterr().err


def test_the_group_names_one_version_of_the_compiler(capsys: pytest.CaptureFixture[str]) -> None:
    assert paper.main(["--needs"]) == 0
    assert re.fullmatch(r"typst==\S+\n", capsys.readouterr().out)


@pytest.mark.skipif(find_spec("typst") is None, reason="typst is not installed: 'make paper' installs it")
def test_the_paper_has_at_most_eight_pages(tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path / "paper")
    values, pdf = tmp_path / "found.json", tmp_path / "parte.pdf"
    values.write_text(json.dumps(dict.fromkeys(VALUES, 1234.0)), encoding="utf-8")
    paper.compile_paper(tmp_path, values, pdf)
    (pages,) = re.findall(rb"/Type/Pages/Count (\d+)", pdf.read_bytes())
    assert 4 < int(pages) <= 8
    values.write_text("{}", encoding="utf-8")
    with pytest.raises(RuntimeError, match="the artefact has no value for"):
        paper.compile_paper(tmp_path, values, pdf)
