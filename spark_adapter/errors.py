"""What can be wrong with the machine, or with what the functions of this package are given."""

from __future__ import annotations


class SparkUnavailable(RuntimeError):
    """Spark cannot be started on this machine. `hint` says what to install; the message, what was looked for."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(f"{message}\n  hint: {hint}")
        self.message = message
        self.hint = hint


class Unusable(ValueError):
    """An option, a table or a directory that cannot be used; the message says what was expected and what was found."""
