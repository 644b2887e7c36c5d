"""Questions to the solver: an interrupt that comes late cancels nothing that follows."""

from __future__ import annotations

import pytest

from parte.checker.solver import queries, terms
from parte.checker.solver.queries import Session, Status


def test_an_interrupt_after_the_answer_cancels_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    number = terms.integer("number")
    question = terms.below(terms.whole(3), number)
    session = Session(10)

    assert session.ask("before", question).status is Status.SATISFIABLE
    with monkeypatch.context() as patched:
        patched.setattr(queries, "_GRACE", -20.0)  # every question takes too long
        patched.setattr(queries, "_WATCH", 0.0001)
        patched.setattr(queries, "_WATCHDOG", queries._Watchdog())
        statuses = {session.ask(f"question {number}", question).status for number in range(50)}
    assert statuses <= {Status.SATISFIABLE, Status.UNKNOWN}
    assert session.ask("after", question).status is Status.SATISFIABLE
