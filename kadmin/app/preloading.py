"""Imports before threads: what sessions import when they need it, at once and in one thread.

The modules of kafka-python import each other in circles.  Threads that import them at the same time
wait for each other, of which Python makes an error in one of them.
"""

from importlib import import_module
from typing import Final

MODULES: Final = (
    "kadmin.admin.wire.opening",
    "kadmin.admin.wire.snapshot",
    "kadmin.admin.wire.wire_acls",
    "kadmin.admin.wire.wire_configs",
    "kadmin.admin.wire.wire_groups",
    "kadmin.admin.wire.late_logs",
    "kadmin.admin.wire.log_dirs",
    "kadmin.admin.zookeeper.connection",
    "kadmin.admin.zookeeper.zookeeper_groups",
)


def import_clients() -> None:
    """Import the clients of brokers and of ZooKeeper, before threads that use them begin."""
    for name in MODULES:
        import_module(name)
