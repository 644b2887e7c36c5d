"""Heat maps and reports to others contain all of what they are made from."""

from __future__ import annotations

import re
from pathlib import Path

from docs.engines_page import engines, part
from docs.evidence_page import COLUMNS, evidence
from docs.generate import _table
from docs.growth import PAGE, by_length, by_rules, in_lead
from docs.heat_map import Cell, heat_map
from docs.upstream_page import main, reports
from parte.conformance.suites import load_suite
from parte.languages.partelang import PARTELANG


def test_a_cell_has_its_numbers_as_text_and_a_box_for_the_keyboard() -> None:
    text = heat_map("a", "b & c", ("engine", "core"), [("d<e", [Cell("9/10", 0.9, ("1 × <wrong>",)), Cell("–", None)])])
    assert (
        '<td class="heat-2" tabindex="0" aria-describedby="a-1">9/10<span class="box" role="tooltip" id="a-1">' in text
    )
    assert "<span>1 × &lt;wrong&gt;</span>" in text
    assert '<td class="heat-none">–</td>' in text
    assert [Cell("", share).level[5:] for share in (0.0, 0.5, 0.8, 0.95, 1.0)] == ["0", "1", "2", "3", "all"]


def test_the_boxes_of_an_engine_count_each_of_its_failures() -> None:
    """By profile, and once more in the last column."""
    rows = re.findall(r"<tr><th scope=\"row\">.*?</tr>", part(PARTELANG, _table))
    cases = load_suite(PARTELANG).cases
    for engine, row in zip(engines(), rows, strict=True):
        counted = sum(map(int, re.findall(r"<span>(\d+) × ", row)))
        assert counted == 2 * sum(case in cases for case in engine.causes), engine.label


def test_every_rule_is_on_the_map_with_its_cases() -> None:
    for rule, kinds in evidence(PARTELANG):
        assert len(kinds) == len(COLUMNS)
        assert all(rule in load_suite(PARTELANG).cases[case].rules for case in kinds[2][:5])


def test_plots_of_growth_have_the_numbers_of_the_tables() -> None:
    text = PAGE.read_text(encoding="utf-8")
    sizes = [1, 10, 100, 1_000]
    assert {name: [x for x, _ in points] for name, points in by_rules(text).items()} == dict.fromkeys(
        ("sound", "not staged", "indexed", "DuckDB"), sizes
    )
    assert by_length(text).keys() == {"A pass-through", "B diffusion"}
    assert len(in_lead(text)) == text[text.index("| rule | 500 events") :].split("\n\n")[0].strip().count("\n") - 1
    changed = text.replace(
        "│ A pass-through │    10,000 │    0.09 │         9.4 │", "│ A pass-through │ 10,000 │ 1 │ 7.7 │"
    )
    assert by_length(changed)["A pass-through"][0] == (10_000, 7.7)


def test_a_report_says_all_that_its_recipient_needs(tmp_path: Path) -> None:
    assert main([str(tmp_path)]) == 0
    for report in reports():
        text = (tmp_path / f"{report.name}.md").read_text(encoding="utf-8")
        assert text.startswith(f"To: {report.recipient}.\n\nAbout: {report.about}\n")
        for finding in report.findings:
            said = (finding.title, finding.case, finding.documented, finding.happens, finding.why)
            assert all(part.strip(".") and part in text for part in said), (report.name, finding)


def test_the_directory_of_the_reports_must_be_named() -> None:
    assert main([]) == 2
