"""LEAD in the generated pages."""

from __future__ import annotations

from docs.guests import Guest
from docs.languages.lead.defects_page import defects_of_source, sections
from parte.conformance import exchange
from parte.languages.lead.checker.codes import CODES as CODES_OF_CHECKS
from parte.languages.lead.conformance.notation import SHAPES
from parte.languages.lead.semantics.syntax import json_form
from parte.languages.lead.semantics.syntax.codes import CODES

GUEST = Guest(
    "LEAD",
    CODES,
    CODES_OF_CHECKS,
    defects_of_source,
    {
        "parte/languages/lead/semantics/syntax/rule": json_form.schema(),
        "parte/languages/lead/conformance/fixture": exchange.schema(SHAPES),
    },
    sections,
)
