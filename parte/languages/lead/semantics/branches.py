"""Transitions of sub-contexts (specification: lead-nets; L §3.3.1 (11), §5.1, figure 9)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from parte.languages.lead.semantics.conditions import View, true_of
from parte.languages.lead.semantics.emission import emitted
from parte.languages.lead.semantics.net import Place, Run, Transition
from parte.languages.lead.semantics.rulebook import rule
from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.matches import Bound, Match, Occurrence
from parte.languages.lead.semantics.tokens import Activation, Token, match_of, order


@dataclass(slots=True)
class Contexts:
    """The places of a sub-context: of its activations, of its branches and of the matches that wait for them; those
    that enable the main pattern and a branch; those of matches of branches and of the whole. A branch takes at most
    `length` ms. Its item is in `lists` as long as some match may have it."""

    pattern: tree.Subcontext
    entered: Place
    operand: Place
    branches: Place
    waiting: Place
    enable: Place
    matches: Place
    out: Place
    length: int
    lists: tuple[Place, ...]
    timer: Transition | None = None


@dataclass(slots=True, eq=False)
class Running:
    """A branch: its item, its activation, whether it is over, and its match."""

    item: Match
    activation: Activation
    over: bool = False
    match: Match | None = None


@rule("SUB", "sub-context", "5.1, figure 9")
def sub_context(run: Run, token: Token, site: Contexts, step: str) -> None:
    """An accepted item starts a branch. A match is released when all its branches are over, or when it is disabled."""
    match step:
        case "enable":
            run.put(site.entered, token)
            run.put(site.operand, Token(token.activation, None))
        case "item":
            _start(run, token, site)
        case "whole":
            context = token.activation
            whole = match_of(token)
            if _disabled(site.pattern, whole, context.enabled):
                if run.repairs.sub_release:
                    bindings = (*whole.bindings, (site.pattern.name, ()))
                    run.put(site.out, Token(context, replace(whole, bindings=bindings)))
                return
            run.put(site.waiting, token)
            _release(run, site, context)
        case _:
            _over(run, token, site, step)


@rule("SUB-GC", "garbage consumer of branches", "5.1")
def forget(run: Run, site: Contexts) -> None:
    """A branch that is over is consumed when nothing in its context has its item any more."""
    over = [(token, branch) for token, branch in _stored(run.all_stored(site.branches)) if branch.over]
    contexts = {token.activation for token, _ in over}
    needed: set[tuple[Activation, Match]] = set()
    for token in (token for place in site.lists if contexts for token in run.all_stored(place)):
        context: Activation | None = token.activation
        while context is not None and context not in contexts:
            context = context.parent
        if context is not None:
            needed |= {(context, item) for item in _items(token.colour)}
    for token, branch in over:
        if (token.activation, branch.item) not in needed:
            run.take(site.branches, token)


def _items(colour: object) -> Iterator[Match]:
    """Yield the possible items in the colour of a token: a match, the items of its lists, or those of lists that
    grow."""
    if isinstance(colour, Match):
        yield colour
        for _, bound in colour.bindings:
            yield from bound if isinstance(bound, tuple) else ()
    elif isinstance(colour, tuple):
        for items in colour:
            yield from items


def _start(run: Run, token: Token, site: Contexts) -> None:
    """Start a branch for an item, unless there is one."""
    item = match_of(token)
    context: Activation | None = token.activation
    while context is not None and not run.stored(site.entered, context):
        context = context.parent
    if context is None or any(branch.item == item for branch in _running(run, site, context)):
        return
    single = item.bindings[0][1] if len(item.bindings) == 1 else None
    names = {site.pattern.item: single} if isinstance(single, Occurrence) else {}
    activation = run.activation(context, item.end, names, item.events)
    run.put(site.branches, Token(context, Running(item, activation)))
    run.put(site.enable, Token(activation, None))
    assert site.timer is not None
    run.due(site.timer, item.end + site.length, Token(activation, None))


def _over(run: Run, token: Token, site: Contexts, step: str) -> None:
    """End a branch: it matched, or was ruled out, or its time is over."""
    activation: Activation | None = token.activation
    while activation is not None:
        context = activation.parent
        branches = (
            [running for running in _running(run, site, context) if running.activation is activation] if context else []
        )
        if context is not None and branches:
            (running,) = branches
            if running.over:
                return
            running.over = True
            if step == "match":
                others = run.take_all(site.matches, token.activation)
                least = min([match_of(token), *map(match_of, others)], key=order)
                running.match = _with_actions(run, site.pattern, least, running.item)
            run.close(running.activation)
            _release(run, site, context)
            return
        activation = context


def _with_actions(run: Run, pattern: tree.Subcontext, match: Match, item: Match) -> Match:
    view = View({**dict(match.bindings), pattern.item: item})
    events = [emitted(action, view, match.end, run.types) for action in pattern.branch.actions]
    return replace(match, emits=(*match.emits, *events))


def _release(run: Run, site: Contexts, context: Activation) -> None:
    """Release the matches whose branches are over."""
    branches = _running(run, site, context)
    for token in run.stored(site.waiting, context):
        whole = match_of(token)
        needed = [branch for item in _chosen(site.pattern, whole) for branch in branches if branch.item == item]
        if all(branch.over for branch in needed):
            run.take(site.waiting, token)
            matches = tuple(branch.match for branch in needed if branch.match is not None)
            bindings: tuple[tuple[str, Bound], ...] = (*whole.bindings, (site.pattern.name, matches))
            emits = (*whole.emits, *(event for match in matches for event in match.emits))
            run.put(site.out, Token(context, replace(whole, bindings=bindings, end=run.now, emits=emits)))


def _chosen(pattern: tree.Subcontext, whole: Match) -> list[Match]:
    """Return the items of the list that have a branch."""
    items = dict(whole.bindings).get(pattern.list, ())
    chosen: list[Match] = []
    for number, item in enumerate(items if isinstance(items, tuple) else (), 1):
        if pattern.first is not None and pattern.last is not None and not pattern.first <= number <= pattern.last:
            continue
        view = View({**dict(whole.bindings), pattern.item: item})
        if pattern.condition is None or true_of(pattern.condition, view):
            chosen.append(item)
    return chosen


def _disabled(pattern: tree.Subcontext, whole: Match, enabled: int) -> bool:
    """Return whether Wst held, at some instant, of the bindings up to that instant."""
    if pattern.terminate is None:
        return False
    instants = {enabled}
    for _, bound in whole.bindings:
        instants |= {bound.time} if isinstance(bound, Occurrence) else {item.end for item in bound}
    for instant in sorted(instants | {whole.end}):
        view: dict[str, object] = {}
        for name, bound in whole.bindings:
            if isinstance(bound, Occurrence):
                if bound.time <= instant:
                    view[name] = bound
            else:
                view[name] = tuple(item for item in bound if item.end <= instant)
        if true_of(pattern.terminate, View(view)):
            return True
    return False


def _running(run: Run, site: Contexts, context: Activation) -> list[Running]:
    return [branch for _, branch in _stored(run.stored(site.branches, context))]


def _stored(tokens: list[Token]) -> Iterator[tuple[Token, Running]]:
    return ((token, token.colour) for token in tokens if isinstance(token.colour, Running))
