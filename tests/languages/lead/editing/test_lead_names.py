"""The names of LEAD are found where the scanner has them."""

from __future__ import annotations

import re

from parte.editing.support import supported
from tests.parte.editing.guest import unknown
from tests.parte.editing.texts import programs

(LEAD,) = (support for support in supported() if support.language.name == "LEAD")
TYPE_OF_ATTRIBUTE = re.compile(r"[A-Za-z_]\w*(?=\s+[A-Za-z_]\w*\s*[,()])")


def test_every_name_of_the_scanner_is_one() -> None:
    for text in programs(LEAD):
        assert not unknown(LEAD, text) - {match.start() for match in TYPE_OF_ATTRIBUTE.finditer(text)}, text
