"""EQL in the generated pages."""

from __future__ import annotations

from docs.guests import Guest
from parte.conformance import exchange
from parte.languages.eql.checker.codes import CODES as CODES_OF_CHECKS
from parte.languages.eql.conformance.notation import SHAPES
from parte.languages.eql.semantics.syntax import json_form
from parte.languages.eql.semantics.syntax.codes import CODES

GUEST = Guest(
    "EQL",
    CODES,
    CODES_OF_CHECKS,
    None,
    {
        "parte/languages/eql/semantics/syntax/query": json_form.schema(),
        "parte/languages/eql/conformance/fixture": exchange.schema(SHAPES),
    },
)
