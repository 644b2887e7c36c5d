"""The schedules of Elastic's sequence rules: does a run see each match of a rule that spans `maxspan`?

Their licence keeps the rules out of this repository. Of each only three durations are read: `maxspan`, the interval,
and the lookback.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Final

from parte import api
from parte.checker.environment.schedule import QuerySchedule
from parte.checker.solver.verdict import Verdict
from parte.experiments.experiment import Row
from parte.semantics.events.files import read_text
from parte.semantics.events.stricttoml import MalformedToml, decode

COVERED, SOME_PHASES, NO_PHASE, OPEN = "covered", "covered in some phases", "covered in no phase", "open"
WITHOUT, NO_DURATION, NO_RULE = "without maxspan", "not read: other durations", "not read: no rule in TOML"

_INTERVAL, _LOOKBACK = "5m", "now-6m"
"""The values of a rule that names none, by the documentation of Elastic."""
_UNITS: Final = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_DURATION: Final = r"(\d{1,9})\s*(ms|s|m|h|d)"
_SEQUENCE: Final = re.compile(r"\s*(?:(?:/\*.*?\*/|//[^\n]*\n)\s*)*sequence\b", re.DOTALL)
_RULE: Final = """\
level 2
template First { k : Integer }
template Second { k : Integer }
rule R where f : First, s : Second { k = f.k } when s in f [0 ms, %d ms]
"""


def scheduled(files: Sequence[str], timeout: float) -> list[Row]:
    """Return how many of the sequence rules in files a run covers, and how many not, by the cause."""
    counts = Counter(verdict for file in files if (verdict := _verdict(file, timeout)))
    return [{"what": "schedule", "detail": detail, "number": number} for detail, number in sorted(counts.items())]


def _verdict(file: str, timeout: float) -> str:
    """Return the verdict on the rule in a file, or an empty text if it has no sequence rule that is in use."""
    try:
        content = decode(read_text(file))
    except (OSError, MalformedToml):
        return NO_RULE
    rule, metadata = content.get("rule"), content.get("metadata")
    if not isinstance(rule, dict) or not isinstance(metadata, dict):
        return NO_RULE
    query = rule.get("query")
    if rule.get("language") != "eql" or metadata.get("maturity") == "deprecated":
        return ""
    if not isinstance(query, str) or not _SEQUENCE.match(query):
        return ""
    span = re.search(rf"\bmaxspan\s*=\s*{_DURATION}\b", query)
    if span is None:
        return WITHOUT
    every = re.fullmatch(_DURATION, str(rule.get("interval", _INTERVAL)))
    back = re.fullmatch(rf"now-{_DURATION}", str(rule.get("from", _LOOKBACK)))
    if every is None or back is None:
        return NO_DURATION
    return _decided(_milliseconds(span), _milliseconds(every), _milliseconds(back), timeout)


def _milliseconds(duration: re.Match[str]) -> int:
    return int(duration[1]) * _UNITS[duration[2]]


@cache
def _decided(span: int, every: int, lookback: int, timeout: float) -> str:
    """Return the verdict on a rule of two events at most `span` apart; times are in milliseconds."""
    try:
        report = api.check(_RULE % span, schedule=QuerySchedule(every, lookback), timeout=timeout)
    except ValueError:  # an interval of 0
        return NO_DURATION
    verdict = report.verdict("seen-by-a-run", "R")
    if verdict is Verdict.PROVED:
        return COVERED
    if verdict is not Verdict.REFUTED:
        return OPEN
    return NO_PHASE if lookback < span else SOME_PHASES
