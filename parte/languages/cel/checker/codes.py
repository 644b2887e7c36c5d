"""The guarantees that are decided of queries, and the stable codes of findings (specification: cel-checks)."""

from __future__ import annotations

from parte.checker.report.collecting import Code, GuaranteeKind
from parte.checker.report.contents import Severity

GUARANTEES = {
    kind.name: kind
    for kind in (
        GuaranteeKind(
            "bound-variables", "something binds every variable that is asked for", "specification: cel-names"
        ),
        GuaranteeKind("runs", "the machine evaluates the query", "specification: cel-refinement"),
        GuaranteeKind("satisfiable", "some stream has a result", "specification: cel-queries"),
        GuaranteeKind(
            "satisfiable-parts", "some events fit each part of the formula", "specification: core-den-filter"
        ),
        GuaranteeKind("every-part-counts", "no part of the formula can be left out", "specification: cel-parts-count"),
        GuaranteeKind("every-clause-counts", "no clause can be left out", "specification: cel-parts-count"),
        GuaranteeKind("events-in-results", "every result has an event", "specification: cel-results"),
        GuaranteeKind("bounded-results", "a bounded number of results ends at one event", "specification: cel-growth"),
        GuaranteeKind("bounded-states", "the automaton has few deterministic states", "specification: cel-bounds"),
        GuaranteeKind("bounded-space", "what a substream needs is bounded", "specification: cel-bounds"),
    )
}
"""All guarantees by their names."""

_E, _W, _N = Severity.ERROR, Severity.WARNING, Severity.NOTE

CODES = {
    code.name: code
    for code in (
        Code("unknown-variable", "bound-variables", "Nothing binds the variable: a condition on it always holds.", _W),
        Code("link-below-operator", "runs", "The link is no part of a FILTER at the very top.", _W),
        Code("link-with-strategy", "runs", "A link together with NXT, LAST or MAX.", _W),
        Code("unsatisfiable-query", "satisfiable", "No stream has a result.", _E),
        Code("unsatisfiable-part", "satisfiable-parts", "No events fit this part of the formula.", _W, _N),
        Code("useless-branch", "every-part-counts", "The query has the same results without this alternative.", _W, _N),
        Code("useless-condition", "every-part-counts", "It has the same results without this condition.", _N, _N),
        Code("useless-iteration", "every-part-counts", "It has the same results without this `+`.", _N, _N),
        Code("useless-projection", "every-part-counts", "It has the same results without this PROJ.", _N, _N),
        Code("useless-strategy", "every-clause-counts", "It has the same results with ALL.", _N, _N),
        Code("useless-selection", "every-clause-counts", "It has the same results with `SELECT *`.", _N, _N),
        Code("useless-window", "every-clause-counts", "The window excludes no result.", _N, _N),
        Code("empty-result", "events-in-results", "A result may be an interval without events.", _N, _N),
        Code("exponential-results", "bounded-results", "Each few events more may double the results.", _W, _N),
        Code("polynomial-results", "bounded-results", "The results at one event grow with the stream.", _N, _N),
        Code("too-many-states", "bounded-states", "The deterministic states were not counted.", _W, _W),
        Code("unbounded-space", "bounded-space", "What must be kept grows with the stream.", _W, _W),
    )
}
"""All codes by their names. A code that the parser reports too has the parser's name."""
