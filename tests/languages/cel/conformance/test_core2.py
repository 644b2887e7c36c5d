"""How queries and traces are put to CORE2, what is made of what it says, and what is said where its jar is missing.

Nothing here starts a Java: a command that plays one takes its place. A run of CORE2 itself over the whole suite is kept
in `parte/languages/cel/conformance/reports`.
"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from parte.conformance.engines.foreign import EngineFailure, Inexpressible
from parte.conformance.engines.registry import engine_called, foreign
from parte.conformance.kit import KIT
from parte.conformance.protocol import Accepted, Failed, Found, Load, Unsupported
from parte.conformance.runner.specs import SpecError, spec_of
from parte.languages.cel import CEL
from parte.languages.cel.conformance.engines.core2 import adapter
from parte.languages.cel.conformance.engines.core2.adapter import Installation, installation, results, run, version
from parte.languages.cel.conformance.engines.core2.queries import Asked, files_for, query_text
from parte.languages.cel.semantics.syntax.parser import parse
from parte.semantics.events.complex_event import ComplexEvent
from parte.semantics.events.event import Event, Value
from parte.semantics.source.packages import Unavailable

JAVA = """#!{python}
import sys
from pathlib import Path

assert sys.argv[-6:] == ["-o", "-f", "-q", "queries", "-s", "streams"], sys.argv
assert Path("queries").read_text() == "FILE:declarations\\nFILE:query\\n"
assert Path("streams").read_text() == "S:FILE:events\\n"
{body}
"""
PRINTS = """
position = 0
for line in Path("events").read_text().splitlines():
    assert f"DECLARE EVENT {line.split('(')[0]}(" in Path("declarations").read_text()
    print(f"\\tIn interval [{position}, {position}]: X(id={position}) ", file=sys.stderr)
    position += 1
"""


def installed(folder: Path, body: str) -> Installation:
    """A jar that says its version, and a Java that does what the body does."""
    java, jar = folder / "bin" / "java", folder / "core2.jar"
    java.parent.mkdir()
    java.write_text(JAVA.format(python=sys.executable, body=body), encoding="utf-8")
    java.chmod(0o755)
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", "Main-Class: a.B\nImplementation-Version: 7.1\n")
    return Installation(str(java), jar)


@pytest.fixture
def named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    installation = installed(tmp_path, PRINTS)
    monkeypatch.setenv(adapter.VARIABLE, str(installation.jar))
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    return installation.jar


GIVEN = Asked("DECLARE EVENT A(x double)\n", "q", "A(x=1)\n")

# --- Queries ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT * WHERE A; B+; C", "SELECT * FROM S WHERE (A ; (B)+ ; C) CONSUME BY NONE"),
        (
            "SELECT NXT A, x WHERE (A OR B) AS x FILTER x[v > -1.5 AND NOT v = w] WITHIN 2 EVENTS",
            "SELECT NEXT A, x FROM S WHERE (((A OR B) AS x) FILTER x[((v > -1.5) AND (NOT (v = w)))]) WITHIN 3 EVENTS "
            "CONSUME BY NONE",
        ),
        (
            "SELECT MAX * WHERE A FILTER A[s = 'one'] OR A[s != s] PARTITION BY k, s CONSUME BY PARTITION",
            "SELECT MAX * FROM S WHERE (A FILTER (A[(s = 'one')] OR A[(s != s)])) PARTITION BY [k], [s] "
            "CONSUME BY PARTITION",
        ),
    ],
)
def test_queries_are_written_in_its_language(text: str, expected: str) -> None:
    assert query_text(parse(text)) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("SELECT * WHERE A : B", "`:`"),
        ("SELECT * WHERE A:+", "`:`"),
        ("SELECT * WHERE PROJ (A) (A; B)", "PROJ"),
        ("SELECT NONE WHERE A", "SELECT NONE"),
        ("SELECT B WHERE A", "a name that nothing binds"),
        ("SELECT * WHERE A FILTER b[v = 1]", "a name that nothing binds"),
        ("SELECT * FROM s WHERE A", "FROM"),
        ("SELECT * WHERE A; B FILTER A[v] = B[v]", "a link"),
        ("SELECT * WHERE A WITHIN 1 SECOND", "a window of time"),
        ("SELECT * WHERE A PARTITION BY a, b, c", "more than two attributes"),
        ("SELECT * WHERE A FILTER A[v = TRUE]", "a Boolean"),
        ("SELECT * WHERE A FILTER A[v < 'a']", "by order"),
        ("SELECT * WHERE A FILTER A[v < 1e300]", "exponent"),
        ("SELECT * WHERE Event", "a word of CORE2"),
    ],
)
def test_what_its_grammar_lacks_is_told(text: str, reason: str) -> None:
    with pytest.raises(Inexpressible, match=reason):
        query_text(parse(text))


def put(text: str, *attributes: dict[str, Value]) -> Asked:
    events = [Event(f"e{position}", "A", 0, mapping) for position, mapping in enumerate(attributes)]
    return files_for(parse(f"SELECT * WHERE {text}"), "text", events)


def test_events_have_the_attributes_that_are_asked_for() -> None:
    files = put(
        "A; B FILTER A[v > 1 OR s = 'x'] AND B[w = 1]", {"v": 1, "s": "a b", "other": (1,)}, {"v": 0.5, "s": "x"}
    )
    assert files.declarations == (
        "DECLARE EVENT A(parte_position double, s string, v double)\n"
        "DECLARE EVENT B(parte_position double, w double)\n"
        "DECLARE STREAM S(A, B)\n"
    )
    assert files.events == "A(parte_position=0.0, s=a b, v=1.0)\nA(parte_position=1.0, s=x, v=0.5)\n"
    assert put("B", {"v": True}).events == "A(parte_position=0.0)\n"


@pytest.mark.parametrize(
    ("attributes", "reason"),
    [
        ([{}], "has no NULL"),
        ([{"v": 1}, {"v": "1"}], "several kinds"),
        ([{"v": 2**53 + 1}], "binary64"),
        ([{"v": "a,b"}], "characters"),
        ([{"v": (1,)}], "a list"),
        ([], "an empty stream"),
    ],
)
def test_traces_that_it_cannot_read_are_told(attributes: list[dict[str, Value]], reason: str) -> None:
    with pytest.raises(Inexpressible, match=reason):
        put("A FILTER A[v = v]", *attributes)


# --- Runs -------------------------------------------------------------------------------------------------------------


def test_results_are_read_in_order_repeated_ones_too() -> None:
    output = (
        "Event B(id=2) triggered matches:\n\tIn interval [0, 2]: B(id=2) A(id=0) \n\tIn interval [1, 2]: \n"
        "\tIn interval [1, 2]: \n\nEvent B(id=3) triggered matches:\n"
    )
    assert results(output) == [ComplexEvent(2, 0, (0, 2)), ComplexEvent(2, 1, ()), ComplexEvent(2, 1, ())]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("import time\ntime.sleep(60)", "did not end within 1 seconds"),
        ("sys.exit(3)", "exit code 3"),
        (
            'print("Exception in thread \\"main\\" java.lang.Error: no such thing", file=sys.stderr)',
            "java.lang.Error: no",
        ),
        ('sys.stderr.write("x" * (2**24 + 1))', "more than 16,777,216 bytes"),
    ],
)
def test_runs_that_fail_are_told(tmp_path: Path, body: str, reason: str) -> None:
    with pytest.raises(EngineFailure, match=reason):
        run(installed(tmp_path, body), GIVEN, 1.0)


def test_what_its_parser_rejects_it_cannot_be_asked(tmp_path: Path) -> None:
    body = """print("Exception in thread \\"main\\" line 1,\\n SELECT\\nUnknownNameException: no x", file=sys.stderr)
sys.exit(1)"""
    with pytest.raises(Inexpressible, match="CORE2 rejects the query: no x"):
        run(installed(tmp_path, body), GIVEN)


@pytest.mark.usefixtures("named")
def test_it_is_an_engine_behind_the_protocol() -> None:
    engine = engine_called(CEL[KIT].engines(), "core2")
    assert (engine.hello().name, engine.hello().version, engine.hello().languages) == ("CORE2", "7.1", ("CEL",))
    trace: list[Any] = [{"template": name, "timestamp": 0} for name in "AB"]
    assert engine.load(Load("SELECT * WHERE A", None)) == Accepted()
    assert engine.run(trace) == Found(
        ({"start": 0, "end": 0, "events": ["e1"]}, {"start": 1, "end": 1, "events": ["e2"]})
    )
    assert isinstance(engine.load(Load("SELECT * WHERE A:+", None)), Unsupported)
    assert isinstance(engine.run(trace), Failed)


def test_it_is_foreign_and_what_is_missing_is_told(
    named: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "core2" in foreign(CEL[KIT].engines())
    assert "core2" not in CEL[KIT].models
    assert installation() == Installation(str(tmp_path / "bin" / "java"), named)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "bin"))
    with pytest.raises(Unavailable, match="there is no java in JAVA_HOME"):
        installation()
    monkeypatch.setenv(adapter.VARIABLE, str(tmp_path / "nowhere.jar"))
    with pytest.raises(Unavailable, match="which is no file"):
        installation()
    monkeypatch.delenv(adapter.VARIABLE)
    with pytest.raises(SpecError, match="PARTE_CORE2_JAR is not set"):
        spec_of("model:core2", CEL[KIT].engines())
    named.write_text("no archive", encoding="utf-8")
    assert version(named) == "unknown"
