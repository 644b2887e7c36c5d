"""The failures of an engine, grouped by cause (specification: causes).

The answers of an engine are compared with those of the mutants, each of which has one error. A mutant that gives the
same wrong answers, and that errs in none of the compared cases that the engine passes, names a group. Failures that no
mutant explains are grouped by the clause that best separates them from passing cases; errors and timeouts by message.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from parte.conformance.fixtures import BY_HAND
from parte.conformance.kit import KIT
from parte.conformance.mutants import Mutant
from parte.conformance.mutants.killing import judge
from parte.conformance.protocol import OWN_IDS, Found
from parte.conformance.results import CaseVerdict, Cause, Result, some_matches
from parte.conformance.runner.judging import Judgement, Prepared
from parte.languages.language import Language
from parte.semantics.events.differences import Key, differences

SECONDS = 20.0
"""The time for comparing an engine with mutants."""

NEAR, ELSEWHERE = 20, 10
"""Passed cases in which a mutant must not err either: some from the area of a failure, some from the whole suite."""

ENOUGH = 3
"""Cases on which a mutant and the engine must agree before it names a group: many errors look alike in one case."""

_MOST_WEIGHED = 60
"""Failures that are counted to choose one of several mutants."""

_LONGEST_GIST = 200
_DETAIL_OF_A_FAILURE = re.compile("[:0-9].*", re.DOTALL)
_DETAIL = re.compile(r"((?<!\w)'|[\"{\[(]|(?<!exit code )(?<![0-9])[0-9]).*", re.DOTALL)
"""The end of a message, which concerns one case: from a quotation, a bracket or a number on. The apostrophe of `can't`
is not a quotation mark, and an exit code is kept, as it is the common reason of a group."""

_ENDED = re.compile("ended with exit code|was killed by|closed its standard output")
"""The messages of an engine whose process has ended."""


def causes(
    results: Sequence[Result],
    cases: Mapping[str, Prepared],
    language: Language,
    seconds: float = SECONDS,
) -> tuple[Cause, ...]:
    """Return the failures among the results of one engine, by cause, the most frequent one first.

    Known failures are left out. After so many seconds no further mutant is compared.
    """
    failed = [result for result in results if result.verdict.bad and not result.known]
    failed.sort(key=lambda result: _plainness(cases[result.case]))
    answered = [result for result in failed if _is_answer(result)]
    groups = list(_by_message(result for result in failed if not _is_answer(result)))
    renamed = [result for result in answered if _only_names_differ(result, cases[result.case])]
    answered = [result for result in answered if result not in renamed]
    doubtful: set[str] = set()
    if (answered or renamed) and seconds > 0:
        comparison = _Comparison(
            results, cases, language[KIT].mutants(), language[KIT].published(), time.monotonic() + seconds
        )
        named, answered = comparison.by_mutant(answered)
        groups += named
        doubtful = comparison.doubtful
        if renamed and comparison.by_mutant(renamed[:1])[0]:  # some errors concern names only, of some events
            named, renamed = comparison.by_mutant(renamed)
            groups += named
    if renamed:
        groups.append(
            Cause(renamed[0].engine, _OWN_IDS, tuple(result.case for result in renamed), "", ("emitted-ids",))
        )
    for few in (True, False):
        groups += _by_clause(
            [result for result in answered if (result.case in doubtful) is few], results, cases, few=few
        )
    return tuple(sorted(groups, key=lambda cause: -len(cause.cases)))


def _plainness(case: Prepared) -> tuple[bool, int]:
    """Return a sort key: cases written by hand first, as each tests one thing, and small ones before large ones."""
    return case.fixture.origin != BY_HAND, len(case.fixture.text) + len(case.fixture.trace_text)


def _is_answer(result: Result) -> bool:
    """Return whether an engine failed only by the matches that it reported."""
    return result.verdict is CaseVerdict.FAIL and not result.message


# --- What went wrong otherwise ----------------------------------------------------------------------------------------


def _by_message(failed: Iterable[Result]) -> Iterator[Cause]:
    groups: dict[tuple[CaseVerdict, str], list[Result]] = {}
    for result in failed:
        groups.setdefault((result.verdict, _gist(result)), []).append(result)
    for (verdict, gist), members in groups.items():
        reason = gist or "no reason was given"
        yield Cause(members[0].engine, f"{verdict.value}: {reason}", tuple(result.case for result in members))


def _gist(result: Result) -> str:
    """Return the common part of messages that differ from case to case by numbers and names."""
    if result.verdict is CaseVerdict.TIMEOUT:
        return "no reply in time"
    ending = _DETAIL_OF_A_FAILURE if result.verdict is CaseVerdict.FAIL else _DETAIL
    gist = ending.sub("", result.message).strip().removesuffix(":")
    return ": ".join(filter(None, (gist, _last_words(result))))[:_LONGEST_GIST]


def _last_words(result: Result) -> str:
    """Return the last line that a crashed engine wrote to standard error, with numbers replaced, so that alike crashes
    match."""
    if result.verdict is not CaseVerdict.ERROR or not _ENDED.search(result.message):
        return ""
    lines = [line.strip() for line in result.stderr.splitlines() if line.strip()]
    return re.sub(r"[0-9]+", "…", lines[-1]) if lines else ""


# --- Names only -------------------------------------------------------------------------------------------------------

_OWN_IDS = (
    "it is right but for the ids of emitted events, which have the form Rule(a=a1,b=b1); an engine with the feature "
    f"{OWN_IDS!r} names them as it likes"
)


def _only_names_differ(result: Result, case: Prepared) -> bool:
    """Return whether an answer would be correct if the engine could name emitted events in its own way."""
    stored_all = len(result.missing) == result.missing_count, len(result.spurious) == result.spurious_count
    if not all(stored_all) or not result.missing or case.renaming is None:
        return False
    right, _ = differences(case.fixture.expected.matches, result.missing, case.key)
    departure = replace(case, own_ids=True).departure(Found((*right, *result.spurious)))
    return not (departure.missing or departure.spurious or departure.clash)


# --- Like a mutant ----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Comparison:
    """Comparison of an engine with the mutants; `published`, which has all errors of the source, is tried last."""

    results: Sequence[Result]
    cases: Mapping[str, Prepared]
    mutants: Sequence[Mutant]
    published: Mutant | None
    deadline: float
    doubtful: set[str] = field(default_factory=set)
    """Failures that resemble some mutants, in too few cases to name one."""
    _known: dict[tuple[str, str], bool] = field(default_factory=dict)
    _verdicts: dict[str, CaseVerdict] = field(init=False)

    def __post_init__(self) -> None:
        self._verdicts = {result.case: result.verdict for result in self.results}

    def by_mutant(self, failed: Sequence[Result]) -> tuple[list[Cause], list[Result]]:
        """Return the groups that mutants name, and the failures that no mutant explains."""
        passed = [result for result in self.results if result.verdict is CaseVerdict.PASS]
        groups: list[Cause] = []
        unnamed: list[Result] = []
        left = list(failed)
        while left:
            alike = [mutant for mutant in self._candidates(left[0]) if self._is_like(mutant, left[0])]
            near = _near(left[0], passed, self.cases)
            exact = [mutant for mutant in alike if all(self._is_like(mutant, result) for result in near)]
            if not exact or time.monotonic() > self.deadline:
                unnamed.append(left.pop(0))
                continue
            weighed = left[:_MOST_WEIGHED]
            best = max(exact, key=lambda mutant: sum(self._is_like(mutant, result) for result in weighed))
            explained = [result for result in left if self._is_like(best, result)]
            explained.sort(key=lambda result: not set(best.clauses) & set(self.cases[result.case].fixture.clauses))
            if len(near) + len(explained) < ENOUGH:
                self.doubtful |= {result.case for result in explained}
                unnamed += explained
            else:
                groups.append(_like(best, explained, len(near)))
            left = [result for result in left if not self._is_like(best, result)]
        return groups, unnamed

    def _candidates(self, failure: Result) -> Iterator[Mutant]:
        """Yield the mutants that the engine may resemble: those whose killer the engine does not pass. If the killer
        was not run, a mutant that contradicts a clause of the failure is a candidate."""
        clauses = set(self.cases[failure.case].fixture.clauses)
        for mutant in self.mutants:
            verdict = self._verdicts.get(mutant.killer)
            if verdict is not CaseVerdict.PASS if verdict else clauses & set(mutant.clauses):
                yield mutant
        if self.published is not None:
            yield self.published

    def _is_like(self, mutant: Mutant, result: Result) -> bool:
        """Return whether a mutant gives the answer that the engine gave; False when time is up."""
        key = mutant.name, result.case
        if key not in self._known:
            if time.monotonic() > self.deadline:
                return False
            case = self.cases[result.case]
            self._known[key] = _agrees(judge(mutant, case), result, case.key)
        return self._known[key]


def _agrees(judgement: Judgement, result: Result, key: Key) -> bool:
    """Return whether a judgement equals a stored result, as far as it is stored: only the first of many matches are.

    Missing matches come in the order of the case, spurious ones in the order of the engine.
    """
    missing, spurious = some_matches(judgement.missing), some_matches(judgement.spurious)
    counts = len(judgement.missing), len(judgement.spurious)
    if (judgement.verdict, counts) != (result.verdict, (result.missing_count, result.spurious_count)):
        return False
    if len(spurious) < counts[1] or len(result.spurious) < counts[1]:
        return missing == result.missing
    return missing == result.missing and Counter(map(key, spurious)) == Counter(map(key, result.spurious))


def _near(result: Result, passed: list[Result], cases: Mapping[str, Prepared]) -> list[Result]:
    """Return some cases that the engine passes: small ones of the area of a failure, and some of all."""
    area = result.case.rpartition("/")[0]
    like = sorted(
        (passing for passing in passed if passing.case.startswith(f"{area}/")), key=lambda r: _plainness(cases[r.case])
    )
    chosen = {passing.case: passing for passing in like[:NEAR] + passed[:: max(1, -(-len(passed) // ELSEWHERE))]}
    return list(chosen.values())


def _like(mutant: Mutant, explained: Sequence[Result], compared: int) -> Cause:
    outside = f" and in {compared} others, which it passes" if compared else ""
    if len(explained) == 1:
        outside += "; one failing case is little evidence, for other errors may show alike in it"
    summary = (
        f"it behaves like {mutant.of} with {mutant.description} ({mutant.name}), in {_counted(explained)}{outside}"
    )
    cases = tuple(result.case for result in explained)
    return Cause(explained[0].engine, summary, cases, mutant.name, mutant.clauses)


def _counted(explained: Sequence[Result]) -> str:
    return "this case" if len(explained) == 1 else f"these {len(explained)} cases"


# --- By clause --------------------------------------------------------------------------------------------------------


def _by_clause(
    failed: Sequence[Result], results: Iterable[Result], cases: Mapping[str, Prepared], *, few: bool
) -> Iterator[Cause]:
    """Yield groups of failures by clause: the clause with the most citations by failures relative to all answered
    cases."""
    answered = Counter(
        clause
        for result in results
        if result.verdict is not CaseVerdict.UNSUPPORTED
        for clause in cases[result.case].fixture.clauses
    )
    left = list(failed)
    while left:
        cited = Counter(clause for result in left for clause in cases[result.case].fixture.clauses)
        clause = max(cited, key=lambda name: (cited[name] ** 2 / answered[name], name))
        members = [result for result in left if clause in cases[result.case].fixture.clauses]
        left = [result for result in left if clause not in cases[result.case].fixture.clauses]
        area = members[0].case.rpartition("/")[0]
        neighbours = f"too few to name the error; --case {area} asks neighbours too"
        known = neighbours if few else "no known error explains them"
        summary = f"{len(members)} of the {_cases(answered[clause])} about `{clause}` {_kinds(members)}; {known}."
        yield Cause(members[0].engine, summary, tuple(result.case for result in members), "", (clause,))


def _cases(count: int) -> str:
    return f"{count} case{'' if count == 1 else 's'}"


def _kinds(members: Sequence[Result]) -> str:
    """Return a phrase for what is wrong with the answers, whose subject is the cases."""
    report, lack = ("reports", "lacks") if len(members) == 1 else ("report", "lack")
    if not any(result.spurious_count for result in members):
        return f"{lack} matches"
    return f"{report} {'different' if any(result.missing_count for result in members) else 'spurious'} matches"
