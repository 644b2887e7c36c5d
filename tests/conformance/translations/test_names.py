"""Names that mean something in one of the languages, as every kind of name, in every direction.

A translation either is refused, with a message that has the name, or has the same matches by the definitions of both
languages, on a trace on which there are some. What the catalogue writes is read as the tree that is run here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import pytest

from parte.algebra.partelang.programs import run
from parte.conformance.language import LayoutBug
from parte.conformance.translations import catalogue, etalis_to_parte, lead_to_parte, parte_to_etalis, to_cel, to_lead
from parte.conformance.translations import to_parte as cel_to_parte
from parte.conformance.translations.catalogue import TRANSLATIONS, Given
from parte.languages.cel.algebra.queries import evaluate as results_of_cel
from parte.languages.cel.semantics.syntax import lexis as cel_lexis
from parte.languages.cel.semantics.syntax.parser import parse_source as parse_cel
from parte.languages.etalis.algebra.evaluation import evaluate as events_of_etalis
from parte.languages.etalis.semantics.syntax import lexis as etalis_lexis
from parte.languages.etalis.semantics.syntax.parser import parse as parse_etalis
from parte.languages.etalis.semantics.syntax.streams import Instant
from parte.languages.lead.algebra.rules import evaluate as matches_of_lead
from parte.languages.lead.semantics.syntax import lexis as lead_lexis
from parte.languages.lead.semantics.syntax.matches import Occurrence
from parte.languages.lead.semantics.syntax.parser import parse as parse_lead
from parte.languages.lead.semantics.syntax.printer import print_rule
from parte.languages.lead.semantics.syntax.streams import occurrences
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax import functions
from parte.semantics.partelang.syntax.builder import UNITS
from parte.semantics.partelang.syntax.core import Scalar
from parte.semantics.partelang.syntax.declarations import LIST
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.partelang.syntax.expectations import KEYWORDS
from parte.semantics.source.diagnostics import ProgramError
from tests.campaigns.translations import compare_in_cel

Bindings = set[frozenset[tuple[str, str]]]

OF: Mapping[str, set[str]] = {
    "PARTElang": {*KEYWORDS, *UNITS, *functions.names(), LIST, *(scalar.value for scalar in Scalar)},
    "CEL": {word.lower() for word in (*cel_lexis.KEYWORDS, *cel_lexis.UNITS, *cel_lexis.EVENTS)},
    "ETALIS": set(etalis_lexis.WORDS),
    "LEAD": {word.lower() for word in (*lead_lexis.KEYWORDS, *lead_lexis.SYNONYMS, *lead_lexis.UNITS)},
}
"""The words of each language."""
MADE = {
    *("event_time", "timestamp", "id", "uid", "template", "source", "stream", "start", "end", "time", "type", "list"),
    *("e0", "e1", "s0", "R1", "l", "r", "c", "s", "t", "x0", "I0", "T0", "X0_k", "p", "n", "n_after", "v_after"),
    *("absent1", "absent1_1", "part_0", "part_4", "at_5", "other", "other_", "A", "B", "N", "A_2", "a", "b", "w"),
    *("_", "_x", "Select", "From", "Seq", "True", "FALSE", "Event_Time"),
}
"""What languages call what every event has, what translations make, and what the programs here have already."""
ROLES = ("attribute", "template", "variable", "rule")
CASES = [
    (way, role)
    for way in TRANSLATIONS
    for role in ROLES
    if (way[0] != "ETALIS" or role != "attribute") and (way[0] not in ("CEL", "LEAD") or role != "rule")
]
"""Arguments of events have no names in ETALIS, and queries of CEL and rules of LEAD have none."""


def tell_of(word: str, error: ProgramError) -> None:
    """A refusal has the name."""
    assert any(word in each.message for each in error.diagnostics), str(error)


def matches_of(text: str, events: Sequence[Event]) -> Bindings:
    """What a program of PARTElang finds."""
    program = parse(text)
    known = {template.name for template in program.templates}
    return {frozenset(match.bindings) for match in run(program, [e for e in events if e.template in known]).matches}


def written(word: str, role: str) -> str:
    """A rule of PARTElang with a word as a name of one kind: two events, and nothing between them."""
    attribute, template, variable, rule = (
        word if role == each else own for each, own in zip(ROLES, "kAvR", strict=True)
    )
    slots = f"{attribute} : Integer" + (", mark : Integer" if attribute != "mark" else "")
    return (
        "".join(f"template {each} {{ {slots} }}\n" for each in dict.fromkeys((template, "B", "N")))
        + f"rule {rule} where\n    {variable} : {template} {{ {attribute} > 1, {attribute} != mark }},\n"
        + f"    w : B {{ {attribute} = {variable}.{attribute} }},\n"
    )


WINDOWS = {
    "CEL": "when w in {v} [1 ms, 5 ms],",
    "LEAD": "    no n : N {{ {a} = w.{a} }},\nwhen w in {v} [1 ms, 5 ms], no n in w [-2 ms, 2 ms],",
    "ETALIS": "    no n : N {{ {a} = w.{a} }},\nwhen w in {v} [1 ms, 5 ms], "
    "no n in {v} [1 ms, 4 ms], no n in w [-4 ms, -1 ms],",
}


def trace(templates: Iterable[str], attribute: str) -> list[Event]:
    """Events at 1, 2, …: a match, one that N rules out, and one that lacks its condition."""
    one, other, absent = templates
    lines = [(one, 1, 2), (other, 2, 2), (one, 20, 3), (absent, 21, 3), (other, 22, 3), (one, 40, 1), (other, 41, 1)]
    return [
        Event(f"i{number}", name, time, {"mark": 0, attribute: value})
        for number, (name, time, value) in enumerate(lines)
    ]


def from_parte(target: str, word: str, role: str) -> str:
    """How it went: "no program", "refused" or "same"."""
    attribute, template, variable = (word if role == each else own for each, own in zip(ROLES, "kAv", strict=False))
    text = written(word, role) + WINDOWS[target].format(a=attribute, v=variable)
    try:
        program = parse(text)
    except ProgramError:
        return "no program"
    try:
        TRANSLATIONS["PARTElang", target](Given(text))
    except ProgramError as error:
        tell_of(word, error)
        return "refused"
    events = trace((template, "B", "N"), attribute)
    expected = matches_of(text, events)
    assert len(expected) == (2 if target == "CEL" else 1) or template in ("B", "N")
    (rule,) = program.rules
    match target:
        case "CEL":
            compare_in_cel(to_cel.to_cel(program, rule), events, {tuple(sorted(each)) for each in expected})
        case "LEAD":
            made = to_lead.to_lead(program, rule)
            names = {new: own for own, new in made.variables.items()}
            assert in_lead(print_rule(made.rule), events, names) == expected
        case _:
            other = parte_to_etalis.to_etalis(program, [rule])
            found = other.bindings(events_of_etalis(other.program, other.stream(events)))
            assert {frozenset(bound) for _, bound in found} == expected
    return "same"


def in_lead(text: str, events: Sequence[Event], names: dict[str, str]) -> Bindings:
    """What a rule of LEAD binds to events with names."""
    rule = parse_lead(text)
    return {
        frozenset((names[n], b.event.id) for n, b in match.bindings if isinstance(b, Occurrence) and n in names)
        for match in matches_of_lead(rule, occurrences(rule, events))
    }


def from_cel(word: str, role: str) -> str:
    attribute, template, variable = (word if role == each else own for each, own in zip(ROLES, "kAv", strict=False))
    name = f"[{attribute}]"
    text = (
        f"SELECT * WHERE {template} AS {variable}; B AS w FILTER {variable}[{name} > 1] AND w[{name}] = "
        f"{variable}[{name}] WITHIN 5 MS"
    )
    try:
        source = parse_cel(text)
    except ProgramError:
        return "no program"
    try:
        translated = TRANSLATIONS["CEL", "PARTElang"](Given(text))
    except ProgramError as error:
        tell_of(word, error)
        return "refused"
    assert parse(translated) == cel_to_parte.to_parte(source, text)
    events = trace((template, "B", "N"), attribute)
    seen = [event for event in events if event.template in (template, "B")]
    found = cel_to_parte.results(run(parse(translated), seen).matches, events)
    expected = results_of_cel(source.query, events)
    assert found == expected
    assert expected or template == "B"
    return "same"


def from_lead(word: str, role: str) -> str:
    attribute, template, variable = (word if role == each else own for each, own in zip(ROLES, "kAv", strict=False))
    streams = ", ".join(dict.fromkeys((template, "B", "N")))
    text = (
        f"FROM {streams} MATCH all({template} AS {variable} FILTER ({variable}.{attribute} > 1) -> not N -> "
        f"B within 5 ms) PARTITION BY {template}.{attribute}"
    )
    try:
        rule = parse_lead(text)
    except ProgramError:
        return "no program"
    try:
        translated = TRANSLATIONS["LEAD", "PARTElang"](Given(text))
    except ProgramError as error:
        if attribute != "event_time":  # which is no attribute of LEAD's either, but a time
            tell_of(word, error)
        return "refused"
    events = trace((template, "B", "N"), attribute)
    made = lead_to_parte.to_parte(rule, text)
    assert parse(translated) == made.program
    expected = in_lead(text, events, dict(made.variables))
    assert matches_of(translated, events) == expected
    assert len(expected) == 1
    return "same"


def from_etalis(word: str, role: str) -> str:
    template, variable, rule = (word if role == each else own for each, own in zip(ROLES[1:], "aVh", strict=True))
    variable = variable[0].upper() + variable[1:]
    template, rule = (each[0].lower() + each[1:] for each in (template, rule))
    text = f"{rule}({variable}) <- {template}({variable}) SEQ (b({variable}) AND 5) WHERE {variable} > 1.\n"
    try:
        program = parse_etalis(text)
    except ProgramError:
        return "no program"
    try:
        translated = TRANSLATIONS["ETALIS", "PARTElang"](Given(text))
    except ProgramError as error:
        tell_of(template if role == "template" else rule, error)
        return "refused"
    instants = [Instant(2, frozenset({(template, (2,))})), Instant(4, frozenset({("b", (2,)), ("b", (3,))}))]
    made = etalis_to_parte.to_parte(program, text)
    assert parse(translated) == made.program
    expected = set(events_of_etalis(program, instants))
    assert made.results(run(made.program, made.events(instants)).matches, instants) == expected
    assert expected or template == "b"
    return "same"


def tried(way: tuple[str, str], role: str, words: Iterable[str]) -> Counter[str]:
    """How often a direction took which way."""
    counts: Counter[str] = Counter()
    for word in words:
        match way:
            case ("PARTElang", target):
                counts[from_parte(target, word, role)] += 1
            case ("CEL", _):
                counts[from_cel(word, role)] += 1
            case ("LEAD", _):
                counts[from_lead(word, role)] += 1
            case _:
                counts[from_etalis(word, role)] += 1
    return counts


@pytest.mark.parametrize(("way", "role"), CASES, ids=str)
def test_words_that_mean_something(way: tuple[str, str], role: str) -> None:
    words = OF[way[1]] | MADE
    counts = tried(way, role, sorted(words))
    assert counts["same"] > 20
    assert sum(counts.values()) == len(words)
    if role == "variable" or (role == "rule" and way[0] == "PARTElang"):  # what is no name of the data is renamed
        assert counts["refused"] == 0


@pytest.mark.exhaustive
@pytest.mark.parametrize(("way", "role"), CASES, ids=str)
def test_all_words_in_three_spellings(way: tuple[str, str], role: str) -> None:
    words = MADE.union(*OF.values())
    words |= {spelt for word in words for spelt in (word.upper(), word.title())}
    assert tried(way, role, sorted(words))["same"] > 100


# --- What was found, by name ------------------------------------------------------------------------------------------


def refusal(way: tuple[str, str], text: str, templates: str | None = None) -> str:
    with pytest.raises(ProgramError) as caught:
        TRANSLATIONS[way](Given(text, templates=templates))
    return str(caught.value)


def test_an_attribute_called_like_the_time_of_events_is_refused() -> None:
    text = "template A { event_time : Integer } rule R where a : A { event_time > 500 }"
    assert "`event_time` is an attribute that LEAD gives to every event" in refusal(("PARTElang", "LEAD"), text)
    unread = "template A { event_time : Integer, k : Integer } rule R where a : A { k > 500 }"
    assert "a.k > 500" in catalogue.to_lead(Given(unread))
    absent = "template A { k : Integer } template N { event_time : Integer }\nrule R where a : A, no n : N "
    absent += "{ event_time = a.k }, when no n in a [0 ms, 5 ms]"
    assert "program:2:" in refusal(("PARTElang", "LEAD"), absent)


NEGATED = "no {} : N {{ k = a.k }},"


@pytest.mark.parametrize("patterns", ["{p} : B, {n}", "{n} {p} : B,"])
def test_a_variable_called_like_the_list_of_what_is_absent(patterns: str) -> None:
    """`n_after` before the negated `n`, and behind it."""
    text = "".join(f"template {name} {{ k : Integer }}\n" for name in "ABN")
    text += "rule R where a : A," + patterns.format(p="n_after", n=NEGATED.format("n"))
    text += " when n_after in a [0 ms, 9 ms], no n in a [-2 ms, 5 ms]"
    written = catalogue.to_lead(Given(text))
    program = parse(text)
    names = {new: own for own, new in to_lead.to_lead(program, program.rules[0]).variables.items()}
    lines = [
        ("A", 1, 1),
        ("B", 2, 1),
        ("N", 3, 2),
        ("A", 20, 1),
        ("B", 21, 1),
        ("N", 24, 1),
        ("N", 49, 1),
        ("A", 50, 1),
    ]
    events = [Event(f"i{n}", name, time, {"k": k}) for n, (name, time, k) in enumerate([*lines, ("B", 51, 1)])]
    found = matches_of(text, events)
    assert found == {frozenset({("a", "i0"), ("n_after", "i1")})}
    assert in_lead(written, events, names) == found


def test_a_name_that_was_given_is_not_mixed_up_with_one_that_is_made() -> None:
    """The second event of A has no name, and PARTElang cannot say `A#2`; another event is called A_2."""
    text = "FROM A, B MATCH all((A -> B AS A_2 within 5 ms -> A within 5 ms) FILTER (A_2.k == 1))"
    declared = "".join(f"template {name} {{ k : Integer, uid : Integer }}\n" for name in "AB")
    given = Given(text, templates=declared)
    events = [Event(f"i{n}", name, n, {"k": k, "uid": n}) for n, (name, k) in enumerate([("A", 0), ("B", 1), ("A", 0)])]
    translated = catalogue.lead_to_parte(given)
    assert "no two events have one `uid`" in translated
    assert matches_of(translated, events) == {frozenset({("A", "i0"), ("A_2", "i1"), ("A_2_", "i2")})}
    assert "// `A#2` is called `A_2_` here." in translated


def test_an_attribute_called_uid_tells_events_apart_only_where_it_is_declared() -> None:
    """Two events of a match may well have one `uid`, if that is what the rule says of them."""
    text = "FROM A MATCH all((A -> A AS b within 5 ms) FILTER (A.uid == 7 and b.uid == 7))"
    assert "may have several places" in refusal(("LEAD", "PARTElang"), text)


def test_attributes_called_like_constants() -> None:
    text = "SELECT * WHERE A FILTER A[[true] = FALSE AND [false] = [true]]"
    translated = catalogue.to_parte(Given(text))
    events = [Event(f"i{n}", "A", n, {"true": one, "false": one}) for n, one in enumerate((True, False))]
    assert matches_of(translated, events) == {frozenset({("e0", "i1")})}


def test_what_is_renamed_is_said() -> None:
    text = "template A { k : Integer } rule Where where from : A, seq : A, when seq in from [1 ms, 5 ms],"
    assert "-- `from` is called `from_` here.\n" in catalogue.to_cel(Given(text))
    assert "// `from` is called `from_` here.\n" in catalogue.to_lead(Given(text))
    assert "% Rule where: where_" not in catalogue.to_etalis(Given(text))
    assert "% Rule Where: where_(from, seq)\n" in catalogue.to_etalis(Given(text))
    sequence = "FROM A, B MATCH all(A -> B AS rule within 5 ms)"
    assert "// `rule` is called `rule_` here.\n" in catalogue.lead_to_parte(Given(sequence))


@pytest.mark.parametrize(
    ("way", "text", "message"),
    [
        (("CEL", "PARTElang"), "SELECT * WHERE rule", "`rule` is a keyword of PARTElang"),
        (("LEAD", "PARTElang"), "FROM no MATCH all(no)", "`no` is a keyword of PARTElang"),
        (("ETALIS", "PARTElang"), "e <- at.", "`at` is a keyword of PARTElang"),
        (("ETALIS", "PARTElang"), "rule <- a.", "`rule` is a keyword of PARTElang"),
        (
            ("CEL", "PARTElang"),
            "SELECT * WHERE A FILTER A[timestamp > 1]",
            "`timestamp` is an attribute that PARTElang",
        ),
        (("PARTElang", "ETALIS"), 'template A { s : String } rule R where a : A { s = "1/2" }', "looks like a number"),
        (
            ("PARTElang", "LEAD"),
            "template A { k : Integer } template N { k : Integer } rule R where a : A, no n : N, "
            "when no n in a [0 ms, 9223372036854775807 ms]",
            "LEAD refuses line 3 of the translation: this duration does not fit 64 bit",
        ),
    ],
)
def test_what_cannot_be_written_is_refused(way: tuple[str, str], text: str, message: str) -> None:
    assert message in refusal(way, text)


PRINTERS = {
    "PARTElang": ("parte.semantics.partelang.syntax.printer.print_program", "rule R where a : A"),
    "CEL": ("parte.languages.cel.semantics.syntax.printer.print_query", "SELECT * WHERE Other"),
    "ETALIS": ("parte.languages.etalis.semantics.syntax.printer.print_program", "other <- a."),
    "LEAD": ("parte.languages.lead.semantics.syntax.printer.print_rule", "FROM Other MATCH all(Other)"),
}
SIMPLE = {
    "PARTElang": "template A { k : Integer } rule R where a : A { k > 1 },",
    "CEL": "SELECT * WHERE A FILTER A[k > 1]",
    "ETALIS": "e(X) <- a(X) WHERE X > 1.",
    "LEAD": "FROM A MATCH all(A FILTER (A.k > 1))",
}


@pytest.mark.parametrize("way", TRANSLATIONS, ids=" to ".join)
def test_every_translation_is_read_back(way: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A printer that writes what is no program, and one that writes another program."""
    printer, other = PRINTERS[way[1]]
    assert TRANSLATIONS[way](Given(SIMPLE[way[0]]))
    monkeypatch.setattr(printer, lambda _: "template A {} " + other if way[1] == "PARTElang" else other)
    with pytest.raises(LayoutBug):
        TRANSLATIONS[way](Given(SIMPLE[way[0]]))
    monkeypatch.setattr(printer, lambda _: "(")
    assert f"{way[1]} refuses line" in refusal(way, SIMPLE[way[0]])
