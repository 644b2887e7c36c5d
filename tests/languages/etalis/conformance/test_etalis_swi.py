"""The authors' own engine: what it derives, alike and otherwise (needs SWI-Prolog, and ETALIS in PARTE_ETALIS)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from parte.conformance.engines.foreign import Inexpressible
from parte.conformance.fuzz.draw import seeded
from parte.conformance.protocol import Accepted, Found, Load, Unsupported
from parte.languages.etalis.algebra.evaluation import evaluate
from parte.languages.etalis.conformance.drawing import Shape, drawn_items, drawn_program
from parte.languages.etalis.conformance.engines.swi import adapter as swi
from parte.languages.etalis.conformance.generation import Case
from parte.languages.etalis.semantics.syntax.streams import IntervalEvent, stream
from parte.languages.etalis.semantics.syntax.tree import Operator
from parte.semantics.source.packages import Unavailable


def _missing() -> str:
    try:
        swi.installation()
    except Unavailable as error:
        return str(error)
    return ""


def test_where_it_is_not_installed_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PARTE_ETALIS", str(tmp_path))
    with pytest.raises(Unavailable, match="needs ETALIS"):
        swi.installation()
    (tmp_path / "etalis.P").touch()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unavailable, match="needs SWI-Prolog"):
        swi.installation()


installed = pytest.mark.skipif(bool(_missing()), reason=_missing() or "installed")


def _derived(rules: str, trace: str, policy: str) -> list[str]:
    """What it derives from `a@1 b@2`."""
    engine = swi.engine()
    loaded = engine.load(Load(rules, None, language="ETALIS", options={"policy": policy}))
    assert isinstance(loaded, Accepted), loaded
    events = [word.split("@") for word in trace.split()]
    reply = engine.run([{"template": name, "timestamp": int(time)} for name, time in events])
    assert isinstance(reply, Found), reply
    matches = [json.loads(json.dumps(match)) for match in reply.matches]
    return [f"{match['event']}[{match['start']},{match['end']}]" for match in matches]


@installed
@pytest.mark.parametrize(
    ("rules", "trace", "policy", "expected"),
    [
        ("e <- a SEQ b.", "a@1 a@2 b@3", "unrestricted", ["e[1,3]", "e[2,3]"]),
        ("e <- (a OR b) SEQ c.", "a@1 c@2", "unrestricted", ["e[1,2]"]),
        ("e <- NOT(c).[a, b].", "a@1 b@2", "unrestricted", ["e[1,2]"]),
        ("e <- b MEETS a.", "a@1 b@1", "unrestricted", ["e[1,1]"]),
        ("e <- (a SEQ b).2.", "a@1 a@2 b@4", "unrestricted", ["e[2,4]"]),
        ("e <- (a SEQ (b SEQ c).1).3.", "a@1 b@2 b@3 c@4", "unrestricted", ["e[1,4]"]),
        # Where it differs from the specification.
        ("e <- a AND b.", "a@1 b@1 a@2", "unrestricted", ["e[1,1]"]),
        ("i <- u SEQ v. e <- i PAR w.", "u@1 w@2 v@3", "unrestricted", ["e[1,3]", "i[1,3]"]),
        ("e <- b EQUALS a.", "a@1 b@1", "unrestricted", []),
        ("i <- u SEQ v. e <- c FINISHES i.", "u@1 c@2 v@2", "unrestricted", ["i[1,2]", "e[2,2]"]),
        ("i <- u SEQ v. e <- c DURING i.", "u@1 c@1 v@2", "unrestricted", ["e[1,2]", "i[1,2]"]),
        ("e <- NOT(c).[a, b].", "a@1 b@2 b@3", "unrestricted", ["e[1,2]"]),
        ("e <- a SEQ b.", "a@1 a@2 b@3 b@4", "chronological", ["e[2,3]"]),
        ("e <- a SEQ b.", "a@1 a@2 b@3 b@4", "recent-consuming", ["e[2,3]"]),
    ],
)
def test_what_it_derives(rules: str, trace: str, policy: str, expected: list[str]) -> None:
    assert _derived(rules, trace, policy) == expected


@installed
@pytest.mark.parametrize(
    ("rules", "options"),
    [
        ("e <- a SEQ 6.", {}),
        ("e <- (a SEQ b).2.", {"lasting": "exactly"}),
        ("e <- a.", {"policy": "shortest"}),
        ("e <- a.", {"negation": "intervals"}),
        ("e(X + 1) <- a(X).", {}),
    ],
)
def test_what_it_is_not_asked(rules: str, options: dict[str, str]) -> None:
    loaded = swi.engine().load(Load(rules, None, language="ETALIS", options=options))
    assert isinstance(loaded, Unsupported)


@installed
@pytest.mark.exhaustive
def test_sequences_alternatives_conditions_and_lengths_are_alike() -> None:
    draw, folder, compared = seeded(1), swi.installation(), 0
    shape = Shape(recursion=False, moments=False, operators=(Operator.SEQ, Operator.OR), negations=False)
    while compared < 40:
        program = drawn_program(draw, shape)
        instants = stream(program, Case(program, drawn_items(draw, program, 8)).lines)
        try:
            derived = swi.fired(folder, program, "unrestricted", instants, 20).events
        except Inexpressible:
            continue
        compared += 1
        stream_events = {
            IntervalEvent(name, values, instant.time, instant.time)
            for instant in instants
            for name, values in instant.atoms
        }
        assert derived - stream_events == set(evaluate(program, instants)) - stream_events
