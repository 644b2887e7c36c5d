"""Panther's correlation rules (`AnalysisType: correlation_rule`) as programs; docs/importing.md says how they are read.

A signal is an event: its template is the rule that produced it, its attributes are the fields that the criteria name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from parte.importers.imported import Imported, Options, Refused, Schedule
from parte.importers.panther.outputs import MINUTE, events_of
from parte.importers.panther.programs import mapping_of, program_of
from parte.importers.panther.reading import correlation_of, title_of
from parte.importers.yaml_documents import Node, Unreadable, documents


def rules(files: Sequence[str], options: Options) -> Iterator[Imported | Refused]:
    """Yield the correlation rules of YAML files, in their order. A file that is no YAML is refused at its first error,
    after the rules above it."""
    for path in files:
        try:
            for document in documents(path):
                yield _imported(document, options)
        except Unreadable as problem:
            yield Refused(path, problem.place, problem.reason)


def _imported(document: Node, options: Options) -> Imported | Refused:
    name = title_of(document)
    try:
        rule, differences = correlation_of(document)
        if differences and not options.nearest:
            first = differences[0]
            more = [
                f"{difference.place.line}:{difference.place.column}: {difference.text}"
                for difference in differences[1:]
            ]
            return Refused(name, first.place, "; ".join([first.text, *more]), nearest=True)
        tests = tuple(events_of(rule, test) for test in rule.tests)
    except Unreadable as problem:
        return Refused(name, problem.place, problem.reason)
    program = program_of(rule, differences)
    schedule = None if rule.rate is None else Schedule(rule.rate * MINUTE, rule.lookback * MINUTE)
    return Imported(rule.identifier, rule.place, program, mapping_of(rule), tests, tuple(differences), schedule)
