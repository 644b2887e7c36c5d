"""Why Spark cannot be used here, and what to install."""

from __future__ import annotations


class SparkUnavailable(RuntimeError):
    """Spark cannot be started on this machine. `hint` says what to install; the message, what was looked for."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(f"{message}\n  hint: {hint}")
        self.message = message
        self.hint = hint
