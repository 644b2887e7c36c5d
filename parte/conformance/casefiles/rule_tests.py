"""Reading tests that stand beside rules: case files in which programs are files, not text (docs/rule-tests.md).

    program fraud.parte

    case second-transfer-is-late
      about A day is the most
      trace a1:Transfer@2026-11-24T08:00:00Z(amount=5) a2:Transfer@2026-11-25T09:00:00Z(amount=5)
      expect no match
      why Twice a=a1 b=a2: b in a [0 ms, 1 day]

An entry is a `case`, the `program` of the cases below, `events` as in the suite, or `domain`, `disorder` or `options`
of all cases below that do not state them. The reader runs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from parte.conformance.casefiles.cases import PLACE, Answers, Notation, read_id, read_named, read_options, read_text
from parte.conformance.casefiles.events import Defaults, read_defaults
from parte.conformance.casefiles.layout import Entry, Field, Misread, Problem, read_layout, read_value
from parte.conformance.fixtures import Json
from parte.semantics.events.duration import parse_duration
from parte.semantics.events.strictjson import dumped
from parte.semantics.source.similar import advice

SETTINGS = ("program", "domain", "disorder", "options")
ENTRIES = ("case", "events", *SETTINGS)
FIELDS = ("about", *SETTINGS, "trace", "log", "expect", "why")

MOST_PROBLEMS = 100
"""Problems of a file that are reported."""

_LONGEST_ID = 200
_CALLED = 120
_COUNT = re.compile(
    r"(?:(?P<rule>(?!no )[^\W\d]\w*) )?(?:(?P<none>no match(?:es)?)|(?P<some>matches)|(?P<number>\d{1,9}) match(?:es)?)"
)
_MISS = re.compile(r"(?P<rule>[^\W\d]\w*)(?P<bindings>(?: +[\w.]+=\S+?)*) *: +(?P<text>\S.*)")

_T = TypeVar("_T")
_Items = tuple[tuple[Json, ...], tuple[int, ...]]
_NO_ITEMS: _Items = ((), ())


@dataclass(frozen=True, slots=True)
class Count:
    """The number of matches that a test expects, of a rule or, without a name, of all rules. None: at least one."""

    rule: str
    number: int | None

    def __str__(self) -> str:
        number = {None: "matches", 0: "no match", 1: "1 match"}.get(self.number, f"{self.number} matches")
        return f"{self.rule} {number}".lstrip()


@dataclass(frozen=True, slots=True)
class Miss:
    """A near miss: a rule that does not match events, and a text that the reason contains."""

    rule: str
    bindings: Mapping[str, str]
    text: str
    line: int

    def __str__(self) -> str:
        return self.rule + "".join(f" {variable}={event}" for variable, event in self.bindings.items())


@dataclass(frozen=True, slots=True)
class RuleTest:
    """A test of a program. `program` is the path as written; empty for the program beside the file.

    `places` are the lines of the items of the trace, and `lines` those of the fields. `log` names a trace file, which
    replaces the trace; `domain_file` likewise. `expected` are all matches, or numbers of them; None if only near misses
    are stated.
    """

    id: str
    line: int
    about: str = ""
    program: str = ""
    trace: tuple[Json, ...] = ()
    places: tuple[int, ...] = ()
    log: str = ""
    domain: Mapping[str, Json] = field(default_factory=dict)
    domain_file: str = ""
    disorder: int = 0
    options: Mapping[str, str] = field(default_factory=dict)
    expected: Answers | tuple[Count, ...] | None = None
    misses: tuple[Miss, ...] = ()
    lines: Mapping[str, int] = field(default_factory=dict)

    def line_of(self, word: str) -> int:
        """Return the line of a field, or that of the case."""
        return self.lines.get(word, self.line)


def read_tests(text: str, notation: Callable[[str], Notation]) -> tuple[tuple[RuleTest, ...], tuple[Problem, ...]]:
    """Return the tests of a file, and its problems in the order of the lines. A test with a problem is left out.

    `notation` returns that of the language of a program, whose path is given as written, and raises Misread.
    """
    entries, _, problems = read_layout(text)
    defaults: dict[str, dict[str, Json]] = {}
    settings: dict[str, Field] = {}
    tests: list[RuleTest] = []
    known: dict[str, int] = {}
    for entry in entries:
        head = entry.head
        if head.word == "case":
            test, wrong = _Reader(entry, settings, defaults, notation).read()
            if test is not None and test.id in known:
                message = f"{_called(test.id)}: a case in line {known[test.id]} has this id too; give it another"
                wrong.append(Problem(head.line, message))
            if test is not None:
                known.setdefault(test.id, head.line)
            problems += wrong
            if test is not None and not wrong and not entry.broken:
                tests.append(test)
            continue
        try:
            if entry.fields:
                raise Misread("only a case has fields below it", entry.fields[0].line - head.line)
            if head.word == "events":
                defaults |= read_defaults(head.lines())
            elif head.word in SETTINGS:
                settings[head.word] = head
            else:
                known_words = f"expected {', '.join(ENTRIES)}"
                hint = advice(head.word, ENTRIES, known_words)
                raise Misread(f"no entry is called {dumped(head.word)}; {hint}"[:300])
        except Misread as error:
            line = head.line + error.offset if entry.fields else head.number(error.offset)
            problems.append(Problem(line, str(error)))
    if not entries and not problems:
        problems = [Problem(1, "the file has no case; it begins with a line like `case late-transfer`")]
    elif not tests and not problems:
        problems = [Problem(entries[-1].head.line, "the file has no case; expected one below this line")]
    problems = sorted(dict.fromkeys(problems), key=lambda problem: problem.line)
    return tuple(tests), tuple(problems[:MOST_PROBLEMS])


def _called(name: str) -> str:
    return name[:_CALLED]


@dataclass(slots=True)
class _Reader:
    """A case while it is read, with the settings above it."""

    entry: Entry
    settings: Mapping[str, Field]
    defaults: Defaults
    notation: Callable[[str], Notation]
    problems: list[Problem] = field(default_factory=list)
    fields: dict[str, Field] = field(default_factory=dict)
    misses: list[Miss] = field(default_factory=list)

    def read(self) -> tuple[RuleTest | None, list[Problem]]:
        """Return the test, None if it has no id, and the problems."""
        head = self.entry.head
        self.fields = {**self.settings, "case": head}
        id_ = self._take("case", _id, "")
        stated: set[str] = set()
        for part in self.entry.fields:
            if part.word not in FIELDS:
                self._report(part.line, f"no field is called {part.word}; {advice(part.word, FIELDS)}"[:300])
            elif part.word == "why":
                self.fields["why"] = part
                self.misses += self._take("why", _misses, [])
            elif part.word in stated:
                self._report(part.line, f"a case has one field {part.word}; it is in a line above already")
            else:
                self.fields[part.word] = part
            stated.add(part.word)
        if "trace" in stated and "log" in stated:
            self._report(self.fields["log"].line, "a case has a trace or a log, not both")
        elif not stated & {"trace", "log"}:
            self._report(head.line, "the events are missing; add `trace a1@0 b1@5`, or `log FILE`")
        if not stated & {"expect", "why"}:
            self._report(head.line, "expect is missing; add what the rule matches, or `expect no match`")
        return (self._test(id_) if id_ else None), self.problems

    def _test(self, id_: str) -> RuleTest:
        program = self._take("program", _file, "")
        test = RuleTest(
            id_,
            self.entry.head.line,
            self._take("about", read_text, ""),
            program,
            log=self._take("log", _file, ""),
            disorder=self._take("disorder", _disorder, 0),
            options=self._take("options", read_options, {}),
            misses=tuple(self.misses),
            lines={part.word: part.line for part in self.entry.fields},
        )
        tables = self.fields.get("domain")
        if tables is not None and not tables.body and tables.value and not re.search(r"[\s{]", tables.value):
            test = replace(test, domain_file=self._take("domain", _file, ""))
        else:
            test = replace(test, domain=self._take("domain", read_named, {}))
        try:
            notation = self.notation(program)
        except Misread as error:
            where = self.fields.get("program")
            self.problems.append(Problem(where.line if where else 1, str(error)))
            return test
        items, places = self._take("trace", lambda part: _trace(part, notation, self.defaults), _NO_ITEMS)
        expected = self._take("expect", lambda part: _expected(part.lines(), notation), None)
        return replace(test, trace=items, places=places, expected=expected)

    def _take(self, word: str, read: Callable[[Field], _T], otherwise: _T) -> _T:
        part = self.fields.get(word)
        if part is None:
            return otherwise
        try:
            return read(part)
        except Misread as error:
            self._report(part.number(error.offset), str(error))
            return otherwise

    def _report(self, line: int, message: str) -> None:
        """Record a problem; one in a setting above is that of all cases."""
        name = f"{_called(self.entry.head.value) or 'case'}: "
        self.problems.append(Problem(line, message if line < self.entry.head.line else name + message))


def _id(part: Field) -> str:
    name = read_id(part)
    if len(name) > _LONGEST_ID or not name.isprintable():
        raise Misread(f"expected an id of at most {_LONGEST_ID} characters that can be printed")
    return name


def _file(part: Field) -> str:
    path = read_value(part.value)
    if part.body or not path or not path.isprintable():
        raise Misread(f"expected the path of a file behind {part.word}, from the folder of this file on")
    return path


def _disorder(part: Field) -> int:
    text = " ".join(part.lines())
    if re.fullmatch(r"\d{1,20}", text):
        return int(text)
    try:
        disorder = parse_duration(text)
    except ValueError as error:
        raise Misread(str(error)[:300]) from None
    if disorder < 0:
        raise Misread(f"a disorder is not negative, found {text}"[:300])
    return disorder


def _trace(part: Field, notation: Notation, defaults: Defaults) -> _Items:
    """Return the items, and the line of each."""
    items: list[Json] = []
    places: list[int] = []
    for offset, line in enumerate(part.lines()):
        try:
            added = notation.read_items([line], defaults)
        except Misread as error:
            raise Misread(str(error), offset) from None
        items += added
        places += [part.number(offset)] * len(added)
    return tuple(items), tuple(places)


def _expected(lines: Sequence[str], notation: Notation) -> Answers | tuple[Count, ...]:
    written = [(offset, line) for offset, line in enumerate(lines) if line.strip()]
    counts = [(offset, count) for offset, line in written if (count := _count(line)) is not None]
    if not written:
        raise Misread("expected matches like R a=a1, `matches`, `no match`, `3 matches`, or `nothing`")
    if counts and len(counts) < len(written):
        raise Misread("a case expects matches one by one, or numbers of them, not both", counts[0][0])
    rules = [count.rule for _, count in counts]
    for place, (offset, count) in enumerate(counts):
        if count.rule in rules[:place]:
            raise Misread(f"the number of matches{f' of {count.rule}' * bool(count.rule)} is stated already", offset)
    if counts:
        return tuple(count for _, count in counts)
    for offset, line in written:
        if PLACE.fullmatch(line):
            raise Misread("a test of a rule expects matches; `parte check` reports errors and warnings", offset)
        if line.lower() in ("none", "no"):
            raise Misread("did you mean `nothing`, or `no match`?", offset)
        if line == "nothing" and len(written) > 1:
            raise Misread("`nothing` stands alone", offset)
    return notation.read(["" if line == "nothing" else line for line in lines])


def _count(line: str) -> Count | None:
    parsed = _COUNT.fullmatch(" ".join(line.split()))
    if parsed is None:
        return None
    number = 0 if parsed["none"] else None if parsed["some"] else int(parsed["number"])
    return Count(parsed["rule"] or "", number)


def _misses(part: Field) -> list[Miss]:
    return list(_read_misses(part))


def _read_misses(part: Field) -> Iterator[Miss]:
    if not part.lines():
        raise Misread("expected a rule, events and a reason, as `R a=a1 b=b1: b in a [0 ms, 5 ms]`")
    for offset, line in enumerate(part.lines()):
        parsed = _MISS.fullmatch(line.strip())
        if parsed is None:
            example = "as `R a=a1 b=b1: b in a [0 ms, 5 ms]`"
            raise Misread(f"expected a rule, events and a reason, {example}, found {dumped(line)}"[:300], offset)
        bindings = dict(pair.split("=", 1) for pair in parsed["bindings"].split())
        yield Miss(parsed["rule"], bindings, " ".join(parsed["text"].split()), part.number(offset))
