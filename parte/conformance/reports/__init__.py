"""Reports of the suite for people and for other programs, all from the same results."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from parte.conformance.reports.badge import badge, shields
from parte.conformance.reports.junit import junit
from parte.conformance.reports.page import page
from parte.conformance.reports.tap import tap
from parte.conformance.reports.text import text
from parte.conformance.results import Report

FORMATS: Mapping[str, Callable[[Report], str]] = {
    "table": text,
    "junit": junit,
    "tap": tap,
    "html": page,
    "badge": badge,
    "shields": shields,
}
"""The function that writes a report, by the name of its format."""
