"""The commands for programs of ETALIS."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

import parte
from tests.parte.examples import Command

FOLDER = Path(__file__).parents[3] / "examples" / "bakery"
PROGRAM, TRACE = str(FOLDER / "oven.etalis"), str(FOLDER / "trace.jsonl")
EXPECTED = (FOLDER / "expected.jsonl").read_text(encoding="utf-8")


@pytest.mark.parametrize("model", ["definition", "algebra", "sound"])
def test_the_example_finds_what_its_page_says(command: Command, model: str) -> None:
    result = command("run", PROGRAM, TRACE, "--model", model)
    assert (result.code, result.out) == (0, EXPECTED)
    page = (FOLDER.parents[1] / "docs" / "etalis.md").read_text(encoding="utf-8")
    assert Path(PROGRAM).read_text(encoding="utf-8") in page
    assert EXPECTED in page


def test_a_policy_with_recursion_is_refused_by_the_definition_with_the_model_that_runs_it(
    command: Command, tmp_path: Path
) -> None:
    program, trace = tmp_path / "p.etalis", tmp_path / "t.jsonl"
    program.write_text("n(X) <- a(X).\nn(X) <- n(X) SEQ a(X).\n", encoding="utf-8")
    trace.write_text('{"template":"a","timestamp":1,"arguments":[1]}\n', encoding="utf-8")
    refused = command("run", str(program), str(trace), "--model", "definition", "--policy", "recent")
    assert refused.code == 2
    assert "without recursion" in refused.err
    assert "the model sound runs such a program" in refused.err
    assert command("run", str(program), str(trace), "--policy", "recent").code == 0


def test_from_python() -> None:
    program = parte.etalis.parse(Path(PROGRAM).read_text(encoding="utf-8"))
    instants = parte.etalis.stream(program, Path(TRACE).read_text(encoding="utf-8").splitlines())
    events = list(parte.etalis.run(program, instants))
    assert events == parte.etalis.define(program, instants)
    assert [event.name for event in events] == [json.loads(line)["event"] for line in EXPECTED.splitlines()]


def test_policies_and_readings(command: Command) -> None:
    assert command("run", PROGRAM, TRACE, "--policy", "recent").out == EXPECTED
    exactly = command("run", PROGRAM, TRACE, "--reading", "lasting=exactly").out
    assert "rushed" in EXPECTED
    assert "rushed" not in exactly
    agreed = command("compare", PROGRAM, TRACE, "--policy", "chronological")
    assert (agreed.code, agreed.out) == (0, "sound agrees with definition (6 matches)\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--policy", "newest"], "expected unrestricted, recent"),
        (["--reading", "lasting"], "expected NAME=VALUE"),
        (["--reading", "lasting=about"], 'lasting: expected within, exactly, found "about"'),
        (["--policy", "recent", "--reading", "negation=intervals"], "a policy selects pairs"),
    ],
)
def test_what_there_is_not_is_told(command: Command, arguments: list[str], message: str) -> None:
    result = command("run", PROGRAM, TRACE, *arguments)
    assert result.code == 2
    assert message in " ".join(result.err.split())


SVG = "{http://www.w3.org/2000/svg}"


def test_the_network_of_rules(command: Command, tmp_path: Path) -> None:
    drawn = command("graph", PROGRAM, "--format", "dot")
    assert drawn.code == 0
    assert drawn.out.startswith("digraph etalis {")
    assert 'label="DURING"' in drawn.out
    assert "style=dashed" in drawn.out
    program = tmp_path / "p.etalis"
    text = """s(X, 1) <- a(X). s(X + Y, N + 1) <- s(X, N) SEQ a(Y). quiet <- NOT(s(5, 7) OR 60).[a(X), a(X)].
              high(X) <- (s(X, N) WHERE X / N > 100 MEETS high(X)).5/2."""
    program.write_text(text, encoding="utf-8")
    root = ElementTree.fromstring(command("graph", program).out)
    words = [["".join(line.itertext()) for line in element.iter(f"{SVG}text")] for element in root.iter(f"{SVG}g")]
    expected = ["a", "s", "COPY", "SEQ", "quiet", "60", "OR", "NOT", "WHERE", "MEETS", "high", "at most 2.5"]
    assert sorted(texts[0] for texts in words) == sorted(expected)
    assert ["WHERE", "X / N > 100"] in words
    wires = [element.get("class") for element in root.iter(f"{SVG}path") if element.get("marker-end")]
    assert len(wires) == 16
    assert wires.count("edge absent") == 1
    assert sum("back" in str(wire) for wire in wires) == 2


def test_what_rules_kept_is_said(command: Command) -> None:
    drawn = command("graph", PROGRAM, "--trace", TRACE).out
    assert ">kept 3<" in drawn
    assert ">kept 1<" in command("graph", PROGRAM, "--trace", TRACE, "--policy", "recent").out
    for options, words in (
        (("--format", "png"), "expected svg or dot"),
        (("--format", "dot", "--trace", TRACE), "only the drawing as SVG"),
    ):
        result = command("graph", PROGRAM, *options)
        assert (result.code, words in " ".join(result.err.split())) == (2, True)


def test_a_stream_in_time(command: Command, tmp_path: Path) -> None:
    root = ElementTree.fromstring(command("timeline", PROGRAM, TRACE).out)
    assert len(list(root.iter(f"{SVG}circle"))) == 9
    bars = {
        element[0].text: float(element.get("width", ""))
        for element in root.iter(f"{SVG}rect")
        if element.get("class") == "bar"
    }
    assert [json.loads(line)["event"] for line in EXPECTED.splitlines()].count("baking") == 2
    assert len(bars) == 6
    assert bars['baking("rye") [0, 40]'] == bars['draught("rye") [0, 40]'] > bars['baking("wheat") [41, 70]']
    instants = tmp_path / "i.etalis"
    instants.write_text("e(X) <- done(X). f <- opens SEQ 20.", encoding="utf-8")
    drawn = command("timeline", instants, TRACE).out
    assert drawn.count('class="point"') == 2
    assert "f [12, 20]" in drawn
    assert "expected svg or text" in command("timeline", PROGRAM, TRACE, "--format", "png").err


def test_a_stream_in_time_on_a_terminal(command: Command, tmp_path: Path) -> None:
    program = tmp_path / "p.etalis"
    program.write_text("e(X) <- a(X). f <- a(X) SEQ b.", encoding="utf-8")
    trace = tmp_path / "t.jsonl"
    trace.write_text(
        '{"template": "a", "timestamp": 0, "arguments": [7]}\n\n{"template": "b", "timestamp": "3/2"}\n',
        encoding="utf-8",
    )
    lines = command("timeline", program, trace, "--format", "text", COLUMNS="30").out.splitlines()
    assert lines == [
        "      0                    1.5",
        "a     ●",
        "b                            ●",
        "      " + "─" * 23 + "─",
        "e(7)  ◆",
        "f     ├" + "─" * 22 + "┤",
    ]


def test_what_depends_on_the_order_of_an_instant_is_told(command: Command, tmp_path: Path) -> None:
    program, trace = tmp_path / "p.etalis", tmp_path / "t.jsonl"
    program.write_text("e(X) <- (a(X) SEQ b).5. d <- a(X) SEQ NOT(c).[a(X), b].", encoding="utf-8")
    lines = [{"template": "a", "timestamp": 1, "arguments": [argument]} for argument in (1, 2)]
    trace.write_text("".join(f"{json.dumps(line)}\n" for line in [*lines, {"template": "b", "timestamp": 2}]))
    result = command("explore", program, trace)
    assert result.code == 0
    lines_told = result.out.splitlines()
    assert lines_told[:3] == [
        "events of the stream: 3, at 2 instants; several at 1 of them",
        "usual policy and readings: 2 derived events",
        "policy recent: 1 derived event",
    ]
    assert "  lacks e(1) [1, 2]" in lines_told[3]
    assert "  2 results, depending on the order; in some of them:\n    e(1) [1, 2]\n    e(2) [1, 2]\n" in result.out
    assert "lasting exactly: 0 derived events\n  lacks e(1) [1, 2]\n" in result.out
    few = command("explore", program, trace, "--policy", "recent", "--runs", "1")
    assert (few.code, few.out.count("policy")) == (4, 2)
    assert "NOT ALL VISITED: what comes in every order is not known, after 1 runs" in few.out
    assert command("explore", program, trace, "--policy", "newest").code == 2


def test_an_exploration_ends_in_time(command: Command, tmp_path: Path) -> None:
    program, trace = tmp_path / "p.etalis", tmp_path / "t.jsonl"
    program.write_text("e(X, Y) <- a(X) SEQ b(Y).\nf(X, Y) <- a(X) AND b(Y).\n", encoding="utf-8")
    lines = (
        f'{{"template": "{name}", "timestamp": {n}, "arguments": [{n % 7}]}}\n' for n in range(1, 60) for name in "abab"
    )
    trace.write_text("".join(lines), encoding="utf-8")
    cut = command("explore", program, trace, "--time", "0.5")
    assert cut.code == 4
    assert "NOT ALL VISITED: nothing is known of " in cut.out
    assert cut.out.endswith("lasting exactly; negation intervals; during instants\n")
    assert "the limit of 0.5 s was reached: what was not found may still exist" in cut.err


@pytest.mark.parametrize("growth", ["X + 1", "X * 2 + 1"])
def test_an_exploration_of_a_program_that_does_not_end_says_so(command: Command, tmp_path: Path, growth: str) -> None:
    program, trace = tmp_path / "p.etalis", tmp_path / "t.jsonl"
    program.write_text(f"n({growth}) <- n(X).\n", encoding="utf-8")
    trace.write_text('{"template": "n", "timestamp": 1, "arguments": [1]}\n', encoding="utf-8")
    refused = command("explore", program, trace)
    assert (refused.code, "more than 2000 events end at 1" in refused.err) == (2, True)


def test_the_demo_shows_what_is_found(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    result = command("demo", "ETALIS", "--directory", FOLDER)
    words = " ".join(result.out.split())
    assert (result.code, result.err) == (0, "")
    assert "Both agree: 6 events by the definition." in words
    assert "Each is what its equation says." in words
    assert "chronological rye – rye, wheat – wheat" in words
    assert 'do not derive rushed("rye", "wheat").' in words
    monkeypatch.setattr(parte.etalis, "run", lambda *_: iter(()))
    broken = command("demo", "ETALIS", "--directory", FOLDER)
    assert broken.code == 1
    assert "They differ" in broken.out
    assert "The machine differs from the equation." in broken.out


COMPARED = "e((X > 1)) <- a(X).\n"


def test_fmt_leaves_a_comparison_as_an_argument_in_parentheses(command: Command, tmp_path: Path) -> None:
    program = tmp_path / "p.etalis"
    program.write_text(COMPARED.replace(" <- ", "  <-  "), encoding="utf-8")
    assert command("fmt", "--write", program).code == 0
    assert program.read_text(encoding="utf-8") == COMPARED
    assert command("ast", program).code == 0


def test_a_budget_counts_what_is_stored_though_each_event_has_matches(tmp_path: Path, command: Command) -> None:
    program, trace = tmp_path / "aa.etalis", tmp_path / "a.jsonl"
    program.write_text("both <- a SEQ a.\n", encoding="utf-8")
    lines = (f'{{"template":"a","timestamp":{number}}}\n' for number in range(200))
    trace.write_text("".join(lines), encoding="utf-8")
    for source, stdin in ((trace, b""), ("-", trace.read_bytes())):
        stopped = command("run", program, source, "--budget", "20", stdin=stdin)
        assert stopped.code == 4
        assert "the budget of 20 goals is spent after 2" in stopped.err
        assert stopped.out.count("\n") < 300
