"""Large texts: what the language server does of its own accord takes linear time, and none beyond the limits."""

from __future__ import annotations

import time

import pytest

from parte.editing.analysis import Analysis
from parte.editing.support import SUPPORTED, Support
from parte.semantics.source.limits import MAX_SOURCE_CHARACTERS

PARTELANG, CEL, ETALIS, LEAD = SUPPORTED
MOST = 60
"""How many times as long as the scanner everything may take, against work that is quadratic: it takes up to 9 times as
long, up to 20 on a busy machine, and took up to 330 times."""


def _joined(separator: str, item: str, count: int) -> str:
    return separator.join(item.format(number) for number in range(count))


@pytest.mark.parametrize(
    ("support", "text"),
    [
        pytest.param(
            PARTELANG,
            "template A { k : Integer }\nrule R where " + _joined(", ", "a{} : A {{ k = 1 }}", 12_000),
            id="PARTElang-patterns",
        ),
        pytest.param(
            CEL,
            f"SELECT * WHERE PROJ({_joined(', ', 'A{}', 4_000)})({_joined('; ', 'A{}', 4_000)})",
            id="CEL-projection",
        ),
        pytest.param(ETALIS, "wheree wh.\n" * 30_000, id="ETALIS-errors"),
        pytest.param(ETALIS, f"e <- NOT(a({_joined(', ', 'X{}', 9_900)})).[b, c].\n", id="ETALIS-variables"),
        pytest.param(LEAD, "FROM " * 10_000 + "EMIT " * 10_000, id="LEAD-clauses"),
        pytest.param(LEAD, "MATCH A fliter B C\n" * 10_000, id="LEAD-errors"),
        pytest.param(
            LEAD,
            f"FROM A DEFINE {_joined(' ', 'EventType T{}(Integer a)', 20_000)} MATCH A EMIT Event E(A.v)",
            id="LEAD-types",
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


@pytest.mark.parametrize("support", SUPPORTED, ids=lambda each: each.colouring.language)
def test_beyond_the_limits_one_diagnostic_says_so(support: Support) -> None:
    for text in ("a" * (MAX_SOURCE_CHARACTERS + 1), "a " * 500_001):
        analysis = Analysis(support, text)
        (found,) = analysis.findings
        assert found.diagnostic.code == "source-too-large"
        assert not analysis.names.found
