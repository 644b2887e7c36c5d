"""Files: what is refused before it is read, and what is left when writing fails."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from parte.semantics.events import files
from parte.semantics.events.files import UnusableFile, read_limited, read_text, replacing, write_all, write_whole
from parte.semantics.events.problems import KEPT, SHOWN, TraceError
from parte.semantics.events.trace import MAX_LINE, bounded_lines, load_trace, read_trace

# --- Reading ---------------------------------------------------------------------------------------------------------


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_limited(path, 5) == b"12345"
    with pytest.raises(UnusableFile, match=r"file: it has more than 4 bytes"):
        read_limited(path, 4)


def test_a_file_that_is_larger_than_it_says(tmp_path: Path) -> None:
    with pytest.raises(UnusableFile, match=r"it has more than 9 bytes"), Path("/proc/cpuinfo").open("rb") as endless:
        files.limited(endless, "cpuinfo", 9)
    link = tmp_path / "link"
    link.symlink_to("/dev/zero")
    with pytest.raises(UnusableFile, match=r"link: it is a device, not a file"):
        read_limited(link)
    assert read_limited(os.devnull) == b""


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(UnusableFile, match=r"pipe: it is a named pipe, not a file"):
        read_limited(pipe)
    files.check_kind(pipe, streams=True)
    with pytest.raises(IsADirectoryError):
        read_limited(tmp_path)


def test_a_pipe_that_is_open_is_read() -> None:
    read, write = os.pipe()
    os.write(write, b"text")
    os.close(write)
    assert read_text(f"/dev/fd/{read}") == "text"
    os.close(read)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"ab\ncd\xe9", "line 2, column 3: byte 0xe9 is not UTF-8 text"),
        (b"\xef\xbb\xbfa\n\xc3\xa9\xff", "line 2, column 2: byte 0xff is not UTF-8 text"),
        (b"\xff\xfea\0b\0", "line 1, column 1: byte 0xff is not UTF-8 text"),
        (b"a\0\xff", "line 1, column 2: a NUL character is no text"),
    ],
)
def test_what_is_no_text(content: bytes, said: str) -> None:
    with pytest.raises(UnusableFile) as caught:
        files.text_of(content, "name")
    assert str(caught.value) == f"name: {said}"


def test_a_byte_order_mark_is_no_part_of_a_text() -> None:
    assert files.text_of("\ufeffé".encode(), "name") == "é"


def test_of_a_thousand_problems_the_others_are_counted() -> None:
    with pytest.raises(TraceError) as caught:
        read_trace(f'{{"template":"T","timestamp":1,"k{number}":0}}' for number in range(KEPT + 500))
    assert (len(caught.value.problems), caught.value.unlisted) == (KEPT, 500)
    assert str(caught.value).endswith(f"\nand {KEPT + 500 - SHOWN} more")


def test_a_mistake_on_every_line_is_told_once_with_all_that_have_it() -> None:
    with pytest.raises(TraceError) as caught:
        read_trace("x" for _ in range(KEPT + 500))
    assert (len(caught.value.problems), caught.value.unlisted) == (KEPT, 500)
    assert str(caught.value) == (
        "trace.jsonl:1: not JSON: Expecting value at column 1\n"
        f"  and {KEPT + 499:,} more of these, on lines 2, 3, 4, 5, 6, …\n"
        "  hint: every line of a trace is one JSON object"
    )


def test_a_line_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parte.semantics.events.trace.MAX_SKIPPED", 3 * MAX_LINE)
    lines = iter(["{}\n", *["x" * (MAX_LINE + 1)] * 9])
    with pytest.raises(UnusableFile, match="line 2 has more than"):
        list(bounded_lines(lambda _: next(lines)))


def test_a_trace_is_no_device(tmp_path: Path) -> None:
    with pytest.raises(UnusableFile, match="it is a device"):
        load_trace("/dev/zero")
    with pytest.raises(IsADirectoryError):
        load_trace(tmp_path)


# --- Writing ---------------------------------------------------------------------------------------------------------


def test_permissions_stay_and_links_are_refused(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old", encoding="utf-8")
    target.chmod(0o640)
    link.symlink_to(target)
    with pytest.raises(UnusableFile, match=r"symbolic link to .*target"):
        write_whole(link, "new é\n")
    assert target.read_bytes() == b"old"
    write_whole(target, "new é\n")
    assert target.read_bytes() == "new é\n".encode()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert {path.name for path in tmp_path.iterdir()} == {"target", "link"}


def test_a_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    write_whole(tmp_path / "new", b"")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_what_fails_leaves_the_old_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old", encoding="utf-8")

    def interrupted() -> None:
        with replacing(path) as draft:
            draft.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_no_file_is_written_to_as_it_is() -> None:
    write_whole(os.devnull, "x")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    read, write = os.pipe()
    write_whole(f"/dev/fd/{write}", "through")
    os.close(write)
    assert os.read(read, 100) == b"through"
    os.close(read)


class Short:
    """A file that takes three bytes at a time, and no more than eight."""

    def __init__(self) -> None:
        self.taken = b""

    def write(self, content: memoryview) -> int:
        some = bytes(content[: min(3, 8 - len(self.taken))])
        self.taken += some
        return len(some)


def test_a_short_write_is_continued_or_told() -> None:
    file: Any = Short()
    write_all(file, b"12345678")
    assert file.taken == b"12345678"
    with pytest.raises(OSError, match="1 of 9 bytes were not taken"):
        write_all(Short(), b"123456789")  # type: ignore[arg-type] # it has all that is used of a file


def test_a_read_only_file_system_is_not_called_a_lack_of_permission(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(PermissionError, match="Permission denied"):
        files.check_room(tmp_path / "new")
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_flag=os.ST_RDONLY))
    with pytest.raises(OSError, match="Read-only file system"):
        files.check_room(tmp_path / "new")
