"""Zsh: how does it complete kadmin's words, with descriptions?

One function for each command hands its options to zsh's own `_arguments`.
"""

from collections.abc import Collection, Iterator
from typing import Final

from kadmin.cli.shells.words import (
    CONNECTING_FLAGS,
    CONNECTING_WITH_VALUE,
    HEADER,
    function_name,
    own_options,
    shared_options,
)
from kadmin.cli.tree import CommandNode, OptionNode, Values

LIVE: Final = r"""
# Offers the values of a kind, the last argument, that the cluster of this line knows; those
# before it are _arguments' own, for compadd.
_kadmin_live() {
    local program=${~${(Q)kadmin_line[1]}} word
    local -a connecting values keys
    integer at
    for (( at = 2; at < $#kadmin_line; at++ )); do
        word=${(Q)kadmin_line[at]}
        case ${word%%=*} in
            @CONNECTING_FLAGS@) connecting+=("$word") ;;
            @CONNECTING_WITH_VALUE@)
                # Without its value it says nothing of where to ask.
                [[ $word != *=* && ${(Q)kadmin_line[at+1]} == --* ]] && continue
                connecting+=("$word")
                [[ $word == *=* ]] || connecting+=("${(Q)kadmin_line[++at]}")
                ;;
        esac
    done
    values=(${(f)"$($program completion --values ${@[-1]} --current "${(Q)PREFIX}" $connecting \
        2>/dev/null </dev/null)"})
    keys=(${(M)values:#*=})
    values=(${values:#*=})
    compadd "${@[1,-2]}" -S '' -a keys
    compadd "${@[1,-2]}" -a values
}

# The file may be sourced, or found by its name in $fpath.
if [[ $funcstack[1] == _kadmin ]]; then
    _kadmin "$@"
else
    compdef _kadmin kadmin kadmin-kafka
fi
"""


def script(root: CommandNode) -> str:
    """Return the completion script of zsh for the commands of *root*."""
    live = LIVE.replace("@CONNECTING_WITH_VALUE@", "|".join(CONNECTING_WITH_VALUE))
    live = live.replace("@CONNECTING_FLAGS@", "|".join(CONNECTING_FLAGS))
    shared = shared_options(root)
    lines = [
        "#compdef kadmin kadmin-kafka",
        f"# zsh completion of kadmin, {HEADER.format(shell='zsh')}.",
        "",
        "# The options that every command has.",
        "typeset -ga _kadmin_shared=(",
        *(f"    {spec}" for option in shared for spec in option_specs(option)),
        ")",
    ]
    for node in root.walk():
        lines += ["", *function_of(node, shared, is_root=node is root)]
    return "\n".join(lines) + "\n" + live


def function_of(
    node: CommandNode, shared: Collection[OptionNode], *, is_root: bool
) -> Iterator[str]:
    yield f"{function_name(node)}() {{"
    if is_root:
        # What is typed in front of a command's name is cut off below; the live values need it.
        yield '    local -a kadmin_line=("${words[@]}")'
    if node.commands:
        yield "    local curcontext=$curcontext state state_descr line"
        yield "    typeset -A opt_args"
    yield "    _arguments -S -C \\" if node.commands else "    _arguments -S \\"
    specs = [spec for option in own_options(node, shared) for spec in option_specs(option)]
    specs.append('"${_kadmin_shared[@]}"')
    if node.commands:
        specs += ["'1: :->command'", "'*:: :->rest'"]
    specs += [
        quoted(f"{position}:{plain(argument.metavar)}:{action(argument.values)}")
        for position, argument in enumerate(node.arguments, 1)
    ]
    yield from (f"        {spec} \\" for spec in specs[:-1])
    yield f"        {specs[-1]}"
    if node.commands:
        yield from dispatch(node)
    yield "}"


def dispatch(node: CommandNode) -> Iterator[str]:
    yield "    case $state in"
    yield "        command)"
    yield "            local -a commands=("
    for command in node.commands:
        yield f"                {quoted(command.name + ':' + command.summary)}"
    yield "            )"
    yield f"            _describe -t commands '{' '.join(node.path)} command' commands"
    yield "            ;;"
    yield "        rest)"
    yield "            case $words[1] in"
    for command in node.commands:
        yield f"                {command.name}) {function_name(command)} ;;"
    yield "            esac"
    yield "            ;;"
    yield "    esac"


def option_specs(option: OptionNode) -> Iterator[str]:
    """Return the specs of `_arguments` for every spelling of *option*."""
    excluded = "*" if option.repeats else f"({' '.join(option.names)})"
    for name in option.names:
        spec = f"[{plain(option.help)}]"
        if option.takes_value:
            # A long name takes its value in the same word, too.
            equals = "=" if name.startswith("--") else ""
            colons = ":" if option.requires_value else "::"
            spec = f"{equals}{spec}{colons}{plain(option.metavar)}:{action(option.values)}"
        yield quoted(f"{excluded}{name}{spec}")


def action(values: Values) -> str:
    if values.choices:
        return f"({' '.join(values.choices)})"
    if values.live is not None:
        return f"_kadmin_live {values.live}"
    return "_files" if values.is_path else ""


def plain(text: str) -> str:
    """Return *text* without what `_arguments` would take for its own syntax."""
    for special in "\\[]:":
        text = text.replace(special, "\\" + special)
    return text


def quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
