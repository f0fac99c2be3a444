"""Every command that `kadmin migration check` prints: does kadmin have it, with these options?"""

import shlex

import click

from kadmin.cli.main import kadmin as root
from kadmin.plan.migration.check import judge
from tests.kadmin.plan.migration.test_check import FAULTS


def parse(line: str) -> None:
    """Parse the words of *line* as a command line, without running it; raises click's errors."""
    command: click.Command = root
    context = root.make_context("kadmin", shlex.split(line)[1:])
    while isinstance(command, click.Group) and (rest := [*context._protected_args, *context.args]):
        name, found, left = command.resolve_command(context, rest)
        assert found is not None
        command = found
        context = found.make_context(name, left, parent=context)


def test_every_command_can_be_pasted() -> None:
    lines = {
        finding.command
        for evidence, *_ in FAULTS
        for finding in judge(evidence).findings
        if finding.command is not None
    }
    assert len(lines) > 10
    for line in sorted(lines):
        parse(line)
