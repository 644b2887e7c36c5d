"""Read files within a limit, and write them whole or not at all.

Input may be hostile: a directory, a pipe without a writer, a device that never ends, a file of any size. Output may be
interrupted: by a signal, a full disk, a loss of power.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import FileIO, UnsupportedOperation
from os import PathLike
from pathlib import Path
from typing import BinaryIO, Final

MAX_DOCUMENT: Final = 2**24
"""Maximum size in bytes of a file that is read as a whole, such as a domain. Of a trace only lines are limited."""
MAX_REPORT: Final = 2**25
"""Maximum size in bytes of a report of the suite, or of a list of known failures: they grow with cases and engines."""

_OPEN_ALREADY: Final = ("/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/self/fd/")
"""Paths of open streams: the user means a standard stream, or a pipe that the shell made."""
_KINDS: Final[tuple[tuple[Callable[[int], bool], str], ...]] = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class UnusableFile(OSError):
    """A file that is rejected, with `reason`, `hint`, and `line` and `column` from 1, or 0 if there are none."""

    def __init__(
        self, path: str | PathLike[str] | None, reason: str, *, line: int = 0, column: int = 0, hint: str = ""
    ) -> None:
        place = f"line {line}, column {column}: " if line else ""
        super().__init__(errno.EINVAL, place + reason, None if path is None else os.fspath(path))
        self.reason = reason
        self.line = line
        self.column = column
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.strerror}" if self.filename is None else f"{self.filename}: {self.strerror}"


def check_kind(path: str | PathLike[str], *, streams: bool = False) -> None:
    """Raise OSError unless a file of this name exists; with `streams` it may also be a named pipe.

    Call it before the file is opened, because opening a pipe waits for a writer.
    """
    mode = os.stat(path).st_mode
    name = os.fspath(path)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
    if stat.S_ISREG(mode) or name == os.devnull or name.startswith(_OPEN_ALREADY):
        return
    if streams and stat.S_ISFIFO(mode):
        return
    kind = next((what for is_one, what in _KINDS if is_one(mode)), "of an unknown kind")
    raise UnusableFile(path, f"it is {kind}, not a file", hint="give a file, or - for standard input where it is taken")


def standard_input() -> BinaryIO:
    """Return standard input for reading. Raise UnusableFile if it is closed, or open for writing only."""
    hint = "do not close it: < FILE sends a file, and < /dev/null nothing"
    if sys.stdin is None:
        raise UnusableFile("standard input", "it is closed", hint=hint)
    stream = sys.stdin.buffer
    try:
        os.read(stream.fileno(), 0)
    except UnsupportedOperation:  # its replacement in a test has no descriptor
        pass
    except OSError as problem:
        raise UnusableFile("standard input", problem.strerror or str(problem), hint=hint) from None
    return stream


def read_limited(path: str | PathLike[str], limit: int = MAX_DOCUMENT) -> bytes:
    """Return the content of a file. OSError if it cannot be read, is not a file, or is larger than the limit."""
    check_kind(path)
    with open(path, "rb") as file:
        if os.fstat(file.fileno()).st_size > limit:  # so it need not be read
            raise too_large(path, limit)
        return limited(file, path, limit)


def limited(file: BinaryIO, path: str | PathLike[str], limit: int = MAX_DOCUMENT) -> bytes:
    """Return the rest of an open file. Raise OSError if that is more than the limit."""
    content = file.read(limit + 1)
    if len(content) > limit:
        raise too_large(path, limit)
    return content


def too_large(path: str | PathLike[str], limit: int) -> UnusableFile:
    """Return the error for a file with more bytes than the limit."""
    return UnusableFile(
        path, f"it has more than {limit:,} bytes", hint="no more are read; check that it is the right file"
    )


def read_text(path: str | PathLike[str], limit: int = MAX_DOCUMENT) -> str:
    """Return the text in a file. OSError if it cannot be read, is not a file, is too large, or is not text."""
    return text_of(read_limited(path, limit), path)


def text_of(content: bytes, path: str | PathLike[str]) -> str:
    """Return the text of UTF-8, with or without byte order mark. UnusableFile, with the place, for other content."""
    end, reason = content.find(b"\0"), "a NUL character is no text"
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # Positions are counted from the beginning of the file, or from behind the byte order mark if there is one.
        skipped = 3 if content.startswith(b"\xef\xbb\xbf") else 0
        if end < 0 or end > error.start + skipped:
            end = error.start + skipped
            reason = f"byte 0x{content[end]:02x} is not UTF-8 text"
    else:
        if end < 0:
            return text
    before = content[:end].decode("utf-8-sig", errors="replace")
    line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
    raise UnusableFile(
        path, reason, line=line, column=column, hint="convert the file to UTF-8, and check that it is the right one"
    )


# --- Writing ---------------------------------------------------------------------------------------------------------


def refuse_link(path: str | PathLike[str]) -> None:
    """Raise UnusableFile if the path is a symbolic link, dangling or not: its author would choose the file to write.

    Open streams such as /dev/stdout may be links.
    """
    name = os.fspath(path)
    if os.path.islink(name) and not name.startswith(_OPEN_ALREADY):
        raise UnusableFile(
            path,
            f"it is a symbolic link to {os.readlink(name)}, and no file is written through a link",
            hint="name the file that is meant, or remove the link",
        )


def refuse_links(directory: str | PathLike[str]) -> None:
    """Raise UnusableFile for a symbolic link below a directory that others also write to.

    The directory itself may be a link, but not a dangling one.
    """
    if not os.path.exists(directory):
        refuse_link(directory)
    for folder, folders, files in os.walk(directory):
        for name in (*folders, *files):
            refuse_link(os.path.join(folder, name))


def check_room(directory: str | PathLike[str]) -> None:
    """Raise OSError if a directory exists but is not writable, or cannot be made; do not make it yet."""
    place = Path(directory).absolute()
    while not os.path.lexists(place):
        place = place.parent
    if not place.is_dir():
        raise UnusableFile(place, "it is not a directory")
    if not os.access(place, os.W_OK | os.X_OK):
        read_only = hasattr(os, "statvfs") and os.statvfs(place).f_flag & os.ST_RDONLY
        reason = errno.EROFS if read_only else errno.EACCES
        raise OSError(reason, os.strerror(reason), os.fspath(place))


def make_directory(directory: str | PathLike[str]) -> None:
    """Make a directory and its parents unless it exists; it may be a link to one. Raise OSError on failure."""
    if not os.path.isdir(directory):
        refuse_link(directory)  # a dangling link
        try:
            os.makedirs(directory, exist_ok=True)
        except FileExistsError:
            raise UnusableFile(directory, "it is not a directory") from None


def below(directory: str | PathLike[str], relative: str | PathLike[str]) -> Path:
    """Return the path of a file to be written below an output directory; make the directories on the way.

    Raise OSError if that is impossible, or if the file or a directory on the way is a symbolic link. The output
    directory itself may be a link: the user named it.
    """
    make_directory(directory)
    path = Path(directory)
    for part in Path(relative).parts:
        path /= part
        refuse_link(path)
    folder = Path(directory)
    for part in Path(relative).parts[:-1]:
        folder /= part
        make_directory(folder)
    return path


def opened(path: str | PathLike[str], mode: str) -> BinaryIO:
    """Open a file for writing or appending like `open`, without a buffer, and not through a link."""
    refuse_link(path)
    return FileIO(path, mode, opener=through_no_link)


def through_no_link(path: str | PathLike[str], flags: int) -> int:
    """Open a file, unless its name has become a symbolic link meanwhile. An opener for `open`."""
    no_link = 0 if os.fspath(path).startswith(_OPEN_ALREADY) else getattr(os, "O_NOFOLLOW", 0)
    return os.open(path, flags | no_link, 0o666)


def write_new(path: str | PathLike[str], content: bytes) -> None:
    """Write a file that must not exist, not even as a dangling link, whole or not at all.

    Raise FileExistsError if it exists, another OSError if it cannot be written.
    """
    if os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), os.fspath(path))
    with _draft(Path(path)) as (draft, file):
        write_all(file, content)
        os.fsync(file.fileno())
        _place(draft, Path(path))
    _sync_directory(Path(path).parent)


def write_whole(path: str | PathLike[str], content: str | bytes) -> None:
    """Write a file so that at any time, also after a kill or a loss of power, it is the old one or the new one.

    Text is written in UTF-8 with its line ends unchanged. Raise OSError if it cannot be written; the old file remains.
    """
    with replacing(path) as draft:
        write_all(draft, content.encode("utf-8") if isinstance(content, str) else content)


def write_all(file: BinaryIO, content: bytes) -> None:
    """Write all bytes to a file without a buffer, which may take fewer at a time. OSError if it does not take all."""
    left = memoryview(content)
    while left:
        count = file.write(left)
        if not count:
            raise OSError(errno.EIO, f"{len(left)} of {len(content)} bytes were not taken")
        left = left[count:]


@contextmanager
def replacing(path: str | PathLike[str]) -> Iterator[BinaryIO]:
    """Return a draft of a file, without a buffer, which replaces the file once all is written and on the disk.

    Permissions stay. A symbolic link is refused. A pipe, a terminal and the like are written to directly. If an
    exception is raised inside the context, the draft is removed and the file stays.
    """
    refuse_link(path)
    target = Path(os.path.realpath(path))  # for a redirected standard stream, its file
    try:
        before = os.stat(path)  # not of `target`: /dev/stdout may have no path
    except FileNotFoundError:
        before = None
    if before is not None and not stat.S_ISREG(before.st_mode):
        with open(path, "wb", buffering=0) as file:
            yield file
        return
    if before is not None and not os.access(target, os.W_OK):  # do not replace a write-protected file
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))
    with _draft(target) as (draft, file):
        if before is not None:
            _like(file.fileno(), before)
        yield file
        os.fsync(file.fileno())
        if before is None:
            _place(draft, target)
        else:
            os.replace(draft, target)
    _sync_directory(target.parent)


@contextmanager
def _draft(target: Path) -> Iterator[tuple[Path, BinaryIO]]:
    """Return a new file beside another, and its name; remove it at the end unless it has replaced the other."""
    # Spark and globs ignore names that begin with a dot.
    draft = target.with_name(f".parte-{os.urandom(8).hex()}.draft")
    try:
        with open(draft, "xb", buffering=0) as file:
            yield draft, file
    finally:
        with contextlib.suppress(OSError):
            draft.unlink()


def _place(draft: Path, target: Path) -> None:
    """Give a draft an unused name. Raise FileExistsError if something got this name meanwhile."""
    try:
        os.link(draft, target)
    except FileExistsError:
        raise
    except OSError:  # without hard links, reserve the name first
        os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        os.replace(draft, target)


def _like(descriptor: int, before: os.stat_result) -> None:
    """Give a new file the permissions, and if that is allowed the owner, of the file that it will replace."""
    with contextlib.suppress(OSError):
        os.fchown(descriptor, before.st_uid, before.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(before.st_mode))


def _sync_directory(path: Path) -> None:
    """Write a new name to the disk; not every system supports this."""
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
