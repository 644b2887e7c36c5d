"""How programs and traces are put to Drools, and what is said when Drools or its Java is missing.

Nothing here starts a Java: a run over the whole suite is kept in `parte/conformance/partelang/engines/reports`, and
docs/conformance.md says how to repeat it.
"""

from __future__ import annotations

import re
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from parte.conformance.engines import registry
from parte.conformance.engines.foreign import EngineFailure, Inexpressible
from parte.conformance.engines.registry import require
from parte.conformance.engines.summary import read_causes
from parte.conformance.kit import KIT
from parte.conformance.partelang.engines.drools import jdk
from parte.conformance.partelang.engines.drools.jdk import drools_version, find_jar
from parte.conformance.partelang.engines.drools.translation import describe, timed
from parte.conformance.partelang.engines.jvm.fired import matches
from parte.conformance.partelang.engines.jvm.harness import Harness
from parte.conformance.partelang.engines.jvm.jdk import Installation, class_files, find_command
from parte.conformance.partelang.engines.table import ENGINES
from parte.conformance.runner.specs import SpecError, spec_of
from parte.languages.partelang import PARTELANG
from parte.semantics.events.domain import bind_domain, read_domain
from parte.semantics.events.event import Arrival, Event
from parte.semantics.events.installation import install_command
from parte.semantics.partelang.syntax import core, parse
from parte.semantics.source.packages import Unavailable

TEMPLATES = "template A { k : Integer }\ntemplate B { k : Integer }\ntemplate F { x : Float }\n"


def described(rules: str, domain: dict[str, Any] | None = None, *, explicit_expiry: bool = False) -> Any:
    program = parse(TEMPLATES + rules)
    return describe(program, bind_domain(program, read_domain(domain or {})), explicit_expiry=explicit_expiry)


def arrivals(*timestamps: int) -> list[Arrival]:
    events = [Event(f"e{number}", "A", time, {"k": number}) for number, time in enumerate(timestamps)]
    return [Arrival("s", "A", event.timestamp, event) for event in events]


# --- Translation ------------------------------------------------------------------------------------------------------


def test_a_window_stands_at_the_later_of_its_patterns() -> None:
    (rule,) = described(
        "rule R where a : A, b : B, no c : B when a in b [1 ms, 2 ms], b in a [-3 ms, 4 ms], no c in a [5 ms, 6 ms]"
    )["rules"]
    first, second, absent = rule["patterns"]
    assert first["windows"] == []
    assert second["windows"] == [
        {"operator": "before", "other": "a", "lower": 1, "upper": 2},
        {"operator": "after", "other": "a", "lower": -3, "upper": 4},
    ]
    assert absent["windows"] == [{"operator": "after", "other": "a", "lower": 5, "upper": 6}]
    assert [pattern["negated"] for pattern in rule["patterns"]] == [False, False, True]
    assert [pattern["type"] for pattern in rule["patterns"]] == [0, 1, 1]


def test_a_condition_names_the_other_events_that_it_is_about() -> None:
    text = "rule R where a : A { k > 0 }, b : B { k = a.k, 1 = a.k } when b in a [0 ms, 1 ms]"
    first, second = described(text)["rules"][0]["patterns"]
    assert [condition["others"] for condition in first["conditions"]] == [[]]
    assert [condition["others"] for condition in second["conditions"]] == [["a"], ["a"]]
    assert first["conditions"][0]["test"]["operator"] == ">"


def test_equal_attributes_are_keys_unless_they_are_floats() -> None:
    text = "rule R where a : A, b : B {{ {} }} when b in a [0 ms, 1 ms]"
    for condition in ("k = a.k", "a.k = k"):
        _, second = described(text.format(condition))["rules"][0]["patterns"]
        assert second["conditions"][0]["key"] == {"own": "k", "other": "k"}
    for condition in ("k != a.k", "k = a.k + 1", "k = k", "k = 1"):
        _, second = described(text.format(condition))["rules"][0]["patterns"]
        assert "key" not in second["conditions"][0]
    optional = "level 2 template O { k : Integer? } rule R where a : O, b : O { k = a.k } when b in a [0 ms, 1 ms]"
    assert "key" not in describe(parse(optional), {})["rules"][0]["patterns"][1]["conditions"][0]
    floats = described("rule R where a : F, b : F { x = a.x } when b in a [0 ms, 1 ms]")
    assert "key" not in floats["rules"][0]["patterns"][1]["conditions"][0]


def test_tables_and_emissions_are_handed_over() -> None:
    text = "predicate p(Integer)\nrule R where a : A { p(k) } then emit F at a.timestamp + 1 ms with { x = a.k }"
    description = described(text, {"p": {"false_for": [[2], [1]]}})
    assert description["predicates"] == {"p": {"rows": [[1], [2]], "means": False}}
    (emission,) = description["rules"][0]["emissions"]
    assert emission["template"] == "F"
    assert emission["at"]["kind"] == "shift"
    assert emission["assignments"][0]["value"]["kind"] == "to-float"


def test_what_a_selection_stands_for_is_handed_over_and_what_an_emission_may_lack() -> None:
    program = parse(
        "level 2 template A { k : Integer? } template C { k : Integer? } "
        "rule R where a : A, last b : A { not k = 1 or k is missing } "
        "when b in a [2 ms, 9 ms] then emit C at a.timestamp with { k = b.k }"
    )
    (rule,) = describe(program, {})["rules"]
    _, _, later = rule["patterns"]
    assert later["negated"]
    assert [(window["other"], window["lower"], window["upper"]) for window in later["windows"]] == [
        ("a", 2, 9),
        ("b", 1, 7),
    ]
    assert later["conditions"][0]["test"]["kind"] == "compound"
    assert rule["emissions"][0]["assignments"][0]["optional"]


def test_what_drools_cannot_be_asked() -> None:
    program = parse(TEMPLATES + "predicate p(Integer)\nrule R where a : A { p(k) }")
    with pytest.raises(Inexpressible, match="predicate p is a Python function"):
        describe(program, bind_domain(program, {"p": lambda _: True}))
    names = "abcdefg"
    patterns = ", ".join(f"{name} : A" for name in names)
    total = " + ".join(f"{name}.k" for name in names)
    chain = " ".join(f"{later} in a [0 ms, 1 ms]" for later in names[1:])
    most = patterns.removesuffix(", g : A") + f" {{ k = {total.removesuffix(' + g.k')} }}"
    assert described(f"rule R where {most} when {chain.removesuffix('g in a [0 ms, 1 ms]')}")
    with pytest.raises(Inexpressible, match="rule R: a condition over more than 6 events"):
        described(f"rule R where {patterns} {{ k = {total} }} when {chain}")


def test_functions_of_users_are_python() -> None:
    call = core.FunctionCall("twice", (core.AttributeOf("a", "k", core.Scalar.INTEGER),), core.Scalar.INTEGER)
    condition = core.Comparison("=", core.ToFloat(call), core.Constant(1.0, core.Scalar.FLOAT))
    rule = core.Rule("R", (core.Pattern("a", "A", False, (condition,)),), (), ())
    with pytest.raises(Inexpressible, match="the function twice"):
        describe(core.Program(parse(TEMPLATES).templates, (), (rule,), ()), {})


def test_events_are_kept_for_longer_than_any_window() -> None:
    rule = "rule R where a : A, b : B when b in a [0 ms, {}]"
    assert "expires" not in described(rule.format("500 days"))
    description = described(rule.format("500 days"), explicit_expiry=True)
    assert description["expires"] == "1000d"
    assert description["rest"] == 500 * 86_400_000
    with pytest.raises(Inexpressible, match="more than 500 days"):
        described(rule.format("501 days"), explicit_expiry=True)


def test_the_clock_shows_the_least_timestamp_still_to_come() -> None:
    assert [event["clock"] for event in timed(arrivals(1, 1, 4))] == [1, 1, 4]
    assert [event["clock"] for event in timed(arrivals(9, 3, 12, 5))] == [3, 3, 5, 5]
    assert [event["timestamp"] for event in timed(arrivals(9, 3, 12, 5))] == [9, 3, 12, 5]
    assert timed([Arrival("s", "A", 7, None)]) == []


def test_what_fired_becomes_matches_and_what_they_emit() -> None:
    program = parse(
        TEMPLATES
        + "rule R where a : A then emit B at a.timestamp with { k = 1 } emit B at a.timestamp with { k = 1 + a.k }\n"
        "rule S where b : B"
    )
    event = Event("a,1", "A", 5, {"k": 0})
    emitted = {"number": 1, "timestamp": 5, "attributes": {"k": 1}}
    fired = [
        {"rule": "R", "events": [0], "emits": [emitted, None]},
        {"rule": "S", "events": [1], "emits": []},
    ]
    first, second = matches(program, [event], fired)
    id_ = 'R#1(a="a,1")'
    assert first == {
        "rule": "R",
        "bindings": {"a": "a,1"},
        "emits": [{"id": id_, "template": "B", "timestamp": 5, "attributes": {"k": 1}}],
    }
    assert second == {"rule": "S", "bindings": {"b": id_}, "emits": []}


# --- The Java process -------------------------------------------------------------------------------------------------

_FAKE = f"""#!{sys.executable}
import sys
answers = {{'"no"': '{{"unsupported": "no"}}', '"bad"': '{{"error": "bad"}}'}}
for line in map(str.strip, sys.stdin):
    if line == '"die"':
        break
    print(answers.get(line, line), flush=True)
"""


@pytest.fixture
def harness(tmp_path: Path) -> Harness:
    """A harness whose Java is a program that says back what it is told."""
    fake = tmp_path / "java"
    fake.write_text(_FAKE, encoding="utf-8")
    fake.chmod(0o700)
    return Harness(Installation("Drools", str(fake), (tmp_path / "jar",), tmp_path, "Main"))


def test_a_process_that_ends_is_followed_by_another(harness: Harness) -> None:
    assert harness.ask({"run": [1]}) == {"run": [1]}
    with pytest.raises(Inexpressible, match="no"):
        harness.ask("no")
    with pytest.raises(EngineFailure, match="Drools stopped: bad"):
        harness.ask("bad")
    with pytest.raises(EngineFailure, match="the Java process ended"):
        harness.ask("die")
    assert harness.ask({"again": True}) == {"again": True}
    harness.close()


# --- What is missing --------------------------------------------------------------------------------------------------


def test_without_the_package_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (registry, jdk):
        monkeypatch.setattr(module, "find_spec", lambda _: None)
    said = f"drools_jpy, which is not installed: {install_command('drools')}"
    with pytest.raises(Unavailable, match=re.escape(said)):
        find_jar()
    with pytest.raises(SpecError, match=r"drools, which is not installed$") as error:
        spec_of("model:drools", ENGINES)
    assert error.value.hint == install_command("drools")


def test_without_a_java_or_its_compiler_the_error_says_where_it_was_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jar = a_jar(tmp_path)
    monkeypatch.setattr(jdk, "find_jar", lambda: jar)
    monkeypatch.setattr(registry, "find_spec", lambda _: object())
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(Unavailable, match=f"no java in JAVA_HOME, which is {tmp_path}: install a JDK"):
        require(ENGINES, "drools")
    a_command(tmp_path, "java", "exit 0")
    with pytest.raises(Unavailable, match=f"compiled once: there is no javac in JAVA_HOME, which is {tmp_path}"):
        require(ENGINES, "drools-kept")
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    with pytest.raises(Unavailable, match="no java on the PATH, and JAVA_HOME is not set"):
        find_command("drools", "java")


def test_the_harness_is_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    jar = a_jar(tmp_path)
    a_command(tmp_path, "javac", "echo cannot >&2; exit 1")
    with pytest.raises(Unavailable, match=r"javac does not compile the harness against drools-x\.jar:\ncannot"):
        class_files("drools", (jar,), tmp_path)
    # Fails if it is called a second time; the directory comes after -d.
    a_command(tmp_path, "javac", 'while [ "$1" != -d ]; do shift; done; mkdir "$2" && mkdir "$(dirname "$0")/once"')
    path = class_files("drools", (jar,), tmp_path)
    assert path.is_dir()
    assert path.parent == tmp_path / "cache" / "parte" / "drools"
    assert class_files("drools", (jar,), tmp_path) == path


def test_the_version_is_that_of_the_jar(tmp_path: Path) -> None:
    assert drools_version(a_jar(tmp_path)) == "9.9.9"
    assert drools_version(tmp_path / "none.jar") == "unknown"
    with zipfile.ZipFile(tmp_path / "other.jar", "w") as archive:
        archive.writestr("x", "")
    assert drools_version(tmp_path / "other.jar") == "unknown"


def a_jar(folder: Path) -> Path:
    path = folder / "drools-x.jar"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("META-INF/maven/org.drools/drools-core/pom.properties", "groupId=x\nversion=9.9.9\n")
    return path


def a_command(home: Path, name: str, text: str) -> None:
    path = home / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o700)


# --- What the runs showed ---------------------------------------------------------------------------------------------


def test_what_is_blamed_on_the_inferred_expiry_is_right_when_events_are_kept() -> None:
    inferred, explicit = (read_causes(PARTELANG[KIT].recorded, label) for label in ("drools", "drools-kept"))
    blamed = {case for case, cause in inferred.items() if cause in EXPIRY}
    assert blamed
    assert not blamed & set(explicit)
    assert {cause for cause in explicit.values() if cause in EXPIRY} == set()


EXPIRY: Sequence[str] = (
    "offenders-expire",
    "siblings-expire",
    "positive-events-expire",
    "late-emissions-meet-no-one",
)
"""The causes of differences that are the fault of an event that expired."""
