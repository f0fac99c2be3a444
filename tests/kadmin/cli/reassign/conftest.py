"""A cluster for tests of `kadmin reassign`."""

from pathlib import Path

import pytest

from tests.kadmin.cli.reassign.steps import CLUSTER
from tests.support.znodes import write_snapshot


@pytest.fixture
def small(chroot: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """Three brokers and two topics, named by the environment, in a directory of one's own."""
    write_snapshot(chroot, CLUSTER)
    monkeypatch.setenv("KADMIN_ZOOKEEPER", chroot)
    monkeypatch.chdir(tmp_path)
    return chroot
