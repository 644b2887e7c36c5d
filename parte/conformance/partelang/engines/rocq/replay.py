"""The extracted program: its place, and the communication with it (`parte/proofs/rocq/replay.ml` is the other side).

It reads words with blanks between them, and answers each command with a line. Before that it may ask for conditions and
emissions, which the proof leaves open, in lines that begin with `?`. A line that begins with `!` is the last one: it
names the first invalid word.
"""

from __future__ import annotations

import subprocess
import weakref
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import parte.proofs
from parte.semantics.source.diagnostics import printable
from parte.semantics.source.packages import Unavailable

REPLAY = Path(parte.proofs.__file__).resolve().parent / "rocq" / "replay"

Answer = Callable[[Sequence[str]], str]
"""A function from the words of a question, without the mark, to the reply."""


class ReplayEnded(RuntimeError):
    """The program ended before it answered a command."""


def installation() -> Path:
    """Return the path of the program. Unavailable if it was not built."""
    if not REPLAY.is_file():
        message = f"the engine rocq needs the program that `make rocq` extracts, and there is no {REPLAY}"
        raise Unavailable(message, "run `make rocq` in a checkout (`make rocq-setup` installs Coq and OCaml)")
    return REPLAY


class Replay:
    """A process of the extracted program, which serves one PARTElang program after the other."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [installation()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.close = weakref.finalize(self, _end, self._process)

    def load(self, words: Iterable[object]) -> None:
        """Forget the previous program, and load another."""
        self._write("program", *words)

    def ask(self, answer: Answer, *command: object) -> str:
        """Return the line with which it answers a command, after answering its questions. ReplayEnded if there is
        none."""
        assert self._process.stdout is not None
        self._write(*command)
        while (reply := self._process.stdout.readline()).startswith("? "):
            self._write(answer(reply.split()[1:]))
        if not reply:
            raise ReplayEnded(f"the extracted program ended at: {' '.join(map(str, command))}"[:200])
        _raise_last_words(reply)
        return reply.rstrip("\n")

    def _write(self, *words: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(" ".join(map(str, words)) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            # It may have said why before it was asked.
            _raise_last_words(self._process.stdout.readline())
            raise ReplayEnded("the extracted program ended") from None


def _raise_last_words(reply: str) -> None:
    if reply.startswith("! "):
        raise ReplayEnded(f"the extracted program ended: {printable(reply[2:].strip())}"[:200])


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()
