"""The name by which kadmin was called: on hosts with Kerberos, `kadmin` is another's command.

Commands that are shown get it, so that what is pasted runs this program.
"""

import os
import re
import sys
from typing import Final

NAMES: Final = ("kadmin", "kadmin-kafka")
"""The command's names, the usual one first; the second is the distribution's, too."""

DISTRIBUTION: Final = NAMES[1]

OF_A_CLUSTER: Final = (
    *("acls", "api-versions", "brokers", "check", "configs", "consume", "controller"),
    *("delete-records", "elect", "export", "groups", "lead", "log-dirs", "metrics", "migration"),
    *("offsets", "perf", "produce", "reassign", "simulate", "snapshot", "throttle", "topics"),
    "zookeeper",
)
"""The commands that are about one live cluster: a hint with one of them has to name it."""

COMMANDS: Final = (
    *OF_A_CLUSTER,
    *("cluster", "collect", "completion", "config", "dump-log", "help", "merge-logs", "serve"),
    "verify-replicas",
)
COMMAND: Final = re.compile(rf"(?<![\w./-])kadmin(?= (?:--|(?:{'|'.join(COMMANDS)})\b))")
"""The name where a command of kadmin's stands, and not where a sentence is about kadmin."""


def called_name() -> str:
    """Return the name by which this process was called; the usual one, if it was called
    otherwise."""
    name = os.path.basename(sys.argv[0])
    return name if name in NAMES else NAMES[0]


def as_called(text: str) -> str:
    """Return *text*, its commands with the name by which this process was called."""
    name = called_name()
    return text if name == NAMES[0] else COMMAND.sub(name, text)
