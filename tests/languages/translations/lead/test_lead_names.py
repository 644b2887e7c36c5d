"""Names of LEAD that mean something elsewhere: what was found, by name."""

from __future__ import annotations

import pytest

from parte.languages.translations.lead.texts import to_lead, to_parte
from parte.languages.translations.lead.to_lead import to_lead as lead_rule_of
from parte.languages.translations.table import Given
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax.elaborate import parse
from tests.languages.translations.lead.part import in_lead
from tests.languages.translations.names import matches_of, refusal


def test_an_attribute_called_like_the_time_of_events_is_refused() -> None:
    text = "template A { event_time : Integer } rule R where a : A { event_time > 500 }"
    assert "`event_time` is an attribute that LEAD gives to every event" in refusal(("PARTElang", "LEAD"), text)
    unread = "template A { event_time : Integer, k : Integer } rule R where a : A { k > 500 }"
    assert "a.k > 500" in to_lead(Given(unread))
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
    written = to_lead(Given(text))
    program = parse(text)
    names = {new: own for own, new in lead_rule_of(program, program.rules[0]).variables.items()}
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
    matches = matches_of(text, events)
    assert matches == {frozenset({("a", "i0"), ("n_after", "i1")})}
    assert in_lead(written, events, names) == matches


def test_a_name_that_was_given_is_not_mixed_up_with_one_that_is_made() -> None:
    """The second event of A has no name, and PARTElang cannot say `A#2`; another event is called A_2."""
    text = "FROM A, B MATCH all((A -> B AS A_2 within 5 ms -> A within 5 ms) FILTER (A_2.k == 1))"
    declared = "".join(f"template {name} {{ k : Integer, uid : Integer }}\n" for name in "AB")
    source = Given(text, templates=declared)
    events = [Event(f"i{n}", name, n, {"k": k, "uid": n}) for n, (name, k) in enumerate([("A", 0), ("B", 1), ("A", 0)])]
    translated = to_parte(source)
    assert "no two events have one `uid`" in translated
    assert matches_of(translated, events) == {frozenset({("A", "i0"), ("A_2", "i1"), ("A_2_", "i2")})}
    assert "// `A#2` is called `A_2_` here." in translated


def test_an_attribute_called_uid_tells_events_apart_only_where_it_is_declared() -> None:
    """Two events of a match may well have one `uid`, if that is what the rule says of them."""
    text = "FROM A MATCH all((A -> A AS b within 5 ms) FILTER (A.uid == 7 and b.uid == 7))"
    assert "may have several places" in refusal(("LEAD", "PARTElang"), text)


def test_what_is_renamed_is_said() -> None:
    text = "template A { k : Integer } rule Where where from : A, seq : A, when seq in from [1 ms, 5 ms],"
    assert "// `from` is called `from_` here.\n" in to_lead(Given(text))
    sequence = "FROM A, B MATCH all(A -> B AS rule within 5 ms)"
    assert "// `rule` is called `rule_` here.\n" in to_parte(Given(sequence))


@pytest.mark.parametrize(
    ("way", "text", "message"),
    [
        (("LEAD", "PARTElang"), "FROM no MATCH all(no)", "`no` is a keyword of PARTElang"),
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
