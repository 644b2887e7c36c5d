"""Programs of level 2 for rules of Sigma, with the mappings of their logs.

A record of a log is an event of one template, and several rules may be about the same records. So a program has one
template for records, with all fields that its rules read as optional attributes, and the detections are conditions. If
the rules have several log sources, these are attributes too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Mapping as Map
from dataclasses import dataclass, field
from typing import Final

from sigma.correlations import SigmaCorrelationRule, SigmaCorrelationType, SigmaExtendedCorrelationCondition
from sigma.rule import SigmaRule

from parte.importers.imported import Difference, Imported, Options, Refused
from parte.importers.names import identifier
from parte.importers.programs import comment
from parte.importers.sigma.correlations import Correlation, Member, Window, pattern, rule_of, rules_of
from parte.importers.sigma.detections import detected
from parte.importers.sigma.documents import Refusal
from parte.importers.sigma.reading import Collection, Entry, place_of, references, refused
from parte.importers.sigma.texts import Atom, Attributes, Condition, conditions_of, constant, every
from parte.logs.mapping import MappedTemplate, Mapping, Time
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.source.diagnostics import ProgramError

DEEPEST: Final = 8
"""The most correlations inside each other."""
LONGEST_SPAN: Final = 366 * 86_400_000 * 100
"""The longest time span, in milliseconds: a hundred years."""

_COUNTING: Final = (
    SigmaCorrelationType.EVENT_COUNT,
    SigmaCorrelationType.VALUE_COUNT,
    SigmaCorrelationType.VALUE_SUM,
    SigmaCorrelationType.VALUE_AVG,
)
_NUMBERS: Final = (SigmaCorrelationType.VALUE_SUM, SigmaCorrelationType.VALUE_AVG)


def rules(files: Sequence[str], options: Options) -> Iterator[Imported | Refused]:
    """Yield the rules of files of Sigma, in the order of the files: a program each, or why there is none.

    Rules that a correlation refers to are part of its program, and rules of their own only if it `generate`s them.
    """
    collection = Collection.of(files)
    names: set[str] = set()
    for entry in collection.standing_alone():
        if isinstance(entry, Refused):
            yield entry
            continue
        try:
            yield _Program(entry, collection, options).imported(names)
        except Refusal as refusal:
            yield refused(entry.name, entry.document, refusal)


@dataclass(slots=True)
class _Program:
    entry: Entry
    collection: Collection
    options: Options
    attributes: Attributes = field(default_factory=Attributes)
    differences: list[Difference] = field(default_factory=list)
    _templates: dict[str, Sequence[str]] = field(default_factory=dict)
    """The templates that rules emit, and their attributes."""
    _texts: list[str] = field(default_factory=list)
    _members: dict[int, str] = field(default_factory=dict)
    """The templates of correlations that were written."""
    _names: set[str] = field(default_factory=set)
    """The names of rules."""
    _single: dict[str, bool] = field(default_factory=dict)
    """Of each template, whether it has at most one event for each event at which a rule matches."""
    _record: str = ""
    _sources: tuple[tuple[str, ...], ...] = ()

    def imported(self, taken: set[str]) -> Imported:
        """Return the program. Raise Refusal."""
        plain = list(self._plain(self.entry, ()))
        self._sources = tuple(dict.fromkeys(_source(rule) for rule in plain))
        self._record = _camel(" ".join(self._sources[0]), "Record") if len(self._sources) == 1 else "Record"
        if isinstance(self.entry.rule, SigmaRule):
            condition = self._detected(self.entry)
            only = pattern("event", self._record, conditions_of(condition))
            self._texts.append(rule_of(self._name(self.entry), [only]))
        else:
            self._correlate(self.entry)
        name = _file_name(self.entry.name, taken)
        program = self._program()
        taken.add(name)
        return Imported(name, place_of(self.entry), program, self._mapping(), (), tuple(self.differences))

    def _plain(self, entry: Entry, above: tuple[int, ...]) -> Iterator[SigmaRule]:
        """Yield the rules of single events that a rule is made of. Raise Refusal."""
        if isinstance(entry.rule, SigmaRule):
            yield entry.rule
            return
        if id(entry) in above or len(above) == DEEPEST:
            raise Refusal(f"correlations refer to themselves, or are more than {DEEPEST} deep", "correlation", "rules")
        names = references(entry.rule)
        if not names:
            raise Refusal("a correlation refers to one rule or more", "correlation", "rules")
        for position, name in enumerate(names):
            yield from self._plain(self.collection.called(name, "correlation", "rules", position), (*above, id(entry)))

    def _name(self, entry: Entry) -> str:
        name, number, chosen = _camel(entry.name, "Rule"), 2, _camel(entry.name, "Rule")
        while chosen in self._names:
            chosen, number = f"{name}{number}", number + 1
        self._names.add(chosen)
        return chosen

    def _detected(self, entry: Entry) -> Condition:
        assert isinstance(entry.rule, SigmaRule)
        condition = detected(entry.rule, self.attributes)
        if len(self._sources) == 1:
            return condition
        source = zip(("category", "product", "service"), _source_parts(entry.rule), strict=True)
        tests = [
            Atom(f"{attribute} = {constant(value)}", (attribute,))
            for part, value in source
            if value
            for attribute in (self.attributes.text(f"logsource.{part}"),)
        ]
        return every([*tests, condition])

    def _correlate(self, entry: Entry, template: str | None = None) -> None:
        """Write the rules of a correlation; with a template they emit its events, for another correlation."""
        rule = entry.rule
        assert isinstance(rule, SigmaCorrelationRule)
        if entry is not self.entry and self.options.tumbling:
            reason = "results of a correlation have no interval that follows from those of its events"
            raise Refusal(reason, "correlation", "rules")
        groups = list(dict.fromkeys(rule.group_by or ()))
        members = tuple(
            self._member(entry, position, reference, groups) for position, reference in enumerate(references(rule))
        )
        extended = rule.condition if isinstance(rule.condition, SigmaExtendedCorrelationCondition) else None
        correlation = Correlation(rule.type, members, self._window(entry), entry.conditions, extended)

        def emission(way: Member) -> list[str]:
            if template is None:
                return []
            names = self._templates[template]
            width = max(map(len, names), default=0)
            assigned = [f"            {name:{width}} = event.{key}," for name, key in zip(names, way.keys, strict=True)]
            lines = ["then", f"    emit {template}", "        at event.timestamp"]
            return [*lines, "        with {", *assigned, "        }"] if assigned else lines

        name = self._name(entry)
        try:
            texts = rules_of(name, correlation, emission)
        except Refusal as refusal:
            if not (refusal.nearest and self.options.nearest):
                raise
            self._differ(entry, refusal)
            sliding = Correlation(rule.type, members, Window(correlation.window.span), entry.conditions, extended)
            texts = rules_of(name, sliding, emission)
        self._texts += texts
        if template is not None:
            members_are_single = all(self._single.get(member.template, True) for member in members)
            ordered = rule.type is SigmaCorrelationType.TEMPORAL_ORDERED
            self._single[template] = len(texts) == 1 and members_are_single and not ordered

    def _differ(self, entry: Entry, refusal: Refusal) -> None:
        self.differences.append(Difference(entry.document.place(*refusal.path), refusal.reason))

    def _window(self, entry: Entry) -> Window:
        assert isinstance(entry.rule, SigmaCorrelationRule)
        timespan = entry.rule.timespan
        span = timespan.seconds * 1000
        path = ("correlation", "timespan")
        if span > LONGEST_SPAN:
            raise Refusal(f"the time span {timespan.spec} is longer than a hundred years", *path)
        if timespan.unit in "My":
            unit = "month" if timespan.unit == "M" else "year"
            reason = f"a {unit} has no fixed length; the program has {timespan.seconds:,} seconds for {timespan.spec}"
            refusal = Refusal(reason, *path, nearest=True)
            if not self.options.nearest:
                raise refusal
            self._differ(entry, refusal)
        return Window(span, self.options.tumbling)

    def _member(self, entry: Entry, position: int, reference: str, groups: Sequence[str]) -> Member:
        rule = entry.rule
        assert isinstance(rule, SigmaCorrelationRule)
        referred = self.collection.called(reference, "correlation", "rules", position)
        field_names = [self._aliased(rule, group, referred, reference) for group in groups]
        measured = None
        if rule.type in _COUNTING and rule.type is not SigmaCorrelationType.EVENT_COUNT:
            measured = self._measured(entry, referred, reference)
        if isinstance(referred.rule, SigmaRule):
            try:
                condition = self._detected(referred)
            except Refusal as refusal:
                place = referred.document.place(*refusal.path)
                reason = f"{refusal.reason} ({place.file.rpartition('/')[2]}:{place.line}:{place.column})"
                raise Refusal(reason, "correlation", "rules", position) from None
            keys = tuple(map(self.attributes.text, field_names))
            attribute = None
            if measured is not None:
                attribute = (self.attributes.number if rule.type in _NUMBERS else self.attributes.text)(measured)
            return Member(reference, self._record, condition, keys, attribute)
        return self._result(entry, position, reference, referred, field_names, measured)

    def _result(
        self,
        entry: Entry,
        position: int,
        reference: str,
        referred: Entry,
        field_names: Sequence[str],
        measured: str | None,
    ) -> Member:
        """Return the member that stands for the results of a correlation, which is written if it is not yet there."""
        inner, rule = referred.rule, entry.rule
        assert isinstance(inner, SigmaCorrelationRule)
        assert isinstance(rule, SigmaCorrelationRule)
        path = ("correlation", "rules", position)
        if rule.type in _NUMBERS:
            raise Refusal("a result of a correlation has no numbers", *path)
        groups = list(dict.fromkeys(inner.group_by or ()))
        for name in [*field_names, *([measured] if measured is not None else [])]:
            if name not in groups:
                raise Refusal(
                    f"{reference!r} groups by other fields than {name!r}, so its results do not have it", *path
                )
        names = [identifier(group) for group in groups]
        if len(set(names)) < len(names):
            raise Refusal(f"fields by which {reference!r} groups have names that are too similar", *path)
        if id(referred) not in self._members:
            template = self._free_template(_camel(referred.name, "Result"))
            self._members[id(referred)] = template
            self._templates[template] = names
            self._correlate(referred, template)
        if rule.type in _COUNTING and not self._single[self._members[id(referred)]]:
            reason = "an event may have several results of that correlation, which cannot be counted as one"
            raise Refusal(f"{reference!r}: {reason}", *path)
        keys = tuple(identifier(name) for name in field_names)
        return Member(
            reference, self._members[id(referred)], None, keys, identifier(measured) if measured is not None else None
        )

    def _free_template(self, name: str) -> str:
        taken = {self._record, *self._templates}
        chosen, number = f"{name}Result", 2
        while chosen in taken:
            chosen, number = f"{name}Result{number}", number + 1
        return chosen

    def _aliased(self, rule: SigmaCorrelationRule, group: str, referred: Entry, reference: str) -> str:
        """Return the field of a member by which it is grouped."""
        alias = rule.aliases.aliases.get(group)
        if alias is None:
            return group
        calls = {reference, str(referred.rule.id), str(referred.rule.name)}
        names = [name for rule_reference, name in alias.mapping.items() if str(rule_reference.reference) in calls]
        if not names:
            raise Refusal(f"the alias {group!r} has no field of {reference!r}", "correlation", "aliases", group)
        if not isinstance(names[0], str):
            raise Refusal(f"a field is a text, not {names[0]!r:.60}", "correlation", "aliases", group)
        return names[0]

    def _measured(self, entry: Entry, referred: Entry, reference: str) -> str:
        rule = entry.rule
        assert isinstance(rule, SigmaCorrelationRule)
        fields = entry.conditions[0].fieldref
        if isinstance(fields, list) and len(fields) == 1:
            (fields,) = fields
        if not isinstance(fields, str):
            raise Refusal("combinations of several fields are not counted", "correlation", "condition", "field")
        return self._aliased(rule, fields, referred, reference)

    def _program(self) -> str:
        """Return the text of the program in its layout. Raise Refusal if it has an error."""
        about = [self.entry.rule.title or self.entry.name]
        if self.entry.rule.id is not None:
            about.append(f"Sigma rule {self.entry.rule.id}")
        about += [f"differs: {difference.text}" for difference in self.differences]
        slots = {name: f"{slot.type.value}?" for name, slot in self.attributes.slots.items()}
        templates = [_template(self._record, slots)]
        templates += [_template(name, dict.fromkeys(names, "String")) for name, names in self._templates.items()]
        comments = "".join(f"{comment(text)}\n" for text in about)
        text = "\n\n".join(["level 2", comments + "\n\n".join(templates), *self._texts]) + "\n"
        try:
            parse(text)
        except ProgramError as error:
            worst = error.diagnostics[0]
            raise Refusal(f"the program would be rejected: {worst.message}") from None
        return text

    def _mapping(self) -> Mapping:
        template = MappedTemplate(self._record, {}, dict(self.attributes.slots))
        return Mapping(Time("timestamp", ("iso", "epoch")), (template,))


def _source_parts(rule: SigmaRule) -> tuple[str | None, str | None, str | None]:
    source = rule.logsource
    return source.category, source.product, source.service


def _source(rule: SigmaRule) -> tuple[str, ...]:
    category, product, service = _source_parts(rule)
    return tuple(part for part in (product, category, service) if part)


def _template(name: str, slots: Map[str, str]) -> str:
    if not slots:
        return f"template {name}"
    width = max(map(len, slots))
    return "\n".join([f"template {name} {{", *(f"    {slot:{width}} : {of}," for slot, of in slots.items()), "}"])


def _camel(text: str, otherwise: str) -> str:
    words = re.findall(r"[A-Za-z0-9]+", text)
    name = "".join(word[0].upper() + word[1:] for word in words)[:80]
    return f"{otherwise}{name}" if not name or name[0].isdigit() else name


def _file_name(title: str, taken: set[str]) -> str:
    name = re.sub(r"[^a-z0-9]+", "_", title.lower())[:80].strip("_") or "rule"
    number, chosen = 2, name
    while chosen in taken:
        chosen, number = f"{name}_{number}", number + 1
    return chosen
