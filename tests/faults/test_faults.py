"""A short trial of each kind of fault; `make faults` runs long ones."""

from pathlib import Path

import pytest

from tests.faults.trial import FAULTS, run_trial


@pytest.mark.faults
@pytest.mark.zk
@pytest.mark.clients
@pytest.mark.timeout(600)
def test_what_was_acknowledged_outlives_every_kind_of_fault(tmp_path: Path) -> None:
    said: list[str] = []
    faults = iter(FAULTS)

    result = run_trial(tmp_path, 1, lambda count: next(faults, None), said.append)

    assert result.wrong == (), said
    assert result.faults == len(FAULTS)
    assert result.acknowledged > 1000
