"""The named repairs that turn `published` into `sound`, one for each defect of the algorithms (specification:
cel-defects)."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Repairs:
    """Which repairs are on: all in `sound`, none in `published`. The order is that of the defects."""

    sequence_after: bool = True
    time_windows: bool = True
    stream_positions: bool = True
    nulls_apart: bool = True
    refined_valuations: bool = True
    links_stay: bool = True
    keys_of_event: bool = True
    forgetting: bool = True
    indices_from_zero: bool = True
    single_paths_shared: bool = True
    shares_in_window: bool = True
    balanced_shares: bool = True
    one_root: bool = True
    last_groups: bool = True
    fragment_only: bool = True
    distinct_choices: bool = True


DESCRIPTIONS: dict[str, str] = {
    "sequence-after": "what follows begins after the end of what it follows, not on the same event (defect 1)",
    "time-windows": "a window of time looks at timestamps, not at positions (defect 3)",
    "stream-positions": "results and windows of a substream have the positions of the stream (defects 4, 5)",
    "nulls-apart": "an event without an attribute of PARTITION BY is in no substream (defect 6)",
    "refined-valuations": "links look at the events of each variable, not of all with its types (defect 12)",
    "links-stay": "a link below another operator is refused, not moved to the top (defect 13)",
    "keys-of-event": "states are visited in the order in which this event reached them (defect 15)",
    "forgetting": "what no window reaches any more is forgotten (defect 19)",
    "indices-from-zero": "processes have the indices 0 to n - 1 (defect 20)",
    "single-paths-shared": "a result that is the only one goes to one process (defect 21)",
    "shares-in-window": "shares are of the results in the window (defect 22)",
    "balanced-shares": "shares differ by at most one (defect 23)",
    "one-root": "shares are of the results of all final states together (defect 24)",
    "last-groups": "a last group of one event counts in configurations (defect 29)",
    "fragment-only": "maximal results stand for the results of some queries only (defects 30, 31, 32)",
    "distinct-choices": "the workers that are drawn are different ones (defect 33)",
}
"""What each repair does, by the name that reports use, in the order of the defects."""

SOUND = Repairs()
PUBLISHED = Repairs(**dict.fromkeys((field.name for field in fields(Repairs)), False))


def repairs_of(model: str) -> Repairs:
    """The repairs of a model. ValueError if there is no such model."""
    if model not in MODELS:
        raise ValueError(f"expected one of the models {', '.join(MODELS)}, found {model!r}")
    return MODELS[model]


MODELS = {"sound": SOUND, "published": PUBLISHED}
