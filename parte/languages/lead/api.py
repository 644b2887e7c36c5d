"""LEAD from Python: rules, what they mean, and the nets that run them.

For example::

    import parte

    rule = parte.lead.parse("FROM A, B MATCH A -> B within 10 s")
    for match in parte.lead.run(rule, parte.read_trace(lines)):
        print(match.end, match.bindings)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from parte.languages.lead.algebra.effort import TooManyMatches as TooManyMatches
from parte.languages.lead.algebra.published.denotation import Relation as Relation
from parte.languages.lead.algebra.published.denotation import Unprinted as Unprinted
from parte.languages.lead.algebra.published.denotation import published as _published
from parte.languages.lead.algebra.rules import evaluate as _evaluate
from parte.languages.lead.semantics.feeding import Feeding as Feeding
from parte.languages.lead.semantics.machine import Machine as Machine
from parte.languages.lead.semantics.net import Net as Net
from parte.languages.lead.semantics.net import TooManyFirings as TooManyFirings
from parte.languages.lead.semantics.repairs import PUBLISHED as PUBLISHED
from parte.languages.lead.semantics.repairs import SOUND as SOUND
from parte.languages.lead.semantics.syntax.matches import Match as Match
from parte.languages.lead.semantics.syntax.matches import match_to_json as match_to_json
from parte.languages.lead.semantics.syntax.parser import parse as parse
from parte.languages.lead.semantics.syntax.printer import print_rule as print_rule
from parte.languages.lead.semantics.syntax.readings import CHOICES as CHOICES
from parte.languages.lead.semantics.syntax.readings import Readings as Readings
from parte.languages.lead.semantics.syntax.streams import occurrences
from parte.languages.lead.semantics.syntax.tree import Rule as Rule
from parte.languages.lead.semantics.translation import NoNet as NoNet
from parte.semantics.events.event import TraceItem
from parte.semantics.rulebook.models import Model as Model

if TYPE_CHECKING:
    from parte.languages.lead.conformance import strategies as strategies

__all__ = [
    "CHOICES",
    "PUBLISHED",
    "SOUND",
    "Feeding",
    "Machine",
    "Match",
    "Model",
    "Net",
    "NoNet",
    "Readings",
    "Relation",
    "Rule",
    "TooManyFirings",
    "TooManyMatches",
    "Unprinted",
    "define",
    "match_to_json",
    "parse",
    "print_rule",
    "printed",
    "run",
]


def __getattr__(name: str) -> Any:
    """`strategies`, for which Hypothesis must be installed, when it is asked for."""
    if name == "strategies":
        from importlib import import_module

        return import_module("parte.languages.lead.conformance.strategies")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def define(
    rule: Rule, trace: Iterable[TraceItem], readings: Readings | None = None, *, disorder: int = 0
) -> list[Match]:
    """Return the matches of a rule on a trace by the definition, in order. Exponential: for short traces.

    TraceError if an event is late, TooManyMatches if it is too much for the definition.
    """
    return _evaluate(rule, occurrences(rule, trace, disorder), readings or Readings())


def run(
    rule: Rule,
    trace: Iterable[TraceItem],
    model: Model = SOUND,
    *,
    disorder: int = 0,
    readings: Readings | None = None,
) -> list[Match]:
    """The matches that the net of a rule finds, by their ends.

    TraceError if an event is late, TooManyFirings if the run takes too long, NoNet if under these readings no net finds
    what the rule means.
    """
    machine = Machine(rule, model, readings=readings or Readings())
    return machine.run(occurrences(rule, trace, disorder))


def printed(rule: Rule, trace: Iterable[TraceItem], *, disorder: int = 0) -> Relation:
    """The matches that L's formulas give as they are printed, each with the instants at which it holds, as far as a few
    instants after the last event and duration. Partitions and actions do not count.

    TraceError if an event is late, Unprinted if L has no formula for the pattern or this takes too long.
    """
    return _published(rule, occurrences(rule, trace, disorder))[0]
