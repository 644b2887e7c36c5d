"""Finding the jars of Flink, and the Java harness for them."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from parte.conformance.partelang.engines.jvm.jdk import Installation, class_files, find_command
from parte.semantics.source.packages import PackageMissing

_SOURCES = Path(__file__).parent / "java"
_JARS = ("flink-dist", "flink-cep")
# Flink copies events by reflection.
_OPENED = tuple(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in ("java.lang", "java.util"))


def installation() -> Installation:
    """Return the files and commands that Flink CEP needs. Unavailable if one is missing, with the places that
    were searched and the remedy."""
    jars, java = find_jars(), find_command("flink-cep", "java")
    return Installation(
        "Flink CEP", java, jars, class_files("flink-cep", jars, _SOURCES), "parte.FlinkHarness", _OPENED
    )


def find_jars() -> tuple[Path, ...]:
    """Return the jars of Flink and of its library CEP in the package apache-flink-libraries. Unavailable without
    them."""
    # The folder is PyFlink's, whether or not PyFlink itself is there; it is found, not imported.
    spec = find_spec("pyflink")
    for directory in (spec.submodule_search_locations or ()) if spec is not None else ():
        jars = tuple(jar for name in _JARS for jar in sorted(Path(directory, "lib").glob(f"{name}-*.jar"))[-1:])
        if len(jars) == len(_JARS):
            return jars
    message = "the engine flink-cep needs the jars of the package apache-flink-libraries, which is not installed"
    raise PackageMissing("apache-flink-libraries", "flink-cep", message)


def flink_version(jars: tuple[Path, ...]) -> str:
    """Return the version in the name of the first jar."""
    return jars[0].stem.removeprefix(f"{_JARS[0]}-")
