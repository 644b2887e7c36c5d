"""Large texts: what the language server does of its own accord takes linear time, and none beyond the limits."""

from __future__ import annotations

import time

import pytest

from parte.editing.analysis import Analysis
from parte.editing.support import Support, supported
from parte.semantics.source.limits import MAX_SOURCE_CHARACTERS
from tests.parte.editing.guest import guests, joined

SUPPORTED = supported()
PARTELANG = SUPPORTED[0]
MOST = 60
"""How many times as long as the scanner everything may take, against work that is quadratic: it takes up to 9 times as
long, up to 20 on a busy machine, and took up to 330 times."""


@pytest.mark.parametrize(
    ("support", "text"),
    [
        pytest.param(
            PARTELANG,
            "template A { k : Integer }\nrule R where " + joined(", ", "a{} : A {{ k = 1 }}", 12_000),
            id="PARTElang-patterns",
        ),
        *(
            pytest.param(support, text, id=f"{guest.language}-{name}")
            for support, guest in guests()
            for name, text in guest.large.items()
        ),
    ],
)
def test_the_time_is_linear_in_the_text(support: Support, text: str) -> None:
    Analysis(support, text[:100]).diagnostics  # noqa: B018 - tables of the parser are made once
    begun = time.process_time()
    analysis = Analysis(support, text)
    assert analysis.tokens
    scanned = time.process_time()
    assert len(analysis.findings) == len(analysis.diagnostics)
    ratio = (time.process_time() - begun) / (scanned - begun)
    assert ratio < MOST


@pytest.mark.parametrize("support", SUPPORTED, ids=lambda support: support.colouring.language)
def test_beyond_the_limits_one_diagnostic_says_so(support: Support) -> None:
    for text in ("a" * (MAX_SOURCE_CHARACTERS + 1), "a " * 500_001):
        analysis = Analysis(support, text)
        (finding,) = analysis.findings
        assert finding.diagnostic.code == "source-too-large"
        assert not analysis.names.names
