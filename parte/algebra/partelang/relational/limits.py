"""The memory and disk that a run may take: a share of what the machine, its container and this process leave free."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment] # asked below

_DATABASE: Final = 0.5
"""The share of the free memory that a database may take before it writes to disk; ..."""
_PROCESS: Final = 0.8
"""... the share that the process may take, including the database and the matches; ..."""
_DISK: Final = 0.5
"""... and the share of the free disk."""
_LEAST: Final = 64 * 2**20
"""The memory (bytes) that a database gets however little is free: it needs that to do anything."""
_UNKNOWN: Final = 4 * 2**30
"""The assumed free memory (bytes) if the system reports none."""

_PROC: Final = Path("/proc")
_CGROUPS: Final = Path("/sys/fs/cgroup")


def free_memory(proc: Path = _PROC, cgroups: Path = _CGROUPS) -> int:
    """Return the bytes that may be taken before a request fails or a process is killed: the least of all limits."""
    return max(0, min([*_of_machine(proc), *_of_container(proc, cgroups), *_of_process(proc)], default=_UNKNOWN))


def database_memory(free: int) -> int:
    """Return the bytes that a database may take of free memory."""
    return max(_LEAST, int(free * _DATABASE))


def process_memory(free: int) -> int:
    """Return the bytes that the process may take of free memory, the database included."""
    return max(_LEAST, int(free * _PROCESS))


def spill(directory: str | Path) -> int:
    """Return the bytes that may be written to the disk of a directory."""
    return int(shutil.disk_usage(directory).free * _DISK)


def resident(proc: Path = _PROC) -> int:
    """Return the bytes of memory that this process takes now, or, if the system does not report that, its maximum."""
    try:
        return int((proc / "self" / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0 if resource is None else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 2**10


def _of_machine(proc: Path) -> Iterator[int]:
    if (available := _fields(proc / "meminfo").get("MemAvailable:")) is not None:
        yield available * 2**10
        return
    try:
        yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, ValueError, OSError):
        return


def _of_process(proc: Path) -> Iterator[int]:
    """Yield the bytes that `ulimit -v` leaves."""
    if resource is None:
        return
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    taken = _fields(proc / "self" / "status").get("VmSize:")
    if limit != resource.RLIM_INFINITY and taken is not None:
        yield limit - taken * 2**10


def _of_container(proc: Path, cgroups: Path) -> Iterator[int]:
    """Yield the bytes that the control groups of this process and their parents leave; droppable caches are free."""
    for line in _lines(proc / "self" / "cgroup"):
        _, controllers, path = line.split(":", 2)
        if not controllers:
            root, most, taken, cache = cgroups, "memory.max", "memory.current", "inactive_file"
        elif "memory" in controllers.split(","):
            root = cgroups / "memory"
            most, taken, cache = "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
        else:
            continue
        # Inside a container, its own group is often the root, whatever path the process reports.
        group = Path(path.lstrip("/"))
        for place in dict.fromkeys(root / above for above in (group, *group.parents)):
            limit, used = _number(place / most), _number(place / taken)
            if limit is not None and used is not None:
                yield limit - used + _fields(place / "memory.stat").get(cache, 0)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except (OSError, UnicodeDecodeError):
        return []


def _number(path: Path) -> int | None:
    """Return the number in a file; None if there is none, as in `max`."""
    text = "".join(_lines(path)).strip()
    return int(text) if text.isdigit() else None


def _fields(path: Path) -> dict[str, int]:
    """Return the numbers of a file by the words before them."""
    parts = (line.split() for line in _lines(path))
    return {words[0]: int(words[1]) for words in parts if len(words) > 1 and words[1].isdigit()}
