"""Insertion of the policy `first` where a rule writes none (specification: lead-default; L §3.3.3)."""

from __future__ import annotations

from dataclasses import replace

from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.names import units

_Unit = tuple[tree.Pattern, ...]


def with_policies(pattern: tree.Pattern, reading: str) -> tree.Pattern:
    """Return the pattern with `first` in front of each of its largest parts without a policy, also in branches."""
    return _with_first(_in_branches(pattern, reading), reading)


def _in_branches(pattern: tree.Pattern, reading: str) -> tree.Pattern:
    def change(node: tree.Node) -> tree.Node:
        if isinstance(node, tree.Branch):
            return replace(node, pattern=_with_first(node.pattern, reading))
        return node

    return tree.TREE.mapped(pattern, change)


def _with_first(pattern: tree.Pattern, reading: str) -> tree.Pattern:
    if tree.is_open(pattern):
        return pattern
    leaf = isinstance(pattern, tree.Atom | tree.Collect)
    if _free(pattern) and (leaf or reading == "largest"):
        return tree.Policy(tree.Choice.FIRST, pattern, ())
    match pattern:
        case tree.And(parts=parts):
            runs = _runs([(part,) for part in parts], reading)
            return replace(pattern, parts=tuple(_as_one(run, tree.And, reading) for run in runs))
        case tree.Or(parts=parts):
            runs = _runs([(part,) for part in parts], reading)
            return replace(pattern, parts=tuple(_as_one(run, tree.Or, reading) for run in runs))
        case tree.Sequence(parts=parts):
            done: list[tree.Pattern] = []
            for run in _runs(list(units(parts)), reading):
                whole = tuple(part for unit in run for part in unit)
                if all(map(_free, whole)) and reading == "largest":
                    done.append(_as_one(run, tree.Sequence, reading))
                else:
                    done.extend(_with_first(part, reading) for part in whole)
            return replace(pattern, parts=tuple(done))
        case tree.Within(operand=operand, source=source):
            anew = source if source is None or isinstance(source, tree.Bound) else _with_first(source, reading)
            return replace(pattern, operand=_with_first(operand, reading), source=anew)
        case tree.Wait(operand=operand) | tree.Filtered(operand=operand) | tree.Subcontext(operand=operand):
            return replace(pattern, operand=_with_first(operand, reading))
        case _:
            return pattern


def _free(pattern: tree.Pattern) -> bool:
    """Return whether a pattern has no policy. Policies of items, of branches and of negated patterns do not count."""
    match pattern:
        case tree.Policy() | tree.Pick():
            return False
        case tree.Atom() | tree.Bound() | tree.Collect() | tree.Not():
            return True
        case tree.And(parts=parts) | tree.Or(parts=parts) | tree.Sequence(parts=parts):
            return all(map(_free, parts))
        case tree.Within(operand=operand, source=source):
            return _free(operand) and (source is None or _free(source))
        case _:
            return _free(pattern.operand)


def _runs(chain: list[_Unit], reading: str) -> list[list[_Unit]]:
    """Group the links of a chain; consecutive links without a policy form one group."""
    runs: list[list[_Unit]] = []
    free_before = False
    for unit in chain:
        free = all(map(_free, unit)) and reading == "largest"
        if free and free_before:
            runs[-1].append(unit)
        else:
            runs.append([unit])
        free_before = free
    return runs


def _as_one(run: list[_Unit], kind: type[tree.And] | type[tree.Or] | type[tree.Sequence], reading: str) -> tree.Pattern:
    parts = tuple(part for unit in run for part in unit)
    return _with_first(kind(parts) if len(parts) > 1 else parts[0], reading)
