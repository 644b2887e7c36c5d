"""What the checker says of the nets of LEAD, against runs: what places keep, how many matches there are and until when,
and which transitions fire."""

from __future__ import annotations

from collections import Counter

from parte.checker.report.collecting import Collector
from parte.checker.solver.queries import Journal, Session
from parte.languages.lead.algebra.effort import TooManyMatches
from parte.languages.lead.checker.codes import CODES
from parte.languages.lead.checker.conditions import check_conditions
from parte.languages.lead.checker.liveness import reachable
from parte.languages.lead.checker.measuring import measured
from parte.languages.lead.checker.places import bounds_of, matches
from parte.languages.lead.checker.work import Work
from parte.languages.lead.semantics.net import TooManyFirings
from parte.languages.lead.semantics.partitioning import partitions
from parte.languages.lead.semantics.syntax.checking import bound
from parte.languages.lead.semantics.syntax.parser import parse_source
from parte.languages.lead.semantics.syntax.printer import print_rule
from parte.languages.lead.semantics.syntax.streams import occurrences
from parte.semantics.events.event import Event
from tests.campaigns.running import Broken
from tests.languages.lead.campaigns.lead import Disordered, Lead


class LeadClaims(Lead):
    """The campaign."""

    name = "lead-claims"

    def attack(self, case: Disordered, counts: Counter[str]) -> None:
        """Every claim holds of a run."""
        source = parse_source(print_rule(case.case.program))
        journal = Journal()
        work = Work(source, Collector(CODES, lambda _: "", journal), Session(5.0, journal), 5.0)
        check_conditions(work)
        known, most, latest = bounds_of(work.net, source.rule.times), matches(work.pattern), bound(work.pattern)
        alive = reachable(work)
        counts["places with a bound"] += sum(claim.bounded for claim in known.values())
        counts["places"] += sum(place.red for place in work.net.places)
        counts["dead transitions"] += len(work.net.transitions) - len(alive)
        items = [item for item in case.case.items if isinstance(item, Event)]
        for _, group in partitions(source.rule, occurrences(source.rule, items)):
            try:
                measurement = measured(source.rule, group)
            except (TooManyFirings, TooManyMatches):
                counts["too much"] += 1
                continue
            counts["runs with a match"] += bool(measurement.matches)
            if most is not None and len(measurement.matches) > most:
                raise Broken(f"{len(measurement.matches)} matches, where there are to be at most {most}")
            if latest is not None and any(match.end > group[0].time + latest for match in measurement.matches):
                raise Broken(f"a match ends more than {latest} ms after the first event")
            if not measurement.fired <= alive:
                raise Broken("a transition fires that is to be dead")
            for number, claim in known.items():
                seen, place = measurement.stored[number], work.net.places[number].name
                if claim.tokens is not None and seen.tokens > claim.tokens:
                    raise Broken(f"`{place}` keeps {seen.tokens} tokens, and is to keep {claim}")
                if claim.age is not None and seen.age > claim.age:
                    raise Broken(f"`{place}` keeps a token of {seen.age} ms, and is to keep {claim}")
                if claim.items is not None and seen.items > claim.items:
                    raise Broken(f"`{place}` keeps {seen.items} items, and is to keep {claim}")
