"""Machines: how a program runs, event by event, by inference rules. Events, sources and rulebooks of every language."""

if __name__ == "semantics":
    raise ImportError(
        "import parte.semantics: the folder semantics at the top of a checkout is a link into the package parte"
    )
