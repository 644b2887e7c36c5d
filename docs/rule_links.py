"""The links of each inference rule: lemmas, their mutants, cases of the suite, and its counterparts in Rocq."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from parte.checker.solver.verdict import Verdict
from parte.conformance.coverage import coverage
from parte.conformance.suites import load_suite
from parte.languages.partelang import PARTELANG
from parte.proofs.lemma import Lemma
from parte.proofs.partelang.catalogue import LEMMAS
from parte.proofs.rocq.links import THEORY, Statement
from parte.semantics.partelang.repairs import RUDIMENTARY, SOUND
from parte.semantics.partelang.rulebook import RULEBOOK


@dataclass(frozen=True, slots=True)
class RuleLinks:
    """The links of a rule: the lemmas that mention it, the mutants that break them, the cases in which it fires or the
    reason why none does, the definitions that model it in Rocq and the theorems about it."""

    rule: str
    lemmas: Sequence[Lemma]
    cases: Sequence[str]
    unreachable: str
    definitions: Sequence[Statement]
    theorems: Sequence[Statement]

    @property
    def mutants(self) -> tuple[str, ...]:
        """Mutants of its lemmas, each once."""
        return tuple(dict.fromkeys(lemma.mutant.name for lemma in self.lemmas if lemma.mutant is not None))

    def about(self, model: str) -> tuple[Lemma, ...]:
        """Return the lemmas about it in a model."""
        return tuple(lemma for lemma in self.lemmas if model in lemma.expected)

    def proved(self, model: str) -> tuple[Lemma, ...]:
        """Return those of them that are expected to be proved; the tests of the proofs check that they are."""
        return tuple(lemma for lemma in self.about(model) if lemma.expected[model] is Verdict.PROVED)

    def refuted(self, model: str) -> tuple[Lemma, ...]:
        """Return those of them that are expected to be refuted."""
        return tuple(lemma for lemma in self.about(model) if lemma.expected[model] is Verdict.REFUTED)


@cache
def rule_links() -> tuple[RuleLinks, ...]:
    """Return the links of every rule. Cases are those of `sound`, or of `rudimentary` for its own rules."""
    suite = load_suite(PARTELANG)
    covered = {model.name: coverage(suite, PARTELANG, model.name) for model in (SOUND, RUDIMENTARY)}
    return tuple(
        RuleLinks(
            info.id,
            tuple(lemma for lemma in LEMMAS if info.id in lemma.rules),
            coverage.rules[info.id],
            coverage.unreachable.get(info.id, ""),
            *THEORY.about(info.id),
        )
        for info in RULEBOOK.values()
        for coverage in (covered[SOUND.name if SOUND.name in info.models else RUDIMENTARY.name],)
    )
