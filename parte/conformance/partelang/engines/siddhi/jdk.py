"""Finding the jars of Siddhi, and the Java harness for them."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from parte.conformance.partelang.engines.jvm.jdk import Installation, class_files, find_command
from parte.semantics.source.packages import Unavailable

_SOURCES = Path(__file__).parent / "java"
# The package requires enum34, an outdated copy of a module of Python's library.
_ADVICE = "pip install --no-deps PySiddhi"


def installation() -> Installation:
    """Return the files and commands that Siddhi needs. Unavailable if one is missing, with the places that
    were searched and the remedy."""
    jars, java = find_jars(), find_command("siddhi", "java")
    return Installation("Siddhi", java, jars, class_files("siddhi", jars, _SOURCES), "parte.SiddhiHarness")


def find_jars() -> tuple[Path, ...]:
    """Return the jars of Siddhi and its dependencies, in the package PySiddhi. Unavailable without them."""
    # The folder is found, not imported: the package would start a Java in this process.
    spec = find_spec("__PySiddhiProxy")
    for directory in (spec.submodule_search_locations or ()) if spec is not None else ():
        jars = tuple(sorted(Path(directory, "target", "lib").glob("*.jar")))
        if any(jar.name.startswith("siddhi-core-") for jar in jars):
            return jars
    raise Unavailable("the engine siddhi needs the jars of the package PySiddhi, which is not installed", _ADVICE)


def siddhi_version(jars: tuple[Path, ...]) -> str:
    """Return the version in the name of the jar of Siddhi."""
    return next(jar.stem.removeprefix("siddhi-core-") for jar in jars if jar.name.startswith("siddhi-core-"))
