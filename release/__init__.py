"""A release: sdist and wheel with the same bytes each time, archives of the suites, and a report (`make release`)."""
