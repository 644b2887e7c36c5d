"""The guarantees that the checker decides of queries, and the stable codes of its findings (specification:
eql-checks)."""

from __future__ import annotations

from parte.checker.report.collecting import Code, GuaranteeKind
from parte.checker.report.contents import Severity

GUARANTEES = {
    kind.name: kind
    for kind in (
        GuaranteeKind("satisfiable", "some trace has a result", "specification: eql-satisfiable"),
        GuaranteeKind("satisfiable-conditions", "some event fits each event of the query", "specification: eql-three"),
        GuaranteeKind("keyed-stages", "some event that fits a stage has its key", "specification: eql-key"),
        GuaranteeKind("effective-absences", "every missing event can rule a result out", "specification: eql-missing"),
        GuaranteeKind("effective-until", "an event of until can rule a result out", "specification: eql-until"),
        GuaranteeKind("until-apart", "not all events of a stage are events of until", "specification: eql-until"),
        GuaranteeKind("every-condition-counts", "no condition follows from the others", "specification: eql-three"),
        GuaranteeKind("bounded-keys", "no key is kept for ever", "specification: eql-memory"),
        GuaranteeKind("bounded-waiting", "few chains of a key wait for an absence", "specification: eql-memory"),
        GuaranteeKind("seen-by-a-run", "a run of the query schedule sees each result", "specification: eql-schedules"),
        GuaranteeKind("reports-stay-true", "no run reports what the trace refutes", "specification: eql-schedules"),
    )
}
"""All guarantees by their names; the last two are of a query schedule."""

_E, _W, _N = Severity.ERROR, Severity.WARNING, Severity.NOTE

CODES = {
    code.name: code
    for code in (
        Code("unsatisfiable-query", "satisfiable", "No trace has a result.", _E),
        Code("never-true", "satisfiable-conditions", "No event fulfils the condition.", _W, _N),
        Code("keyless-stage", "keyed-stages", "No event that fulfils the condition has the key.", _W, _N),
        Code("useless-absence", "effective-absences", "The missing event rules no result out.", _W, _N),
        Code("useless-until", "effective-until", "No event of until rules a result out.", _W, _N),
        Code("until-is-a-stage", "until-apart", "Every event of a stage is an event of until.", _W, _N),
        Code("implied-condition", "every-condition-counts", "A condition follows from the others.", _N, _N),
        Code("no-maxspan", "bounded-keys", "Without a maxspan the keys are kept for ever.", _W),
        Code("growing-sample", "bounded-keys", "The keys of a sample are kept for ever.", _N),
        Code("growing-wait", "bounded-waiting", "The chains that wait grow with the events in one maxspan.", _N, _N),
        Code("unseen-result", "seen-by-a-run", "No run of the query schedule sees some result.", _E),
        Code("refuted-report", "reports-stay-true", "A run reports what the whole trace refutes.", _E),
    )
}
"""All codes by their names. A code that the parser reports too has the parser's name."""
