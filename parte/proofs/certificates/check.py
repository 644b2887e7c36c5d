"""Check step by step that a proof refutes its problem."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from parte.proofs.certificates import arithmetic  # noqa: F401  (its rules register themselves)
from parte.proofs.certificates.forms import forms
from parte.proofs.certificates.reading import Problem, Tree, declared, problem, shortened, term, trees
from parte.proofs.certificates.rules import RULES, Unfounded
from parte.proofs.certificates.terms import FALSE, IllFormed, Sort, Term, apply


class Outcome(Enum):
    """The outcome of checking a proof."""

    CHECKED = "checked"
    REFUSED = "refused"
    UNKNOWN_RULE = "unknown rule"


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome, the number of applications of each rule, and the first invalid step with the reason."""

    outcome: Outcome
    applied: Mapping[str, int]
    trouble: str = ""

    @property
    def steps(self) -> int:
        """The number of valid steps."""
        return sum(self.applied.values())


def check(problem_text: str, proof_text: str) -> Report:
    """Check that a proof in the format CPC ends in `false`, and derives it only from the assertions of a problem."""
    applied: Counter[str] = Counter()
    place = "the problem"
    try:
        proof = _Proof(problem(problem_text), applied)
        place = "the proof"
        for command in _commands(proof_text):
            place = _place(command)
            proof.follow(command)
        place = "the end"
        proof.end()
    except _UnknownRule as unknown:
        return Report(Outcome.UNKNOWN_RULE, applied, f"{place}: the rule {unknown} is not known")
    except (Unfounded, IllFormed) as wrong:
        return Report(Outcome.REFUSED, applied, f"{place}: {wrong}")
    except RecursionError:
        return Report(Outcome.REFUSED, applied, f"{place}: terms are nested too deeply")
    return Report(Outcome.CHECKED, applied)


def _commands(text: str) -> list[Tree]:
    match list(trees(text)):
        case [list(commands)]:
            return commands
    raise IllFormed("expected one list of commands")


def _place(command: Tree) -> str:
    match command:
        case [str(kind), str(name), *_]:
            return shortened(f"{kind} {name}")
    return shortened(command)


class _UnknownRule(Exception):
    """The checker has no rule of that name."""


@dataclass(slots=True)
class _Scope:
    """The steps since an assumption was made, which are valid only under it."""

    name: str
    assumption: Term
    steps: list[str] = field(default_factory=list)


class _Proof:
    """The steps of a proof so far."""

    def __init__(self, stated: Problem, applied: Counter[str]) -> None:
        self._stated = stated
        self._applied = applied
        self._names = dict(stated.variables)
        self._steps: dict[str, Term] = {}
        self._scopes: list[_Scope] = []
        self._last: Term | None = None

    def follow(self, command: Tree) -> None:
        """Check one more command. Raise Unfounded, _UnknownRule or IllFormed if it is not valid here."""
        match command:
            case ["declare-const", str(name), str(sort)]:
                if declared(name, sort) not in self._stated.variables.values():
                    raise Unfounded(f"the problem declares no {name} of sort {sort}")
            case ["define", _, [], "@int_div_by_zero"]:
                pass  # functions are not terms here, and cvc5 still uses it by its own name
            case ["define", str(name), [], tree]:
                if not name.startswith("@") or name in self._names:
                    raise IllFormed(f"{name} is no new name of a term")
                self._names[name] = term(tree, self._names)
            case ["assume", str(name), tree]:
                assumption = term(tree, self._names)
                if assumption not in self._stated.assertions:
                    raise Unfounded(f"the problem does not assert {assumption}")
                self._conclude(name, assumption)
            case ["assume-push", str(name), tree]:
                assumption = term(tree, self._names)
                if assumption.sort is not Sort.BOOL:
                    raise IllFormed(f"{assumption} is no formula")
                self._scopes.append(_Scope(name, assumption))
                self._conclude(name, assumption)
            case ["step-pop", str(name), *rest]:
                self._conclude(name, self._closed(*_parts(rest)))
            case ["step", str(name), *rest]:
                self._conclude(name, self._derived(*_parts(rest)))
            case _:
                raise IllFormed(f"the command {shortened(command)} is not known")

    def end(self) -> None:
        """Raise Unfounded unless the last step was `false`, outside of all scopes."""
        if self._scopes or self._last is not FALSE:
            raise Unfounded(f"expected false from the problem's assertions alone, found {self._last}")

    def _conclude(self, name: str, conclusion: Term) -> None:
        if name in self._steps:
            raise IllFormed(f"there is a step {name} already")
        self._steps[name] = self._last = conclusion
        if self._scopes:
            self._scopes[-1].steps.append(name)

    def _derived(self, stated: Tree | None, rule: str, premises: list[Tree], arguments: list[Tree]) -> Term:
        function = RULES.get(rule) or forms().get(rule)
        if function is None:
            raise _UnknownRule(rule)
        conclusion = function(self._premises(premises), [term(argument, self._names) for argument in arguments])
        return self._counted(rule, stated, conclusion)

    def _closed(self, stated: Tree | None, rule: str, premises: list[Tree], arguments: list[Tree]) -> Term:
        """Close a scope: its conclusion follows from its assumption."""
        if rule != "scope" or not self._scopes or len(premises) != 1 or arguments:
            raise Unfounded("expected the rule scope with one premise, in a scope")
        (conclusion,) = self._premises(premises)
        scope = self._scopes.pop()
        for name in scope.steps:
            del self._steps[name]
        return self._counted(rule, stated, apply("=>", scope.assumption, conclusion))

    def _counted(self, rule: str, stated: Tree | None, conclusion: Term) -> Term:
        if stated is not None and term(stated, self._names) is not conclusion:
            raise Unfounded(f"{rule} concludes {conclusion}, not {shortened(stated)}")
        self._applied[rule] += 1
        return conclusion

    def _premises(self, names: list[Tree]) -> list[Term]:
        premises = []
        for name in names:
            if not isinstance(name, str) or name not in self._steps:
                raise Unfounded(f"{shortened(name)} is no step that holds here")
            premises.append(self._steps[name])
        return premises


def _parts(tree: list[Tree]) -> tuple[Tree | None, str, list[Tree], list[Tree]]:
    """Return the conclusion of a step, if it is stated, its rule, premises and arguments."""
    stated: Tree | None = None
    if tree and tree[0] != ":rule":
        stated, *tree = tree
    match tree:
        case [":rule", str(rule)]:
            return stated, rule, [], []
        case [":rule", str(rule), ":premises", list(premises)]:
            return stated, rule, premises, []
        case [":rule", str(rule), ":args", list(arguments)]:
            return stated, rule, [], arguments
        case [":rule", str(rule), ":premises", list(premises), ":args", list(arguments)]:
            return stated, rule, premises, arguments
    raise IllFormed(f"{shortened(tree)} is no rule with premises and arguments")
