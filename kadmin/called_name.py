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

COMMANDS: Final = (
    *("acls", "api-versions", "brokers", "check", "cluster", "collect", "completion", "config"),
    *("configs", "consume", "controller", "delete-records", "dump-log", "elect", "export"),
    *("groups", "help", "lead", "log-dirs", "merge-logs", "metrics", "migration", "offsets"),
    *("perf", "produce", "reassign", "serve", "simulate", "snapshot", "throttle", "topics"),
    *("verify-replicas", "zookeeper"),
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
