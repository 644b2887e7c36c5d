"""Sessions: Spark on this machine, ready after `pip install 'parte[spark]'`.

    from parte.spark_adapter.session import session

    spark = session()

The settings here are for Spark inside this process (`local[…]`). A session created elsewhere, on a cluster for example,
is passed to the functions of this package and used unchanged.
"""

from __future__ import annotations

import os
import secrets
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import metadata, resources
from pathlib import Path
from typing import TYPE_CHECKING, Final

from parte.conformance.runner import guard
from parte.semantics.events.installation import install_command
from parte.spark_adapter.errors import SparkUnavailable
from parte.spark_adapter.java import Java, find_java

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOOPBACK: Final = "127.0.0.1"

TASKS_PER_CORE: Final = 4
"""Tasks of a shuffle for each core; Spark's own 200 are meant for a cluster, and each costs some milliseconds."""

LOCAL_SETTINGS: Final[Mapping[str, str]] = {
    "spark.driver.bindAddress": LOOPBACK,
    "spark.driver.host": LOOPBACK,
    "spark.ui.enabled": "false",
    "spark.sql.session.timeZone": "UTC",
    # The time that Java waits for a Python worker to call back; the usual 15 s are too short for a busy machine.
    "spark.python.authenticate.socketTimeout": "120s",
}
"""The settings of a session of this module, unless the caller sets others."""

_TOKEN: Final = "PARTE_SPARK_TOKEN"
_FAREWELL_SECONDS: Final = 3.0

_LOG4J = resources.files(__package__).joinpath("log4j2.json").read_text(encoding="utf-8")

_WORDS: Final = "%maxLen{%m}{300}%n%replace{%ex{1}}{(?m)^([ \\t]*(at |Driver stacktrace:).*)?\\n}{}"
_ALL_WORDS: Final = "%m%n%ex"
"""The logged part of an entry. A failure is logged several times, each with a hundred lines of Java; it is raised too,
with all of them."""


def session(
    spark: SparkSession | None = None,
    *,
    cores: int | None = None,
    memory: str | None = None,
    settings: Mapping[str, str] | None = None,
    name: str = "parte",
    log_level: str = "ERROR",
) -> SparkSession:
    """Return a Spark session: the given one, else the active one, both unchanged; else a new one on this machine.

    A new one runs in this process on `cores` threads (default: all cores) with `memory` for Java ("4g"; default:
    Spark's 1g), uses only the loopback interface and logs from `log_level` upwards, at ERROR without the stacks of
    Java, which exceptions contain. `settings` are settings of Spark that override those of this module, `spark.master`
    included. Under `spark-submit`, which starts Java itself, no others are set.

    Raises SparkUnavailable if pyspark, a Java or a suitable pandas is missing.
    """
    if spark is not None:
        return spark
    active = active_session()
    if active is not None:
        return active
    own_settings = dict(settings or {})
    if "PYSPARK_GATEWAY_PORT" in os.environ:
        return _built(name, own_settings)
    master = own_settings.pop("spark.master", f"local[{'*' if cores is None else cores}]")
    chosen = {"spark.master": master, "spark.ui.showConsoleProgress": str(sys.stderr.isatty()).lower()}
    if memory is not None:
        chosen["spark.driver.memory"] = memory
    if master.startswith("local"):
        tasks = TASKS_PER_CORE * (cores or os.cpu_count() or 1)
        chosen.update(LOCAL_SETTINGS, **{"spark.sql.shuffle.partitions": str(tasks)})
    with tempfile.TemporaryDirectory(prefix="parte-spark-") as directory, _environment(find_java()):
        # Java reads its logging settings while it starts, and before Spark has any.
        logging = Path(directory, "log4j2.json")
        words = _WORDS if log_level == "ERROR" else _ALL_WORDS
        logging.write_text(_LOG4J.replace("LEVEL", log_level).replace("WORDS", words), encoding="utf-8")
        options = (
            f"-Dlog4j2.configurationFile={logging.as_uri()} {own_settings.pop('spark.driver.extraJavaOptions', '')}"
        )
        return _built(name, chosen | own_settings | {"spark.driver.extraJavaOptions": options.strip()})


def active_session() -> SparkSession | None:
    """Return the session that this process already has, if any. SparkUnavailable if a package is missing."""
    check_packages()
    from pyspark.sql import SparkSession

    return SparkSession.getActiveSession()


def _built(name: str, settings: Mapping[str, str]) -> SparkSession:
    from pyspark.errors import PySparkRuntimeError
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName(name)
    for key, value in settings.items():
        builder = builder.config(key, value)
    try:
        return builder.getOrCreate()
    except PySparkRuntimeError as error:
        if error.getCondition() != "JAVA_GATEWAY_EXITED":
            raise
        message = "Java was found but ended before Spark could be reached; what it said stands above"
        hint = "a setting that Java does not know or memory that it cannot get are common reasons"
        raise SparkUnavailable(message, hint) from None


@contextmanager
def _environment(java: Java) -> Iterator[None]:
    """Set the environment in which Java is started: its home, this Python for the workers, the loopback interface."""
    token = secrets.token_hex(16)
    # Java ends with its standard input, but not before it has started, and cleans up after a signal to end.
    guard.watch(token, grace=_FAREWELL_SECONDS)
    wanted = {
        _TOKEN: token,
        "JAVA_HOME": None if java.home is None else str(java.home),
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": os.environ.get("SPARK_LOCAL_IP", LOOPBACK),
    }
    before = {key: os.environ.get(key) for key in wanted}
    try:
        _set(wanted)
        yield
    finally:
        _set(before)


def _set(variables: Mapping[str, str | None]) -> None:
    for key, value in variables.items():
        if value is None:
            os.environ.pop(key, None)
        else:
            os.environ[key] = value


def check_packages() -> None:
    """Raise SparkUnavailable if a package of the extra `parte[spark]` is missing, or pandas is too new for Spark."""
    for package in ("pyspark", "pyarrow", "pandas"):
        try:
            version = metadata.version(package)
        except metadata.PackageNotFoundError:
            raise SparkUnavailable(f"the package {package} is not installed", install_command("spark")) from None
        if package == "pandas" and int(version.split(".")[0]) >= 3:
            raise SparkUnavailable(
                f"pandas {version} is installed, and Spark 4.3 takes pandas before 3",
                f"{install_command('spark')} 'pandas<3'",
            )
