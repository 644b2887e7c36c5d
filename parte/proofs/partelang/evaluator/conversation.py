"""The process of the extracted evaluator: its place, and lines to and from it.

It answers the program with a line, and each batch with lines up to one that begins with `=`. A line that begins with
`?` asks for something that is computed here; one that begins with `!` is the last, and says what is wrong.
"""

from __future__ import annotations

import subprocess
import weakref
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import parte.proofs
from parte.semantics.source.diagnostics import printable
from parte.semantics.source.packages import Unavailable

EVALUATOR = Path(parte.proofs.__file__).resolve().parent / "rocq" / "evaluator"


class EvaluatorEnded(RuntimeError):
    """The program ended before it answered."""


def installation() -> Path:
    """Return the path of the program. Unavailable if it was not built."""
    if not EVALUATOR.is_file():
        message = f"the model proved needs the program that `make rocq` extracts, and there is no {EVALUATOR}"
        raise Unavailable(message, "run `make rocq-setup && make rocq` in a checkout")
    return EVALUATOR


class Conversation:
    """A process with one program. `answer` returns the reply to a question, which comes in words."""

    def __init__(self, words: Iterable[object], answer: Callable[[list[str]], str]) -> None:
        # Lists as long as a batch go through functions that are not tail-recursive.
        with_room = ["sh", "-c", 'ulimit -s "$(ulimit -H -s)"; exec "$0"', str(installation())]
        self._process = subprocess.Popen(
            with_room,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        )
        self.process = self._process.pid
        self.close = weakref.finalize(self, _end, self._process)
        self._answer = answer
        self._write(" ".join(map(str, words)))
        self._read()

    def batch(self, lines: list[str], bounds: Iterable[str]) -> Iterator[str]:
        """Send events and bounds; yield the lines of the answer, the last one included. EvaluatorEnded."""
        self._write("\n".join((f"batch {len(lines)}", *lines, " ".join(bounds))))
        while True:
            line = self._read()
            if line.startswith("? "):
                self._write(self._answer(line.split()[1:]))
                continue
            yield line
            if line.startswith("="):
                return

    def _write(self, text: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(text + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            self._read()  # it may have said why
            raise EvaluatorEnded("the extracted evaluator ended") from None

    def _read(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise EvaluatorEnded("the extracted evaluator ended")
        if line.startswith("! "):
            raise EvaluatorEnded(f"the extracted evaluator ended: {printable(line[2:].strip())}"[:200])
        return line.rstrip("\n")


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()
