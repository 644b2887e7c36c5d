"""Evaluate the figures of a model's rules on the input of a node: each line, and the conclusion.

The functions that the rules call are evaluated from their figures, too (D fig. 5.4 and 5.5), down to the histories and
the arithmetic.
"""

from __future__ import annotations

from functools import cache
from types import FunctionType

from parte.semantics.partelang.network import Node
from parte.semantics.partelang.repairs import Repairs
from parte.semantics.partelang.rules.figures import auxiliary_functions, auxiliary_reading, stated
from parte.semantics.partelang.rules.notation import CONVENTIONS
from parte.semantics.partelang.rules.registry import RULEBOOK, Data, LocalRule, Site
from parte.semantics.partelang.tokens import Token
from parte.semantics.rulebook.models import Model
from parte.semantics.rulebook.performance import Performance, Performer
from parte.semantics.rulebook.reading import Reading, SourceOf, read, source


class Figures:
    """The figures of a model, read from the code, or from the sources that `source_of` returns instead."""

    def __init__(self, model: Model, source_of: SourceOf = source) -> None:
        self.model = model
        self.source_of = source_of
        self.performer = Performer(
            {function: auxiliary_reading(function, model, source_of) for function in auxiliary_functions()}
        )
        self._stated: dict[str, Reading] = {}
        self._prop: Reading | None = None

    def passing(self, machine: object, index: int) -> Performance:
        """Evaluate the premises of PROP at a node of a machine, before it is applied."""
        function = RULEBOOK["PARTE/PROP"].function
        assert isinstance(function, FunctionType)
        if self._prop is None:
            self._prop = read(function, Repairs.of(self.model), CONVENTIONS, self.source_of)
        return self.performer.perform(function, self._prop, {"self": machine, "index": index})

    def perform(self, info: LocalRule, site: Site[Node], data: Data, token: Token) -> Performance:
        """Evaluate the figure of a rule for a token: its result is an `Effect`, None if a premise fails."""
        if info.id not in self._stated:
            self._stated[info.id] = stated(info, self.model, self.source_of)
        function = info.function
        assert isinstance(function, FunctionType)
        return self.performer.perform(function, self._stated[info.id], {"site": site, "data": data, "token": token})


@cache
def figures_of(model: Model) -> Figures:
    """Return the figures of a model."""
    return Figures(model)
