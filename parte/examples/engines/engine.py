"""A template for adapters: an engine that understands rules without arithmetic, functions, predicates or emissions.

It reads the elaborated program (`ast`), not the text. Replace `compile_rule` and `find` by calls of your engine. For
a program that it cannot express, reply `unsupported`. Run `parte conform 'python3 engine.py'`.
"""

import json
import sys
from operator import eq, ge, gt, le, lt, ne

HAS = "core negation multi-source out-of-order ast:attribute ast:comparison ast:constant ast:scalar ast:to-float"
COMPARE = {"=": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}


class Unsupported(Exception):
    """A construct that the engine cannot express; the message is shown in the report."""


def compile_value(node):
    """Return a function from bound events (by variable) to the value of an expression."""
    if node["kind"] == "constant":
        return lambda _: node["value"]
    if node["kind"] == "attribute":
        kind = float if node["type"].get("name") == "Float" else lambda value: value  # traces write 1.0 as 1 too
        return lambda bound: kind(bound[node["variable"]]["attributes"][node["attribute"]])
    if node["kind"] == "to-float":
        inner = compile_value(node["operand"])
        return lambda bound: float(inner(bound))
    raise Unsupported(f"expressions of the kind {node['kind']}")


def compile_condition(node):
    """Return a function from bound events to a Boolean."""
    if node["kind"] != "comparison":
        raise Unsupported(f"conditions of the kind {node['kind']}")
    compare, left, right = COMPARE[node["operator"]], compile_value(node["left"]), compile_value(node["right"])
    return lambda bound: compare(left(bound), right(bound))


def compile_window(item):
    """Return a function from bound events to whether a constraint of `when` holds; windows are closed at both ends."""
    subject, reference = item["subject"], item["reference"]
    lower, upper = item["lower"], item["upper"]
    return lambda bound: lower <= bound[subject]["timestamp"] - bound[reference]["timestamp"] <= upper


def compile_rule(rule):
    """Return the data of a rule for `find`: its patterns, each with the tests that its event must pass."""
    if rule["emissions"]:
        raise Unsupported("emissions")
    patterns = []
    for pattern in rule["patterns"]:
        tests = [compile_condition(condition) for condition in pattern["conditions"]]
        if pattern["negated"]:
            tests += [compile_window(item) for item in rule["constraints"] if item["subject"] == pattern["variable"]]
        patterns.append((pattern["variable"], pattern["template"], pattern["negated"], tests))
    windows = [compile_window(item) for item in rule["constraints"] if not item["negated"]]
    return rule["name"], patterns, windows


def find(rule, events, bound):
    """Yield the matches of a rule that bind some events already: every way to bind the next pattern is tried."""
    name, patterns, windows = rule
    if not patterns:
        if all(window(bound) for window in windows):
            yield {"rule": name, "bindings": {variable: event["id"] for variable, event in bound.items()}, "emits": []}
        return
    (variable, template, negated, tests), *rest = patterns
    fits = [e for e in events if e["template"] == template and all(test(bound | {variable: e}) for test in tests)]
    for more in [{variable: event} for event in fits] if not negated else [] if fits else [{}]:
        yield from find((name, rest, windows), events, bound | more)


def reply(request, rules):
    """Return the reply to a request, without its `seq`."""
    if request["request"] == "hello":
        who = {"name": "template", "version": "1", "languages": ["PARTElang"], "constructs": HAS.split()}
        return {"reply": "hello", "protocol": 2} | who
    if request["request"] == "load":
        if request["program"]["ast"] is None or request["domain"]:
            raise Unsupported("reading the text of programs, and domain predicates")
        rules[:] = [compile_rule(rule) for rule in request["program"]["ast"]["rules"]]
        return {"reply": "ok"}
    if request["request"] == "run":
        events = [{"id": f"e{line}"} | item for line, item in enumerate(request["trace"], 1) if "progress" not in item]
        if any(isinstance(event.get("timestamp"), str) for event in events):
            raise Unsupported("ISO 8601 timestamps")
        return {"reply": "matches", "matches": [match for rule in rules for match in find(rule, events, {})]}
    return {"reply": "bye"} if request["request"] == "bye" else {"reply": "unsupported", "reason": "one step at a time"}


loaded = []
for line in sys.stdin:
    request = json.loads(line)
    try:
        answer = reply(request, loaded)
    except Unsupported as reason:
        answer = {"reply": "unsupported", "reason": str(reason)}
    print(json.dumps({"seq": request["seq"]} | answer), flush=True)
