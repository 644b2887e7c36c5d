"""What hangs on each inference rule: lemmas, their mutants, and cases of the suite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conformance.coverage import coverage, rules_of
from conformance.fixtures import load_suite
from proofs.catalogue import LEMMAS
from proofs.lemma import Lemma, Verdict
from semantics.repairs import SOUND


@dataclass(frozen=True, slots=True)
class RuleLinks:
    """The lemmas that mention a rule, the mutants that break them, the cases in which it fires, and why none does."""

    rule: str
    lemmas: Sequence[Lemma]
    cases: Sequence[str]
    unreachable: str

    @property
    def mutants(self) -> tuple[str, ...]:
        """The mutants of its lemmas, each once."""
        return tuple(dict.fromkeys(lemma.mutant.name for lemma in self.lemmas if lemma.mutant is not None))

    def about(self, model: str) -> tuple[Lemma, ...]:
        """The lemmas that are stated of it in a model."""
        return tuple(lemma for lemma in self.lemmas if model in lemma.expected)

    def proved(self, model: str) -> tuple[Lemma, ...]:
        """Those of them that hold; that they do is for the tests of the proofs to show."""
        return tuple(lemma for lemma in self.about(model) if lemma.expected[model] is Verdict.PROVED)

    def refuted(self, model: str) -> tuple[Lemma, ...]:
        """Those of them that do not."""
        return tuple(lemma for lemma in self.about(model) if lemma.expected[model] is Verdict.REFUTED)


def rule_links() -> tuple[RuleLinks, ...]:
    """The links of every rule that `sound` has."""
    covered = coverage(load_suite())
    return tuple(
        RuleLinks(
            info.id,
            tuple(lemma for lemma in LEMMAS if info.id in lemma.rules),
            covered.rules[info.id],
            covered.unreachable.get(info.id, ""),
        )
        for info in rules_of(SOUND)
    )
