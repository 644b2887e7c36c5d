"""The part of the page of commands that the code has: the arguments and options of every command of PARTElang."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from typer.main import get_command

from parte.cli import app

Table = Callable[[Sequence[str], Iterable[Sequence[str]]], str]
MOST_VALUES: Final = 40
"""Characters of the values of an option that stand beside its name."""


def commands() -> Iterator[tuple[str, Any]]:
    """Yield the commands in the order of `parte --help`, those of a group by both names."""
    group: Any = get_command(app)
    for name, command in group.commands.items():
        parts: Mapping[str, Any] = getattr(command, "commands", {})
        yield from ((f"{name} {part}", below) for part, below in parts.items()) if parts else [(name, command)]


def commands_page(table: Table) -> str:
    """Return a section for each command: its usage, its summary and a table of its options."""
    return "\n".join(_section(name, command, table) for name, command in commands())


def _section(name: str, command: Any, table: Table) -> str:
    arguments = [parameter for parameter in command.params if parameter.param_type_name == "argument"]
    usage = " ".join(["parte", name, *(argument.metavar or argument.name.upper() for argument in arguments)])
    rows = [(_written(option), _said(option)) for option in command.params if option.param_type_name == "option"]
    options = table(("option", "meaning"), rows) if rows else ""
    summary = " ".join((command.help or "").partition("\n\n")[0].split())
    return f"### `parte {name}`\n\n```text\n{usage}\n```\n\n{summary}\n\n{options}"


def _written(option: Any) -> str:
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    value = option.metavar or "|".join(getattr(option.type, "choices", ())) or option.type.name.upper()
    if option.is_flag:
        return names
    return f"{names} {value}".strip() if len(value) <= MOST_VALUES else names


def _said(option: Any) -> str:
    values = option.metavar or ""
    listed = f" One of {', '.join(f'`{value}`' for value in values.split('|'))}." if len(values) > MOST_VALUES else ""
    return f"{' '.join((option.help or '').split())}{listed}"
