"""Finding the jars of Siddhi, and the Java harness for them."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from parte.conformance.partelang.engines.jvm.jdk import Installation, class_files, find_command
from parte.semantics.source.packages import Unavailable

_SOURCES = Path(__file__).parent / "java"
# By itself the package asks for enum34, a module of Python's library in an old state.
_ADVICE = "pip install --no-deps PySiddhi"


def installation() -> Installation:
    """Everything that Siddhi needs here. Unavailable says what is not there, where it was looked for, what to do."""
    jars, java = find_jars(), find_command("siddhi", "java")
    return Installation("Siddhi", java, jars, class_files("siddhi", jars, _SOURCES), "parte.SiddhiHarness")


def find_jars() -> tuple[Path, ...]:
    """The jars of Siddhi and of what it needs, in the package PySiddhi. Unavailable without them."""
    # The folder is found, not imported: the package would start a Java in this process.
    spec = find_spec("__PySiddhiProxy")
    for directory in (spec.submodule_search_locations or ()) if spec is not None else ():
        found = tuple(sorted(Path(directory, "target", "lib").glob("*.jar")))
        if any(jar.name.startswith("siddhi-core-") for jar in found):
            return found
    raise Unavailable("the engine siddhi needs the jars of the package PySiddhi, which is not installed", _ADVICE)


def siddhi_version(jars: tuple[Path, ...]) -> str:
    """The version in the name of its jar."""
    return next(jar.stem.removeprefix("siddhi-core-") for jar in jars if jar.name.startswith("siddhi-core-"))
