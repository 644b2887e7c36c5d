"""Probable mistakes in a mapping, for a conversion whose counts look like one: the mapping beside the records.

The records are the first ones of the raw logs (`parte.logs.sample`), which are read only for such counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from parte.logs.conversion import Converted
from parte.logs.mapping import MappedTemplate, Mapping, parts_of, path_of
from parte.logs.mapping_text import quoted
from parte.logs.sample import SAMPLE, Flat, normal
from parte.semantics.source.similar import advice

_LISTED: Final = 5
"""The most remarks of a kind, and the most values of a path."""
_NAMED: Final = 20
"""The most templates without events that are named."""
_MISSING: Final = " is missing"


def is_doubtful(mapping: Mapping, converted: Converted) -> bool:
    """Return whether a template or an attribute never occurs, or more records are rejected than are events."""
    events = converted.events
    some_unused = any(not events[template.name] for template in mapping.templates)
    return some_unused or bool(converted.absent) or converted.rejected.total() > events.total()


def unused(mapping: Mapping, converted: Converted, records: Sequence[Flat]) -> list[str]:
    """Return each template without events, with the reason, and a hint from records, which may be none."""
    templates = [template for template in mapping.templates if not converted.events[template.name]]
    left = _by_template(mapping, records).get(None, [])
    rows, listed = [], set[str]()
    for template in templates[:_NAMED]:
        hint = ""
        if refused := converted.refused[template.name]:
            reason = f"all its records are rejected ({refused:,})"
        else:
            reason = _reason(template, mapping.templates[: mapping.templates.index(template)])
            hint = "; ".join(_hints(template, records, left, listed))
        rows.append(f"{template.name}: {reason}" + (f"\n  hint: {hint}" if hint else ""))
    if len(templates) > _NAMED:
        rows.append(f"also of {len(templates) - _NAMED:,} more templates")
    return rows


def remarks(mapping: Mapping, converted: Converted, records: Sequence[Flat]) -> Iterator[str]:
    """Yield warnings of paths that no record of their template has, with the path that was probably meant."""
    by_template = _by_template(mapping, records)
    slots = {template.name: template.slots for template in mapping.templates}
    meant, absent = [], []
    for name, attribute in sorted(converted.absent):
        slot, own = slots[name][attribute], by_template.get(name, [])
        path = path_of(attribute, slot) or attribute
        # Events that all have the default may have it in their records.
        if any(_has(record, path) for record in own) or (slot.default is not None and not own):
            continue
        if near := _meant(path, _paths(own)):
            meant.append(f"{name}.{attribute}: no record of the template has the path {path}{near}")
        else:
            absent.append(f"{name}.{attribute}")
    yield from meant[:_LISTED]
    if absent := [*absent, *(text.partition(":")[0] for text in meant[_LISTED:])]:
        more = f" and {len(absent) - _LISTED:,} more" if len(absent) > _LISTED else ""
        yield f"no record of its template has the path of {', '.join(absent[:_LISTED])}{more}"
    mapped = [record for name, some in by_template.items() if name is not None for record in some]
    for reason in sorted(converted.rejected)[:_LISTED]:
        path = reason.removesuffix(_MISSING)
        if path != reason and mapped and not any(_has(record, path) for record in mapped):
            paths = _paths(mapped)
            listed = f"they have {', '.join(paths[:10])}{', …' * (len(paths) > 10)}"
            yield f"no record of a template has the path {path}{_meant(path, paths, listed)}"


def _reason(template: MappedTemplate, before: Sequence[MappedTemplate]) -> str:
    if not template.when:
        return "the templates before it leave no record"
    tests = (f"{path} = {' or '.join(map(quoted, _texts(wanted)))}" for path, wanted in template.when.items())
    apart = all(_are_apart(earlier, template) for earlier in before)
    return f"no record {'' if apart else 'that the templates before it leave '}has {' and '.join(tests)}"


def _are_apart(first: MappedTemplate, second: MappedTemplate) -> bool:
    """Return whether no record fits both, because they want different values at a path."""
    shared = first.when.keys() & second.when.keys()
    return any({*_texts(first.when[path])}.isdisjoint(_texts(second.when[path])) for path in shared)


def _hints(template: MappedTemplate, records: Sequence[Flat], left: Sequence[Flat], listed: set[str]) -> Iterator[str]:
    """Yield what records have instead at the paths of a condition; the values at a path only once, see `listed`."""
    paths = _paths(records)
    for path, wanted in template.when.items():
        at = normal(path)
        if paths and not any(at in record for record in records):
            yield f"no record has the path {path}{_meant(path, paths, sep='; ')}"
            continue
        values = Counter(record[at] for record in left if at in record)
        if values.keys() & {*_texts(wanted)}:
            continue
        if values and path not in listed:
            listed.add(path)
            common = ", ".join(f"{quoted(text[:100])} ({count:,})" for text, count in values.most_common(_LISTED))
            first = f"among the first {SAMPLE:,}, " if len(records) >= SAMPLE else ""
            yield f"{first}records of no template have {path} = {common}"
        yield from dict.fromkeys(near for text in _texts(wanted) if (near := advice(text, values, " ").strip()))


def _texts(wanted: str | Sequence[str]) -> Sequence[str]:
    return [wanted] if isinstance(wanted, str) else wanted


def _by_template(mapping: Mapping, records: Sequence[Flat]) -> dict[str | None, list[Flat]]:
    """Return records by the template that they fit."""
    conditions = [
        (template.name, [(normal(path), {*_texts(wanted)}) for path, wanted in template.when.items()])
        for template in mapping.templates
    ]
    groups: dict[str | None, list[Flat]] = {}
    for record in records:
        fitting = (name for name, tests in conditions if all(record.get(path) in wanted for path, wanted in tests))
        groups.setdefault(next(fitting, None), []).append(record)
    return groups


def _paths(records: Sequence[Flat]) -> list[str]:
    return [*dict.fromkeys(path for record in records for path in record)]


def _has(record: Flat, path: str) -> bool:
    """Return whether a record has a path, or parts of an object or a list there."""
    at = normal(path)
    if at in record or any(place.startswith(f"{at}.") for place in record):
        return True
    parts = parts_of(path)
    return any(record.get(normal(path, place), "").startswith("[") for place in range(1, len(parts)))


def _meant(path: str, paths: Sequence[str], otherwise: str = "", sep: str = "\n  hint: ") -> str:
    """Return a hint to the path that was probably meant: with the same last part, or similar."""
    last = parts_of(path)[-1]
    same = next((place for place in paths if parts_of(place)[-1] == last), None)
    hint = f"did you mean {same}?" if same else advice(path, paths, otherwise or " ").strip()
    return hint and f"{sep}{hint}"
