"""What does a real shell make of a line, with kadmin's completion loaded?"""

import os
import pty
import select
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from kadmin.cli.completion import script_of
from tests.support.checkout import CHECKOUT
from tests.support.waiting import OUTER_LIMIT_S, wait_until

SCRIPT_OF: Final = cache(script_of)
END_OF_LINE: Final = "\x1e\n"
CANDIDATES: Final = {
    "bash": """
        source "$1"; shift
        offer=$(complete -p kadmin | sed 's/.*-F \\([^ ]*\\).*/\\1/')
        for COMP_LINE; do
            COMP_POINT=${#COMP_LINE} COMPREPLY=()
            $offer
            [ ${#COMPREPLY[@]} = 0 ] || printf '%s\\n' "${COMPREPLY[@]}"
            printf '\\036\\n'
        done
    """,
    "fish": """
        source $argv[1]
        for line in $argv[2..-1]
            complete -C $line | string replace -r '\\t.*' ''
            printf '\\036\\n'
        end
    """,
}

# After Ctrl-X d the shell writes the line that stands in its editor to the file $ANSWER.
EDITOR_SETUP: Final = {
    "bash": """
        answer() { printf %s "$READLINE_LINE" >"$ANSWER.new"; mv "$ANSWER.new" "$ANSWER"; }
        bind -x '"\\C-xd": answer'
    """,
    "zsh": """
        autoload -Uz compinit; compinit -u -D
        answer() { print -rn -- "$BUFFER" >"$ANSWER.new"; mv "$ANSWER.new" "$ANSWER" }
        zle -N answer; bindkey '^Xd' answer
    """,
}
EDITOR_START: Final = {
    "bash": ("bash", "--noprofile", "--norc", "-i"),
    "zsh": ("zsh", "-f", "-i"),
}


@dataclass(frozen=True, slots=True)
class Shell:
    """A shell of this machine that finds this checkout's kadmin and its completion."""

    name: str
    directory: Path

    @classmethod
    def installed(cls, name: str, directory: Path) -> "Shell":
        """The shell *name*, its files in *directory*; skips the test where it is missing."""
        if shutil.which(name) is None:
            pytest.skip(f"{name} is not installed")
        program = directory / "kadmin"
        command = f'"{sys.executable}" -m tests.support.patient_kadmin'
        program.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        program.chmod(0o755)
        (directory / "script").write_text(SCRIPT_OF(name))
        return cls(name, directory)

    @property
    def environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "PATH": f"{self.directory}:{os.environ['PATH']}",
            "PYTHONPATH": str(CHECKOUT),
            "SCRIPT": str(self.directory / "script"),
            "ANSWER": str(self.directory / "answer"),
            "TERM": "xterm",
        }

    def candidates(self, line: str) -> list[str]:
        """What the shell would offer at the end of *line*, sorted."""
        return self.candidates_of([line])[0]

    def candidates_of(self, lines: Sequence[str]) -> list[list[str]]:
        """What the shell would offer at the end of each of *lines*, sorted."""
        words = ["-c", CANDIDATES[self.name]]
        if self.name == "bash":
            words = ["--noprofile", "--norc", *words, "bash"]
        done = subprocess.run(
            [self.name, *words, str(self.directory / "script"), *lines],
            env=self.environment,
            cwd=self.directory,
            capture_output=True,
            text=True,
            timeout=OUTER_LIMIT_S,
            check=True,
        )
        assert done.stderr == ""
        *offered, rest = done.stdout.split(END_OF_LINE)
        assert (rest, len(offered)) == ("", len(lines))
        return [sorted(candidates.splitlines()) for candidates in offered]

    def line_after_tab(self, line: str, load: str = 'source "$SCRIPT"') -> str:
        """The line in the shell's editor after *line* was typed, and then Tab.

        *load* is how the shell comes to know the script.
        """
        answer = self.directory / "answer"
        setup = self.directory / "setup"
        setup.write_text(EDITOR_SETUP[self.name] + load)
        process, terminal = self.start_in_terminal()
        try:
            os.write(terminal, f"source {setup}\n".encode())
            os.write(terminal, line.encode() + b"\t\x18d")
            wait_for(answer, terminal)
        finally:
            process.kill()
            process.wait()
            os.close(terminal)
        return answer.read_text()

    def start_in_terminal(self) -> tuple[subprocess.Popen[bytes], int]:
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            EDITOR_START[self.name],
            env=self.environment,
            cwd=self.directory,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        return process, ours


def wait_for(answer: Path, terminal: int) -> None:
    """Wait until *answer* is there, reading what the shell draws so that it is never held up."""

    def is_there() -> bool:
        if select.select([terminal], [], [], 0)[0]:
            os.read(terminal, 65536)
        return answer.exists()

    wait_until(is_there, what="an answer from the shell")
