"""The machine step by step: premises of PROC and PROP, schedules, capacities, and why a run is blocked."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parte.conformance.partelang.strategies import ProgramShape, cases
from parte.semantics.events.domain import MissingPredicate
from parte.semantics.events.event import Event, TraceItem
from parte.semantics.events.outcome import NodeStatus
from parte.semantics.events.promises import arrivals
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.capacities import UNBOUNDED, Capacities, CapacitiesError, NodeCapacities, read_capacities
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.execution import execute, sources_of
from parte.semantics.partelang.machine import ActionKind, Machine, Step
from parte.semantics.partelang.network import EntryNode, Network, TwoInputNode
from parte.semantics.partelang.repairs import MODELS, PUBLISHED, RUDIMENTARY, SOUND, Family, repair_names
from parte.semantics.partelang.schedules import SCHEDULES, Adversarial, RoundRobin, Schedule, SeededRandom, schedule_of
from parte.semantics.partelang.syntax import core, parse
from parte.semantics.rulebook.models import Model

PAIR = parse("template A {} template B {} rule R where a: A, b: B when b in a [0 ms, 3 ms] then")
ITEMS = (Event("a1", "A", 0, {}), Event("b1", "B", 1, {}), Event("a2", "A", 2, {}), Event("b2", "B", 9, {}))


def machine_for(program: core.Program, items: tuple[TraceItem, ...], capacities: Capacities = UNBOUNDED) -> Machine:
    fed = arrivals(items)
    machine = Machine(compile_program(program, {}, sources_of(fed)), SOUND, capacities, recorder=lambda _: None)
    for arrival in fed:
        machine.feed(arrival)
    return machine


def test_a_step_is_refused_while_its_premises_do_not_hold() -> None:
    machine = machine_for(PAIR, ITEMS, Capacities(NodeCapacities(inbox=1, outbox=1)))
    entry, alpha = machine.network.index("entry:A"), machine.network.index("alpha:R.a")
    queue = next(index for index, queue in enumerate(machine.queues) if queue.name == "A from default")
    assert machine.arrive(queue)
    assert not machine.arrive(queue), "the slot is full"
    assert machine.proc(entry, 0)
    assert machine.arrive(queue)
    assert not machine.proc(entry, 0), "the outbox is full"
    assert machine.prop(entry)
    assert machine.proc(entry, 0)
    assert not machine.prop(entry), "the slot of the alpha node is full"
    assert machine.proc(alpha, 0)
    assert machine.prop(entry)


def test_candidates_are_where_tokens_are() -> None:
    machine = machine_for(PAIR, ITEMS)
    assert {action.kind for action in machine.candidates()} == {ActionKind.ARRIVE}
    machine.arrive(0)
    kinds = [action.kind for action in machine.candidates()]
    assert kinds.count(ActionKind.PROC) == 1
    assert not machine.finished


@given(cases(), st.booleans())
@settings(max_examples=30)
def test_a_machine_that_was_reset_is_as_good_as_new(
    case: tuple[core.Program, tuple[TraceItem, ...]], recorded: bool
) -> None:
    program, items = case
    fed = arrivals(items)
    network = compile_program(program, {}, sources_of(fed))
    machine = Machine(network, SOUND, recorder=(lambda _: None) if recorded else None)
    results = []
    for _ in range(2):
        RoundRobin().drive(machine, fed)
        results.append((machine.matches, machine.failures, machine.steps_taken))
        machine.reset()
    assert results[0] == results[1]
    assert machine.matches == []


def test_a_machine_in_which_tokens_wait_is_not_reset() -> None:
    with pytest.raises(ValueError, match="let it finish first"):
        machine_for(PAIR, ITEMS).reset()


@given(cases(ProgramShape(rules=1)), st.integers(0, 99))
@settings(max_examples=30)
def test_a_seed_repeats_its_steps(case: tuple[core.Program, tuple[TraceItem, ...]], seed: int) -> None:
    program, items = case
    for schedule in (SeededRandom(seed), Adversarial(seed), RoundRobin()):
        runs: list[list[Step]] = [[], []]
        for steps in runs:
            execute(Scenario.of(program, items), schedule=schedule, recorder=steps.append)
        assert [(step.rule, step.node, step.slot) for step in runs[0]] == [
            (step.rule, step.node, step.slot) for step in runs[1]
        ]


@pytest.mark.parametrize("model", MODELS.values(), ids=lambda model: model.name)
@pytest.mark.parametrize("schedule", [schedule_of(name, 3) for name in SCHEDULES], ids=lambda schedule: schedule.name)
def test_steps_are_counted_under_every_schedule(
    monkeypatch: pytest.MonkeyPatch, model: Model, schedule: Schedule
) -> None:
    scenario = Scenario.of(PAIR, ITEMS)
    recorded: list[Step] = []
    watched = execute(scenario, model=model, schedule=schedule, recorder=recorded.append)
    assert watched.steps == len(recorded) > 0
    taken = []
    proc = Machine.proc

    def counted(machine: Machine, index: int, slot: int) -> bool:
        took = proc(machine, index, slot)
        taken.append(took)
        return took

    monkeypatch.setattr(Machine, "proc", counted)
    steps = execute(scenario, model=model, schedule=schedule).steps
    assert steps is not None
    if model is SOUND and schedule == RoundRobin():
        assert not taken, "an unbounded run"
        assert 0 < steps <= len(recorded)
    else:
        assert steps == sum(taken) > 0


def test_seeds_choose_different_steps() -> None:
    orders = set()
    for seed in range(5):
        steps: list[Step] = []
        execute(Scenario.of(PAIR, ITEMS), schedule=SeededRandom(seed), recorder=steps.append)
        orders.add(tuple(step.node for step in steps))
    assert len(orders) > 1


def test_the_adversary_starves_a_node_until_nothing_else_is_possible() -> None:
    network = compile_program(PAIR, {}, sources_of(arrivals(ITEMS)))
    for seed, starved in enumerate(network.nodes):
        steps: list[Step] = []
        execute(Scenario.of(PAIR, ITEMS), schedule=Adversarial(seed), recorder=steps.append)
        nodes = [step.node for step in steps]
        if starved.name == "alpha:R.b":
            first = nodes.index(starved.name)
            assert {"entry:A", "entry:B", "alpha:R.a", "join:R.b"} <= set(nodes[:first])
            assert nodes[:first].count("alpha:R.a") == 3, "every token but the starved node's has been taken"


def test_the_adversary_prefers_the_side_that_ran_last() -> None:
    steps: list[Step] = []
    starve_the_terminal = compile_program(PAIR, {}, sources_of(arrivals(ITEMS))).index("terminal:R")
    execute(Scenario.of(PAIR, ITEMS), schedule=Adversarial(starve_the_terminal), recorder=steps.append)
    entries = [step.node for step in steps if step.node.startswith("entry")]
    assert entries == sorted(entries), "one entry node takes all it has before the other takes any"


def test_schedules_are_found_by_name() -> None:
    assert [schedule_of(name, 3).name for name in ("round-robin", "random", "adversarial")] == [
        "round-robin",
        "random",
        "adversarial",
    ]
    with pytest.raises(ValueError, match="round-robin, random, adversarial"):
        schedule_of("fair")


# --- Blocked runs ----------------------------------------------------------------------------------------------------


def test_a_blocked_run_says_which_nodes_wait_for_what() -> None:
    program = parse("template A {} rule R where a: A, b: A when b in a [4 ms, 6 ms] then")
    items = tuple(Event(f"a{time}", "A", time, {}) for time in range(12))
    execution = execute(
        Scenario.of(program, items), capacities=Capacities(NodeCapacities(left=2, right=3, inbox=1, outbox=1))
    )
    assert execution.blocked is not None
    reports = {report.node: report for report in execution.blocked.nodes}
    join = reports["join:R.b"]
    assert join.status is NodeStatus.WAITING
    assert any("waits for room in its left history" in reason for reason in join.waits_for)
    assert any("waits for room at join:R.b" in reason for reason in reports["alpha:R.a"].waits_for)
    assert execution.blocked.waiting_outside[0][1] > 0
    assert "terminal:R" not in reports, "a node with nothing to do is suspended"
    assert "join:R.b is waiting" in execution.blocked.render()


def test_a_report_names_the_first_token_of_a_queue_and_counts_the_others() -> None:
    program = parse("template A {} template B {} rule R where a: A, b: B when b in a [0 ms, 9 ms] then")
    items = (Event("b0", "B", 0, {}), *(Event(f"a{time}", "A", time, {}) for time in range(50)))
    execution = execute(Scenario.of(program, items), capacities=Capacities(NodeCapacities(left=0, right=0)))
    assert execution.blocked is not None
    report = {report.node: report for report in execution.blocked.nodes}["join:R.b"]
    assert sorted(report.waits_for) == [
        "token <a0; 0> on its left side, and 50 behind it, waits for room in its left history",
        "token <b0; 0> on its right side, and 1 behind it, waits for room in its right history",
    ]


def test_a_node_is_blocked_when_both_its_histories_are_full() -> None:
    program = parse("template A {} rule R where a: A, b: A when b in a [0 ms, 9 ms] then")
    items = tuple(Event(f"a{time}", "A", time, {}) for time in range(6))
    tight = execute(Scenario.of(program, items), capacities=Capacities(NodeCapacities(left=0, right=0)))
    assert tight.blocked is not None
    assert {report.node: report.status for report in tight.blocked.nodes}["join:R.b"] is NodeStatus.BLOCKED


def test_a_node_is_blocked_when_a_step_needs_more_than_its_outbox() -> None:
    program = parse("template A {} template B {} rule R where b: B, a: A when a in b [-9 ms, 9 ms] then")
    items = (Event("a1", "A", 0, {}), Event("a2", "A", 0, {}), Event("b1", "B", 0, {}))
    given_capacities = Capacities(nodes={"join:R.a": NodeCapacities(outbox=1)})
    execution = execute(Scenario.of(program, items), capacities=given_capacities)
    assert execution.blocked is not None
    (report,) = [report for report in execution.blocked.nodes if report.node == "join:R.a"]
    assert report.status is NodeStatus.BLOCKED
    assert "waits for room in its outbox" in report.waits_for[0]


@pytest.mark.parametrize(
    ("limits", "waits"),
    [
        (Capacities(NodeCapacities(right=9)), True),
        (Capacities(nodes={"join:R.b": NodeCapacities(outbox=9)}), True),
        (Capacities(NodeCapacities(inbox=9)), False),
        (Capacities(nodes={"join:S.d": NodeCapacities(left=9)}), True),
        (Capacities(nodes={"join:T.b": NodeCapacities(left=9)}), False),
        (UNBOUNDED, False),
    ],
    ids=["history", "outbox", "inbox", "below a rule", "elsewhere", "unlimited"],
)
def test_a_source_waits_for_its_turn_where_room_is_limited_further_down(limits: Capacities, waits: bool) -> None:
    program = parse(
        "template A {} template B {} template D {} "
        "rule R where a: A, b: A when b in a [0 ms, 1 ms] then emit D at a.timestamp with {} "
        "rule S where b: B, d: D when d in b [0 ms, 1 ms] then rule T where a: B, b: B when b in a [0 ms, 1 ms] then"
    )
    items = (Event("a1", "A", 5, {}, "fast"), Event("a2", "A", 6, {}, "fast"), Event("a3", "A", 1, {}, "slow"))
    machine = machine_for(program, items, limits)
    entry = machine.network.index("entry:A")
    node = machine.network.nodes[entry]
    assert isinstance(node, EntryNode)
    fast = node.sources.index("fast")
    queue = next(index for index, queue in enumerate(machine.queues) if queue.name == "A from fast")
    machine.arrive(queue)
    machine.arrive(queue)
    assert machine.proc(entry, fast), "nobody has promised less than -∞"
    assert machine.proc(entry, fast) is not waits, "slow has promised less than 5"


# --- Networks --------------------------------------------------------------------------------------------------------


def test_windows_come_from_the_closure() -> None:
    program = parse(
        "template A {} rule R where a: A, b: A, c: A, no n: A when b in a [0 ms, 10 ms] c in b [5 ms, 7 ms] "
        "c in a [0 ms, 8 ms] no n in b [-1 ms, 1 ms] then"
    )
    network = compile_program(program, {}, {})
    windows = {
        node.name: (node.left, node.minima, node.maxima) for node in network.nodes if isinstance(node, TwoInputNode)
    }
    assert windows == {
        "join:R.b": (("a",), (0,), (3,)),
        "join:R.c": (("a", "b"), (5, 5), (8, 7)),
        "not:R.n": (("a", "b", "c"), (-1, -1, -8), (4, 1, -4)),
    }


@given(cases())
@settings(max_examples=50)
def test_the_compiled_network_has_the_shape_of_its_program(case: tuple[core.Program, tuple[TraceItem, ...]]) -> None:
    """One alpha node a pattern, left-deep chains, edges only downwards, all nodes reachable (D §5.5)."""
    program, _ = case
    network = compile_program(program, {}, {})
    names = [node.name for node in network.nodes]
    assert len(names) == len(set(names))
    assert all(origin < successor.node for origin, successor in network.edges())
    for rule in program.rules:
        first, *others = rule.patterns
        expected = [f"{'not' if pattern.negated else 'join'}:{rule.name}.{pattern.variable}" for pattern in others]
        above = f"alpha:{rule.name}.{first.variable}"
        for pattern, name in zip(others, expected, strict=True):
            incoming = {
                (names[origin], successor.side.name)
                for origin, successor in network.edges()
                if names[successor.node] == name
            }
            assert incoming == {(above, "LEFT"), (f"alpha:{rule.name}.{pattern.variable}", "RIGHT")}
            above = name
        below = {names[successor.node] for successor in network.successors[network.index(above)]}
        assert f"terminal:{rule.name}" in below
        assert len(below) == 1 + len(rule.emissions)


def test_a_declared_predicate_must_be_supplied() -> None:
    program = parse("predicate p(Integer) template A { k: Integer } rule R where a: A { p(k) } then")
    with pytest.raises(MissingPredicate, match="predicate p"):
        compile_program(program, {}, {})


def test_a_network_and_a_model_must_be_of_one_family() -> None:
    network: Network = compile_program(PAIR, {}, {}, Family.RUDIMENTARY)
    with pytest.raises(ValueError, match=r"5\.2 cannot run the model sound"):
        Machine(network, SOUND)


# --- Models and capacities -------------------------------------------------------------------------------------------


def test_published_has_no_repairs_and_sound_has_all() -> None:
    assert PUBLISHED.repair_names() == ()
    assert SOUND.repair_names() == repair_names()
    assert PUBLISHED.repaired(*repair_names()) == SOUND
    assert SOUND.without(*repair_names()) == PUBLISHED
    assert SOUND.without("merge-by-promise").name == "sound without merge-by-promise"
    assert PUBLISHED.repaired("report-silence").name == "published with report-silence"
    assert set(MODELS) == {"rudimentary", "published", "sound"}


def test_unknown_repairs_and_repairs_of_the_rudimentary_model_are_refused() -> None:
    with pytest.raises(ValueError, match="no repair is called 'magic'; there are: expire-by-lifetime"):
        PUBLISHED.repaired("magic")
    with pytest.raises(ValueError, match="no repair is called"):
        SOUND.without("magic")
    with pytest.raises(ValueError, match="rudimentary"):
        RUDIMENTARY.repaired("negate-in-window")


def test_capacities_are_read_and_completed_by_the_default() -> None:
    text = '{"default": {"inbox": 1}, "nodes": {"join:R.b": {"left": 3, "outbox": 4}}}'
    capacities = read_capacities(text)
    assert capacities.of("join:R.b") == NodeCapacities(left=3, right=None, inbox=1, outbox=4)
    assert capacities.of("entry:A") == NodeCapacities(inbox=1)
    assert not capacities.unbounded
    assert read_capacities("{}").unbounded


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[", "c.json:1: expected a JSON object"),
        ("[" * 100_000, "c.json:1: expected a JSON object; not usable JSON: it nests too deeply"),
        ('{"default": {"left": 1, "left": 2}}', 'the key "left" stands twice in one object'),
        ("[]", 'the keys "default" and "nodes"'),
        ('{"node": {}}', 'the keys "default" and "nodes"'),
        ('{"nodes": []}', "nodes: expected an object"),
        ('{"default": {"left": -1}}', "default: left: expected a whole number from 0, found -1"),
        ('{"default": {"left": true}}', "default: left: expected a whole number from 0, found true"),
        ('{"nodes": {"x": {"wide": 1}}}', "nodes: x: expected an object with some of the keys left"),
    ],
)
def test_a_malformed_capacities_file_says_where(text: str, message: str) -> None:
    with pytest.raises(CapacitiesError, match=message.replace("(", r"\(")):
        read_capacities(text, filename="c.json")


# --- Keys -----------------------------------------------------------------------------------------------------------

KEYED, COMPARED = (
    parse(
        "template A { k: Integer } template B { k: Integer } "
        f"rule R where a: A, no b: B {{ {condition} }} when no b in a [0 ms, 3 ms] then"
    )
    for condition in ("k = a.k", "k <= a.k, k >= a.k")
)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
@given(
    st.lists(st.tuples(st.integers(0, 4), st.sampled_from("AB"), st.integers(0, 1)), max_size=5), st.integers(0, 100)
)
def test_an_equality_that_is_a_key_is_as_good_as_one_that_is_none(
    model: Model, drawn: list[tuple[int, str, int]], seed: int
) -> None:
    items = tuple(Event(f"e{number}", of, time, {"k": k}) for number, (time, of, k) in enumerate(sorted(drawn)))
    keyed, compared = (
        execute(Scenario.of(program, items), model=model, schedule=SeededRandom(seed)) for program in (KEYED, COMPARED)
    )
    assert keyed.matches == compared.matches


def test_the_rudimentary_model_sends_again_what_has_another_key() -> None:
    """D §5.2.6 (Not-↙-NoMatch) sends all in the window, and equality is part of the condition that fails."""
    items = (Event("a", "A", 0, {"k": 0}), Event("b", "B", 1, {"k": 1}))
    for program in (KEYED, COMPARED):
        outcome = execute(Scenario.of(program, items), model=RUDIMENTARY)
        assert [match.bindings for match in outcome.matches] == [(("a", "a"),)] * 2


def test_messages_about_capacities_are_short_whatever_is_in_the_file() -> None:
    long = "x" * 10**6
    for nodes in ({long: 3}, {long: {"left": -1}}, {"n": {"left": long}}):
        with pytest.raises(CapacitiesError) as refused:
            read_capacities(json.dumps({"nodes": nodes}))
        assert len(str(refused.value)) < 500
    with pytest.raises(CapacitiesError, match="no node of the program is called 'xxx") as refused:
        read_capacities(json.dumps({"nodes": {long: {}}})).check(["join:R.b"])
    assert len(str(refused.value)) < 500
