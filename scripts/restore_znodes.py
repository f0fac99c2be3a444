"""Writes the znodes of a recorded cluster into a ZooKeeper.

    python scripts/restore_znodes.py HOST:PORT/CHROOT scripts/demo-cluster.json

Znodes that lived with their broker (ephemeral ones) become persistent ones, since no broker runs.
"""

import json
import sys
from pathlib import Path

from cluster.model.outcome import Committed
from cluster.zk.requests import Create
from kadmin.admin.ports import Fence
from kadmin.admin.zookeeper.connection import connect
from kadmin.admin.zookeeper.transaction import commit
from kadmin.settings.resolve import ZooKeeperSettings


def main(address: str, recording: str) -> None:
    znodes: dict[str, str | None] = json.loads(Path(recording).read_text())["znodes"]
    host, _, chroot = address.partition("/")
    with connect(ZooKeeperSettings(connect=host, timeout_s=30)) as connection:
        operations = [Create(f"/{chroot}")]
        operations += [
            Create(f"/{chroot}{path}", None if data is None else data.encode())
            for path, data in sorted(znodes.items())
        ]
        nobody = Fence(mark=None)
        outcome = commit(connection, nobody, operations)
    if outcome != Committed():
        raise SystemExit(f"not restored: {outcome}")


if __name__ == "__main__":
    main(*sys.argv[1:])
