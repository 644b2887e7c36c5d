"""The commands: where each is, and what it does. Nothing of one is imported before it is called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from keyword import iskeyword
from typing import Final

DEFAULT_LANGUAGE: Final = "PARTElang"
HELP: Final = (
    f"--language NAME: for programs of another language than {DEFAULT_LANGUAGE}, where their ending does not tell it."
)
"""The end of every command's help, on an option that no command itself has."""


@dataclass(frozen=True, slots=True)
class Entry:
    """The module of a command, and how its docstring begins. `alone` says why other languages do not have it, or why it
    is not about one language; `shared` commands serve all of them at once."""

    module: str
    help: str
    alone: str = ""
    shared: bool = False


def function_of(command: str) -> str:
    """Return the name of the function of a command in its module: `import_` for `import`, which is a word of Python."""
    return f"{command}_" if iskeyword(command) else command


COMMANDS: Final[Mapping[str, Entry]] = {
    "run": Entry("parte.commands.run", "Print the matches of a program on a trace, one JSON object a line."),
    "check": Entry(
        "parte.commands.check",
        "Prove with z3 what a program guarantees before it runs, or say with evidence why it does not.",
    ),
    "compare": Entry(
        "parte.commands.schedules",
        "Compare a machine with the event algebra, and name the first step at which they part.",
    ),
    "explore": Entry(
        "parte.commands.schedules",
        "Explore every schedule of a machine on a small trace: its results, blocked states, and largest occupancies.",
    ),
    "why": Entry(
        "parte.commands.why",
        "Say why a rule matched events of a trace, or did not.",
        alone="it gives the reasons that a definition has; those of CEL, ETALIS and LEAD record none",
    ),
    "step": Entry(
        "parte.commands.step",
        "Write a run step by step as a page: the network with its tokens, what nodes hold, the rule that fires with "
        "the value of each premise, and the trace in time.",
        alone="the steps of CEL, ETALIS and LEAD are not recorded; `graph` draws their machines",
    ),
    "relate": Entry(
        "parte.commands.check",
        "Prove with z3 that two rules have the same matches, or show a trace on which they differ.",
        alone="it compares two rules of a program; one of CEL or LEAD is one rule, and rules of ETALIS call each other",
    ),
    "fmt": Entry("parte.commands.programs", "Print a program in canonical layout, with its comments."),
    "ast": Entry(
        "parte.commands.programs",
        "Print a program as JSON: scoped, typed, with explicit types and times in milliseconds.",
    ),
    "graph": Entry(
        "parte.commands.programs",
        "Draw the network of a program, as SVG or as text for Graphviz.",
    ),
    "timeline": Entry(
        "parte.commands.programs",
        "Draw a trace in time as SVG: its events, and each match with the windows of its rule.",
    ),
    "translate": Entry(
        "parte.commands.translate",
        "Write a program as one of another language that means the same, or say what in it the other cannot say.",
    ),
    "prove": Entry(
        "parte.commands.prove",
        "Prove the lemmas about a model on the functions that it runs, or refute them with a counterexample.",
    ),
    "rules": Entry(
        "parte.commands.reference",
        "List the inference rules: id, name and section in the source, where in the code, and the named repairs.",
    ),
    "demo": Entry(
        "parte.commands.demo",
        "Show what PARTE does: three kinds of fraud, found in a stream of money transfers, or the demo of a language.",
        alone="it takes the name of a language as its argument",
    ),
    "conform": Entry(
        "parte.commands.conform",
        "Run the conformance suite against engines, and say where they depart from the reference, and why.",
    ),
    "engine": Entry(
        "parte.commands.conform",
        "Serve a model, or the foreign engine NAME, as one under test: requests on standard input, replies on output.",
    ),
    "fuzz": Entry("parte.commands.fuzz", "Look for programs and traces on which an engine departs from the reference."),
    "report": Entry(
        "parte.commands.report",
        "Show a report of the conformance suite: a table, JUnit XML, TAP, an HTML page, or a badge as SVG or as JSON.",
        alone="a report names its language",
    ),
    "experiment": Entry(
        "parte.commands.experiment",
        "Rerun an experiment: its question, data, tables, plots and answer. One that was interrupted goes on.",
        alone="the experiments of all languages are in one list",
        shared=True,
    ),
    "examples": Entry(
        "parte.commands.examples",
        "List the examples and the templates of adapters, or copy one into a directory to work on.",
        alone="the examples of all languages are in one list",
        shared=True,
    ),
    "playground": Entry(
        "parte.commands.playground",
        "Serve the playground, a page that runs programs in the browser, on this machine: no other one reaches it.",
        alone="the page has all languages",
        shared=True,
    ),
    "lsp": Entry(
        "parte.commands.lsp",
        "Serve an editor as a language server, on standard input and output: what is wrong, what names stand for, "
        "layout.",
        alone="the ending of a document names its language",
        shared=True,
    ),
    "doctor": Entry(
        "parte.commands.doctor",
        "Say what this machine has of what commands need beside Python, and how to get the rest.",
        alone="it looks at what is installed",
        shared=True,
    ),
    "suite": Entry(
        "parte.commands.suite",
        "Describe and check the conformance suite: its contents, its coverage, the errors that it detects.",
        alone="`parte suite` takes `--language` itself",
    ),
    "spark": Entry(
        "parte.commands.spark.app",
        "The reference on Spark: many traces in parallel, one program over a huge log, a live stream.",
        alone="each of its commands is a line of its own",
    ),
    "log": Entry(
        "parte.commands.log",
        "Write the events of raw logs as a trace, or as a log if the output ends in .parquet, by a mapping.",
        alone="a mapping names templates and types; traces are the same in all languages",
        shared=True,
    ),
    "import": Entry(
        "parte.commands.importing",
        "Write rules of another tool as programs of level 2, with mappings and tests, and check them.",
        alone="it writes programs of PARTElang; that of EQL writes queries",
    ),
    "test": Entry(
        "parte.commands.test",
        "Run the tests that stand beside rules, and show what fails, and why.",
        alone="each program of the tests is in the language of its ending",
        shared=True,
    ),
}
