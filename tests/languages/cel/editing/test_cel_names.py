"""The names of CEL are found where the scanner has them."""

from __future__ import annotations

from parte.editing.support import supported
from tests.parte.editing.guest import unknown
from tests.parte.editing.texts import programs

(CEL,) = (support for support in supported() if support.language.name == "CEL")


def test_every_name_of_the_scanner_is_one() -> None:
    for text in programs(CEL):
        assert not unknown(CEL, text), text
