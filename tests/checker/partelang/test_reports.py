"""Reports: their JSON and its schema, what people read, the questions asked, and the modules that ask them."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
from typer.testing import CliRunner

import parte
from parte.checker.environment.deployment import DeploymentError, read_deployment
from parte.checker.partelang.check import check
from parte.checker.report.contents import Severity
from parte.checker.report.json_form import report_to_json, report_to_text
from parte.checker.report.text import render
from parte.checker.solver import terms
from parte.checker.solver.queries import Journal, Session, Status
from parte.checker.solver.verdict import Verdict
from parte.cli import app
from parte.semantics.events.installation import install_command

ROOT = Path(__file__).resolve().parents[3]
FRAUD = ROOT / "examples" / "fraud"
SCHEMA = json.loads(files("parte.checker").joinpath("report.schema.json").read_text(encoding="utf-8"))
RELATION_SCHEMA = json.loads(files("parte.checker").joinpath("relation.schema.json").read_text(encoding="utf-8"))
FLAWED = """\
template T { id : Integer, k : Integer }
template U { k : Integer }
rule Loop where t : T { k > 3, k > 2 } u : U {} no v : T { k > 4 }
when u in t [0 ms, 5 ms], u in t [-1 ms, 9 ms] no v in t [0 ms, 1 ms]
then emit U at u.timestamp with { k = 1 }
"""
DEPLOYMENT = """
steps_per_second = {steps}
[[source]]
name = "bank"
[[source.emits]]
template = "T"
every = "1 seconds"
"""
PLAIN = "template T { k : Integer }\nrule R where a : T {} b : T { k = a.k } when b in a [0 seconds, 9 seconds]\n"


@pytest.mark.parametrize("text", [FLAWED, PLAIN, (FRAUD / "scenarios.parte").read_text(encoding="utf-8")])
def test_json_keeps_to_its_schema(text: str) -> None:
    report = check(text)
    record = json.loads(report_to_text(report, "program"))
    jsonschema.validate(record, SCHEMA, cls=jsonschema.Draft202012Validator)
    assert record == json.loads(json.dumps(report_to_json(report, "program")))
    assert record["exit_code"] == report.exit_code


def test_json_with_a_deployment_keeps_to_its_schema() -> None:
    report = check(PLAIN, read_deployment(DEPLOYMENT.format(steps=1000)))
    record = json.loads(report_to_text(report))
    jsonschema.validate(record, SCHEMA, cls=jsonschema.Draft202012Validator)
    assert record["bounds"]["bounded"] is True
    assert report.exit_code == 0
    assert {"bounded-space", "keeps-up"} <= {guarantee.name for guarantee in report.guarantees}


@pytest.mark.parametrize("steps", [None, 1_000])
def test_what_nothing_bounds_keeps_to_the_schema(steps: int | None) -> None:
    text = (
        "template T {} template C {} template D { k : Integer }\n"
        "rule R where a : T {} then emit D at a.timestamp with { k = 1 }\n"
        "rule Q where d : D {} c : C {} when c in d [0 ms, 2 ms]\n"
    )
    emits = "".join(f'[[source.emits]]\ntemplate = "{name}"\n' for name in "TCD")
    speed = "" if steps is None else f"steps_per_second = {steps}\n"
    late = '[[source]]\nname = "bank"\nlate = "3 ms"\nevery = "1 ms"\n'
    record = json.loads(report_to_text(check(text, read_deployment(speed + late + emits))))
    jsonschema.validate(record, SCHEMA, cls=jsonschema.Draft202012Validator)
    assert record["bounds"]["any_schedule"] is False
    del record["bounds"]["sizes"][0]["viable"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(record, SCHEMA, cls=jsonschema.Draft202012Validator)


def test_a_rule_that_never_matches_has_sizes_too() -> None:
    report = check(PLAIN.replace("k = a.k", "k > 3, k < 3"), read_deployment(DEPLOYMENT.format(steps=1000)))
    assert report.of("unsatisfiable-pattern")
    assert report.bounds is not None
    assert report.verdict("bounded-space") is Verdict.PROVED


def test_a_program_that_cannot_be_run_is_told_that_it_has_no_sizes() -> None:
    report = check(FLAWED, read_deployment(DEPLOYMENT.format(steps=1000)))
    assert report.bounds is None
    assert report.verdict("bounded-space") is Verdict.NOT_PROVED
    assert "(not asked, as stratified did not come out as proved)" in render(report)


def test_a_deployment_whose_machine_is_too_slow() -> None:
    report = check(PLAIN, read_deployment(DEPLOYMENT.format(steps=1)))
    (finding,) = report.of("falls-behind")
    assert (finding.rule, finding.span.start.line, finding.span.start.column) == ("R", 2, 6)
    assert report.exit_code == 1
    # Two alpha nodes, a join, a terminal: the steps of 1, 1, 2 and 2 + 10 tokens a second.
    assert finding.evidence == {"steps_per_second": {"R": 16.0}}
    assert 'template = "T", attribute = "k", at_most = …' in finding.hint


KEY = '\n[[cardinality]]\ntemplate = "T"\nattribute = "k"\nat_most = 9\nper = "1 days"\n'


@pytest.mark.parametrize(
    ("program", "deployment", "hint"),
    [
        (PLAIN, DEPLOYMENT + KEY, "say of fewer events that they share a value"),
        (PLAIN.replace("k = a.k", ""), DEPLOYMENT, "have the rule compare an attribute"),
        ("template T { k : Integer }\n", DEPLOYMENT, ""),
    ],
)
def test_what_makes_a_machine_fast_enough(program: str, deployment: str, hint: str) -> None:
    slow = deployment.format(steps=1).replace('every = "1 seconds"', 'every = "1 ms"')
    (finding,) = check(program, read_deployment(slow)).of("falls-behind")
    assert finding.hint.startswith(hint)
    assert bool(finding.hint) is bool(hint)


def test_memory_is_told_in_the_unit_that_people_read_and_exactly() -> None:
    wide = DEPLOYMENT.format(steps=1).replace('every = "1 seconds"', 'every = "1 ms"')
    report = check(PLAIN.replace("9 seconds", "1 days"), read_deployment(wide)).bounds
    assert report is not None
    memory = report.to_json()["memory"]
    assert isinstance(memory, int)
    assert f"memory: {memory * 10 // 2**30 / 10} GiB ({memory:,} bytes) at 256 bytes an event" in report.render()
    small = check(PLAIN, read_deployment(DEPLOYMENT.format(steps=1))).bounds
    assert small is not None
    assert " KiB (" in small.render()


def test_a_deployment_that_does_not_fit_is_an_error() -> None:
    with pytest.raises(DeploymentError):
        check("template X {}\nrule R where a : X {}", read_deployment(DEPLOYMENT.format(steps=1)))
    with pytest.raises(DeploymentError):
        check("template X {}\nrule R where a : X { 1 > 2 }", read_deployment(DEPLOYMENT.format(steps=1)))


def test_people_read_place_reason_and_hint() -> None:
    text = render(check(FLAWED), "flawed.parte")
    assert (
        "flawed.parte:5:11: error[recursive-rules]: the rule `Loop` emits `U`, to which it reacts\n"
        "    then emit U at u.timestamp with { k = 1 }\n"
        "              ^\n"
        "  because: the shortest cycle is `U` → rule `Loop` → `U`\n" in text
    )
    assert "flawed.parte:3:32: note[implied-condition]: `t.k > 2` follows from the other conditions" in text
    assert "stratified               refuted" in text
    assert text.splitlines()[-1].startswith("flawed.parte: 1 error, ")
    verbose = render(check(FLAWED), "flawed.parte", verbose=True)
    assert "the closure of `when` of `Loop`:\n  u in t     from  0 ms  to 5 ms\n" in verbose


def test_every_question_is_named_and_timed() -> None:
    report = check(FLAWED)
    assert report.queries
    for query in report.queries:
        assert query.name
        assert query.answer in {status.value for status in Status}
        assert query.seconds >= 0


def test_a_question_without_time_is_not_decided() -> None:
    journal = Journal()
    session = Session(0, journal)
    assert session.ask("nothing", terms.TRUE).status is Status.UNKNOWN
    assert [query.name for query in journal.queries] == ["nothing"]


def test_without_time_nothing_is_guaranteed() -> None:
    report = check(PLAIN, timeout=0)
    assert report.exit_code == 4
    assert {finding.code for finding in report.findings if finding.severity is Severity.ERROR} == {
        "recursive-rules",
        "unrelated-variables",
    }
    assert {finding.verdict for finding in report.findings} == {Verdict.NOT_PROVED}
    assert Verdict.PROVED not in {report.verdict("stratified"), report.verdict("bounded-time", "R")}


def test_one_room_knows_the_solver() -> None:
    knowing = set()
    for path in (*(ROOT / "checker").rglob("*.py"), *(ROOT / "proofs").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if any("z3" in name.split(".") for name in names):
                knowing.add(path.parent)
    assert knowing == {ROOT / "checker" / "solver"}


# --- The command -----------------------------------------------------------------------------------------------------


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.parte"
    path.write_text(FLAWED, encoding="utf-8")
    return path


def test_exit_codes(program: Path, tmp_path: Path) -> None:
    runner = CliRunner()
    assert runner.invoke(app, ["check", str(program)]).exit_code == 1
    scenarios = str(FRAUD / "scenarios.parte")
    assert runner.invoke(app, ["check", scenarios]).exit_code == 0
    assert runner.invoke(app, ["check", scenarios, "--strict"]).exit_code == 1
    assert runner.invoke(app, ["check", scenarios, "--domain", str(FRAUD / "domain.json")]).exit_code == 0
    invalid = tmp_path / "invalid.parte"
    invalid.write_text("rule", encoding="utf-8")
    assert runner.invoke(app, ["check", str(invalid)]).exit_code == 2
    assert runner.invoke(app, ["check", str(tmp_path / "missing")]).exit_code == 2
    assert runner.invoke(app, ["check", str(program), "--domain", str(tmp_path / "missing")]).exit_code == 2


def test_a_domain_that_does_not_fit_is_an_input_error(program: Path) -> None:
    result = CliRunner().invoke(app, ["check", str(program), "--domain", str(FRAUD / "domain.json")])
    assert result.exit_code == 2
    assert "domain.json" in result.output


def test_a_deployment_on_the_command_line(tmp_path: Path) -> None:
    path, deployed = tmp_path / "plain.parte", tmp_path / "deployed.toml"
    path.write_text(PLAIN, encoding="utf-8")
    deployed.write_text(DEPLOYMENT.format(steps=1000), encoding="utf-8")
    result = CliRunner().invoke(app, ["check", str(path), "--deployment", str(deployed)])
    assert result.exit_code == 0
    assert "bounded-space" in result.output
    deployed.write_text(DEPLOYMENT.format(steps=1000).replace('"T"', '"X"'), encoding="utf-8")
    result = CliRunner().invoke(app, ["check", str(path), "--deployment", str(deployed)])
    assert result.exit_code == 2
    assert str(deployed) in result.output


def test_json_on_the_command_line(program: Path) -> None:
    result = CliRunner().invoke(app, ["check", str(program), "--json"])
    assert result.exit_code == 1
    record = json.loads(result.stdout)
    jsonschema.validate(record, SCHEMA, cls=jsonschema.Draft202012Validator)
    assert record["program"] == str(program)


def test_relate(tmp_path: Path) -> None:
    path = tmp_path / "rules.parte"
    path.write_text(
        "template T { k : Integer }\nrule P where a : T { k > 3 }\nrule Q where a : T { k > 2 }\n"
        "rule P2 where a : T { k >= 4 }\nrule Two where a : T {} b : T {} when b in a [0 ms, 1 ms]\n",
        encoding="utf-8",
    )
    runner = CliRunner()
    assert runner.invoke(app, ["relate", str(path), "P", "P2"]).exit_code == 0
    result = runner.invoke(app, ["relate", str(path), "P", "Q"])
    assert result.exit_code == 1
    assert result.stdout.startswith("proved: every match of P is a match of Q")
    assert '"attributes": {"k": 3}' in result.stdout
    record = json.loads(runner.invoke(app, ["relate", str(path), "P", "Q", "--json"]).stdout)
    assert [subsumption["verdict"] for subsumption in record["subsumptions"]] == ["proved", "refuted"]
    jsonschema.validate(record, RELATION_SCHEMA, cls=jsonschema.Draft202012Validator)
    assert runner.invoke(app, ["relate", str(path), "P", "Nobody"]).exit_code == 2
    assert runner.invoke(app, ["relate", str(path), "P", "Two"]).exit_code == 2


def test_a_separating_trace_names_only_what_the_match_binds(tmp_path: Path) -> None:
    path = tmp_path / "rules.parte"
    path.write_text(
        "template T { k : Integer }\npredicate p(Integer)\n"
        "rule P where a : T { p(k) } no n : T { k > a.k } when no n in a [1 ms, 3 ms]\n"
        "rule Q where a : T { p(k) } no n : T { k > a.k } when no n in a [1 ms, 4 ms]\n",
        encoding="utf-8",
    )
    result = CliRunner().invoke(app, ["relate", str(path), "P", "Q", "--json"])
    assert result.exit_code == 1
    record = json.loads(result.stdout)
    jsonschema.validate(record, RELATION_SCHEMA, cls=jsonschema.Draft202012Validator)
    evidence = record["subsumptions"][0]["evidence"]
    assert evidence["bindings"] == {"a": "a"}
    assert [event["timestamp"] for event in evidence["trace"]] == [0, 4]
    assert record["subsumptions"][1]["evidence"] is None


def test_a_rule_may_lack_the_template_that_another_forbids(tmp_path: Path) -> None:
    path = tmp_path / "rules.parte"
    path.write_text(
        "template T {} template U {}\nrule P where a : T {}\n"
        "rule Q where a : T {} no n : U {} when no n in a [0 ms, 2 ms]\n",
        encoding="utf-8",
    )
    result = CliRunner().invoke(app, ["relate", str(path), "P", "Q", "--json"])
    assert result.exit_code == 1, result.output
    forth, back = json.loads(result.stdout)["subsumptions"]
    assert (forth["verdict"], back["verdict"]) == ("refuted", "proved")
    assert [event["template"] for event in forth["evidence"]["trace"]] == ["T", "U"]


def test_a_trace_given_as_evidence_can_be_run(tmp_path: Path) -> None:
    text = (
        "template T { k : Integer }\npredicate p(Integer)\n"
        "rule R where a : T { p(k) } b : T { k > a.k } when b in a [-5 ms, -1 ms]\n"
    )
    (guarantee,) = (guarantee for guarantee in check(text).guarantees if guarantee.name == "can-match")
    trace = guarantee.evidence["trace"]
    assert isinstance(trace, list)
    path, events, domain = tmp_path / "program.parte", tmp_path / "trace.jsonl", tmp_path / "domain.json"
    path.write_text(text, encoding="utf-8")
    events.write_text("".join(json.dumps(event) + "\n" for event in trace), encoding="utf-8")
    domain.write_text(json.dumps(guarantee.evidence["domain"]), encoding="utf-8")
    result = CliRunner().invoke(app, ["run", str(path), str(events), "--domain", str(domain)])
    assert result.exit_code == 0, result.output
    assert [json.loads(line)["bindings"] for line in result.stdout.splitlines()] == [guarantee.evidence["bindings"]]


def test_the_python_api() -> None:
    assert parte.check(PLAIN).exit_code == 0
    assert parte.check(parte.parse(PLAIN)).exit_code == 0


@pytest.mark.parametrize("arguments", [["check", "{}"], ["relate", "{}", "P", "Q"]])
def test_without_the_solver_one_error_says_what_to_install(tmp_path: Path, arguments: list[str]) -> None:
    path = tmp_path / "program.parte"
    path.write_text("template T {}\nrule P where a : T {}\nrule Q where a : T {}\n", encoding="utf-8")
    words = [argument.format(path) for argument in arguments]
    code = f"import sys; sys.modules['z3'] = None; from parte.cli import main; sys.argv = {['parte', *words]!r}; main()"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert install_command("z3") in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""
