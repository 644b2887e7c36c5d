"""Worker processes that end with the process that started them, however that ends."""

from __future__ import annotations

import os
from multiprocessing import parent_process
from threading import Thread


def end_with_parent() -> None:
    """Make a worker end as soon as the process that started it has: an initializer of a pool.

    Without it, a worker waits for work for ever if its parent is ended by a signal.
    """
    Thread(target=_end, daemon=True).start()


def _end() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
