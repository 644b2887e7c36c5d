"""The guarantees that are decided of programs, and the stable codes of findings (specification: etalis-checks)."""

from __future__ import annotations

from parte.checker.report.collecting import Code, GuaranteeKind
from parte.checker.report.contents import Severity

GUARANTEES = {
    kind.name: kind
    for kind in (
        GuaranteeKind("can-happen", "every rule happens on some stream", "specification: etalis-can-happen"),
        GuaranteeKind("satisfiable-parts", "something fits each part of a rule", "specification: etalis-can-happen"),
        GuaranteeKind("every-part-counts", "no part of a rule can be left out", "specification: etalis-parts-count"),
        GuaranteeKind("heads-have-values", "a head happens whenever its body does", "specification: etalis-terms"),
        GuaranteeKind("ends", "what happens at an instant comes to an end", "specification: etalis-ends"),
        GuaranteeKind(
            "plain-negations", "no rule asks for the absence of what it makes", "specification: etalis-recursion"
        ),
        GuaranteeKind("bounded-space", "what a run keeps is bounded", "specification: etalis-kept"),
        GuaranteeKind("names", "no name looks like a slip for another", "specification: etalis-names"),
    )
}
"""All guarantees by their names."""

_E, _W, _N = Severity.ERROR, Severity.WARNING, Severity.NOTE

CODES = {
    code.name: code
    for code in (
        Code("unsatisfiable-rule", "can-happen", "The rule happens on no stream.", _E),
        Code(
            "derived-events-needed",
            "can-happen",
            "The rule happens only if the stream itself has events that rules make.",
            _W,
            _N,
        ),
        Code("unsatisfiable-part", "satisfiable-parts", "Nothing fits this part of the rule.", _W, _N),
        Code("useless-rule", "every-part-counts", "Another rule makes all that this one makes.", _W, _N),
        Code("useless-branch", "every-part-counts", "The rule makes the same without this side of OR.", _W, _N),
        Code("useless-condition", "every-part-counts", "The condition holds of all that comes before it.", _N, _N),
        Code("useless-length", "every-part-counts", "Nothing before it lasts longer than the length.", _N, _N),
        Code("useless-negation", "every-part-counts", "What is to be absent is never between the two ends.", _W, _N),
        Code("head-without-value", "heads-have-values", "The body happens, and the head divides by 0.", _N, _N),
        Code("endless-recursion", "ends", "Rules make ever more events at one instant.", _E),
        Code("long-recursion", "ends", "For some values, rules make more than 2,000 events at one instant.", _W),
        Code("recursive-negation", "plain-negations", "A rule asks, in the end, for the absence of what it makes.", _N),
        Code("unbounded-goals", "bounded-space", "What the machine keeps grows with the stream.", _W),
        Code("similar-name", "names", "A name that stands once is nearly another.", _N),
    )
}
"""All codes by their names."""
