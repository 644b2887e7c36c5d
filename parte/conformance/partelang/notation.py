"""The notation of matches and failures in the case files of PARTElang.

A match is its rule and the events that it binds, `R a=a1 b=b1`; its emitted events follow below, each on a line of its
own after `->`, as in a trace. `failed R#2 a=a1` is the second emission of a rule that has no value for that binding.
`suppressed R#2 a=a2 after R#2(a=a1)` is one that `once` suppresses, with the id of the event that passed before it. An
answer that this notation cannot express is written in JSON: `{…}`, `failed {…}`, or `suppressed {…}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from parte.conformance.casefiles.cases import Answers, Notation
from parte.conformance.casefiles.events import SOURCE, read_event, write_event
from parte.conformance.casefiles.layout import Misread, read_json
from parte.conformance.fixtures import Json
from parte.semantics.events.strictjson import dumped

_MATCH = re.compile(r"(?P<rule>\w+)(?P<bindings>( [\w.]+=\S+)+)")
_AFTER = " after "
_FAILURE = re.compile(r"(?P<rule>\w+)#(?P<emission>[1-9]\d{0,8})(?P<bindings>( [\w.]+=\S+)+)")
_EMITS = "  -> "


def read_answers(lines: Sequence[str]) -> Answers:
    """Return the answers. Misread, with the line, if one cannot be read."""
    matches: list[Json] = []
    failures: list[Json] = []
    suppressed: list[Json] = []
    for offset, line in enumerate(lines):
        try:
            if line.lstrip(" ").startswith(_EMITS.lstrip()):
                _emit(matches, line)
            elif line.startswith("{"):
                matches.append(read_json(line))
            elif line.startswith("failed "):
                failures.append(_failure(line.removeprefix("failed ")))
            elif line.startswith("suppressed "):
                suppressed.append(_suppression(line.removeprefix("suppressed ")))
            elif line:
                matches.append({**_bound(_MATCH, line), "emits": []})
        except Misread as error:
            raise Misread(str(error), offset) from None
    return Answers(tuple(matches), tuple(failures), tuple(suppressed))


def _emit(matches: list[Json], line: str) -> None:
    event, end = read_event(line, line.index(_EMITS.lstrip()) + len(_EMITS.lstrip()), {})
    if not matches or event.pop("source") != SOURCE or end < len(line):
        raise Misread("expected an event without a source below the match that emits it, as R(a=a1):D@5(k=1)")
    matches[-1]["emits"].append(event)


def _failure(written: str) -> Json:
    if written.startswith("{"):
        return read_json(written)
    failure = _bound(_FAILURE, written)
    return {"rule": failure["rule"], "emission": int(failure["emission"]), "bindings": failure["bindings"]}


def _suppression(written: str) -> Json:
    if written.startswith("{"):
        return read_json(written)
    emission, after, passed = written.rpartition(_AFTER)
    if not after or not passed:
        raise Misread("expected `after`, and the id of the event that passed, behind a suppressed emission")
    return {**_failure(emission), "passed": passed}


def _bound(form: re.Pattern[str], line: str) -> dict[str, Json]:
    parsed = form.fullmatch(line)
    if parsed is None:
        raise Misread(f"expected a rule and what it binds, as R a=a1, found {dumped(line)}"[:200])
    pairs = [pair.split("=", 1) for pair in parsed["bindings"].split()]
    return {**parsed.groupdict(), "bindings": dict(pairs)}


def write_answers(answers: Answers) -> list[str]:
    """Return the lines that `read_answers` reads."""
    return [
        *(line for match in answers.matches for line in _match(match)),
        *(f"failed {_failed(failure)}" for failure in answers.failures),
        *(f"suppressed {_suppressed(emission)}" for emission in answers.suppressed),
    ]


def _match(match: Json) -> Iterator[str]:
    lines = [dumped(match)]
    if isinstance(match, dict) and isinstance(match.get("bindings"), dict) and isinstance(match.get("emits"), list):
        lines = [f"{match.get('rule')}{_pairs(match['bindings'])}"]
        lines += [f"{_EMITS}{write_event({'source': SOURCE} | event, {})}" for event in match["emits"]]
    yield from lines if _comes_back(lines, Answers((match,))) else [dumped(match)]


def _failed(failure: Json) -> str:
    written = _emission(failure)
    return written if _comes_back([f"failed {written}"], Answers((), (failure,))) else dumped(failure)


def _suppressed(emission: Json) -> str:
    written = f"{_emission(emission)}{_AFTER}{emission.get('passed')}"
    return written if _comes_back([f"suppressed {written}"], Answers((), (), (emission,))) else dumped(emission)


def _emission(unemitted: Json) -> str:
    return f"{unemitted.get('rule')}#{unemitted.get('emission')}{_pairs(unemitted.get('bindings', {}))}"


def _pairs(bindings: dict[str, str]) -> str:
    return "".join(f" {variable}={id_}" for variable, id_ in bindings.items())


def _comes_back(lines: list[str], answers: Answers) -> bool:
    try:
        return "".join(lines).isprintable() and dumped(read_answers(lines)) == dumped(answers)
    except Misread:
        return False


NOTATION = Notation(read_answers, write_answers)
