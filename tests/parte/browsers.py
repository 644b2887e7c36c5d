"""Chromium as the system has it, with the network cut."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from parte.playground.serving import HERE
from tests.conftest import UNTESTED

ARGUMENTS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"),
    f"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE {HERE}",
]


def unavailable(what: str) -> NoReturn:
    """What is missing here is told at the end of the run; where all must be tested, it fails."""
    if os.environ.get("CI"):
        pytest.fail(f"{what}: make playground-setup playground", pytrace=False)
    pytest.skip(f"{UNTESTED}the page of the playground, for {what}; 'make playground-setup' installs it, as root")


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser that has been started."""
    executable = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if executable is None:
        unavailable("Chromium is not installed")
    expect.set_options(timeout=20_000)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=executable, args=ARGUMENTS)
        yield started
        started.close()
