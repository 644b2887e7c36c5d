"""The named variants of PARTElang's machine: `--variant NAME` (docs/variants.md)."""

from __future__ import annotations

from parte.proofs.partelang.optimisations import COALESCE, SHARE
from parte.proofs.variants import Variant
from parte.semantics.partelang import kernel
from parte.semantics.partelang.histories import History
from parte.semantics.partelang.network import TwoInputNode
from parte.semantics.partelang.repairs import Repairs
from parte.semantics.partelang.rules.premises import expire_left, expire_right


def expire_left_a_window_later(repairs: Repairs, history: History, bound: int) -> History:
    """A left partial match stays for twice the time of its lifetime, though no later event can join it."""
    return history.parted(
        lambda entry: not kernel.is_stale(entry.closes + (entry.closes - entry.opens), bound),
    )[0]


LATE_EXPIRY = Variant(
    "late-expiry",
    "left partial matches of join-nodes stay for one window longer: what is found is the same, histories are larger",
    {expire_left: expire_left_a_window_later},
    refutes=(
        "expiry-left-prompt-1",
        "frame-uniform",
        "refines-JOIN-RIGHT-2",
        "refines-JOIN-RIGHT-BOTTOM-2",
        "refines-PROC-1",
    ),
)


def expire_left_at_the_bound(repairs: Repairs, history: History, bound: int) -> History:
    """A left partial match leaves when the bound reaches the end of its lifetime, not when it has passed it.

    This would be right if a promise of a time excluded further events at that time.
    """
    return history.parted(lambda entry: kernel.is_stale(bound, entry.closes))[0]


EAGER_EXPIRY = Variant(
    "eager-expiry",
    "left partial matches of join-nodes leave a moment early: what comes at the very end of a window may be lost",
    {expire_left: expire_left_at_the_bound},
    refutes=(
        "expiry-left-join-1",
        "refines-JOIN-RIGHT-2",
        "refines-JOIN-RIGHT-BOTTOM-2",
        "refines-PROC-1",
        "runs-watched-sources",
        "runs-watched-join",
        "runs-watched-self-join",
        "runs-quick-sources",
        "runs-quick-join",
        "runs-quick-self-join",
        "runs-many-elements",
        "runs-many-right-events",
    ),
    fails=(
        "breadth/joins/012",
        "extremes/iso-timestamps",
        "identity/default-ids-count-every-line",
        "identity/equal-contents-in-both-patterns",
        "laws/duplicate-pair-2",
        "order/disorder",
        "strata/emitted-event-matches",
        "ties/after-a-rejected-event",
        "ties/at-the-upper-end-declared",
        "ties/at-the-upper-end-reversed",
        "ties/many",
    ),
)


def expire_nothing_left(repairs: Repairs, history: History, bound: int) -> History:
    """Every left partial match stays."""
    return history


def expire_nothing_right(node: TwoInputNode, history: History, left_bounds: tuple[int, ...]) -> History:
    """Every right event stays."""
    return history


NO_EXPIRY = Variant(
    "no-expiry",
    "join-nodes forget nothing, nor do not-nodes their right events: without `once` what is found is the same, in "
    "boundless space",
    {expire_left: expire_nothing_left, expire_right: expire_nothing_right},
    refutes=(
        "expiry-left-prompt-1",
        "frame-uniform",
        "refines-JOIN-LEFT-2",
        "refines-JOIN-LEFT-BOTTOM-2",
        "refines-JOIN-RIGHT-2",
        "refines-JOIN-RIGHT-BOTTOM-2",
        "refines-NOT-LEFT-2",
        "refines-NOT-LEFT-BOTTOM-2",
        "refines-PROC-1",
        "runs-many-elements",
    ),
)

VARIANTS = (LATE_EXPIRY, EAGER_EXPIRY, NO_EXPIRY, SHARE, COALESCE)
