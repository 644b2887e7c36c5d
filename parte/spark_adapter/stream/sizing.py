"""The limits of each history of one key: the checker's sizes for the part of a group that one key gets."""

from __future__ import annotations

from dataclasses import replace

from parte.checker.environment.deployment import Deployment
from parte.checker.partelang.bounds.bounds import compiled, knowledge_of
from parte.semantics.partelang.retention import retention
from parte.semantics.partelang.syntax import core
from parte.spark_adapter.partitioning import Group
from parte.spark_adapter.stream.keyed import Limits

_SOME_VALUE: dict[core.Scalar, int | float | str | bool] = {
    core.Scalar.INTEGER: 0,
    core.Scalar.FLOAT: 0.0,
    core.Scalar.STRING: "",
    core.Scalar.BOOLEAN: False,
}


def limits_of(group: Group, deployment: Deployment) -> Limits:
    """Return the viable sizes (docs/bounds.md) of every history of one key, for a deployment that fits the program.

    Events that are further ahead of the promise than the deployment's `late` wait outside, so the sizes are valid for
    batches of any length.
    """
    program = of_one_key(group)
    network = compiled(program, deployment)
    needs = retention(network, deployment.supplies(), knowledge_of(program, deployment)).needs
    sizes = {name: (need.left.viable, need.right.viable) for name, need in needs.items()}
    return Limits(sizes, deployment.skew)


def of_one_key(group: Group) -> core.Program:
    """Return the program of a group for one key: each attribute that is a key equals some constant.

    The constant itself does not matter: the checker then counts the events of one value of the attribute.
    """
    rules = tuple(
        replace(
            rule,
            patterns=tuple(_fixed(pattern, group.keys.get((rule.name, pattern.variable))) for pattern in rule.patterns),
        )
        for rule in group.program.rules
    )
    return replace(group.program, rules=rules)


def _fixed(pattern: core.Pattern, key: core.Expression | None) -> core.Pattern:
    if not isinstance(key, core.AttributeOf) or not isinstance(key.type, core.Scalar):
        return pattern
    constant = core.Constant(_SOME_VALUE[key.type], key.type)
    return replace(pattern, conditions=(*pattern.conditions, core.Comparison("=", key, constant)))
