"""The figures of a model's rules, performed on what a node sees: what each line comes to, and the conclusion.

What the rules call is performed from its figure, too (D fig. 5.4 and 5.5), down to the histories and the arithmetic.
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
    """The figures of a model, read out of the code, or out of what `source_of` has in its place."""

    def __init__(self, model: Model, source_of: SourceOf = source) -> None:
        self.model = model
        self.source_of = source_of
        self.performer = Performer(
            {function: auxiliary_reading(function, model, source_of) for function in auxiliary_functions()}
        )
        self._stated: dict[str, Reading] = {}
        self._prop: Reading | None = None

    def passing(self, machine: object, index: int) -> Performance:
        """Return the values of PROP's premises at a node of a machine, before it is applied."""
        function = RULEBOOK["PARTE/PROP"].function
        assert isinstance(function, FunctionType)
        if self._prop is None:
            self._prop = read(function, Repairs.of(self.model), CONVENTIONS, self.source_of)
        return self.performer.perform(function, self._prop, {"self": machine, "index": index})

    def perform(self, info: LocalRule, site: Site[Node], data: Data, token: Token) -> Performance:
        """Apply the figure of a rule to a token: its result is an `Effect`, None if a premise does not hold."""
        if info.id not in self._stated:
            self._stated[info.id] = stated(info, self.model, self.source_of)
        function = info.function
        assert isinstance(function, FunctionType)
        return self.performer.perform(function, self._stated[info.id], {"site": site, "data": data, "token": token})


@cache
def figures_of(model: Model) -> Figures:
    """The figures of a model."""
    return Figures(model)
