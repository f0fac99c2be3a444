"""Fish: how does it complete kadmin's words, with descriptions?

One `complete` line for each option, with the command it belongs to as its condition.
"""

from collections.abc import Collection, Iterator
from typing import Final

from kadmin.cli.shells.words import (
    CONNECTING_FLAGS,
    CONNECTING_WITH_VALUE,
    HEADER,
    own_options,
    shared_options,
)
from kadmin.cli.tree import CommandNode, OptionNode, Values

FUNCTIONS: Final = r"""
# Whether the words typed so far name just the command of these words.
function __kadmin_at
    set -l path kadmin
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1; and not string match -q -- '--*' $word
            set skip 0
            continue
        end
        set skip 0
        if contains -- $word \
            @WITH_VALUE@
            set skip 1
        else if contains -- "$path $word" \
            @WITH_VALUE_HERE@
            set skip 1
        else if contains -- "$path $word" \
            @PATHS@
            set path "$path $word"
        end
    end
    test "$path" = "$argv"
end

# The values of a kind that the cluster of this line knows.
function __kadmin_live
    set -l line (commandline -opc)
    set -l connecting
    set -l waiting 0
    for word in $line[2..-1]
        if test $waiting = 1; and not string match -q -- '--*' $word
            set -a connecting $word
            set waiting 0
            continue
        end
        # Without its value it says nothing of where to ask.
        test $waiting = 1; and set -e connecting[-1]
        set waiting 0
        switch $word
            case \
            @CONNECTING_FLAGS@ \
            @CONNECTING_JOINED@
                set -a connecting $word
            case \
            @CONNECTING_WITH_VALUE@
                set -a connecting $word
                set waiting 1
        end
    end
    # Its value is being typed.
    test $waiting = 1; and set -e connecting[-1]
    set -l current (string replace -r -- '^--[a-z-]+=' '' (commandline -ct))
    set -l program (string replace -r -- '^~/' "$HOME/" $line[1])
    $program completion --values $argv[1] --current "$current" $connecting 2>/dev/null </dev/null
end

complete -c kadmin -f
complete -c kadmin-kafka -w kadmin
"""


def script(root: CommandNode) -> str:
    """Return the completion script of fish for the commands of *root*."""
    lines = [f"# fish completion of kadmin, {HEADER.format(shell='fish')}.", functions(root)]
    shared = shared_options(root)
    for option in shared:
        lines += option_lines(option, condition=None)
    for node in root.walk():
        lines += ["", *node_lines(node, shared)]
    return "\n".join(lines) + "\n"


def functions(root: CommandNode) -> str:
    places = [
        (name, " ".join(node.path), option.requires_value)
        for node in root.walk()
        for option in node.options
        for name in option.names
    ]
    flags = {name for name, _, requires_value in places if not requires_value}
    with_value = [(name, path) for name, path, requires_value in places if requires_value]
    fillings = {
        "WITH_VALUE": dict.fromkeys(name for name, _ in with_value if name not in flags),
        # Elsewhere it is a flag.
        "WITH_VALUE_HERE": (quoted(f"{path} {name}") for name, path in with_value if name in flags),
        "PATHS": (quoted(" ".join(node.path)) for node in root.walk()),
        "CONNECTING_FLAGS": CONNECTING_FLAGS,
        "CONNECTING_JOINED": (f"'{name}=*'" for name in CONNECTING_WITH_VALUE),
        "CONNECTING_WITH_VALUE": CONNECTING_WITH_VALUE,
    }
    text = FUNCTIONS
    for name, words in fillings.items():
        # One a line, so that a change of one option shows as one.
        text = text.replace(f"            @{name}@", " \\\n".join(f"{' ' * 16}{w}" for w in words))
    return text


def node_lines(node: CommandNode, shared: Collection[OptionNode]) -> Iterator[str]:
    condition = f"__kadmin_at {' '.join(node.path)}"
    for command in node.commands:
        yield f"complete -c kadmin -n '{condition}' -a {command.name} -d {quoted(command.summary)}"
    for argument in node.arguments:
        yield " ".join(["complete -c kadmin", f"-n '{condition}'", *offer(argument.values)])
    for option in own_options(node, shared):
        yield from option_lines(option, condition)


def option_lines(option: OptionNode, condition: str | None) -> Iterator[str]:
    """Return a line for each long name; a short one stands beside the first of them."""
    long_names = [name[2:] for name in option.names if name.startswith("--")]
    short_names = [name[1:] for name in option.names if not name.startswith("--")]
    for place, name in enumerate(long_names):
        words = ["complete -c kadmin"]
        if condition is not None:
            words.append(f"-n '{condition}'")
        words.append(f"-l {name}")
        if place == 0:
            words += [f"-s {short}" for short in short_names]
        if option.requires_value:
            words += ["-r" if option.values.is_path else "-x", *offer(option.values)]
        words.append(f"-d {quoted(option.help)}")
        yield " ".join(words)


def offer(values: Values) -> list[str]:
    if values.choices:
        return [f"-a {quoted(' '.join(values.choices))}"]
    if values.live is not None:
        return [f"-a '(__kadmin_live {values.live})'"]
    return ["-F"] if values.is_path else []


def quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
