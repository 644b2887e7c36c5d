"""The engine of this folder."""

from __future__ import annotations

from parte.conformance.engines.registry import Engines, Listed, calling

ENGINES: Engines = {
    "eql-python": Listed(
        calling("parte.languages.eql.conformance.engines.python.adapter:engine"),
        "eql-python",
        look=calling("parte.languages.eql.conformance.engines.python.adapter:installation"),
    ),
}
