"""Writes the files and blocks that are generated from the program's own tables.

    python docs/generate.py           write them
    python docs/generate.py --check   name those that differ, and fail

Completions, man pages, docs/commands.md, docs/broker-settings.md and docs/state-change-lines.md are
written whole.  In README.md and docs/*.md the text between `<!-- generated: … -->` and
`<!-- end -->` is replaced: `commands` is a table of the commands, `help topics` the help of `kadmin
topics`, `states partition` a diagram of a partition's states, `packages kadmin` and `layers kadmin`
the packages of kadmin and their layers, `metrics ours` the metrics of brokers, and `metrics kafka`
those that only Kafka has.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import broker_settings
import manpage
import metric_beans
import packages
import reference
import state_change_lines
import state_diagrams

from kadmin.called_name import DISTRIBUTION
from kadmin.cli.completion import SHELLS, script_of
from kadmin.cli.main import kadmin
from kadmin.cli.tree import CommandNode, command_tree

CHECKOUT: Final = Path(__file__).parents[1]

COMPLETION_FILES: Final = {"bash": "kadmin.bash", "zsh": "_kadmin", "fish": "kadmin.fish"}
assert COMPLETION_FILES.keys() == set(SHELLS)

OF_SECOND_NAME: Final = {
    # bash looks for a file of the command's name, and passes the command itself.
    "completions/kadmin-kafka.bash": 'eval "$("${1:-kadmin-kafka}" completion bash)"\n',
    "completions/kadmin-kafka.fish": "kadmin-kafka completion fish | source\n",
}
"""By this name completions of the command's second name are found; zsh needs no file."""

WHOLLY_GENERATED: Final = ("completions", "man")
"""Directories in which any other file is a leftover."""

BLOCK: Final = re.compile(r"(<!-- generated: (.+?) -->\n).*?(<!-- end -->)", re.DOTALL)


def generated_files(root: CommandNode) -> dict[Path, str]:
    """Every generated file with its content."""
    release = manpage.latest_release((CHECKOUT / "CHANGELOG.md").read_text(encoding="utf-8"))
    files = {
        CHECKOUT / "completions" / name: script_of(shell)
        for shell, name in COMPLETION_FILES.items()
    }
    files |= {CHECKOUT / name: text for name, text in OF_SECOND_NAME.items()}
    for name, page in manpage.pages(root, release):
        files[CHECKOUT / "man" / name] = page
    files[CHECKOUT / "man" / f"{DISTRIBUTION}.1"] = manpage.second_name(root, release, DISTRIBUTION)
    files[CHECKOUT / "docs" / "commands.md"] = reference.page(root)
    files[CHECKOUT / "docs" / "broker-settings.md"] = broker_settings.page()
    files[CHECKOUT / "docs" / "state-change-lines.md"] = state_change_lines.page()
    for path in [CHECKOUT / "README.md", *sorted((CHECKOUT / "docs").glob("*.md"))]:
        if path not in files:
            files[path] = with_blocks(path.read_text(encoding="utf-8"), root)
    return files


def with_blocks(text: str, root: CommandNode) -> str:
    return BLOCK.sub(lambda found: found[1] + block(found[2], root) + found[3], text)


def block(name: str, root: CommandNode) -> str:
    """The content of the block of this name."""
    what, _, table = name.partition(" ")
    if what == "states":
        return state_diagrams.block(table)
    if what in ("packages", "layers"):
        return packages.block(name)
    if what == "metrics":
        return metric_beans.block(table)
    return reference.block(name, root)


def leftovers(files: dict[Path, str]) -> Iterator[Path]:
    for directory in WHOLLY_GENERATED:
        yield from (path for path in (CHECKOUT / directory).glob("*") if path not in files)


def stale_files(files: dict[Path, str]) -> list[Path]:
    """The files that are missing or have other content."""
    return [
        path
        for path, text in files.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]


def main(arguments: list[str]) -> int:
    files = generated_files(command_tree(kadmin))
    stale, extra = stale_files(files), sorted(leftovers(files))
    if arguments == ["--check"]:
        for path in stale:
            print(f"out of date: {path.relative_to(CHECKOUT)}", file=sys.stderr)
        for path in extra:
            print(f"of no command: {path.relative_to(CHECKOUT)}", file=sys.stderr)
        if stale or extra:
            print("hint: make docs", file=sys.stderr)
        return 1 if stale or extra else 0
    for path in stale:
        path.parent.mkdir(exist_ok=True)
        path.write_text(files[path], encoding="utf-8")
        print(f"wrote {path.relative_to(CHECKOUT)}")
    for path in extra:
        path.unlink()
        print(f"removed {path.relative_to(CHECKOUT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
