"""The Python API from several threads at once, and after a fork: results are those of one after the other
(specification: python-threads)."""

from __future__ import annotations

import gc
import subprocess
import sys
import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path

import pytest

import parte
from parte.conformance.partelang.strategies import Case, cases
from tests.drawn import drawn

ROOT = Path(__file__).resolve().parents[2]
THREADS = 4
PROGRAMS = (
    "template A { k : Integer } rule R where a : A { k > 0 }, b : A { k < a.k } when b in a [0 ms, 9 ms]",
    """template A { k : Integer } template B { k : Integer }
    rule S where a : A { k > 0 }, b : B { k = a.k }, no n : A { k = b.k }
    when b in a [0 ms, 9 ms], no n in b [1 ms, 4 ms] then emit B at b.timestamp with { k = a.k + 1 }""".replace(
        "emit B", "emit C"
    )
    + " template C { k : Integer }",
    "template A { k : Integer } rule T where a : A { k > 3, k < 2 }",
)


def checked(source: str) -> list[tuple[str, str]]:
    """What is decided about a program, without how long it took."""
    return [(guarantee.name, guarantee.verdict.value) for guarantee in parte.check(source).guarantees]


@cache
def several() -> Sequence[Case]:
    return drawn(cases(), 5, 41)


def matches_of(number: int) -> list[str]:
    """The matches of a drawn case by a model."""
    program, trace = several()[number % len(several())]
    return [match.to_json() for match in parte.execute(program, trace, model=MODELS[number % len(MODELS)]).matches]


MODELS = ("algebra", "indexed", "duckdb", "sound")


def test_runs_in_threads() -> None:
    numbers = [*range(len(several()) * len(MODELS))] * 2
    serial = [matches_of(number) for number in numbers]
    with ThreadPoolExecutor(THREADS) as pool:
        assert list(pool.map(matches_of, numbers)) == serial
    assert sum(map(len, serial)) > 20


def check_and_prove_in_threads() -> None:
    """z3's terms belong to no thread; two checks at once ended the process."""
    serial = [checked(source) for source in PROGRAMS]
    proved = [result.verdict for result in parte.prove(["fold-highest"])]

    def work(number: int) -> bool:
        gc.collect()  # terms of other threads, which are given back in this one
        if number % 4 == 3:
            return [result.verdict for result in parte.prove(["fold-highest"])] == proved
        return checked(PROGRAMS[number % len(PROGRAMS)]) == serial[number % len(PROGRAMS)]

    with ThreadPoolExecutor(THREADS) as pool:
        assert all(pool.map(work, range(12)))


def test_checks_and_proofs_in_threads() -> None:
    """In a process of its own: once several threads have used it, z3 holds on to memory."""
    code = f"from {__name__} import check_and_prove_in_threads as work; work(); print('alike')"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (0, "alike\n"), run.stderr


def _after_fork(number: int) -> tuple[list[str], list[tuple[str, str]]]:
    return matches_of(number), checked(PROGRAMS[number % len(PROGRAMS)])


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="there is no fork here")
def test_after_a_fork() -> None:
    serial = [_after_fork(number) for number in range(4)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of a fork while there are threads, which is the point
        with get_context("fork").Pool(2) as pool:
            assert pool.map(_after_fork, range(4)) == serial
