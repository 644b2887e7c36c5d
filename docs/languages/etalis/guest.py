"""ETALIS in the generated pages."""

from __future__ import annotations

from docs.guests import Guest
from docs.languages.etalis.defects_page import defects_of_source, sections
from parte.conformance import exchange
from parte.languages.etalis.checker.codes import CODES as CODES_OF_CHECKS
from parte.languages.etalis.conformance.notation import SHAPES
from parte.languages.etalis.semantics.syntax import json_form
from parte.languages.etalis.semantics.syntax.codes import CODES

GUEST = Guest(
    "ETALIS",
    CODES,
    CODES_OF_CHECKS,
    defects_of_source,
    {
        "parte/languages/etalis/semantics/syntax/program": json_form.schema(),
        "parte/languages/etalis/conformance/fixture": exchange.schema(SHAPES),
    },
    sections,
)
