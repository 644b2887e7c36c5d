"""Finding Drools, and the Java harness for it."""

from __future__ import annotations

import re
import zipfile
from importlib.util import find_spec
from pathlib import Path

from parte.conformance.partelang.engines.jvm.jdk import Installation, class_files, find_command
from parte.semantics.source.packages import PackageMissing

_SOURCES = Path(__file__).parent / "java"
_OPTIONS = ("-Dorg.slf4j.simpleLogger.defaultLogLevel=error",)
_PROPERTIES = "META-INF/maven/org.drools/drools-core/pom.properties"


def installation() -> Installation:
    """Return the files and commands that Drools needs. Unavailable if one is missing, with the places that
    were searched and the remedy."""
    jar, java = find_jar(), find_command("drools", "java")
    classes = class_files("drools", (jar,), _SOURCES)
    return Installation("Drools", java, (jar,), classes, "parte.DroolsHarness", _OPTIONS)


def find_jar() -> Path:
    """Return the jar of Drools in the package drools_jpy. Unavailable without it."""
    # The package is found, not imported: importing it would start a Java in this process.
    spec = find_spec("drools")
    for directory in (spec.submodule_search_locations or ()) if spec is not None else ():
        jars = sorted(Path(directory, "jars").glob("drools-*.jar"))
        if jars:
            return jars[-1]
    message = "the engine drools needs the jar of the package drools_jpy, which is not installed"
    raise PackageMissing("drools_jpy", "drools", message)


def drools_version(jar: Path) -> str:
    """Return the version of drools-core in the jar, or "unknown"."""
    try:
        with zipfile.ZipFile(jar) as archive:
            version_line = re.search(
                r"^version=(\S+)", archive.read(_PROPERTIES).decode("utf-8", "replace"), re.MULTILINE
            )
    except (OSError, KeyError, zipfile.BadZipFile):
        return "unknown"
    return version_line[1] if version_line else "unknown"
