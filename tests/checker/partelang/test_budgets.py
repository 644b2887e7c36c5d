"""No question takes much longer than it may, nor the memory of the machine; Ctrl-C ends them all."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from parte.checker.environment.deployment import Deployment, read_deployment
from parte.checker.partelang.bounds.bounds import bounds
from parte.checker.partelang.check import check
from parte.checker.report.contents import Report
from parte.checker.solver import queries, terms
from parte.checker.solver.queries import Session, Status
from parte.checker.solver.verdict import Verdict
from parte.semantics.partelang.counting import NotComputed
from parte.semantics.partelang.syntax.elaborate import parse

ROOT = Path(__file__).resolve().parents[3]


def self_join(patterns: int, *more: str) -> str:
    names = [f"v{number}" for number in range(patterns)]
    windows = [f"{name} in v0 [0 ms, 5 ms]" for name in names[1:]]
    absent = "".join(f", {pattern}" for pattern in more)
    when = ", ".join([*windows, *(f"no {pattern[3]} in v0 [0 ms, 5 ms]" for pattern in more)])
    return (
        f"template A {{ k : Integer }}\nrule R where {', '.join(f'{name} : A' for name in names)}{absent} when {when}"
    )


def deployment(every: str, templates: str = "A", steps: int | None = None) -> Deployment:
    emits = "".join(f'[[source.emits]]\ntemplate = "{name}"\n' for name in templates)
    speed = "" if steps is None else f"steps_per_second = {steps}\n"
    return read_deployment(f'{speed}[[source]]\nname = "s"\nevery = {every}\n{emits}')


@pytest.mark.parametrize("patterns", [7, 20])
def test_a_replay_does_not_grow_with_the_matches_of_its_trace(patterns: int) -> None:
    started = time.perf_counter()
    report = check(self_join(patterns, "no n : A { k < v0.k }"))
    assert report.verdict("can-match", "R") is Verdict.PROVED
    assert report.verdict("effective-negations", "R") is Verdict.PROVED
    assert report.verdict("no-self-blocking", "R") is Verdict.REFUTED
    assert time.perf_counter() - started < 60  # 7^7 matches took ten times the time of all this, and 750 MB


THREE = "template A {} template B {} template C {}\nrule R where a : A, b : B, c : C when b in a {}, c in b {}"


def three(window: str) -> str:
    return THREE.replace("{},", f"{window},").removesuffix("{}") + window


def test_seldom_events_in_wide_windows_are_counted() -> None:
    """A day is 86 400 000 steps of the finest grid, and 24 events."""
    report = bounds(parse(three("[1 ms, 1 days]")), deployment("'1 hours'", "ABC"))
    size = report.size("join:R.c", "left")
    assert size.live is not None
    assert size.live.exact
    assert (size.live.greatest, size.viable) == (600, 649)


@pytest.mark.parametrize("every", ["'1 ms'", "'53375995583 days'", "'53375995584 days'"])
def test_windows_of_the_size_of_time_have_sizes(every: str) -> None:
    report = bounds(parse(three("[0 ms, 4611686018427387904 ms]")), deployment(every, "ABC"))
    assert report.bounded
    assert json.loads(json.dumps(report.to_json()))["bounded"]
    assert "viable" in report.render()


def towering(strata: int, patterns: int, *, window: str = "[0 days, 14 days]") -> str:
    text, read = "template A { k : Integer }\n", "A"
    for number in range(strata):
        names = [f"v{place}" for place in range(patterns)]
        windows = ", ".join(f"{name} in v0 {window}" for name in names[1:])
        text += (
            f"template T{number} {{ k : Integer }}\n"
            f"rule R{number} where {', '.join(f'{name} : {read}' for name in names)} when {windows}\n"
            f"then emit T{number} at v0.timestamp with {{ k = 1 }}\n"
        )
        read = f"T{number}"
    return text


def not_computed(report: Report) -> str:
    assert report.bounds is None
    assert report.verdict("bounded-space") is Verdict.NOT_PROVED
    assert report.verdict("keeps-up") is Verdict.NOT_PROVED
    assert report.exit_code == 4
    (finding,) = report.of("unbounded-size")
    assert finding.message == "what the program needs for this deployment was not computed"
    return finding.reason[0]


def test_numbers_beyond_all_use_are_not_computed() -> None:
    report = check(towering(3, 5), deployment("'1 seconds'", steps=1000))
    assert not_computed(report) == "join:R2.v2: more than 10^300 of them are possible"


def test_numbers_beyond_the_floats_are_not_computed() -> None:
    """D's formula, and the steps of one event, grow sooner than the sizes."""
    deep = towering(60, 2, window="[0 ms, 9 ms]")
    with pytest.raises(NotComputed, match=r"10\^300|too large for a Float"):
        bounds(parse(deep), deployment("'4 ms'"))


def test_counting_ends_when_its_time_is_over() -> None:
    windows = iter(range(1, 400))
    text = "template T0 { k : Integer }\n" + "".join(
        f"template T{n + 1} {{ k : Integer }}\n"
        f"rule R{n} where a : T{n}, b : T{n}, c : T{n} when b in a [{w} ms, {7 * w} ms], c in b [{-w} ms, {w} ms]\n"
        f"then emit T{n + 1} at max(a.timestamp, b.timestamp) + {w} ms with {{ k = 1 }}\n"
        for n, w in zip(range(14), windows, strict=False)
    )
    program, deployed = parse(text), read_deployment(DEPLOYED)
    started = time.perf_counter()
    with pytest.raises(NotComputed, match="the time that was allowed is over"):
        bounds(program, deployed, timeout=0.0)
    assert time.perf_counter() - started < 15


DEPLOYED = """
steps_per_second = 1000
[[source]]
name = "s"
every = "10000 days"
[[source.emits]]
template = "T0"
"""


def test_strata_without_end_are_no_recursion_without_end() -> None:
    text = "template T0 { k : Integer }\n" + "".join(
        f"template T{n + 1} {{ k : Integer }}\n"
        f"rule R{n} where a : T{n} then emit T{n + 1} at a.timestamp with {{ k = 1 }}\n"
        for n in range(300)
    )
    try:
        is_bounded = bounds(parse(text), read_deployment(DEPLOYED), timeout=5).bounded
    except NotComputed as problem:
        is_bounded = bool(problem.args[0])
    assert is_bounded  # either answer will do, and no other


def test_a_question_that_takes_too_much_memory_is_given_up() -> None:
    """Forty numbers to be factored are a long question, of which the solver makes millions of clauses first."""
    queries.limit_memory(100)
    try:
        parts = []
        for number in range(40):
            left, right = terms.word(f"one {number}"), terms.word(f"other {number}")
            product, fits = terms.word_operation("*", left, right)
            parts += [fits, terms.equal(product, terms.word_constant(8877665544332211001 + number))]
            parts += [terms.below(terms.word_constant(1), factor) for factor in (left, right)]
        started = time.perf_counter()
        assert Session(60, fresh=True).ask("factors", *parts).status is Status.UNKNOWN
        assert time.perf_counter() - started < 50
    finally:
        queries.limit_memory(queries.MEMORY)


# --- Ctrl-C ----------------------------------------------------------------------------------------------------------

HARD = """
template A { x : Float }
rule P where a : A,
b : A { x * x * x + a.x * x - x * 3.7 = 17.123456789, x * x - a.x / x = 3.3333333, a.x * x * a.x = 1.1 }
when b in a [0 ms, 1 ms]
"""
HARD += HARD[HARD.index("rule P") :].replace("rule P", "rule Q").replace("= 1.1", "= 1.2")
READY = (
    "import sys; from parte.__main__ import main; "
    "import parte.cli, parte.checker.partelang.relations, parte.proofs.prove"
)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
@pytest.mark.parametrize(
    "command", [["check", "{}"], ["relate", "{}", "P", "Q"], ["prove"]], ids=lambda words: words[0]
)
def test_ctrl_c_ends_the_command(command: list[str], tmp_path: Path) -> None:
    path = tmp_path / "hard.parte"
    path.write_text(HARD, encoding="utf-8")
    words = [*(argument.format(path) for argument in command), "--timeout", "60"]
    code = f"{READY}; sys.argv = {['parte', *words]!r}; print('ready', flush=True); main()"
    arguments = [sys.executable, "-c", code]
    with subprocess.Popen(arguments, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == b"ready\n"
        time.sleep(1.5)
        run.send_signal(signal.SIGINT)
        try:
            _, errors = run.communicate(timeout=30)
        finally:
            run.kill()
    assert run.returncode == 130
    assert b"Traceback" not in errors
