"""A program prepared for a stream: its groups with their keys, and the limits of the state of each key."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from parte.checker.environment.deployment import Deployment
from parte.checker.partelang.deployment import fit
from parte.semantics.events.domain import Domain, DomainTable, Predicates, bind_domain
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.ast import SourceProgram
from parte.semantics.partelang.syntax.json_form import program_to_json
from parte.spark_adapter.errors import Unusable
from parte.spark_adapter.partitioning import Group, groups_of
from parte.spark_adapter.stream.bucket import Bucket
from parte.spark_adapter.stream.keyed import KeyedMachine, Limits
from parte.spark_adapter.stream.sizing import limits_of


@dataclass(frozen=True, slots=True)
class Job:
    """A program, the tables of its predicates, and its groups with their limits (None without a deployment)."""

    program: core.Program
    predicates: Predicates
    groups: tuple[Group, ...]
    limits: tuple[Limits | None, ...]
    sent: frozenset[str] | None

    def machine(self, part: int) -> KeyedMachine:
        """Return a machine for the keys of one group."""
        return KeyedMachine(self.groups[part], self.predicates, sent=self.sent, limits=self.limits[part])

    def bucket(self, part: int) -> Bucket:
        """Return queries for the buckets of one group. Unsupported if SQL cannot express its rules."""
        return Bucket(self.groups[part], self.predicates)

    def identity(self) -> str:
        """Return a digest of the program: state that was written for one program must not be read for another."""
        text = json.dumps(program_to_json(self.program), sort_keys=True)
        return hashlib.sha256(text.encode("utf-8")).hexdigest()

    def domain(self) -> dict[str, str]:
        """Return a digest of the table of each predicate; for a callable, which has none, the word `callable`."""
        return {name: _digest(predicate) for name, predicate in sorted(self.predicates.items())}

    def notes(self) -> Iterator[str]:
        """Yield the keys that split the rules into parts, and the maximum state of a key, if that is known."""
        for group, limits in zip(self.groups, self.limits, strict=True):
            rules = ", ".join(group.rules)
            if group.keyed:
                yield f"{rules}: by {', '.join(dict.fromkeys(map(_key_text, group.keys.values())))}"
            if limits is not None and limits.entries is not None:
                yield f"{rules}: at most {limits.entries:,} entries for each key"

    def warnings(self) -> Iterator[str]:
        """Yield the rules that run in one part, and the histories that no finite size bounds."""
        for group, limits in zip(self.groups, self.limits, strict=True):
            rules = ", ".join(group.rules)
            if not group.keyed:
                yield f"{rules}: on one partition, for {group.reason}"
            if limits is not None and limits.entries is None:
                names = [name for name, sizes in limits.histories.items() if None in sizes]
                yield f"{rules}: no finite size is enough for {', '.join(names)}, so nothing bounds what a key holds"


def job_of(program: core.Program, domain: Domain | None = None, deployment: Deployment | None = None) -> Job:
    """Return a job. DomainError if the predicates do not fit the program, DeploymentError if the deployment does not,
    Unusable if a stream does not support a construct of the program."""
    for rule in program.rules:
        if any(constraint.lower is None for constraint in rule.constraints):
            raise Unusable(
                f"rule {rule.reported} has a window from `-ever` on, which streams on Spark do not support; take "
                "`parte run`, or write how long before"
            )
        if rule.case and any(emission.once for emission in rule.emissions):
            raise Unusable(
                f"rule {rule.reported} has both alternatives of several templates and `once`, which streams on Spark "
                "do not support together; take `parte run`, or leave one of the two out"
            )
    predicates = bind_domain(program, domain or {})
    if deployment is not None:
        fit(deployment, program)
    bare = replace(program, source=SourceProgram(()), warnings=())
    groups = groups_of(bare)
    limits = tuple(None if deployment is None else limits_of(group, deployment) for group in groups)
    return Job(bare, predicates, groups, limits, None if deployment is None else frozenset(deployment.senders()))


def _digest(predicate: Callable[..., bool]) -> str:
    if not isinstance(predicate, DomainTable):
        return "callable"
    # Adding 0.0 makes -0.0 the number that it equals; the rows of a table are typed, so equal ones are written alike.
    rows = sorted(json.dumps([v + 0.0 if type(v) is float else v for v in row]) for row in predicate.rows)
    return hashlib.sha256(json.dumps([predicate.member_means, rows]).encode("utf-8")).hexdigest()


def _key_text(expression: core.Expression) -> str:
    match expression:
        case core.AttributeOf(variable=variable, attribute=attribute):
            return f"{variable}.{attribute}"
        case core.ToFloat(operand=operand):
            return _key_text(operand)
        case _:
            return f"an expression over {', '.join(sorted(core.variables_of(expression)))}"
