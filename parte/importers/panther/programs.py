"""Programs of correlation rules. docs/importing.md has the reading of Panther's documentation that they follow.

A member that needs one signal is a pattern. One that needs several is a set with a count: several patterns could be
filled by one signal. What a count is about lies between two signals of the rule, `earliest` and `latest` of a group, or
`first_…` and `last_…` of a step, which are patterns too, so that windows of the others can begin and end there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from parte.importers.imported import Difference
from parte.importers.names import identifier
from parte.importers.panther.reading import Correlation, Member
from parte.importers.programs import comment, template_text
from parte.logs.mapping import ISO, MappedTemplate, Mapping, Slot, Time
from parte.semantics.events.types import Scalar
from parte.semantics.partelang.text import TEXT

_WORDS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""The places between the words of a name such as `RepoArchived`."""

RULE: Final = "p_rule_id"
MOMENT: Final = "p_event_time"
ROW: Final = "p_row_id"
"""The fields of a signal that every rule has: the rule that produced it, its time, its id."""


@dataclass(frozen=True, slots=True)
class Names:
    """Names of templates and attributes for rules and their fields."""

    templates: dict[str, str]
    attributes: dict[str, str]
    fields: dict[str, tuple[str, ...]]
    """The fields that the program reads of the signals of a rule."""


def names_of(rule: Correlation) -> Names:
    """Return the names that the program of a rule has for other rules and their fields."""
    templates: dict[str, str] = {}
    attributes: dict[str, str] = {}
    fields: dict[str, tuple[str, ...]] = {}
    for member in rule.members:
        if member.rule not in templates:
            templates[member.rule] = identifier(member.rule, templates.values())
        for key in member.keys:
            if key.field not in attributes:
                attributes[key.field] = identifier(key.field, attributes.values())
        own = [*fields.get(member.rule, ()), *(key.field for key in member.keys)]
        fields[member.rule] = tuple(dict.fromkeys(own))
    return Names(templates, attributes, fields)


def mapping_of(rule: Correlation) -> Mapping:
    """Return the mapping of Panther's table of signals."""
    names = names_of(rule)
    return Mapping(
        Time(MOMENT, (ISO,), "UTC"),
        [
            MappedTemplate(
                names.templates[signals],
                {RULE: signals},
                {names.attributes[name]: Slot(Scalar.STRING, path=_path(name), optional=True) for name in fields},
            )
            for signals, fields in names.fields.items()
        ],
        id=ROW,
    )


def _path(name: str) -> str:
    """Return a field as a path of a mapping: Panther separates its parts by dots."""
    parts = name.split(".")
    return ".".join(part if part and all(c.isalnum() or c in "_-@" for c in part) else f'"{part}"' for part in parts)


def program_of(rule: Correlation, differences: Iterable[Difference]) -> str:
    """Return the text of the program, in canonical layout, with the differences as comments."""
    names = names_of(rule)
    lines = ["level 2", ""]
    for signals, fields in names.fields.items():
        lines.append(comment(f"Signals of {signals}"))
        lines += [template_text(names.templates[signals], [f"{names.attributes[name]} : String?" for name in fields])]
    lines.append(comment(f"Panther: {rule.name}" + (f", {rule.title}" if rule.title != rule.name else "")))
    often = "" if rule.rate is None else f", every {rule.rate} minutes"
    lines.append(comment(f"Panther runs it over the signals of the last {rule.lookback} minutes{often}"))
    lines += [comment(f"Difference, line {difference.place.line}: {difference.text}") for difference in differences]
    body = _Body(rule, names)
    if rule.within is None:
        body.group()
    else:
        body.sequence(rule.within)
    lines.append(body.text())
    return TEXT.printed("\n".join(lines) + "\n")


@dataclass(slots=True)
class _Pattern:
    """A pattern with its alternatives, each a template and its conditions."""

    variable: str
    word: str
    alternatives: list[tuple[str, list[str]]]

    def text(self) -> str:
        written = [f"{self.variable} : {name} {{ {', '.join(conditions)} }}" for name, conditions in self.alternatives]
        if len(written) > 1:
            return f"either {' or '.join(written)}"
        return f"{self.word} {written[0]}"


@dataclass(slots=True)
class _Body:
    """The rule of a program while it is written."""

    rule: Correlation
    names: Names
    patterns: list[_Pattern] = field(default_factory=list)
    windows: list[str] = field(default_factory=list)
    counts: list[str] = field(default_factory=list)
    _shared: dict[int, str] = field(default_factory=dict)
    _first: dict[int, list[str]] = field(default_factory=dict)
    _compared: set[int] = field(default_factory=set)
    _taken: set[str] = field(default_factory=set)

    def text(self) -> str:
        """Return the rule."""
        for value, conditions in self._first.items():
            if value not in self._compared:  # only absent signals are compared with it, which leave it free
                conditions.insert(0, f"{self._shared[value].rpartition('.')[2]} is present")
        parts = [f"rule {self.rule.identifier} where", ",\n".join(pattern.text() for pattern in self.patterns)]
        if self.windows:
            parts += ["when", ",\n".join(dict.fromkeys(self.windows))]
        if self.counts:
            parts += ["having", ",\n".join(self.counts)]
        return "\n".join(parts)

    # --- Patterns ---

    def name(self, text: str) -> str:
        """Return a variable that no other pattern has."""
        variable = identifier(_WORDS.sub("_", text).lower(), self._taken)
        self._taken.add(variable)
        return variable

    def conditions(self, variable: str, member: Member) -> list[str]:
        """Return the conditions of a pattern for a member: its keys are equal to those that it shares a value with.

        The first pattern with a key of a value has nothing to compare it with.
        """
        conditions: list[str] = []
        for key in member.keys:
            attribute = self.names.attributes[key.field]
            if key.value in self._shared:
                shared = self._shared[key.value]
                own = shared.removeprefix(f"{variable}.") if shared.startswith(f"{variable}.") else shared
                if own != attribute:
                    conditions.append(f"{attribute} = {own}")
                    if not member.absent:
                        self._compared.add(key.value)
            else:
                self._shared[key.value] = f"{variable}.{attribute}"
                self._first[key.value] = conditions
        return conditions

    def pattern(self, text: str, member: Member, word: str = "") -> str:
        """Add a pattern for a member, and return its variable."""
        variable = self.name(text)
        template = self.names.templates[member.rule]
        self.patterns.append(_Pattern(variable, word, [(template, self.conditions(variable, member))]))
        return variable

    def counted(self, member: Member) -> str:
        """Add the set of a member and its count; return its variable."""
        variable = self.pattern(member.id, member, "all")
        self.counts.append(f"count({variable}) >= {member.count}")
        return variable

    def window(self, variable: str, reference: str, low: int, high: int, word: str = "") -> None:
        """Add a window in minutes."""
        ends = [f"{minutes} minutes" if minutes else "0 ms" for minutes in (low, high)]
        self.windows.append(f"{word} {variable} in {reference} [{', '.join(ends)}]".strip())

    # --- Groups ---

    def group(self) -> None:
        """Write a rule whose members have no order: they lie in one lookback window."""
        lookback = self.rule.lookback
        present = [member for member in self.rule.members if not member.absent]
        absent = [member for member in self.rule.members if member.absent]
        if any(member.count > 1 for member in present):
            ends = self._ends(present, both=bool(absent))
        else:
            ends = []
            for member in present:
                variable = self.pattern(member.id, member)
                for before in ends:
                    self.window(variable, before, -lookback, lookback)
                ends.append(variable)
        for member in absent:
            variable = self.pattern(member.id, member, "no")
            for end in ends:
                self.window(variable, end, -lookback, lookback, "no")

    def _ends(self, present: Sequence[Member], *, both: bool) -> list[str]:
        """Write members of which some need several signals; return the variables of the latest of all signals, and
        with `both` of the earliest."""
        lookback = self.rule.lookback
        single = sorted((m for m in present if m.count == 1), key=lambda member: not member.keys)
        variables = [self.pattern(member.id, member) for member in single]
        variables += self._witnesses(present)
        ends = [self._any(word, present) for word in (["latest", "earliest"] if both else ["latest"])]
        sets = [self.counted(member) for member in present if member.count > 1]
        for variable in [*variables, *sets]:
            self.window(variable, ends[0], -lookback, 0)
            if both:
                self.window(variable, ends[1], 0, lookback)
        if both:
            self.window(ends[0], ends[1], 0, lookback)
        return ends

    def _witnesses(self, present: Sequence[Member]) -> Iterator[str]:
        """Write a pattern for each value that no pattern has yet, unless all members have the same key."""
        if len({member.keys for member in present}) == 1:
            return
        for member in present:
            if any(key.value not in self._shared for key in member.keys):
                yield self.pattern(f"one_{member.id}", member)

    def _any(self, word: str, present: Sequence[Member]) -> str:
        """Add a pattern that a signal of any member fills; return its variable."""
        variable = self.name(word)
        alternatives: dict[tuple[str, tuple[str, ...]], list[str]] = {}
        before, compared = set(self._compared), list[set[int]]()
        for member in present:
            self._compared = set(before)
            conditions = self.conditions(variable, member)
            compared.append(self._compared)
            alternatives.setdefault((self.names.templates[member.rule], tuple(conditions)), conditions)
        self._compared = set.intersection(*compared)  # a signal fills one alternative only
        self.patterns.append(
            _Pattern(variable, "", [(template, conditions) for (template, _), conditions in alternatives.items()])
        )
        return variable

    # --- Sequences ---

    def sequence(self, within: Sequence[int]) -> None:
        """Write a rule whose members follow each other."""
        lookback = self.rule.lookback
        members = self.rule.members
        present = [number for number, member in enumerate(members) if not member.absent]
        steps = _Steps(self, within, present)
        steps.write()
        first, last = steps.begins[present[0]], steps.ends[present[-1]]
        for number, member in enumerate(members):
            if not member.absent:
                continue
            variable = self.pattern(member.id, member, "no")
            if number > 0:
                self.window(variable, _known(steps.ends[number - 1]), 0, within[number - 1], "no")
            elif steps.span + within[0] > lookback:
                self.window(variable, _known(last), -lookback, 0, "no")
            if number < len(members) - 1:
                self.window(variable, _known(steps.begins[number + 1]), -within[number], 0, "no")
            elif steps.span + within[-1] > lookback:
                self.window(variable, _known(first), 0, lookback, "no")


def _known(variable: str | None) -> str:
    assert variable is not None, "the ends of a step are patterns where others need them"
    return variable


class _Steps:
    """The steps of a sequence that are present: the variables of the first and the last signal of each."""

    def __init__(self, body: _Body, within: Sequence[int], present: Sequence[int]) -> None:
        self._body = body
        self._within = within
        self._present = present
        self.begins: dict[int, str | None] = {}
        self.ends: dict[int, str | None] = {}
        lookback = body.rule.lookback
        several = any(body.rule.members[number].count > 1 for number in present)
        total = sum(self._between(before, after) for before, after in pairwise(present))
        self.open = several or total > lookback
        """True if the windows between the steps leave room for more than the lookback window."""
        self.span = lookback if self.open else total
        """The greatest time in minutes from the first signal to the last."""

    def _between(self, before: int, after: int) -> int:
        """Return the minutes from the end of a step to the beginning of the next that is present."""
        return self._within[before] if after == before + 1 else self._body.rule.lookback

    def write(self) -> None:
        """Write the patterns of the steps, in their order, and their windows."""
        body, lookback = self._body, self._body.rule.lookback
        members = body.rule.members
        absent = any(member.absent for member in members)
        ends = self._present[0], self._present[-1]
        for number in self._present:
            member = members[number]
            if member.count == 1:
                self.begins[number] = self.ends[number] = body.pattern(member.id, member)
            else:
                alone = number == ends[0] == ends[1]
                needed = absent or (number == ends[0] != ends[1] and members[ends[1]].count > 1)
                begins = number != ends[0] or needed
                finishes = number != ends[1] or absent or alone
                self.begins[number] = body.pattern(f"first_{member.id}", member) if begins else None
                self.ends[number] = body.pattern(f"last_{member.id}", member) if finishes else None
        for number in self._present:
            self._window(number, ends)
        first, last = self.begins[ends[0]], self.ends[ends[1]]
        if self.open and first is not None and last is not None and first != last:
            body.window(last, first, 0, lookback)

    def _window(self, number: int, ends: tuple[int, int]) -> None:
        """Write the windows of a step: behind the step before it, and of its set."""
        body, lookback = self._body, self._body.rule.lookback
        place = self._present.index(number)
        begin, end = self.begins[number], self.ends[number]
        if place:
            before = self._present[place - 1]
            body.window(_known(begin), _known(self.ends[before]), 0, self._between(before, number))
        member = body.rule.members[number]
        if member.count == 1:
            return
        if begin is not None and end is not None:
            body.window(end, begin, 0, lookback)
        variable = body.counted(member)
        for reference, low, high in (
            (begin, 0, lookback),
            (end, -lookback, 0),
            (self.ends[ends[1]] if begin is None else None, -lookback, 0),
            (self.begins[ends[0]] if end is None else None, 0, lookback),
        ):
            if reference is not None:
                body.window(variable, reference, low, high)
