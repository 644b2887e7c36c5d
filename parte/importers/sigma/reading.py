"""Rules of Sigma in files, read by pySigma, with the rules that their correlations refer to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from sigma.correlations import (
    SigmaCorrelationCondition,
    SigmaCorrelationRule,
    SigmaCorrelationType,
    SigmaExtendedCorrelationCondition,
)
from sigma.rule import SigmaDetectionItem, SigmaRule

from parte.importers.imported import Place, Refused
from parte.importers.sigma.documents import Document, Refusal, documents
from parte.importers.yaml_documents import Unreadable

_OPERATORS: Final = ("lt", "lte", "gt", "gte", "eq", "neq")
_FAULTS: Final = (ValueError, TypeError, AttributeError, LookupError, RecursionError, ArithmeticError)
"""Errors of pySigma: its own are ValueErrors, others are of rules whose parts have other types than it expects."""

_OF_CORRELATIONS: Final = (
    ("correlation type", "type", f"the types are {', '.join(kind.name.lower() for kind in SigmaCorrelationType)}"),
    ("Timespan", "timespan", "a time is written as 30s, 10m, 2h or 1d"),
)
"""A part of a message of pySigma about a correlation, the key that it is about, and what to do."""

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Entry:
    """A rule as pySigma has read it, and its document. A correlation with a range has more than one condition."""

    document: Document
    rule: SigmaRule | SigmaCorrelationRule
    conditions: tuple[SigmaCorrelationCondition, ...] = ()

    @property
    def name(self) -> str:
        """The title of the rule, or how correlations call it."""
        return self.rule.title or self.rule.name or str(self.rule.id or "rule")


@dataclass(slots=True)
class Collection:
    """The rules of all files, in order, and what could not be read."""

    entries: list[Entry | Refused] = field(default_factory=list)
    _by_reference: dict[str, list[Entry]] = field(default_factory=dict)

    @classmethod
    def of(cls, files: Sequence[str]) -> Collection:
        """Read files."""
        collection = cls()
        for file in files:
            try:
                for document in documents(file):
                    collection.add(_entry(document))
            except Unreadable as fault:
                collection.add(Refused(file, fault.place, fault.reason))
        return collection

    def add(self, entry: Entry | Refused) -> None:
        """Add what a document has."""
        self.entries.append(entry)
        if isinstance(entry, Entry):
            for reference in dict.fromkeys(str(key) for key in (entry.rule.id, entry.rule.name) if key):
                self._by_reference.setdefault(reference, []).append(entry)

    def standing_alone(self) -> list[Entry | Refused]:
        """Return the rules of their own: those that are in no correlation, or in one that generates them. Correlations
        that refer to each other in a circle are among them."""
        read = [entry for entry in self.entries if isinstance(entry, Entry)]
        used = {id(part) for entry in read if not _generates(entry) for part in self._parts(entry)}
        reached: set[int] = set()
        waiting = [entry for entry in read if id(entry) not in used]
        while waiting:
            entry = waiting.pop()
            if id(entry) not in reached:
                reached.add(id(entry))
                waiting += self._parts(entry)
        inside = used & reached
        return [entry for entry in self.entries if isinstance(entry, Refused) or id(entry) not in inside]

    def _parts(self, entry: Entry) -> list[Entry]:
        """Return the rules that a correlation refers to, as far as they are there."""
        if isinstance(entry.rule, SigmaRule):
            return []
        candidates = [self._by_reference.get(reference, []) for reference in references(entry.rule)]
        return [entries[0] for entries in candidates if len(entries) == 1]

    def called(self, reference: str, *path: str | int) -> Entry:
        """Return the rule with an id or a name. Raise Refusal if there is none, or more than one."""
        entries = self._by_reference.get(reference, [])
        if len(entries) != 1:
            number = "no rule" if not entries else "more than one rule"
            raise Refusal(f"{number} in the files has the id or the name {reference!r}", *path)
        return entries[0]


def references(rule: SigmaCorrelationRule) -> list[str]:
    """Return the ids and names of the rules that a correlation refers to, in order."""
    if rule.rules is not None:
        return [str(rule_reference.reference) for rule_reference in rule.rules]
    if isinstance(rule.condition, SigmaExtendedCorrelationCondition):
        return rule.condition.get_referenced_rules()
    return []


def _generates(entry: Entry) -> bool:
    return isinstance(entry.rule, SigmaCorrelationRule) and entry.rule.generate


def _entry(document: Document) -> Entry | Refused:
    value = document.value
    name = "rule"
    try:
        if not isinstance(value, dict):
            raise Refusal("a rule is a map")
        name = next((str(value[key])[:200] for key in ("title", "name", "id") if value.get(key)), name)
        if "action" in value:
            raise Refusal("documents with an `action` are from before Sigma 2: write each rule in full", "action")
        if "AnalysisType" in value:
            raise Refusal("this looks like a rule of Panther: `parte import panther` reads it", "AnalysisType")
        if "filter" in value:
            raise Refusal("filters are not applied: write the exclusion into the rules that it is for", "filter")
        if "correlation" in value:
            return _correlation(document, value)
        rule = _read(lambda: SigmaRule.from_dict(value), document, ())
        return Entry(document, rule)
    except Refusal as refusal:
        return refused(name, document, refusal)


def refused(name: str, document: Document, refusal: Refusal) -> Refused:
    """Return the refusal of a rule with its place."""
    return Refused(name, document.place(*refusal.path), refusal.reason, refusal.nearest)


def _correlation(document: Document, value: dict[Any, Any]) -> Entry:
    """Return a correlation. The conditions of a range are read each by itself, because pySigma takes one only."""
    correlation = value["correlation"]
    condition = correlation.get("condition") if isinstance(correlation, dict) else None
    if not isinstance(condition, dict):
        condition = {}
    operators = [key for key in condition if key in _OPERATORS]
    if len(operators) < 2:
        rule = _read(lambda: SigmaCorrelationRule.from_dict(value), document, ("correlation",))
        conditions = (rule.condition,) if isinstance(rule.condition, SigmaCorrelationCondition) else ()
        return Entry(document, rule, conditions)
    rest = {key: value_of_key for key, value_of_key in condition.items() if key not in operators}
    singles = [{operator: condition[operator], **rest} for operator in operators]
    changed = {**value, "correlation": {**correlation, "condition": singles[0]}}
    rule = _read(lambda: SigmaCorrelationRule.from_dict(changed), document, ("correlation",))
    several = _read(
        lambda: tuple(map(SigmaCorrelationCondition.from_dict, singles)), document, ("correlation", "condition")
    )
    return Entry(document, rule, several)


def _read(reading: Callable[[], R], document: Document, path: tuple[str | int, ...]) -> R:
    try:
        return reading()
    except _FAULTS as error:
        reason = _shortened(str(error) or type(error).__name__)
        for sign, key, hint in _OF_CORRELATIONS if path == ("correlation",) else ():
            if sign in reason:
                raise Refusal(f"{reason.rstrip('.')}; {hint}", *path, key) from None
        raise Refusal(reason, *(path or _fault(document))) from None


def _fault(document: Document) -> tuple[str | int, ...]:
    """Return the path of the first item of a detection that pySigma does not read; of none, an empty path."""
    value = document.value
    detections = value.get("detection") if isinstance(value, dict) else None
    if not isinstance(detections, dict):
        return ()

    def search(definition: object, path: tuple[str | int, ...]) -> tuple[str | int, ...]:
        if isinstance(definition, list):
            return next((fault for n, part in enumerate(definition) if (fault := search(part, (*path, n)))), ())
        if isinstance(definition, dict):
            for position, (key, item) in enumerate(definition.items()):
                try:
                    SigmaDetectionItem.from_mapping(key, item)
                except _FAULTS:
                    return (*path, position)
        return ()

    named: Mapping[object, object] = {name: part for name, part in detections.items() if name != "condition"}
    return next((fault for name, part in named.items() if (fault := search(part, ("detection", str(name))))), ())


def _shortened(reason: str) -> str:
    text = " ".join(reason.split())
    return text if len(text) <= 400 else f"{text[:400]}…"


def place_of(entry: Entry) -> Place:
    """Return the place of a rule."""
    return entry.document.place("title")
