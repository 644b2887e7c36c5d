"""Limits on the size of a program, beyond those for every source (`parte.semantics.source.limits`)."""

from __future__ import annotations

MAX_PATTERNS = 64
MAX_CASES = 64
"""Maximum number of cases of a rule: choices of a template for each `either`."""
MAX_NESTED_USES = 8
"""Maximum number of named patterns inside each other."""
MAX_PUT_IN = 500_000
"""Maximum number of nodes that all uses of named patterns together put into a program."""
MAX_IMPORTED_FILES = 100
"""Maximum number of files that a program imports, directly or through others."""
MAX_NESTED_IMPORTS = 16
"""Maximum number of files that import each other, one the next."""
MAX_LIST_CAPACITY = 1024
