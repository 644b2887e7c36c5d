"""The guarantees that the checker decides, and the stable codes of its findings."""

from __future__ import annotations

from parte.checker.report.collecting import Code, GuaranteeKind
from parte.checker.report.contents import Severity

GUARANTEES = {
    kind.name: kind
    for kind in (
        GuaranteeKind("stratified", "no rule reacts, directly or not, to what it emits", "D def. 3"),
        GuaranteeKind(
            "bounded-time",
            "all variables of a rule are finitely far apart",
            "D §5.5.3; specification: variables-related",
        ),
        GuaranteeKind("monotone-at", "bounds on events bound what they make a rule emit", "D §5.4.6"),
        GuaranteeKind(
            "bounded-space", "finite memory is enough for the deployment", "D §5.3.2; specification: size-viable"
        ),
        GuaranteeKind("keeps-up", "the machine of the deployment does the work of the long run", "D def. 1, 14"),
        GuaranteeKind(
            "consistent-windows", "the windows of a rule leave room for a match", "specification: contradictory-windows"
        ),
        GuaranteeKind(
            "satisfiable-patterns",
            "some event meets the conditions of each pattern",
            "specification: conditions-hold-together",
            matching=2,
        ),
        GuaranteeKind("can-match", "some trace makes the rule match", "specification: meaning-rule", matching=1),
        GuaranteeKind(
            "no-self-blocking",
            "no event of a match fills a negated pattern of it",
            "specification: self-defeat",
            matching=3,
        ),
        GuaranteeKind(
            "effective-negations",
            "every negated pattern can rule a match out",
            "specification: meaning-negation",
            matching=4,
        ),
        GuaranteeKind("every-constraint-counts", "no constraint follows from the others", "D §5.5.3"),
        GuaranteeKind(
            "every-condition-counts",
            "no condition follows from the others",
            "specification: conditions-hold-together",
            matching=5,
        ),
        GuaranteeKind("effective-sets", "every set has an element in some match", "specification: sets", matching=6),
        GuaranteeKind(
            "effective-having",
            "every condition of having can rule a match out",
            "specification: having",
            matching=7,
        ),
        GuaranteeKind(
            "effective-alternatives", "no alternative covers another", "specification: alternatives", matching=8
        ),
        GuaranteeKind("reachable-counts", "the rates allow the numbers that having asks for", "specification: having"),
        GuaranteeKind("seen-by-a-run", "a run of the query schedule sees each match", "specification: query-schedules"),
        GuaranteeKind(
            "reports-stay-true", "no run reports what the whole trace refutes", "specification: query-schedules"
        ),
    )
}
"""All guarantees by their names."""

OF_SETS = ("effective-sets", "effective-having", "reachable-counts")
"""The guarantees that a rule without sets does not have."""

OF_ALTERNATIVES = ("effective-alternatives",)
"""The guarantees that only a rule has that has two alternatives of one template."""

_E, _W, _N = Severity.ERROR, Severity.WARNING, Severity.NOTE

CODES = {
    code.name: code
    for code in (
        Code("recursive-rules", "stratified", "A rule reacts, through others perhaps, to what it emits.", _E, _E),
        Code("unrelated-variables", "bounded-time", "Nothing bounds the time between two variables.", _E, _E),
        Code("unbounded-negation", "bounded-time", "Nothing bounds the time of a negated pattern.", _E, _E),
        Code("unbounded-set", "bounded-time", "Nothing bounds the time of the events of a set.", _E, _E),
        Code("non-monotone-at", "monotone-at", "A later event may make the emitted one earlier.", _E, _E),
        Code("unbounded-size", "bounded-space", "No finite size is enough for some history or queue.", _E, _E),
        Code("falls-behind", "keeps-up", "The arrivals cause more steps than the machine can take.", _E, _E),
        Code("contradictory-windows", "consistent-windows", "The windows of the rule exclude each other.", _E),
        Code("unsatisfiable-pattern", "satisfiable-patterns", "No event meets the conditions of the pattern.", _E),
        Code("never-matches", "can-match", "The conditions of the patterns exclude each other.", _E),
        Code("unsatisfiable-having", "can-match", "No sets meet the conditions of `having`.", _E),
        Code("self-blocked", "can-match", "The events of every match fill a negated pattern of it.", _E),
        Code("partly-self-blocked", "no-self-blocking", "For some values a match rules itself out.", _W),
        Code("contradictory-negation", "effective-negations", "No event can fill the negated pattern.", _W, _N),
        Code("useless-negation", "effective-negations", "What fills it is never all that rules a match out.", _W, _N),
        Code("redundant-constraint", "every-constraint-counts", "A constraint follows from the others.", _N, _N),
        Code("loose-constraint", "every-constraint-counts", "Others narrow what a constraint says.", _N, _N),
        Code("implied-condition", "every-condition-counts", "A condition follows from the others.", _N, _N),
        Code("empty-set", "effective-sets", "No event can be an element of the set.", _W, _N),
        Code("useless-having", "effective-having", "A condition of `having` is true of every match.", _W, _N),
        Code("covered-alternative", "effective-alternatives", "Another alternative accepts all its events.", _W, _N),
        Code("unreachable-count", "reachable-counts", "Rates do not allow what `having` asks for.", _E, _N),
        Code("unseen-match", "seen-by-a-run", "No run of the query schedule sees some match.", _E),
        Code("refuted-report", "reports-stay-true", "A run reports what the whole trace refutes.", _E),
    )
}
"""All codes by their names. A code that the front end has too has the same name there."""
