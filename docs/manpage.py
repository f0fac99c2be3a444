r"""Man pages of the commands.

Written in the macros of man(7), which every roff knows.  A page holds a command, or a group with
its subcommands.  In roff a backslash starts an escape and a dot or a quote at the start of a line
a macro; all text passes through `text` or `literal`, which escape them.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from textwrap import wrap
from typing import Final

from kadmin.cli.tree import CommandNode, OptionNode
from kadmin.errors import EXIT_CODE_MEANINGS
from kadmin.settings.keys import KEYS, Key

LINE_WIDTH: Final = 78
"""Of the roff text itself; mandoc warns about lines above 80."""

SPECIAL: Final = {
    "\\": r"\e",
    "'": r"\(aq",
    "`": r"\(ga",
    "^": r"\(ha",
    "~": r"\(ti",
}
"""Characters that roff would interpret or typeset otherwise than a shell needs them."""

OPTION_IN_PROSE: Final = re.compile(r"(?<![\w\\-])(--?[a-z][a-z-]*)")
RELEASE: Final = re.compile(r"^## \[(\d[^\]]*)\] - (\d{4}-\d\d-\d\d)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Release:
    """The release that a page describes, and its date as YYYY-MM-DD."""

    version: str
    day: str


def latest_release(changelog: str) -> Release:
    """The newest release with a date in *changelog*."""
    found = RELEASE.search(changelog)
    if found is None:
        raise SystemExit("CHANGELOG.md dates no release: '## [1.2.3] - YYYY-MM-DD'")
    return Release(found[1], found[2])


def pages(root: CommandNode, release: Release) -> Iterator[tuple[str, str]]:
    """File name and text of the page of *root* and of each of its commands."""
    others = ["-".join(command.path) for command in root.commands]
    yield f"{root.name}.1", page(root, release, main_sections(root), others)
    for command in root.commands:
        sections = command_sections(command, root)
        yield f"{'-'.join(command.path)}.1", page(command, release, sections, [root.name])


def second_name(root: CommandNode, release: Release, name: str) -> str:
    """The text of the page of *root* by its other *name*, whose commands have the same pages."""
    others = ["-".join(node.path) for node in (root, *root.commands)]
    node = replace(root, path=(name,))
    return page(node, release, main_sections(root), others)


def page(
    node: CommandNode, release: Release, sections: Iterable[str], see_also: Iterable[str]
) -> str:
    name = "-".join(node.path)
    lines = [
        r".\" Written by 'make docs'; changes here are lost.",
        f'.TH {literal(name.upper())} 1 {release.day} "kadmin {release.version}" "kadmin manual"',
        # No word is hyphenated, and no line justified: text from here is pasted into shells.
        ".nh",
        ".ad l",
        ".SH NAME",
        *filled(rf"{literal(name)} \- {escaped(lower_first(node.summary.rstrip('.')))}"),
        ".SH SYNOPSIS",
        synopsis(node),
        ".SH DESCRIPTION",
        *paragraphs(node.paragraphs),
        *sections,
        ".SH EXIT STATUS",
        *(
            line
            for code, meaning in EXIT_CODE_MEANINGS.items()
            for line in item(bold(str(code.value)), text(meaning))
        ),
        *examples(node),
        ".SH SEE ALSO",
        ",\n".join(f".BR {literal(other)} (1)" for other in see_also).replace(",\n", " ,\n"),
    ]
    return "\n".join(lines) + "\n"


def main_sections(root: CommandNode) -> Iterator[str]:
    yield ".SH COMMANDS"
    for command in root.commands:
        yield from item(bold(command.name), text(command.summary))
    yield from options_section(root.options)
    yield ".SH ENVIRONMENT"
    yield "A value comes from the option, else from the environment, else from the"
    yield "configuration file, else it is the default."
    for key in KEYS:
        yield from item(bold(key.variable), text(environment_text(key)))
    yield from item(bold("NO_COLOR"), text("If set and not empty, no colour on a terminal."))
    yield from item(bold("KADMIN_CONFIG"), text("The configuration file, when not the usual one."))
    yield from files_section()


def environment_text(key: Key) -> str:
    return f"As {key.option}. {key.help}" if key.has_option else key.help


def files_section() -> Iterator[str]:
    yield ".SH FILES"
    path = "$XDG_CONFIG_HOME/kadmin/config.toml"
    yield from item(
        italic(path),
        text(
            "Named clusters and defaults, in TOML; ~/.config stands for an unset XDG_CONFIG_HOME."
            " 'kadmin config' reads and writes it. At the top, current is the name of the cluster"
            " that is meant when none is named."
        ),
    )
    for table, of_cluster in (("[defaults]", False), ("[clusters.NAME]", True)):
        keys = [key.name for key in KEYS if key.in_file and key.of_cluster is of_cluster]
        yield from item(bold(table), text("Keys: " + ", ".join(keys) + "."))


def command_sections(node: CommandNode, root: CommandNode) -> Iterator[str]:
    if node.commands:
        yield ".SH COMMANDS"
        for command in node.commands:
            yield f".SS {literal(' '.join(command.path))} {literal(command.usage)}"
            yield from paragraphs(command.paragraphs)
            for option in own(command):
                yield from option_item(option)
    yield from options_section(own(node))
    yield ".SH GLOBAL OPTIONS"
    names = [option.names[0] for option in node.options if option.is_global]
    yield text(
        f"{', '.join(names)}: see kadmin(1), which has the environment and the files, too."
        f" They may stand before or after the command's name."
    )


def own(node: CommandNode) -> tuple[OptionNode, ...]:
    return tuple(option for option in node.options if not option.is_global)


def options_section(options: tuple[OptionNode, ...]) -> Iterator[str]:
    sections: dict[str, list[OptionNode]] = {}
    for option in options:
        sections.setdefault(option.section, []).append(option)
    if sections:
        yield ".SH OPTIONS"
    for section, members in sections.items():
        if len(sections) > 1:
            yield f".SS {text(section)}"
        for option in members:
            yield from option_item(option)


def option_item(option: OptionNode) -> Iterator[str]:
    names = ", ".join(bold(name) for name in option.names)
    # A line can break behind each of many choices.
    metavar = f" {italic(option.metavar)}".replace("|", r"|\:") if option.takes_value else ""
    # click separates its notes on the values by two blanks.
    yield from item(names + metavar, text(option.help.replace("  [", " [")))


def synopsis(node: CommandNode) -> str:
    return f"{bold(' '.join(node.path))} {literal(node.usage)}"


def examples(node: CommandNode) -> Iterator[str]:
    lines = [line for member in node.walk() for line in member.examples]
    if lines and len(node.path) > 1:
        yield ".SH EXAMPLES"
        yield ".nf"
        yield from (guarded(literal(line)) for line in lines)
        yield ".fi"


def paragraphs(texts: Iterable[str]) -> Iterator[str]:
    for number, paragraph in enumerate(texts):
        if number > 0:
            yield ".PP"
        yield text(paragraph)


def item(tag: str, body: str) -> Iterator[str]:
    yield ".TP"
    yield tag
    yield body


def bold(words: str) -> str:
    return rf"\fB{literal(words)}\fR"


def italic(words: str) -> str:
    return rf"\fI{literal(words)}\fR"


def text(words: str) -> str:
    """*words* as prose, every sentence on a line of its own, with options in bold."""
    marked = OPTION_IN_PROSE.sub(r"\\fB\1\\fR", escaped(words))
    marked = re.sub(r"\\fB(-[a-z-]+)", lambda found: found[0].replace("-", r"\-"), marked)
    sentences = re.split(r"(?<=[a-z)][.!?]) +", marked)
    return "\n".join(guarded(line) for sentence in sentences for line in filled(sentence))


def filled(words: str) -> list[str]:
    return wrap(words, width=LINE_WIDTH, break_long_words=False, break_on_hyphens=False)


def literal(words: str) -> str:
    """*words* with hyphens that can be pasted into a shell."""
    return escaped(words).replace("-", r"\-")


def escaped(words: str) -> str:
    plain = "".join(SPECIAL.get(character, character) for character in words)
    return "".join(
        character if character.isascii() else rf"\[u{ord(character):04X}]" for character in plain
    )


def guarded(line: str) -> str:
    return rf"\&{line}" if line.startswith((".", "'")) else line


def lower_first(words: str) -> str:
    return words[:1].lower() + words[1:] if words[1:2].islower() else words
