"""The constructs of PARTElang in every way of writing them, which changes nothing; and the fraud scenarios."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from conformance.authoring.drafts import Draft

_SYNTAX = ("SPEC 2", "docs/language.md")
_TRACE = "a1@0(k=1) b1@1(k=1) b2@2(k=2) b3@9(k=1)"
_FRAUD = Path(__file__).resolve().parents[2] / "examples" / "fraud"


def drafts() -> Iterator[Draft]:
    """All cases of this module."""
    yield from _spellings()
    yield from _declarations()
    yield from _warnings()
    yield from _drivers()


def _spellings() -> Iterator[Draft]:
    for name, description, program in (
        (
            "commas",
            "Commas between everything",
            "rule R where a : A {}, b : B { k = a.k, k > 0 }, when b in a [0 ms, 5 ms],",
        ),
        ("no-commas", "No commas at all", "rule R where a : A b : B { k = a.k k > 0 } when b in a [0 ms, 5 ms] then"),
        (
            "trailing-commas",
            "Trailing commas",
            "rule R where a : A, b : B { k = a.k, }, when b in a [0 ms, 5 ms], then",
        ),
        ("one-line", "A rule on one line", "rule R where a:A,b:B{k=a.k}when b in a[0 ms,5 ms]then"),
        (
            "comments",
            "Comments of both kinds, anywhere",
            "// before\nrule R # name\nwhere // where\n  a : A // first\n  b : B { # own\n    k = a.k // join\n  }\n"
            "when # time\n  b in a [0 ms, // lower\n 5 ms] # upper\n# after",
        ),
        (
            "white-space",
            "Tabs, blank lines and form feeds",
            "rule\tR\n\n\nwhere\f a : A\n\n b : B{\tk\t=\ta.k } when b in a [ 0\nms , 5 ms ]",
        ),
        (
            "carriage-returns",
            "Lines that end in CR LF",
            "rule R where\r\n a : A\r\n b : B { k = a.k }\r\nwhen b in a [0 ms, 5 ms]\r\n",
        ),
    ):
        yield Draft(f"language/{name}", f"{description} leave the meaning as it is", program, _TRACE, "a1 b1", _SYNTAX)
    for name, condition, holds in (
        ("not-equal-sign", "k ≠ a.k", "a1 b2"),
        ("at-most-sign", "k ≤ a.k", "a1 b1"),
        ("at-least-sign", "k ≥ a.k + 1", "a1 b2"),
    ):
        yield Draft(
            f"language/{name}",
            f"Operators have a second spelling: {condition}",
            f"rule R where a : A, b : B {{ {condition} }} when b in a [0 ms, 5 ms]",
            _TRACE,
            holds,
            _SYNTAX,
        )
    yield Draft(
        "language/byte-order-mark",
        "A byte-order mark at the beginning of a program is white space",
        "\ufefftemplate A { k : Integer }\nrule R where a : A",
        "a1@0",
        "a1",
        _SYNTAX,
    )
    yield Draft(
        "language/empty-when-and-then",
        "`when` and `then` may be empty or left out",
        "rule One where a : A when then\nrule Two where a : A then\n"
        "rule Three where a : A when\nrule Four where a : A {}",
        "a1@0",
        "One: a1; Two: a1; Three: a1; Four: a1",
        _SYNTAX,
    )
    yield Draft(
        "language/number-forms",
        "Integers may have leading zeros, Floats exponents",
        "rule R where v : V { i = 007, f = 2.5e-1, f = 0.025E1, f < 1e300 }",
        "v1@0(i=7,f=0.25) v2@1(i=7,f=0.5)",
        "v1",
        _SYNTAX,
    )
    yield Draft(
        "language/minus-signs",
        "A minus continues the expression before it, unless a comma ends that",
        "rule R where v : V { i - 1 = -3, -i = 2, i = - 2 }",
        "v1@0(i=-2) v2@1(i=2)",
        "v1",
        _SYNTAX,
    )


def _declarations() -> Iterator[Draft]:
    yield Draft(
        "language/type-aliases",
        "A type may have other names, and these others again",
        "type Amount = Count\ntype Count = Integer\ntype Amounts = [Amount; 2]\n"
        "template T { n : Amount }\ntemplate O { ns : Amounts }\n"
        "rule R where t : T then emit O at t.timestamp with { ns = list(t.n, t.n + 1) }",
        [{"id": "t1", "template": "T", "timestamp": 0, "attributes": {"n": 3}}],
        "t1",
        _SYNTAX,
    )
    yield Draft(
        "language/attributes-called-like-keywords",
        "Attributes may be called like keywords, units and functions",
        "template T { rule : Integer, when : Integer, no : Integer, ms : Integer, min : Integer }\n"
        "rule R where a : T { rule = 1, min = 5 }, b : T { b.when = a.no } when b in a [0 ms, 0 ms]",
        [
            {
                "id": "t1",
                "template": "T",
                "timestamp": 0,
                "attributes": {"rule": 1, "when": 2, "no": 2, "ms": 4, "min": 5},
            }
        ],
        "t1 t1",
        _SYNTAX,
    )
    yield Draft(
        "language/long-names",
        "Names may have 128 characters",
        f"template {'T' * 128} {{ k : Integer }}\nrule {'R' * 128} where {'v' * 128} : {'T' * 128}",
        [{"id": "t1", "template": "T" * 128, "timestamp": 0, "attributes": {"k": 3}}],
        "t1",
        _SYNTAX,
    )
    yield Draft(
        "language/rules-and-templates-share-a-name",
        "Rules have a name space of their own",
        "template Same { k : Integer }\nrule Same where Sam : Same",
        [{"id": "s1", "template": "Same", "timestamp": 0, "attributes": {"k": 3}}],
        "s1",
        _SYNTAX,
    )
    yield Draft(
        "language/declared-after-use",
        "Templates, types and predicates may be declared after their use",
        "rule R where t : T { p(n) }\npredicate p(Count)\ntemplate T { n : Count }\ntype Count = Integer",
        [{"id": f"t{n}", "template": "T", "timestamp": n, "attributes": {"n": n}} for n in (1, 2)],
        "t2",
        _SYNTAX,
        {"p": {"true_for": [[2]]}},
    )
    yield Draft(
        "language/many-patterns",
        "A rule may have many patterns",
        "rule R where "
        + " ".join(f"v{n} : A {{ k = {n} }}" for n in range(16))
        + " when "
        + " ".join(f"v{n} in v{n - 1} [1 ms, 1 ms]" for n in range(1, 16)),
        " ".join(f"a{n}@{n}(k={n})" for n in range(16)),
        " ".join(f"a{n}" for n in range(16)),
        _SYNTAX,
    )
    yield Draft(
        "language/independent-rules",
        "Rules of one program do not disturb each other",
        "rule First where a : A, b : B when b in a [0 ms, 2 ms]\n"
        "rule Second where a : A, b : B when b in a [2 ms, 4 ms]\n"
        "rule Third where b : B, a : A when a in b [-1 ms, 0 ms]",
        "a1@0 b1@1 b2@2 b3@4",
        "First: a1 b1; First: a1 b2; Second: a1 b2; Second: a1 b3; Third: b1 a1",
        ("SPEC 4",),
    )


def _warnings() -> Iterator[Draft]:
    for name, program in (
        ("unused-type", "type X = String\nrule R where a : A"),
        ("unused-template", "template X {}\nrule R where a : A"),
        ("unused-predicate", "predicate p(String)\nrule R where a : A"),
    ):
        yield Draft(
            f"warnings/{name}",
            f"A program with the warning {name} runs",
            program,
            "a1@0",
            "a1",
            ("docs/diagnostics.md",),
            {"p": {"true_for": []}} if "predicate" in name else {},
        )
    yield Draft(
        "warnings/contradictory-windows-of-three",
        "Windows of three events may contradict each other; the rule never matches, others do",
        "rule R where a : A, b : A, c : A when b in a [1 ms, 1 ms] c in b [1 ms, 1 ms] c in a [0 ms, 1 ms]\n"
        "rule Q where a : A, b : A when b in a [1 ms, 1 ms]",
        "a1@0 a2@1 a3@2",
        "Q: a1 a2; Q: a2 a3",
        ("docs/diagnostics.md",),
    )


# --- Driver scenarios (D §7.2) ----------------------------------------------------------------------------------------


def _drivers() -> Iterator[Draft]:
    text = (_FRAUD / "scenarios.parte").read_text(encoding="utf-8")
    printed = (_FRAUD / "refund-scam-as-printed.parte").read_text(encoding="utf-8")
    domain = json.loads((_FRAUD / "domain.json").read_text(encoding="utf-8"))
    trace = [json.loads(line) for line in (_FRAUD / "trace.jsonl").read_text(encoding="utf-8").splitlines()]
    declarations, *rules = (part.strip() for part in _rules(text))
    expected = {
        "FraudPassThrough": "t2 t10; t13 t201; t13 t5003",
        "FraudDiffusion": "t4 t6 t9 t200; t4 t6 t200 t9; t4 t9 t6 t200; t4 t9 t200 t6; t4 t200 t6 t9; t4 t200 t9 t6",
        "FraudRefundScam": "t13 t201 claim; t13 t5003 claim",
    }
    sections = ("SPEC 6", "D §7.2")
    for rule in rules:
        name = rule.split()[1]
        yield Draft(
            f"drivers/{_dashed(name)}",
            f"The driver scenario {name} on the trace of D fig. 7.3",
            f"{declarations}\n\n{rule}".split("\n"),
            trace,
            expected[name],
            sections,
            domain,
        )
    together = "; ".join(f"{name}: {part.strip()}" for name, found in expected.items() for part in found.split(";"))
    yield Draft(
        "drivers/all-scenarios",
        "The three driver scenarios in one program",
        text.rstrip("\n").split("\n"),
        trace,
        together,
        sections,
        domain,
    )
    yield Draft(
        "drivers/refund-scam-as-printed",
        "As D prints the refund scam, the incoming transfer fills the negated pattern itself: no match at all",
        printed.rstrip("\n").split("\n"),
        trace,
        "",
        sections,
    )
    yield Draft(
        "drivers/abstracted",
        "Pass-through over events that another rule emits for transfers by uncommon routes (D appendix A)",
        _ABSTRACTED.strip().split("\n"),
        [item for item in trace if item["template"] == "MoneyTransferred"],
        None,
        ("SPEC 6", "D §A.1"),
        domain,
    )


def _rules(text: str) -> Iterator[str]:
    """A program split before each rule, without its comments."""
    lines = [line for line in text.split("\n") if not line.lstrip().startswith("//")]
    part: list[str] = []
    for line in lines:
        if line.startswith("rule "):
            yield "\n".join(part)
            part = []
        part.append(line.split("//")[0].rstrip())
    yield "\n".join(part)


def _dashed(name: str) -> str:
    return "".join(f"-{char.lower()}" if char.isupper() else char for char in name).lstrip("-")


_ABSTRACTED = """
type AccountId = String
predicate uncommon_route(AccountId, AccountId)
template MoneyTransferred { id : Integer, originator : AccountId, destination : AccountId, amount : Float }
template Suspicious { id : Integer, originator : AccountId, destination : AccountId, amount : Float }
template Sequence { account : AccountId, amount : Float, transactions : [Integer; 2] }
rule Abstract where
    t : MoneyTransferred { amount >= 100.0, uncommon_route(originator, destination) }
then
    emit Suspicious at t.timestamp with {
        id = t.id, originator = t.originator, destination = t.destination, amount = t.amount
    }
rule PassThrough where
    incoming : Suspicious
    outgoing : Suspicious { originator = incoming.destination, amount = incoming.amount }
when
    outgoing in incoming [0 days, 14 days]
then
    emit Sequence at incoming.timestamp with {
        account = incoming.destination, amount = incoming.amount, transactions = list(incoming.id, outgoing.id)
    }
"""
