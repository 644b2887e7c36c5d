"""The text of the code: nothing is counted, numbered or cut but in reviewed phrases."""

from __future__ import annotations

from parte.languages.lead.algebra import (
    effort,
    expressions,
    formulas,
    limits,
    lists,
    rules,
    unions,
)
from parte.languages.lead.algebra import (
    partitioning as definition_partitioning,
)
from parte.languages.lead.algebra import (
    policies as definition_policies,
)
from parte.languages.lead.semantics import (
    branches,
    conditions,
    core,
    emission,
    feeding,
    machine,
    net,
    partitioning,
    policies,
    repetition,
    timing,
    tokens,
    translation,
    until,
)
from parte.languages.lead.semantics.syntax import matches, names, streams, tree
from parte.proofs.counting import lemma
from parte.proofs.mutation import Mutant

MODULES = (
    effort,
    expressions,
    formulas,
    limits,
    lists,
    definition_partitioning,
    definition_policies,
    rules,
    unions,
    branches,
    conditions,
    core,
    emission,
    feeding,
    machine,
    net,
    partitioning,
    policies,
    repetition,
    timing,
    tokens,
    translation,
    until,
    matches,
    names,
    streams,
    tree,
)

LEMMAS = (
    lemma(
        MODULES,
        "parte.languages.lead.proofs",
        "3, 5",
        Mutant(
            "store-nine",
            "parte.languages.lead.semantics.policies:_present",
            "for waiting in tokens)",
            "for waiting in tokens[:9])",
        ),
    ),
)
