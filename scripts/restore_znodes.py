"""Writes the znodes of a recorded cluster into a ZooKeeper.

    python scripts/restore_znodes.py HOST:PORT/CHROOT scripts/demo-cluster.json

Znodes that lived with their broker (ephemeral ones) become ordinary ones: nobody serves here.
"""

import json
import sys
from pathlib import Path

from kadmin.admin.ports import Committed, Fence
from kadmin.admin.zookeeper.connection import connect
from kadmin.admin.zookeeper.transaction import CreateNode, commit
from kadmin.settings.resolve import ZooKeeperSettings


def main(address: str, recording: str) -> None:
    znodes: dict[str, str | None] = json.loads(Path(recording).read_text())["znodes"]
    host, _, chroot = address.partition("/")
    with connect(ZooKeeperSettings(connect=host, timeout_s=30)) as connection:
        operations = [CreateNode(path=f"/{chroot}", data=None)]
        operations += [
            CreateNode(path=f"/{chroot}{path}", data=None if data is None else data.encode())
            for path, data in sorted(znodes.items())
        ]
        nobody = Fence(epoch_zk_version=None)
        outcome = commit(connection, nobody, operations)
    if outcome != Committed():
        raise SystemExit(f"not restored: {outcome}")


if __name__ == "__main__":
    main(*sys.argv[1:])
