"""Python EQL, the package `eql` of PyPI."""
