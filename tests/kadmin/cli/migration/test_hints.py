"""Every command that `kadmin migration check` prints: does kadmin take it, with these options?"""

import shlex
from typing import Final

from kadmin.plan.migration.check import judge
from kadmin.plan.migration.findings import MigrationKind
from tests.kadmin.plan.migration.test_check import FAULTS
from tests.support.cli import kadmin

OF_SETTINGS: Final = {
    *(MigrationKind.RELEASE, MigrationKind.BROKER_CONFIG, MigrationKind.BROKER_ID),
    *(MigrationKind.AUTHORIZER, MigrationKind.OLD_CLIENT, MigrationKind.ELECTION),
}
"""What is mended in a properties file or a client, which the outcome says, or by waiting."""
SHELL: Final = "zookeeper-shell.sh HOST:PORT "


def test_every_command_can_be_pasted() -> None:
    lines = {
        finding.command
        for evidence, *_ in FAULTS
        for finding in judge(evidence).findings
        if finding.command is not None
    }
    assert len(lines) > 10
    for line in sorted(line for line in lines if not line.startswith(SHELL)):
        outcome = kadmin(*shlex.split(line)[1:])
        # What is wrong with options comes first.
        assert "no cluster is named" in outcome.stderr, (line, outcome)


def test_every_finding_has_a_command_but_those_about_settings() -> None:
    findings = [each for evidence, *_ in FAULTS for each in judge(evidence).findings]

    assert OF_SETTINGS >= {each.kind for each in findings if each.command is None}
    assert {"get", "getAcl", "delete"} == {
        each.command.removeprefix(SHELL).split()[0]
        for each in findings
        if each.command is not None and each.command.startswith(SHELL)
    }
