"""The guarantees that the checker decides of rules, and the stable codes of its findings (specification:
lead-checks)."""

from __future__ import annotations

from parte.checker.report.collecting import Code, GuaranteeKind
from parte.checker.report.contents import Severity

GUARANTEES = {
    kind.name: kind
    for kind in (
        GuaranteeKind("satisfiable", "some stream has a match", "specification: lead-satisfiable"),
        GuaranteeKind("satisfiable-conditions", "each condition can hold", "specification: lead-satisfiable"),
        GuaranteeKind("every-condition-counts", "each condition can fail", "specification: lead-satisfiable"),
        GuaranteeKind("matches-again", "whatever came, the rule can match again", "specification: lead-live"),
        GuaranteeKind("live-transitions", "every transition of the net can fire", "specification: lead-live"),
        GuaranteeKind("bounded-places", "what each place keeps is bounded", "specification: lead-kept"),
    )
}
"""All guarantees by their names."""

_E, _W, _N = Severity.ERROR, Severity.WARNING, Severity.NOTE

CODES = {
    code.name: code
    for code in (
        Code("unsatisfiable-rule", "satisfiable", "No stream has a match.", _E),
        Code("unsatisfiable-condition", "satisfiable-conditions", "Nothing fulfils the condition.", _W, _N),
        Code("useless-condition", "every-condition-counts", "Whatever it is asked of fulfils the condition.", _N, _N),
        Code("unreachable-clause", "every-condition-counts", "A clause before it holds whenever it does.", _W, _N),
        Code("few-matches", "matches-again", "A partition has a bounded number of matches.", _N, _N),
        Code("early-end", "matches-again", "Nothing matches after a time from the first event.", _N, _N),
        Code("dead-transition", "live-transitions", "The transition never fires.", _W, _N),
        Code("growing-place", "bounded-places", "What a place keeps grows with the stream.", _W, _N),
    )
}
"""All codes by their names."""
