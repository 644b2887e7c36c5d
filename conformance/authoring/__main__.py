"""Writes the files of the suite: `python -m conformance.authoring`. Files that are there stay as they are.

`--check` writes nothing and says which files would be other; `--renew PREFIX` writes those cases anew.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from conformance.authoring.drafts import Draft, Refused, admit
from conformance.authoring.sources import generated, handmade
from conformance.fixtures import SUITE, fixture_text


def main(arguments: list[str] | None = None) -> int:
    """Admit the drafts that have no file yet, and write them."""
    parser = argparse.ArgumentParser(prog="python -m conformance.authoring", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; list what would be written")
    parser.add_argument("--renew", metavar="PREFIX", help="write the cases anew whose ids begin so")
    parser.add_argument("--no-generated", action="store_true", help="only the cases written by hand")
    given = parser.parse_args(arguments)
    written = refused = 0
    seen: set[str] = set()
    for draft in _drafts(not given.no_generated):
        if draft.id in seen:
            raise SystemExit(f"the id {draft.id} is used twice")
        seen.add(draft.id)
        path = SUITE / f"{draft.id}.json"
        renewed = given.renew is not None and draft.id.startswith(given.renew)
        if path.exists() and not renewed:
            continue
        try:
            text = fixture_text(admit(draft))
        except Refused as reason:
            refused += 1
            print(f"refused: {reason}", file=sys.stderr)
            continue
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        written += 1
        print(draft.id)
        if not given.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
    print(f"{written} of {len(seen)} cases {'would be ' if given.check else ''}written", file=sys.stderr)
    return int(refused > 0 or (given.check and written > 0))


def _drafts(with_generated: bool) -> Iterator[Draft]:
    yield from handmade()
    if with_generated:
        yield from generated()


if __name__ == "__main__":
    sys.exit(main())
