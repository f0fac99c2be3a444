"""What the completion scripts of all shells have in common.

Knows the tree of commands, and no shell's syntax.
"""

from collections.abc import Collection, Iterable
from typing import Final

from kadmin.cli.tree import CommandNode, OptionNode, Values
from kadmin.settings.keys import KEYS

HEADER: Final = "written by 'kadmin completion {shell}'; do not edit"

CONNECTING: Final = tuple(
    key for key in KEYS if key.has_option and (key.of_cluster or key.name == "cluster")
)
"""Settings that name the cluster; the script hands them on to `--values`."""

CONNECTING_FLAGS: Final = tuple(key.option for key in CONNECTING if key.is_flag)
CONNECTING_WITH_VALUE: Final = (
    *(key.option for key in CONNECTING if not key.is_flag),
    *("--topic", "--name"),
)
"""Options whose values the completion needs: a topic, or the name of a cluster of this machine,
decides which values are offered, for example the topic's own configs."""


def function_name(node: CommandNode) -> str:
    """Return the name of the shell function for *node*: `_kadmin_config_use`."""
    return "_" + "_".join(node.path).replace("-", "_")


def option_words(options: Iterable[OptionNode]) -> tuple[str, ...]:
    """Return every spelling of *options*."""
    return tuple(name for option in options for name in option.names)


def shared_options(root: CommandNode) -> tuple[OptionNode, ...]:
    """Return the options that every command has."""
    nodes = [set(node.options) for node in root.walk()]
    return tuple(option for option in root.options if all(option in known for known in nodes))


def own_options(node: CommandNode, shared: Collection[OptionNode]) -> tuple[OptionNode, ...]:
    """Return the options of *node* that are not *shared* by all commands."""
    return tuple(option for option in node.options if option not in shared)


def kind_word(values: Values) -> str:
    """Return what to offer for a value: `words …`, `live KIND`, `path`, or `text` for nothing at
    all."""
    if values.choices:
        return " ".join(("words", *values.choices))
    if values.live is not None:
        return f"live {values.live}"
    return "path" if values.is_path else "text"
