"""Collection of the findings about one program of PARTElang."""

from __future__ import annotations

from parte.checker.partelang.codes import CODES
from parte.checker.partelang.sources import Sources
from parte.checker.report import collecting
from parte.checker.report.collecting import Decision as Decision
from parte.checker.solver.queries import Journal


class Collector(collecting.Collector):
    """The collector of every language, with the sources of the program."""

    def __init__(self, sources: Sources, journal: Journal) -> None:
        super().__init__(CODES, sources.line, journal)
        self.sources = sources
