"""Directed graphs, as mappings from nodes to their successors."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping
from typing import TypeVar

N = TypeVar("N", bound=Hashable)


def components(graph: Mapping[N, Collection[N]]) -> Iterator[list[N]]:
    """Return the strongly connected components, each after its successors (Tarjan, without recursion).

    Successors that are not nodes of the graph are ignored.
    """
    index: dict[N, int] = {}
    low: dict[N, int] = {}
    stack: list[N] = []
    on_stack = set[N]()
    for root in graph:
        if root in index:
            continue
        work: list[tuple[N, Iterator[N]]] = []
        following: list[N] = [root]
        while following or work:
            if following:
                entered = following.pop()
                index[entered] = low[entered] = len(index)
                stack.append(entered)
                on_stack.add(entered)
                work.append((entered, iter(graph[entered])))
            node, targets = work[-1]
            for target in targets:
                if target not in graph:
                    continue
                if target not in index:
                    following = [target]
                    break
                if target in on_stack:
                    low[node] = min(low[node], index[target])
            if following:
                continue
            work.pop()
            if work:
                parent = work[-1][0]
                low[parent] = min(low[parent], low[node])
            if low[node] == index[node]:
                component: list[N] = []
                while not component or component[-1] != node:
                    component.append(stack.pop())
                    on_stack.discard(component[-1])
                yield component
