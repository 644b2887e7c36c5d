"""The named repairs that turn `published` into `sound`, one for each defect of the algorithms (specification:
cel-defects)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from parte.semantics.rulebook.models import Switches


@dataclass(frozen=True, slots=True)
class Repairs(Switches):
    """The repairs of T's algorithms that are on."""

    sequence_after: Annotated[bool, "what follows begins after the end of what it follows, not on the same event", 1]
    time_windows: Annotated[bool, "a window of time looks at timestamps, not at positions", 3]
    stream_positions: Annotated[bool, "results and windows of a substream have the positions of the stream", 4, 5]
    nulls_apart: Annotated[bool, "an event without an attribute of PARTITION BY is in no substream", 6]
    refined_valuations: Annotated[bool, "links look at the events of each variable, not of all with its types", 12]
    links_stay: Annotated[bool, "a link below another operator is refused, not moved to the top", 13]
    keys_of_event: Annotated[bool, "states are visited in the order in which this event reached them", 15]
    forgetting: Annotated[bool, "what no window reaches any more is forgotten", 19]
    indices_from_zero: Annotated[bool, "processes have the indices 0 to n - 1", 20]
    single_paths_shared: Annotated[bool, "a result that is the only one goes to one process", 21]
    shares_in_window: Annotated[bool, "shares are of the results in the window", 22]
    balanced_shares: Annotated[bool, "shares differ by at most one", 23]
    one_root: Annotated[bool, "shares are of the results of all final states together", 24]
    last_groups: Annotated[bool, "a last group of one event counts in configurations", 29]
    fragment_only: Annotated[bool, "maximal results stand for the results of some queries only", 30, 31, 32]
    distinct_choices: Annotated[bool, "the workers that are drawn are different ones", 33]


SOUND, PUBLISHED = Repairs.sound(), Repairs.published()
MODELS = {model.name: model for model in (SOUND, PUBLISHED)}
ALL_ON = Repairs.of(SOUND)
"""The repairs of the machine where no model is chosen."""
