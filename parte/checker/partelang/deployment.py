"""Deployments of programs of PARTElang."""

from __future__ import annotations

from collections.abc import Iterable
from reprlib import repr as shortened

from parte.checker.environment.deployment import DEFAULT_FILENAME, Deployment, DeploymentError
from parte.semantics.events.event import NO_LINE
from parte.semantics.events.problems import Problem
from parte.semantics.partelang.syntax import core


def fit(deployment: Deployment, program: core.Program, *, filename: str = DEFAULT_FILENAME) -> None:
    """Raise DeploymentError unless the program declares the templates and attributes of the deployment."""
    templates = {
        template.name: {slot.name: slot.optional for slot in template.attributes} for template in program.templates
    }
    problems = []
    for source in deployment.sources:
        for emits in source.emits:
            if emits.template not in templates:
                source_name, emitted = shortened(source.name), shortened(emits.template)
                message = f"source {source_name} emits {emitted}, which the program does not declare"
                problems.append(Problem(filename, NO_LINE, message, _among(templates)))
    for cardinality in deployment.cardinalities:
        slots = templates.get(cardinality.template)
        if slots is None:
            message = f"cardinality: the program declares no template {shortened(cardinality.template)}"
            problems.append(Problem(filename, NO_LINE, message, _among(templates)))
            continue
        for name in cardinality.attributes:
            if name not in slots:
                message = f"cardinality: {cardinality.template} has no attribute {shortened(name)}"
                problems.append(Problem(filename, NO_LINE, message, _among(slots)))
            elif slots[name]:
                attribute = f"attribute {shortened(name)} of {cardinality.template}"
                message = f"cardinality: the {attribute} is optional, and nothing bounds the events that lack it"
                problems.append(Problem(filename, NO_LINE, message, "give a rate of the source instead"))
    if problems:
        raise DeploymentError(problems)


def _among(names: Iterable[str]) -> str:
    return f"there are: {', '.join(sorted(names))}"
