"""What is known of PAIRS before a run: a guarantee of programs, and a lemma about a rule."""

from __future__ import annotations

from parte.checker.report.contents import Finding, Guarantee, Report, Severity
from parte.checker.solver.verdict import Verdict
from parte.proofs.lemma import UNBOUNDED, Catalogue, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.symbolic import Claims, Run
from parte.semantics.rulebook.models import Switches
from parte.semantics.source.spans import Position, Span
from tests.conformance.toy.pairs import parse, remember

SENTENCES = {"different": "the two events of a match are of different templates"}


def check(text: str, _timeout: float) -> Report:
    """Whether the templates differ: no solver is needed to see that."""
    program = parse(text)
    if program.first != program.then:
        return Report((Guarantee("different", None, Verdict.PROVED),), (), {}, (), (), 0.0, sentences=SENTENCES)
    span, line = Span(Position(1, 1), Position(1, len(text.rstrip()) + 1)), text.rstrip()
    warning = Severity.WARNING
    finding = Finding("same", warning, warning, Verdict.REFUTED, "both are of one template", span, line)
    refuted = Guarantee("different", None, Verdict.REFUTED)
    return Report((refuted,), (finding,), {}, (), (), 0.0, sentences=SENTENCES)


def _remembers(run: Run) -> Claims:
    time = run.integer("t")
    return [("the last event is the one that came last", remember({"timestamp": time})["timestamp"] == time)]


CATALOGUE = Catalogue(
    (
        Lemma(
            "remembers",
            "An event is the last one from now on.",
            "1",
            ("PAIRS/REMEMBER",),
            UNBOUNDED,
            _remembers,
            Mutant("forgets", f"{remember.__module__}:remember", "return event", "return {**event, 'timestamp': 0}"),
            {"sound": Verdict.PROVED},
        ),
    ),
    {"sound": Switches.sound()},
)
