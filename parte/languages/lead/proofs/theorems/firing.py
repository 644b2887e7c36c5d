"""Lemmas on firing (L §5): the steps of an instant, garbage consumers, and the age of tokens."""

from __future__ import annotations

from collections.abc import Callable

from parte.languages.lead.proofs.settings import AnySchedule, decided, rule_of
from parte.languages.lead.semantics.branches import Running
from parte.languages.lead.semantics.machine import Machine
from parte.languages.lead.semantics.net import Net, Phase, Place, garbage, step
from parte.languages.lead.semantics.net import Run as Firing
from parte.languages.lead.semantics.tokens import Activation, Token, nothing
from parte.proofs.lemma import HOLDS, REPAIRED, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.statements import at_most, pointwise
from parte.proofs.symbolic import Claims, Run, choice

_NET = "parte.languages.lead.semantics.net"


def _alone(run: Run, net: Net) -> Firing:
    """Return a run of a net without any history, at any instant, under every schedule."""
    firing = Firing(net, run.repairs, {}, {}, AnySchedule(run))
    firing.now = decided(run, "now")
    return firing


def _activation(firing: Firing, parent: Activation | None = None) -> Activation:
    return firing.activation(parent, firing.now, {}, frozenset())


def consumed(run: Run) -> Claims:
    """Tokens of three activations, each of which may be closed, in a place of arrivals and in two stateful ones."""
    net = Net()
    present, stored, enabled = _places(net)
    firing = _alone(run, net)
    outer = _activation(firing)
    inner, separate = _activation(firing, outer), _activation(firing)
    activations = (outer, inner, separate)
    for place in (present, stored, enabled):
        for activation in activations:
            firing.put(place, Token(activation, None))
    closed = []
    for number, activation in enumerate(activations):
        if run.truth(f"activation {number} is closed"):
            firing.close(activation)
            closed += [outer, inner] if activation is outer else [activation]
    garbage(firing)
    needed = [activation for activation in activations if activation not in closed]
    return (
        ("places of arrivals are empty", firing.all_stored(present) == []),
        (
            "of stateful places just what is disabled goes",
            all([token.activation for token in firing.all_stored(place)] == needed for place in (stored, enabled)),
        ),
    )


def _places(net: Net) -> tuple[Place, Place, Place]:
    """Return a place of arrivals, a stateful place, and one whose tokens wait for arrivals."""
    net.present.append(net.place("present"))
    return net.present[0], net.place("stored", red=True), net.place("enabled", red=True, waits=True)


def used_up(run: Run) -> Claims:
    """Stored tokens of two activations, one below the other; each may wait for an arrival or for a guard."""
    net = Net()
    _, stored, enabled = _places(net)
    guard = net.transition("STEP", 0, stored, lambda *_: None, phase=Phase.DUE_FIRST)
    firing = _alone(run, net)
    outer = _activation(firing)
    inner = _activation(firing, outer)
    later, waiting = decided(run, "later"), []
    run.assume(at_most(firing.now, later))
    for number, activation in enumerate((outer, inner)):
        firing.put(stored, Token(activation, None))
        held = choice(run, f"activation {number}", ("waits for an arrival", "has a guard", "waits for nothing"))
        if held == "waits for an arrival":
            firing.put(enabled, Token(activation, None))
            waiting.append(activation)
        elif held == "has a guard":
            firing.due(guard, later, Token(activation, None))
            waiting += [] if later == firing.now else [activation]
    step(firing, ())
    needed = [
        activation
        for activation in (outer, inner)
        if activation in waiting or (activation is outer and inner in waiting)
    ]
    left = [token.activation for token in firing.all_stored(stored)]
    return (("they stay just as long as one of them, or one below, waits", left == needed),)


def stored_tokens(run: Run) -> Claims:
    """A token of a stateful place whose activation waits for an arrival, at an instant and at a later one."""
    net = Net()
    _, stored, enabled = _places(net)
    firing = _alone(run, net)
    activation = _activation(firing)
    firing.put(stored, Token(activation, None))
    firing.put(enabled, Token(activation, None))
    later = decided(run, "later")
    run.assume(at_most(firing.now, later))
    firing.now = later
    step(firing, ())
    return (("it is still there", len(firing.all_stored(stored)) == 1),)


def disabled(run: Run) -> Claims:
    """A token of the innermost of three activations, each of which may be closed."""
    net = Net()
    stored = net.place("stored", red=True)
    firing = _alone(run, net)
    inner: Activation | None = None
    closed = []
    for number in range(3):
        inner = _activation(firing, inner)
        closed.append(bool(run.truth(f"activation {number} is closed")))
        if closed[-1]:
            firing.close(inner)
    assert inner is not None
    firing.put(stored, Token(inner, None))
    return (("it is put there just if none of them is closed", (firing.all_stored(stored) == []) is any(closed)),)


def order_of_firing(run: Run) -> Claims:
    """Two transitions of any ranks, with a token each, a guard before arrivals and one among the others."""
    net, fired = Net(), list[int]()
    ranks = [decided(run, f"rank {number}") for number in range(3)]

    def noted(number: int) -> Callable[[Firing, Token], None]:
        return lambda *_: fired.append(number)

    places = [net.place(f"place {number}") for number in range(3)]
    guards = [net.transition("STEP", ranks[2], places[2], noted(2), phase=Phase.DUE_LATER)]
    guards.append(net.transition("STEP", 0, places[2], noted(3), phase=Phase.DUE_FIRST))
    for number in range(2):
        net.transition("STEP", ranks[number], places[number], noted(number))
    firing = _alone(run, net)
    open_, closed = _activation(firing), _activation(firing)
    firing.close(closed)
    for place in places[:2]:
        firing.put(place, Token(open_, None))
    for guard in guards:
        firing.due(guard, firing.now, Token(open_, None))
        firing.due(guard, firing.now, Token(closed, None))
    step(firing, ())
    behind = [ranks[number] for number in fired if number in range(3)]
    return (
        ("each fires once, and no guard of what is disabled", sorted(fired) == [0, 1, 2, 3]),
        ("a guard that does not wait for arrivals fires first", fired[0] == 3),
        ("of the others none before one of less rank", pointwise(behind[:-1], behind[1:])),
    )


def branches_consumed(run: Run) -> Claims:
    """A branch for one item in each of two contexts; any may be over, and any list may have the item."""
    pattern = "collect(A) terminate (count() >= 2) AS l Subcontext(i ==> l (MATCH B within 3 ms)) AS m"
    net = Machine(rule_of(run, f"FROM A, B MATCH {pattern}")).net
    ((count, consumer),) = net.consumers
    (lists,) = (place for place in net.places if place.role == "lists")
    firing = _alone(run, net)
    item = nothing(firing.now, firing.now)
    contexts, needed = [], []
    for number in range(2):
        context = _activation(firing)
        branch = Running(item, _activation(firing, context), bool(run.truth(f"branch {number} is over")))
        firing.put(count, Token(context, branch))
        listed = bool(run.truth(f"list {number} has the item"))
        if listed:
            firing.put(lists, Token(_activation(firing, context), ((item,),)))
        contexts.append(context)
        needed += [context] if listed or not branch.over else []
    consumer(firing)
    left = [token.activation for token in firing.all_stored(count)]
    return (("what is over and in no list of its context is gone", left == needed),)


LEMMAS = (
    Lemma(
        "the-least-rank-fires-first",
        "Guards that need no arrivals fire first, then what is enabled, by rank; nothing that is disabled fires.",
        "5",
        ("LEAD/STEP",),
        "2 transitions and 2 guards with any ranks; every schedule",
        order_of_firing,
        Mutant(
            "guards-last",
            f"{_NET}:step",
            "if run.repairs.deadline_first:\n        run.guards()",
            "if False:\n        pass",
        ),
        REPAIRED,
        (23,),
    ),
    Lemma(
        "what-is-disabled-gets-no-token",
        "A token goes into a place just if neither its activation nor one above it is closed.",
        "5.1",
        ("LEAD/GC",),
        "1 token, 3 activations below each other",
        disabled,
        Mutant(
            "ask-the-innermost",
            f"{_NET}:Run.activation",
            "activation.closed = parent.closed",
            "pass",
        ),
        HOLDS,
    ),
    Lemma(
        "garbage-is-what-nothing-needs",
        "At the end of an instant places of arrivals are emptied, and of stateful ones what is disabled is taken.",
        "5.1",
        ("LEAD/GC",),
        "3 activations, one below another, each open or closed, with a token in each of 3 places",
        consumed,
        Mutant("keep-arrivals", f"{_NET}:garbage", "run.collect_garbage()", "pass"),
        HOLDS,
    ),
    Lemma(
        "what-nothing-can-reach-goes",
        "Stored tokens stay just while their activation, or one below, waits for an arrival or has a guard.",
        "5.1",
        ("LEAD/GC",),
        "2 activations, one below another, with a stored token each, and a guard due at any instant",
        used_up,
        Mutant(
            "never-over", "parte.languages.lead.semantics.tokens:Activation.over", "not self.waiting and", "False and"
        ),
        HOLDS,
    ),
    Lemma(
        "branches-go-with-their-items",
        "A branch that is over is consumed just if nothing in its context has its item.",
        "5.1",
        ("LEAD/SUB-GC",),
        "2 contexts with a branch and a list each, for one item",
        branches_consumed,
        Mutant(
            "consume-all",
            "parte.languages.lead.semantics.branches:forget",
            "(token.activation, branch.item) not in needed",
            "True",
        ),
        HOLDS,
    ),
    Lemma(
        "tokens-stay-while-they-are-needed",
        "A token of a stateful place stays there while its activation waits, however late it becomes.",
        "5.1",
        ("LEAD/GC", "LEAD/STEP"),
        "1 stored token of an activation that waits for an arrival, any instants",
        stored_tokens,
        Mutant("let-it-age", f"{_NET}:step", "if not run.repairs.keep:", "if run.repairs.keep:"),
        REPAIRED,
        (31,),
    ),
)
