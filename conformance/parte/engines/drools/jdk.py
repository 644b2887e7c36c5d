"""Finding Drools and a JDK, and compiling the Java harness against the former with the latter.

The class files are kept in the user's cache, one directory for each state of the sources and the jar, so that the
compiler is asked for once.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import zipfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from parte.semantics.source.packages import PackageMissing, Unavailable

LEAST_VERSION = 17
SOURCES = Path(__file__).parent / "java"
MAIN = "parte.Harness"

_COMPILING_SECONDS = 300
_PROPERTIES = "META-INF/maven/org.drools/drools-core/pom.properties"
_JDK = f"install a JDK of version {LEAST_VERSION} or later (on Debian and Ubuntu: openjdk-17-jdk-headless)"


@dataclass(frozen=True, slots=True)
class Installation:
    """What the harness is started with: the command `java`, the jar of Drools, the harness's class files."""

    java: str
    jar: Path
    classes: Path


def installation() -> Installation:
    """Everything that Drools needs here. Unavailable says what is not there, where it was looked for, what to do."""
    jar, java = find_jar(), find_command("java")
    return Installation(java, jar, class_files(jar))


def find_jar() -> Path:
    """The jar of Drools in the package drools_jpy. Unavailable without it."""
    # The package is found, not imported: importing it would start a Java in this process.
    spec = find_spec("drools")
    for directory in (spec.submodule_search_locations or ()) if spec is not None else ():
        jars = sorted(Path(directory, "jars").glob("drools-*.jar"))
        if jars:
            return jars[-1]
    message = "the engine drools needs the jar of the package drools_jpy, which is not installed"
    raise PackageMissing("drools_jpy", "drools", message)


def drools_version(jar: Path) -> str:
    """The version of drools-core in the jar, or "unknown"."""
    try:
        with zipfile.ZipFile(jar) as archive:
            found = re.search(r"^version=(\S+)", archive.read(_PROPERTIES).decode("utf-8", "replace"), re.MULTILINE)
    except (OSError, KeyError, zipfile.BadZipFile):
        return "unknown"
    return found[1] if found else "unknown"


def find_command(name: str) -> str:
    """`java` or `javac`, of JAVA_HOME if that is set, else on the PATH. Unavailable without it."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which(name, path=None if home is None else str(Path(home, "bin")))
    if found is None:
        where = "on the PATH, and JAVA_HOME is not set" if home is None else f"in JAVA_HOME, which is {home}"
        what = "the Java that it runs on" if name == "java" else "a Java compiler, for its harness is compiled once"
        raise Unavailable(f"the engine drools needs {what}: there is no {name} {where}", _JDK)
    return found


def class_files(jar: Path) -> Path:
    """The directory with the class files of the harness, compiled if need be. Unavailable if that is not possible."""
    sources = sorted(SOURCES.rglob("*.java"))
    digest = hashlib.sha256(f"{jar.name} {jar.stat().st_size}\n".encode())
    for source in sources:
        digest.update(source.read_bytes())
    directory = _cache() / digest.hexdigest()[:32]
    if not directory.is_dir():
        javac = find_command("javac")
        with tempfile.TemporaryDirectory(dir=directory.parent) as unfinished:
            made = Path(unfinished, "classes")
            _compile(javac, jar, sources, made)
            try:
                made.rename(directory)
            except OSError:  # another process was first
                if not directory.is_dir():
                    raise
    return directory


def _cache() -> Path:
    """A directory of this user for class files, made if need be; one for this time only if that is not possible."""
    base = os.environ.get("XDG_CACHE_HOME")
    directory = Path(base if base else Path.home() / ".cache", "parte", "drools")
    try:
        directory.mkdir(parents=True, exist_ok=True)
        if os.access(directory, os.W_OK):
            return directory
    except OSError:
        pass
    return Path(tempfile.mkdtemp(prefix="parte-drools-"))


def _compile(javac: str, jar: Path, sources: list[Path], into: Path) -> None:
    # For the least version of Java that will do, so that the files serve any later one.
    options = ["--release", str(LEAST_VERSION), "-proc:none", "-nowarn", "-encoding", "UTF-8"]
    command = [javac, *options, "-cp", str(jar), "-d", str(into), *map(str, sources)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=_COMPILING_SECONDS, check=False
        )
    except OSError as error:
        raise Unavailable(f"{javac} cannot be run: {error.strerror or error}", _JDK) from None
    except subprocess.TimeoutExpired:
        raise Unavailable(f"{javac} took longer than {_COMPILING_SECONDS} seconds over the harness", _JDK) from None
    if done.returncode != 0:
        told = (done.stderr or done.stdout).strip()[-2000:]
        raise Unavailable(f"{javac} does not compile the harness against {jar.name}:\n{told}", _JDK)
