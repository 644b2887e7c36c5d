"""The canonical order of matches is that of their lines of JSON."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from parte.semantics.events.event import Event
from parte.semantics.events.match import Match, canonical

NAMES = st.text('ab" ,:{}\\!é\U0001f600\x00\ud800', max_size=3)
EMITTED = st.lists(st.builds(Event, NAMES, NAMES, st.integers(0, 2), st.just({})), max_size=1).map(tuple)
MATCHES = st.builds(Match, NAMES, st.lists(st.tuples(NAMES, NAMES), max_size=2).map(tuple), EMITTED)


@given(st.lists(MATCHES, max_size=6))
def test_canonical_order_is_that_of_the_lines(matches: list[Match]) -> None:
    assert canonical(matches) == sorted(matches, key=Match.to_json)
