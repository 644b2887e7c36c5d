"""CEL in the generated pages."""

from __future__ import annotations

from docs.guests import Guest
from docs.languages.cel.defects_page import defects_of_source, sections
from parte.conformance import exchange
from parte.languages.cel.checker.codes import CODES as CODES_OF_CHECKS
from parte.languages.cel.conformance.notation import SHAPES
from parte.languages.cel.semantics.syntax import json_form
from parte.languages.cel.semantics.syntax.codes import CODES

GUEST = Guest(
    "CEL",
    CODES,
    CODES_OF_CHECKS,
    defects_of_source,
    {
        "parte/languages/cel/semantics/syntax/query": json_form.schema(),
        "parte/languages/cel/conformance/fixture": exchange.schema(SHAPES),
    },
    sections,
)
