"""Level 2 in the language of CLIPS: functions on Strings, `like`, and the functions that aggregates of sets call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from parte.semantics.events.types import Scalar
from parte.semantics.partelang.syntax import core
from parte.semantics.source.wildcards import ONE, segments

STRINGS: Mapping[str, Callable[[Sequence[str]], str]] = {
    "starts_with": lambda values: f"(eq (sub-string 1 (str-length {values[1]}) {values[0]}) {values[1]})",
    "ends_with": lambda values: (
        f"(and (<= (str-length {values[1]}) (str-length {values[0]})) (eq {values[1]} (sub-string"
        f" (+ 1 (- (str-length {values[0]}) (str-length {values[1]}))) (str-length {values[0]}) {values[0]})))"
    ),
    "contains": lambda values: f"(integerp (str-index {values[1]} {values[0]}))",
    "length": lambda values: f"(str-length {values[0]})",
    "concat": lambda values: f"(str-cat {' '.join(values)})",
    "lower": lambda values: f"(lowcase {values[0]})",
    "upper": lambda values: f"(upcase {values[0]})",
}
"""The functions on Strings, which count code points; `lowcase` and `upcase` change the letters of ASCII only."""

LIKE = """(deffunction like (?text $?items)
  (bind ?place 1) (bind ?at 1) (bind ?any 0) (bind ?tried 1)
  (while (<= ?place (str-length ?text))
    (bind ?item (if (<= ?at (length$ ?items)) then (nth$ ?at ?items) else end))
    (if (or (eq ?item one) (eq ?item (sub-string ?place ?place ?text)))
      then (bind ?place (+ ?place 1)) (bind ?at (+ ?at 1))
      else (if (eq ?item any)
        then (bind ?any ?at) (bind ?tried ?place) (bind ?at (+ ?at 1))
        else (if (= ?any 0) then (return FALSE))
          (bind ?tried (+ ?tried 1)) (bind ?place ?tried) (bind ?at (+ ?any 1)))))
  (while (and (<= ?at (length$ ?items)) (eq (nth$ ?at ?items) any)) (bind ?at (+ ?at 1)))
  (> ?at (length$ ?items)))"""
"""The test of a String by the items of a pattern: a code point, `one` for `?`, or `any` for `*`; where the items do not
fit, the last `any` takes one code point more."""


def like(operand: str, pattern: str, written: Callable[[str], str]) -> str:
    """Return the test of a String by a pattern; `written` gives a literal."""
    items: list[str] = []
    for number, segment in enumerate(segments(pattern)):
        items += ["any"] if number else []
        items += ["one" if item is ONE else written(item) for item in segment]
    return f"({' '.join(['like', operand, *items])})"


OF_SETS = (
    """(deffunction values-of (?slot $?facts)
  (bind ?values (create$))
  (progn$ (?fact ?facts)
    (bind ?value (fact-slot-value ?fact ?slot))
    (if (neq ?value nil) then (bind ?values (create$ ?values ?value))))
  ?values)""",
    """(deffunction values-at-end (?slot ?last $?facts)
  (bind ?time nil) (bind ?values (create$))
  (progn$ (?fact ?facts)
    (bind ?value (fact-slot-value ?fact ?slot))
    (bind ?timestamp (fact-slot-value ?fact /timestamp))
    (if (neq ?value nil) then
      (if (or (eq ?time nil) (if ?last then (> ?timestamp ?time) else (< ?timestamp ?time)))
        then (bind ?time ?timestamp) (bind ?values (create$ ?value))
        else (if (= ?timestamp ?time) then (bind ?values (create$ ?values ?value))))))
  ?values)""",
    """(deffunction different ($?values)
  (bind ?seen (create$))
  (progn$ (?value ?values)
    (bind ?same (if (floatp ?value) then (+ ?value 0.0) else ?value))
    (if (not (member$ ?same ?seen)) then (bind ?seen (create$ ?seen ?same))))
  ?seen)""",
    """(deffunction whole-sum ($?values)
  (bind ?high 0) (bind ?low 0)
  (progn$ (?value ?values)
    (bind ?high (+ ?high (div ?value 4294967296)))
    (bind ?low (+ ?low (mod ?value 4294967296))))
  (bind ?carried (floor-div ?low 4294967296))
  (bind ?high (+ ?high ?carried))
  (if (and (<= -2147483648 ?high) (<= ?high 2147483647))
    then (+ (* ?high 4294967296) (- ?low (* ?carried 4294967296)))
    else nil))""",
    "(deffunction string> (?one ?two) (> (str-compare ?one ?two) 0))",
    "(deffunction boolean> (?one ?two) (and ?one (not ?two)))",
    "(deffunction least (?order $?values) (if (= (length$ ?values) 0) then nil else (nth$ 1 (sort ?order ?values))))",
    """(deffunction greatest (?order $?values)
  (if (= (length$ ?values) 0) then nil else (nth$ (length$ ?values) (sort ?order ?values))))""",
)
"""The functions that aggregates call, of facts or of values. 0.0 and -0.0 are one value; nil stands for no value, as of
a sum beyond 64 bit."""

_ORDERS = {Scalar.STRING: "string>", Scalar.BOOLEAN: "boolean>"}


def aggregated(aggregate: core.Aggregate, facts: str) -> str:
    """Return the value of an aggregate of the facts that are the events of a set."""
    slot = "/timestamp" if aggregate.attribute == "timestamp" else aggregate.attribute
    values, order = f"(values-of {slot} {facts})", _ORDERS.get(aggregate.type, ">")
    match aggregate.function:
        case "exists":
            return f"(> (length$ {facts}) 0)"
        case "count" if slot is None:
            return f"(length$ {facts})"
        case "count":
            return f"(length$ (different {values}))" if aggregate.distinct else f"(length$ {values})"
        case "sum":
            return f"(whole-sum {values})"
        case "min":
            return f"(least {order} {values})"
        case "max":
            return f"(greatest {order} {values})"
        case "first":
            return f"(least {order} (values-at-end {slot} FALSE {facts}))"
        case "last":
            return f"(greatest {order} (values-at-end {slot} TRUE {facts}))"
        case function:
            raise AssertionError(f"the aggregate {function} has no translation")
