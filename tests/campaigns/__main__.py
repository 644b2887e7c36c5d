"""`python -m tests.campaigns [NAME...] [--seconds S] [--seed N]`: attacks at random until the time is over.

Ctrl-C ends it early, with the counts so far.

Exit code 1 if something broke: it is shown as small as it was made, and can be run again with its seed and number.
"""

from __future__ import annotations

import argparse
import random
import sys
from functools import partial
from typing import Any

from parte.conformance.partelang.engines.rocq.replay import REPLAY
from parte.proofs.partelang.evaluator.conversation import EVALUATOR
from tests.campaigns.apart import Part, run_apart
from tests.campaigns.bounds import Bounds
from tests.campaigns.checker import Checker
from tests.campaigns.editor import Editing
from tests.campaigns.failures import Failures
from tests.campaigns.inputs import Inputs
from tests.campaigns.kills import Kills
from tests.campaigns.lateness import Lateness
from tests.campaigns.level_2 import Level2
from tests.campaigns.meaning import Meaning
from tests.campaigns.proved import Proved
from tests.campaigns.recognizing import Recognizing
from tests.campaigns.rocq import Rocq
from tests.campaigns.running import INTERRUPTED, Campaign, run
from tests.campaigns.translating import Translating
from tests.campaigns.variants import Variants
from tests.guests import modules
from tests.languages.translations.parts import PARTS

_ALL: tuple[Campaign[Any], ...] = (
    *(Checker(), Bounds(), Kills(), Meaning(), Inputs(), Lateness()),
    *(Level2(), Variants(), Editing(), Translating(), Recognizing(), Failures()),
    *(part.campaign for part in PARTS),
    *(campaign for module in modules("campaigns/catalogue") for campaign in module.CAMPAIGNS),
    *((Rocq(),) if REPLAY.exists() else ()),  # what these need `make rocq` builds
    *((Proved(),) if EVALUATOR.exists() else ()),
)
CAMPAIGNS: dict[str, Campaign[Any]] = {campaign.name: campaign for campaign in _ALL}


def main() -> int:
    """Run campaigns one after the other."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(CAMPAIGNS)}; all if none is given")
    parser.add_argument("--seconds", type=float, default=600.0, help="for each campaign")
    parser.add_argument("--cases", type=int, default=None, help="end after so many, for each campaign")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--case", type=int, default=0, help="the number of the first case")
    parser.add_argument("--processes", type=int, default=1, help="share the cases among so many")
    options = parser.parse_args()
    broken = False
    for name in options.names or CAMPAIGNS:
        if name not in CAMPAIGNS:
            parser.error(f"there is no campaign called {name}; there are: {', '.join(CAMPAIGNS)}")
        print(f"{name}: seed {options.seed}", flush=True)
        say = partial(print, flush=True)
        if options.processes > 1:
            part = Part(name, options.seed, options.seconds, options.case, options.cases, step=1)
            failures, counts = run_apart(part, options.processes, say)
        else:
            broken_cases, counts = run(
                CAMPAIGNS[name],
                seed=options.seed,
                seconds=options.seconds,
                first=options.case,
                cases=options.cases,
                say=say,
            )
            failures = [failure.what for failure in broken_cases]
        for what, count in sorted(counts.items()):
            print(f"  {count:>8}  {what}")
        print(f"{name}: {counts['cases']} cases, {len(failures)} failures", flush=True)
        broken = broken or bool(failures)
        if counts[INTERRUPTED]:
            break
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
