"""Signals that are ignored where tests run in the background: here still, but not by commands that tests start."""

from __future__ import annotations

import signal


def not_inherited() -> None:
    """Have signals from a terminal handled here, by nothing, where they are ignored: handlers are not inherited."""
    for name in ("SIGINT", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)
