"""The theorems about the compact set are about the functions that run: all of them, by name, and by what they return.

tests/proofs/test_rocq.py checks the folder of the theorems; `make rocq` checks that they are true.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from random import Random
from types import ModuleType

import pytest

from parte.languages.cel.proofs.rocq import THEORY
from parte.languages.cel.semantics import enumeration, evaluation, machine, tecs, union_lists
from parte.languages.cel.semantics.automata import Label
from parte.languages.cel.semantics.determinised import NONE, State
from parte.languages.cel.semantics.enumeration import Found, counted, enumerate_paths, share
from parte.languages.cel.semantics.evaluation import forgotten, root
from parte.languages.cel.semantics.listing import RULES
from parte.languages.cel.semantics.tecs import Bottom, Node, Output, Tecs, Union, extend, new_bottom, union
from parte.languages.cel.semantics.union_lists import UnionList, insert, merge, new_ulist

MODELLED = ("TECS-", "ULIST-", "ENUM-", "SHARE", "ROOT", "FORGET")
MODULES = (tecs, union_lists, enumeration, evaluation, machine)
LABELS: tuple[Label, ...] = (frozenset("x"), frozenset("xy"))
SEEDS = range(2)
SIZE = 40
"""The number of nodes of the largest tree that is compared."""


@pytest.mark.parametrize("rule", [identity for identity, rule in RULES.items() if rule.local.startswith(MODELLED)])
def test_a_rule_of_the_set_and_its_enumeration_has_a_definition_and_a_theorem(rule: str) -> None:
    definitions, theorems = THEORY.about(rule)
    assert definitions
    assert theorems


def test_functions_that_are_named_exist() -> None:
    texts = [path.read_text(encoding="utf-8") for path in sorted(THEORY.folder.glob("*.v"))]
    comments = [comment for text in texts for comment in re.findall(r"\(\*.*?\*\)", text, re.DOTALL)]
    named = {name for comment in comments for name in re.findall(r"`((?:\w+\.)?_?[a-z]\w+|[A-Z]\w+)`", comment)}
    assert {"union", "merge", "enum_union", "Tecs.forget", "Machine._share"} <= named
    sources = "".join(Path(str(module.__file__)).read_text(encoding="utf-8") for module in MODULES)
    of_rocq = {"start", "from"}
    assert {name for name in named - of_rocq if not re.search(rf"\b{name.split('.')[-1]}\b", sources)} == set()


# --- The definitions of Rocq and the functions of Python return the same ----------------------------------------------

Claim = tuple[str, str]
"""Two terms of Rocq: a call, and what Python returns."""


def term(node: Node) -> str:
    """Return a node as a term; starts, positions and labels are numbers."""
    match node:
        case Bottom(position, greatest):
            return f"(@Bottom nat {position} {greatest})"
        case Output(position, label, following, greatest):
            assert following is not None
            return f"(Output {position} {number(label)} {term(following)} {greatest})"
        case Union(left, right, greatest, depth):
            assert left is not None
            assert right is not None
            return f"(Union {term(left)} {term(right)} {greatest} {depth})"


def number(label: Label) -> str:
    return f"{LABELS.index(label)}%nat"


def terms(values: Iterable[str]) -> str:
    return f"[{'; '.join(values)}]"


def list_term(nodes: UnionList) -> str:
    return f"({term(nodes[0])}, {terms(map(term, nodes[1:]))})"


def result_term(path: Found) -> str:
    return f"(Found {path.start} {terms(f'({position}, {number(label)})' for position, label in path.marks)})"


def size(node: Node) -> int:
    """Return the number of nodes of the tree that unfolds from a node."""
    match node:
        case Output(next=following):
            return 1 + (size(following) if following is not None else 0)
        case Union(left=left, right=right):
            return 1 + sum(size(part) for part in (left, right) if part is not None)
    return 1


def drawn(random: Random) -> Iterator[Claim]:
    """Draw nodes and lists as a run creates them, with ties between starts; yield a claim for each call."""
    compact_set = Tecs(bounded=False)
    nodes: list[Node] = [new_bottom(compact_set, 0, 0)]
    lists: list[UnionList] = [new_ulist(Bottom(0, 0))]
    for position in range(1, 9):
        bottom = new_bottom(compact_set, position, position // 2)
        yield f"@new_bottom nat {position} {position // 2}", term(bottom)
        label, node = random.choice(LABELS), random.choice([*nodes, bottom])
        output = extend(compact_set, node, position, label)
        yield f"extend {term(node)} {position} {number(label)}", term(output)
        nodes += [bottom, output]
        lists.append(new_ulist(random.choice((bottom, output))))
        for _ in range(3):
            pairs = [(left, right) for left in nodes for right in nodes if left.greatest == right.greatest]
            left, right = random.choice([pair for pair in pairs if sum(map(size, pair)) < SIZE])
            united = union(compact_set, left, right)
            yield f"union {term(left)} {term(right)}", term(united)
            place = random.randrange(len(lists))
            fitting = [node for node in nodes if node.greatest <= lists[place][0].greatest and size(node) < SIZE]
            inserted = insert(compact_set, lists[place], added := random.choice(fitting))
            yield f"insert {list_term(lists[place])} {term(added)}", list_term(inserted)
            lists[place] = inserted
            merged = merge(compact_set, inserted)
            yield f"merge {list_term(inserted)}", term(merged)
            nodes += [node for node in (united, merged) if size(node) < SIZE]
    ordered = sorted(lists, key=lambda nodes: nodes[0].greatest, reverse=True)[:3]
    yield f"root {list_term(ordered[0])} {terms(map(list_term, ordered[1:]))}", term(root(compact_set, ordered))
    for nodes_of_list in lists:
        least = random.randrange(nodes_of_list[0].greatest + 1)
        (left_over,) = forgotten({State(NONE): nodes_of_list}, least).values()
        yield f"forgotten {least} {list_term(nodes_of_list)}", list_term(left_over)
    for node in nodes:
        yield from enumerated(node, random.randrange(5), random)


def enumerated(node: Node, least: int, random: Random) -> Iterator[Claim]:
    """Yield the claims about what is printed of a node, and after how many visits; and about the share of a process."""
    counts = counted(node, least)
    yield f"counted {least} {term(node)}", f"{counts(node)}%nat"
    yield f"enumerate_paths {least} {term(node)} None", printed(node, least, None)
    processes = random.randrange(1, 4)
    index = random.randrange(processes)
    portion = share(counts(node), processes, index)
    yield f"share {counts(node)} {processes} {index}", f"({portion[0]}, {portion[1]})%nat"
    if portion[0] < counts(node):
        want = f"(Some ({portion[0]}, {portion[1]})%nat)"
        yield f"enumerate_paths {least} {term(node)} {want}", printed(node, least, portion)


def printed(node: Node, least: int, portion: tuple[int, int] | None) -> str:
    visits, results = 0, []

    def visit() -> None:
        nonlocal visits
        visits += 1

    for path in enumerate_paths(node, least, visit, portion, None if portion is None else counted(node, least)):
        results.append(f"({visits}%nat, {result_term(path)})")
        visits = 0
    return f"({terms(results)}, Some {visits}%nat)"


def claims_of(function: str) -> dict[str, Claim]:
    """Return the drawn claims about a function by their calls, each once; about all if its name is empty."""
    claims = (claim for seed in SEEDS for claim in drawn(Random(seed)))
    return {call: (call, returned) for call, returned in claims if call.startswith(function)}


def accepted(claims: Iterable[Claim], folder: Path) -> bool:
    """Return whether Rocq computes what the claims state."""
    goals = (f"Goal {call} = {returned}. Proof. vm_compute. reflexivity. Qed." for call, returned in claims)
    file = folder / "Claims.v"
    file.write_text("\n".join(("From Cel Require Import Forgetting.", *goals)), encoding="utf-8")
    command = ["coqc", "-q", "-Q", str(THEORY.folder), "Cel", str(file)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0 or "Unable to unify" in run.stderr, run.stderr
    return run.returncode == 0


built = pytest.mark.skipif(
    shutil.which("coqc") is None or not (THEORY.folder / "Forgetting.vo").is_file(),
    reason="the theorem was not built, which `make test` says",
)


@built
def test_rocq_computes_what_python_does(tmp_path: Path) -> None:
    assert accepted(claims_of("").values(), tmp_path)


EDITS: dict[str, tuple[ModuleType, str, Callable[..., object]]] = {
    "union": (tecs, "in_order", lambda left, right: (right, left)),
    "insert": (union_lists, "bisect_left", lambda *_, **__: 1),
    "enumerate_paths": (enumeration, "divided", lambda skipped, count, *_: ((skipped, count), (0, 0))),
}
"""Edits of Python by the function of Rocq that must return something different."""


@built
@pytest.mark.parametrize("function", EDITS)
def test_rocq_differs_from_an_edited_function(function: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = claims_of(function)
    monkeypatch.setattr(*EDITS[function])
    wrong = {call: claim for call, claim in claims_of(function).items() if claim != right.get(call, claim)}
    assert not accepted(wrong.values(), tmp_path)
