"""Bash: how does it complete kadmin's words?

Written for bash 3.2, which macOS has, too: no associative arrays.  The functions for the shell
itself are constant; only three tables come from the tree.
"""

from collections.abc import Collection, Iterator
from typing import Final

from kadmin.cli.shells.words import (
    CONNECTING_FLAGS,
    CONNECTING_WITH_VALUE,
    HEADER,
    kind_word,
    option_words,
    own_options,
    shared_options,
)
from kadmin.cli.tree import CommandNode, OptionNode

FUNCTIONS: Final = r"""
# Sets $connects to 'value' or 'flag' when option $1 says which cluster is meant.
_kadmin_connects() {
    case $1 in
        @CONNECTING_WITH_VALUE@) connects=value ;;
        @CONNECTING_FLAGS@) connects=flag ;;
        *) connects= ;;
    esac
}

# Reads the words of $line before the last: which command they name, what comes next, and
# which of them say which cluster is meant.
_kadmin_read() {
    local word connects option
    for word in "${line[@]:1:${#line[@]}-2}"; do
        word=${word//[\"\']/}
        if [[ -n $waiting && $word != --* ]]; then
            _kadmin_connects "$waiting"
            [[ -n $connects ]] && connecting+=("$waiting" "$word")
            waiting=
        elif [[ $word == -* ]]; then
            waiting=
            option=${word%%=*}
            _kadmin_connects "$option"
            if [[ $word == *=* || $connects == flag ]]; then
                [[ -n $connects ]] && connecting+=("$word")
            else
                _kadmin_kind "$command" "$option"
                [[ $kind != flag ]] && waiting=$option
            fi
        else
            _kadmin_node "$command"
            if [[ " $commands " == *" $word "* ]]; then
                command="$command $word"
            else
                position=$((position + 1))
            fi
        fi
    done
}

# Prints, one a line, what may stand where a value of $kind is expected; $1 is its beginning.
_kadmin_values() {
    case $kind in
        words\ *) printf '%s\n' ${kind#words } ;;
        live\ *)
            "${line[0]/#\~\//$HOME/}" completion --values "${kind#live }" --current "$1" \
                ${connecting[@]+"${connecting[@]}"} 2>/dev/null </dev/null
            ;;
        path) compgen -f -- "$1" ;;
    esac
}

_kadmin() {
    local -a line connecting=()
    local command=kadmin waiting= position=1 kind= commands= options=
    # The words as they were typed: bash's own are cut at = and :, which stand in our values.
    read -r -d '' -a line <<<"${COMP_LINE:0:COMP_POINT}"
    [[ ${COMP_LINE:0:COMP_POINT} == *[[:space:]] ]] && line+=('')
    local current=${line[${#line[@]}-1]} prefix= candidates= candidate
    _kadmin_read
    _kadmin_node "$command"
    if [[ -n $waiting && $current != --* ]]; then
        _kadmin_kind "$command" "$waiting"
    elif [[ $current == --*=* ]]; then
        prefix=${current%%=*}=
        _kadmin_kind "$command" "${current%%=*}"
    elif [[ $current == -* ]]; then
        kind="words $options"
    elif [[ -n $commands ]]; then
        kind="words $commands"
    else
        _kadmin_kind "$command" "#$position"
    fi
    candidates=$(_kadmin_values "${current#"$prefix"}")
    [[ $kind == path ]] && compopt -o filenames 2>/dev/null

    # bash replaces only what follows the last = or : if these end a word for it.
    local breaks=${COMP_WORDBREAKS//[^=:]/} kept=
    [[ -n $breaks ]] && kept=${current%"${current##*[$breaks]}"}
    COMPREPLY=()
    while IFS= read -r candidate; do
        [[ -n $candidate && $prefix$candidate == "$current"* ]] || continue
        candidate=$prefix$candidate
        COMPREPLY+=("${candidate#"$kept"}")
    done <<<"$candidates"
    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
    return 0
}

complete -F _kadmin kadmin kadmin-kafka
"""


def script(root: CommandNode) -> str:
    """Return the completion script of bash for the commands of *root*."""
    functions = FUNCTIONS.replace("@CONNECTING_WITH_VALUE@", "|".join(CONNECTING_WITH_VALUE))
    functions = functions.replace("@CONNECTING_FLAGS@", "|".join(CONNECTING_FLAGS))
    shared = shared_options(root)
    lines = (
        f"# bash completion of kadmin, {HEADER.format(shell='bash')}.",
        "",
        "# Sets $commands and $options to what may stand after the command $1.",
        "_kadmin_node() {",
        "    case $1 in",
        *node_cases(root, shared),
        "    esac",
        '    options="$options',
        *(f"        {word}" for word in option_words(shared)),
        '    "',
        "}",
        "",
        "# Sets $kind to what may be the value of option $2 (or argument #N) of the command $1;",
        "# 'flag' when there is none.",
        "_kadmin_kind() {",
        '    case "$1 $2" in',
        *kind_cases(root, shared),
        "        *'#'*) kind=text ;;",
        "        *) kind=flag ;;",
        "    esac",
        "}",
    )
    return "\n".join(lines) + "\n" + functions


def node_cases(root: CommandNode, shared: Collection[OptionNode]) -> Iterator[str]:
    """Return one case for each command.

    Its options stand one a line, so that a change shows as one.
    """
    for node in root.walk():
        yield f"        '{' '.join(node.path)}')"
        yield f"            commands='{' '.join(command.name for command in node.commands)}'"
        yield "            options='"
        yield from (f"                {word}" for word in option_words(own_options(node, shared)))
        yield "            '"
        yield "            ;;"


def kind_cases(root: CommandNode, shared: Collection[OptionNode]) -> Iterator[str]:
    """Return one case for each value; options that all commands share stand first, and once."""
    for option in shared:
        if option.requires_value:
            patterns = "|".join(f"*' {name}'" for name in option.names)
            yield f"        {patterns}) kind='{kind_word(option.values)}' ;;"
    for node in root.walk():
        path = " ".join(node.path)
        for option in own_options(node, shared):
            if option.requires_value:
                patterns = "|".join(f"'{path} {name}'" for name in option.names)
                yield f"        {patterns}) kind='{kind_word(option.values)}' ;;"
        for position, argument in enumerate(node.arguments, 1):
            yield f"        '{path} #{position}') kind='{kind_word(argument.values)}' ;;"
