"""Every compiled program has the shape that the lemmas presuppose."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given

from parte.conformance.partelang.strategies import programs
from parte.proofs.partelang.defects import DEFECTS
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.network import TwoInputNode
from parte.semantics.partelang.syntax import core, parse
from tests.proofs.partelang.composition import structural_premises


@given(programs())
def test_compiled_programs_have_the_structural_premises(program: core.Program) -> None:
    assert structural_premises(compile_program(program, {}, {"A": ("s", "t")}), program) == ()


def test_a_wrong_window_is_found() -> None:
    program = parse(DEFECTS[0].program)
    network = compile_program(program, {}, {})
    nodes = tuple(replace(node, maxima=(9,)) if isinstance(node, TwoInputNode) else node for node in network.nodes)
    assert structural_premises(replace(network, nodes=nodes), program) == (
        "join:R.b does not have the windows of the closure",
    )


def test_a_wrong_edge_is_found() -> None:
    program = parse(DEFECTS[0].program)
    network = compile_program(program, {}, {})
    assert structural_premises(replace(network, successors=tuple(() for _ in network.nodes)), program)
