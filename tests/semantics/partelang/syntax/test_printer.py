"""Printing: what is printed reads the same, canonical text stays as it is, and comments survive."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parte.semantics.partelang.syntax import ast, parse_source
from parte.semantics.partelang.syntax.printer import print_expression, print_program
from tests.semantics.partelang.syntax.programs import PASS_THROUGH, VALID
from tests.semantics.partelang.syntax.trees import names, programs


@given(programs)
def test_printed_trees_read_the_same(tree: ast.SourceProgram) -> None:
    text = print_program(tree)
    read = parse_source(text)
    assert read == tree
    assert print_program(read) == text


@pytest.mark.parametrize("name", sorted(VALID))
def test_printed_programs_read_the_same(name: str) -> None:
    tree = parse_source(VALID[name])
    text = print_program(tree)
    assert parse_source(text) == tree
    assert print_program(parse_source(text)) == text


@given(programs, st.data())
def test_comments_survive(tree: ast.SourceProgram, data: st.DataObject) -> None:
    """Comments are put before and after lines, and between the words of a line."""
    lines = print_program(tree).split("\n")
    expected: list[str] = []
    for number in range(len(lines)):
        choice = data.draw(st.sampled_from(["none", "none", "own", "behind", "within", "blank"]))
        text = f"c{len(expected)} {data.draw(names)}"
        if choice == "own":
            lines[number] = f"  # {text}\n{lines[number]}"
        elif choice == "behind":
            lines[number] += f" //{text}"
        elif choice == "within" and " : " in lines[number] and '"' not in lines[number]:
            lines[number] = lines[number].replace(" : ", f" : // {text}\n", 1)
        elif choice == "blank":
            lines[number] = f"// {text}\n\n{lines[number]}"
        else:
            continue
        expected.append(text)
    source = parse_source("\n".join(lines))
    assert source == tree
    assert [comment.text.strip() for comment in source.comments] == expected
    printed = print_program(source)
    assert parse_source(printed) == tree
    assert sorted(_comments(printed)) == sorted(expected)
    assert print_program(parse_source(printed)) == printed


def _comments(text: str) -> list[str]:
    """Comments that came to stand on one line are told apart by their marks."""
    return [part.strip() for comment in parse_source(text).comments for part in comment.text.split("//")]


@pytest.mark.parametrize(
    "text",
    [
        *("a + b + c", "a + (b + c)", "a - (b - c)", "a - b - c", "a * (b + c)", "a * b + c", "a / (b * c)"),
        *("-5", "-(5)", "--5", "-a", "--a", "-(a + b)", "-a * b", "-(a * b)", "a - -5", "a * -5", "-5 * a"),
        *("-(5 minutes)", "-5 minutes", "1 day", "-1 day", "0 days", "3 ms"),
        *("(a = b) = c", "a = (b = c)", "(a < b) != (c < d)", "a + (b = c)", "-(a = b)", "f(a = b, -c)"),
        *("1.0", "1e+22", "-0.0", "5e-324", '"\\"\\\\\\n\\u0000"', "true", "v.true", "v.timestamp + 5 minutes"),
    ],
)
def test_no_more_parentheses_than_needed(text: str) -> None:
    (rule,) = parse_source(f"rule R where a : T {{ {text} }}").declarations
    assert isinstance(rule, ast.Rule)
    (condition,) = rule.patterns[0].conditions
    assert print_expression(condition) == text


def test_layout() -> None:
    text = PASS_THROUGH.replace("amount >= 100.0,", "amount>=100.0, # enough\n // the route\n")
    text = text.replace("when\n", "// windows\nwhen // two weeks\n").replace(
        "rule Fraud", "// Scenario A.\n\nrule Fraud"
    )
    text += "// the end"
    assert print_program(parse_source(text)) == (
        """\
type AccountId = String
type TransactionId = String
type Amount = Float

predicate uncommon_route(AccountId, AccountId)

template MoneyTransferred {
    id          : TransactionId,
    originator  : AccountId,
    destination : AccountId,
    amount      : Amount,
}

template SuspiciousSequenceDetected {
    mule_account          : AccountId,
    amount                : Amount,
    incoming_transactions : [AccountId; 3],
    outgoing_transactions : [AccountId; 3],
}

// Scenario A.

rule FraudPassThrough where
    incoming : MoneyTransferred {
        amount >= 100.0,  // enough
        // the route
        uncommon_route(originator, destination),
    },
    outgoing : MoneyTransferred {
        uncommon_route(originator, destination),
        originator = incoming.destination,
        amount = incoming.amount,
    },
// windows
when  // two weeks
    outgoing in incoming [0 days, 14 days],
then
    emit SuspiciousSequenceDetected
        at incoming.timestamp
        with {
            mule_account          = incoming.destination,
            amount                = incoming.amount,
            incoming_transactions = list(incoming.id),
            outgoing_transactions = list(outgoing.id),
        }

// the end
"""
    )
