"""The machine of PAIRS as a program that speaks the protocol."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[3])

from parte.conformance.engines.server import serve  # noqa: E402 - found from here on
from tests.conformance.toy.engine import PairsEngine  # noqa: E402 - as that

serve(PairsEngine("sound"), sys.stdin.buffer, sys.stdout.buffer, sys.stderr.buffer)
