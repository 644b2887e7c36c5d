"""Metamorphic laws: a case, and others made of it whose matches follow from those of the first.

Each law is checked when its cases are made: what the algebra says of the changed case is what the law says.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from algebra.programs import run
from conformance.authoring.drafts import Draft, Json
from semantics.events.conformity import conform
from semantics.events.trace import read_trace
from semantics.syntax.elaborate import parse

Matches = frozenset[tuple[str, tuple[tuple[str, str], ...]]]
"""Rules with their bindings; what is emitted follows from them."""

_DECLARED = "".join(f"template {name} {{ k : Integer }}\n" for name in "ABC")
_D = "template D { k : Integer }\n"

PROGRAMS: Mapping[str, str] = {
    "pair": f"""{_DECLARED}rule P where a : A, b : B {{ k = a.k }} when b in a [0 ms, 6 ms]
rule Q where c : C, d : C {{ k = c.k }} when d in c [1 ms, 4 ms]""",
    "chain": f"""{_DECLARED}rule P where a : A, b : B {{ k = a.k }}, c : C {{ k = b.k }}
when b in a [-2 ms, 5 ms] c in b [1 ms, 6 ms]""",
    "absence": f"""{_DECLARED}rule P where a : A, no b : B {{ k = a.k }} when no b in a [-3 ms, 3 ms]
rule Q where c : C, b : B {{ k = c.k }} when b in c [0 ms, 5 ms]""",
    "gap": f"""{_DECLARED}rule P where a : A, c : C {{ k = a.k }}, no b : B {{ k = a.k }}
when c in a [1 ms, 9 ms] no b in a [1 ms, 9 ms] no b in c [-9 ms, -1 ms]""",
    "strata": f"""{_DECLARED}{_D}rule P where a : A, b : B {{ k = a.k }} when b in a [0 ms, 6 ms]
then emit D at b.timestamp + 1 ms with {{ k = a.k }}
rule Q where d : D, no c : C {{ k = d.k }} when no c in d [-2 ms, 2 ms]""",
}
"""Programs in which every condition is an equality of keys, and which say all distances in windows."""


@dataclass(frozen=True, slots=True)
class Example:
    """A program on a trace, with its matches by the algebra."""

    program: str
    trace: tuple[Json, ...]

    @property
    def matches(self) -> Matches:
        """What the algebra says."""
        program = parse(self.program)
        items = conform(program, read_trace([json.dumps(item) for item in self.trace]))
        return frozenset((match.rule, match.bindings) for match in run(program, items).matches)


Law = Callable[[Example, random.Random], tuple[Example, Callable[[Matches], bool]]]
"""Makes another example, and says which sets of matches the law allows it to have."""


def drafts() -> Iterator[Draft]:
    """For each program an example, and for each law one made of it."""
    for name, text in PROGRAMS.items():
        for number in (1, 2):
            choices = random.Random(f"{name} {number}")
            example = Example(text, _trace(choices))
            yield _draft(f"laws/base-{name}-{number}", "The example that the laws start from", example, name)
            for law, (description, change) in LAWS.items():
                if law == "prefix" and name not in ("pair", "chain"):
                    continue
                changed, allowed = change(example, choices)
                if not allowed(changed.matches):
                    raise AssertionError(f"the law {law} does not hold of {name}-{number}")
                yield _draft(f"laws/{law}-{name}-{number}", description, changed, name)


def _draft(id_: str, description: str, example: Example, program: str) -> Draft:
    return Draft(
        id_,
        f"{description} (the program {program})",
        example.program.split("\n"),
        example.trace,
        sections=("SPEC 4",),
        origin="conformance.authoring.laws",
    )


def _trace(choices: random.Random) -> tuple[Json, ...]:
    """Two sources in order of time, three keys, many ties."""
    events = []
    for number in range(14):
        template = choices.choice("ABC")
        events.append(
            {
                "id": f"{template.lower()}{number}",
                "template": template,
                "timestamp": choices.randint(0, 20),
                "source": choices.choice(("x", "y")),
                "attributes": {"k": choices.randint(0, 1)},
            }
        )
    return tuple(_interleaved(events, choices))


def _interleaved(events: Sequence[Json], choices: random.Random) -> list[Json]:
    """The events in an order in which each source keeps its implicit promises."""
    streams: dict[tuple[str, str], list[Json]] = {}
    for event in sorted(events, key=lambda event: int(event["timestamp"])):
        streams.setdefault((event["source"], event["template"]), []).append(event)
    merged = []
    while speaking := [stream for stream in streams.values() if stream]:
        merged.append(choices.choice(speaking).pop(0))
    return merged


# --- Laws -------------------------------------------------------------------------------------------------------------


def _same(example: Example) -> Callable[[Matches], bool]:
    before = example.matches
    return lambda after: after == before


def _shift(example: Example, choices: random.Random) -> tuple[Example, Callable[[Matches], bool]]:
    by = choices.choice((-(2**62), 2**62, -1_000_000_007))
    moved = tuple(event | {"timestamp": event["timestamp"] + by} for event in example.trace)
    return replace(example, trace=moved), _same(example)


_NAMES = {
    **{name: f"{name}_renamed" for name in ("a", "b", "c", "d")},
    **{name: f"{name}{name}" for name in ("A", "B", "C", "D", "P", "Q")},
    "k": "key",
}


def _rename(example: Example, _choices: random.Random) -> tuple[Example, Callable[[Matches], bool]]:
    def renamed(text: str) -> str:
        return re.sub(r"\b[A-Za-z]\b", lambda found: _NAMES.get(found[0], found[0]), text)

    trace = tuple(
        event | {"template": _NAMES[event["template"]], "attributes": {"key": event["attributes"]["k"]}}
        for event in example.trace
    )
    expected = frozenset(
        (_NAMES[rule], tuple((_NAMES[variable], renamed(id_)) for variable, id_ in bindings))
        for rule, bindings in example.matches
    )
    return Example(renamed(example.program), trace), lambda after: after == expected


def _permute(example: Example, choices: random.Random) -> tuple[Example, Callable[[Matches], bool]]:
    return replace(example, trace=tuple(_interleaved(example.trace, choices))), _same(example)


def _promised(example: Example, choices: random.Random) -> tuple[Example, Callable[[Matches], bool]]:
    """Any order, under promises of progress that allow it."""
    events = list(example.trace)
    choices.shuffle(events)
    pairs = dict.fromkeys((event["source"], event["template"]) for event in events)
    opening = [{"source": source, "template": template, "progress": 0} for source, template in pairs]
    return replace(example, trace=(*opening, *events)), _same(example)


def _split(example: Example, choices: random.Random) -> tuple[Example, Callable[[Matches], bool]]:
    parted = [event | {"source": event["source"] + choices.choice(("1", "2"))} for event in example.trace]
    return replace(example, trace=tuple(parted)), _same(example)


def _unrelated(example: Example, choices: random.Random) -> tuple[Example, Callable[[Matches], bool]]:
    others = [
        {"id": f"z{number}", "template": "Z", "timestamp": number, "source": "z", "attributes": {"k": number % 2}}
        for number in range(8)
    ]
    # Keys that no event of the example has: these fulfil no condition, and defeat nothing.
    others += [
        {"id": f"{name.lower()}9{n}", "template": name, "timestamp": 3 * n, "source": "z", "attributes": {"k": 90 + n}}
        for n, name in enumerate("BBBB")
    ]
    trace = list(example.trace)
    for event in _interleaved(others, choices):
        trace.insert(choices.randint(_after(trace, event), len(trace)), event)
    program = "template Z { k : Integer }\n" + example.program
    return Example(program, tuple(trace)), _same(example)


def _after(trace: Sequence[Json], event: Json) -> int:
    """The first place for an event behind those of its source that are there."""
    own = [place for place, other in enumerate(trace, 1) if other["source"] == event["source"]]
    return max(own, default=0)


def _prefix(example: Example, choices: random.Random) -> tuple[Example, Callable[[Matches], bool]]:
    """Without negation and emission a prefix has no match that the whole lacks."""
    whole = example.matches
    length = choices.randint(7, 11)
    return replace(example, trace=example.trace[:length]), lambda after: after <= whole


def _order(example: Example, _choices: random.Random) -> tuple[Example, Callable[[Matches], bool]]:
    head, *rules = re.split(r"(?m)^(?=rule )", example.program)
    return replace(example, program="\n".join([*reversed(rules), head]).strip()), _same(example)


def _duplicate(example: Example, choices: random.Random) -> tuple[Example, Callable[[Matches], bool]]:
    """A second copy with ids and keys of its own: twice the matches, and none across."""

    def copied(id_: str) -> str:
        return re.sub(r"\b([a-z])(\d+)\b", r"\g<1>1000\2", id_)

    copies = [
        event | {"id": copied(event["id"]), "attributes": {"k": event["attributes"]["k"] + 100}}
        for event in example.trace
    ]
    before = example.matches
    expected = before | {
        (rule, tuple((variable, copied(id_)) for variable, id_ in bindings)) for rule, bindings in before
    }
    trace = tuple(_interleaved([*example.trace, *copies], choices))
    return replace(example, trace=trace), lambda after: after == expected


LAWS: Mapping[str, tuple[str, Law]] = {
    "shift": ("Shifting all timestamps shifts nothing else", _shift),
    "rename": ("Other names for everything rename the matches", _rename),
    "permute": ("Another order of arrival that keeps the promises changes nothing", _permute),
    "promised": ("Any order of arrival under promises that allow it changes nothing", _promised),
    "split": ("Splitting sources in two changes nothing", _split),
    "unrelated": ("Events that fulfil no condition, and those of other templates, change nothing", _unrelated),
    "prefix": ("A prefix has no match that the whole lacks, where nothing is negated", _prefix),
    "order": ("The order of rules and declarations means nothing", _order),
    "duplicate": ("A second copy with fresh ids and keys doubles the matches", _duplicate),
}
