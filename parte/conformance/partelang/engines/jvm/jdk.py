"""Finding a JDK, and compiling the Java harness of an engine against the engine's jars with it.

The class files are stored in the user's cache, one directory for each state of the sources and the jars, so that the
compiler runs once.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from parte.semantics.source.packages import Unavailable

LEAST_VERSION = 17
_SHARED = Path(__file__).parent / "java"

_COMPILING_SECONDS = 300
_JDK = f"install a JDK of version {LEAST_VERSION} or later (on Debian and Ubuntu: openjdk-17-jdk-headless)"


@dataclass(frozen=True, slots=True)
class Installation:
    """The parts of the command that starts a harness: the engine's name in messages, the command `java`, the engine's
    jars, the harness's class files and its main class, and options of Java that this engine needs."""

    name: str
    java: str
    jars: tuple[Path, ...]
    classes: Path
    main: str
    options: tuple[str, ...] = ()


def find_command(engine: str, name: str) -> str:
    """Return `java` or `javac`, from JAVA_HOME if that is set, else from the PATH. Unavailable without it."""
    home = os.environ.get("JAVA_HOME")
    command = shutil.which(name, path=None if home is None else str(Path(home, "bin")))
    if command is None:
        where = "on the PATH, and JAVA_HOME is not set" if home is None else f"in JAVA_HOME, which is {home}"
        purpose = "the Java that it runs on" if name == "java" else "a Java compiler, for its harness is compiled once"
        raise Unavailable(f"the engine {engine} needs {purpose}: there is no {name} {where}", _JDK)
    return command


def class_files(engine: str, jars: Sequence[Path], own: Path) -> Path:
    """Return the directory with the class files of a harness, compiled if need be from its `own` sources and the shared
    ones. Unavailable if that fails."""
    sources = [*sorted(_SHARED.rglob("*.java")), *sorted(own.rglob("*.java"))]
    digest = hashlib.sha256("".join(f"{jar.name} {jar.stat().st_size}\n" for jar in jars).encode())
    for source in sources:
        digest.update(source.read_bytes())
    directory = _cache(engine) / digest.hexdigest()[:32]
    if not directory.is_dir():
        javac = find_command(engine, "javac")
        with tempfile.TemporaryDirectory(dir=directory.parent) as unfinished:
            classes = Path(unfinished, "classes")
            _compile(javac, jars, sources, classes)
            try:
                classes.rename(directory)
            except OSError:  # another process was first
                if not directory.is_dir():
                    raise
    return directory


def _cache(engine: str) -> Path:
    """Return a directory of this user for class files, created if need be; a temporary one if that fails."""
    base = os.environ.get("XDG_CACHE_HOME")
    directory = Path(base if base else Path.home() / ".cache", "parte", engine)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        if os.access(directory, os.W_OK):
            return directory
    except OSError:
        pass
    return Path(tempfile.mkdtemp(prefix=f"parte-{engine}-"))


def _compile(javac: str, jars: Sequence[Path], sources: Sequence[Path], into: Path) -> None:
    # For the oldest supported version of Java, so that the files run on any later one.
    options = ["--release", str(LEAST_VERSION), "-proc:none", "-nowarn", "-encoding", "UTF-8"]
    path = os.pathsep.join(map(str, jars))
    command = [javac, *options, "-cp", path, "-d", str(into), *map(str, sources)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=_COMPILING_SECONDS, check=False
        )
    except OSError as error:
        raise Unavailable(f"{javac} cannot be run: {error.strerror or error}", _JDK) from None
    except subprocess.TimeoutExpired:
        raise Unavailable(f"{javac} took longer than {_COMPILING_SECONDS} seconds over the harness", _JDK) from None
    if done.returncode != 0:
        output = (done.stderr or done.stdout).strip()[-2000:]
        against = ", ".join(jar.name for jar in jars)
        raise Unavailable(f"{javac} does not compile the harness against {against}:\n{output}", _JDK)
