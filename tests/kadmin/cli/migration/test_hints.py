"""Every command that `kadmin migration check` prints: does kadmin take it, with these options?"""

import shlex

from kadmin.plan.migration.check import judge
from tests.kadmin.plan.migration.test_check import FAULTS
from tests.support.cli import kadmin


def test_every_command_can_be_pasted() -> None:
    lines = {
        finding.command
        for evidence, *_ in FAULTS
        for finding in judge(evidence).findings
        if finding.command is not None
    }
    assert len(lines) > 10
    for line in sorted(lines):
        outcome = kadmin(*shlex.split(line)[1:])
        # What is wrong with options comes first.
        assert "no cluster is named" in outcome.stderr, (line, outcome)
