"""The commands in Markdown."""

from collections.abc import Iterator
from typing import Final

from kadmin.cli.tree import CommandNode
from kadmin.errors import EXIT_CODE_MEANINGS
from kadmin.settings.keys import KEYS

INTRODUCTION: Final = """\
# Command reference

Written by `make docs` from the commands themselves; changes here are lost. The man pages in `man/`
hold the same in the form of `man kadmin-topics`.
"""


def page(root: CommandNode) -> str:
    """The whole of docs/commands.md."""
    return INTRODUCTION + "\n" + "\n".join(sections(root))


def sections(root: CommandNode) -> Iterator[str]:
    yield from (f"- [`{title(node)}`](#{anchor(node)}): {node.summary}" for node in root.walk())
    for node in root.walk():
        yield f"\n## `{title(node)}`\n"
        yield help_block(node)
    yield "## Exit codes\n"
    yield "The same for every command.\n"
    yield exit_codes_table()
    yield "## Settings\n"
    yield "A value comes from the option, else from the environment, else from the configuration"
    yield "file, else it is the default.\n"
    yield "| option | environment | configuration file | default |\n|---|---|---|---|"
    yield from settings_rows()


def settings_rows() -> Iterator[str]:
    for key in KEYS:
        table = "[clusters.NAME]" if key.of_cluster else "[defaults]"
        cells = (
            f"`{key.option}`" if key.has_option else "",
            f"`{key.variable}`",
            f"`{key.name}` in `{table}`" if key.in_file else "",
            "" if key.default is None or key.default is False else f"`{key.default}`",
        )
        yield f"| {' | '.join(cells)} |"
    yield ""


def block(name: str, root: CommandNode) -> str:
    """The content of a block `<!-- generated: NAME -->` of a Markdown file."""
    if name == "commands":
        return commands_table(root)
    if name == "exit-codes":
        return exit_codes_table()
    what, _, path = name.partition(" ")
    nodes = {" ".join(node.path): node for node in root.walk()}
    node = nodes.get(f"{root.name} {path}".strip())
    if what != "help" or node is None:
        raise SystemExit(f"no such block: generated: {name}")
    return help_block(node)


def commands_table(root: CommandNode) -> str:
    rows = (
        f"| [`{title(node)}`](docs/commands.md#{anchor(node)}) | {node.summary} |"
        for node in root.commands
    )
    return "\n".join(["| command | what for |", "|---|---|", *rows]) + "\n"


def exit_codes_table() -> str:
    rows = (f"| {code.value} | {meaning} |" for code, meaning in EXIT_CODE_MEANINGS.items())
    return "\n".join(["| code | meaning |", "|---|---|", *rows]) + "\n"


def help_block(node: CommandNode) -> str:
    return f"```text\n{node.help_text}\n```\n"


def title(node: CommandNode) -> str:
    return " ".join(node.path)


def anchor(node: CommandNode) -> str:
    return "-".join(node.path)
