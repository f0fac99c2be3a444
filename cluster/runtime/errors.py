"""Failures that keep a broker from starting, or stop it, with the exit status of each.

The numbers are those of kadmin's commands, so that scripts can treat both alike.
"""

from enum import IntEnum
from typing import ClassVar

from cluster.model.errors import ClusterError
from cluster.model.ids import BrokerId


class ExitStatus(IntEnum):
    """The exit status of the process; a second signal kills it by that signal instead."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    UNREACHABLE = 5
    REFUSED = 6


class BrokerFailure(ClusterError):
    """Root of the failures that stop a broker; the text is for the operator."""

    exit_status: ClassVar[ExitStatus] = ExitStatus.FAILED


class CannotListen(BrokerFailure):
    """An address that is in use, or not this machine's."""

    def __init__(self, listener: str, address: str, reason: str) -> None:
        super().__init__(f"listener {listener} cannot listen at {address}: {reason}")
        self.listener = listener
        self.address = address
        self.reason = reason


class ReporterCannotListen(BrokerFailure):
    """A reporter of metrics whose address is in use, or not this machine's."""

    def __init__(self, reporter: str, address: str, reason: str) -> None:
        super().__init__(
            f"the {reporter} reporter of metrics cannot listen at {address}: {reason};"
            f" change kafka.{reporter}.metrics.port, or set it to 0 for any free one"
        )
        self.reporter = reporter
        self.address = address
        self.reason = reason


class ZooKeeperUnreachable(BrokerFailure):
    exit_status = ExitStatus.UNREACHABLE

    def __init__(self, connect: str, waited_ms: int) -> None:
        super().__init__(f"no session with ZooKeeper at {connect} within {waited_ms} ms")
        self.connect = connect
        self.waited_ms = waited_ms


class ZooKeeperRefuses(BrokerFailure):
    """What a broker needs from ZooKeeper cannot be read or written."""

    def __init__(self, error: Exception) -> None:
        super().__init__(f"ZooKeeper: {str(error) or type(error).__name__}")
        self.error = error


class RegistrationRefused(BrokerFailure):
    """Another broker has this one's id or address."""

    exit_status = ExitStatus.REFUSED

    def __init__(self, broker_id: BrokerId, reason: str) -> None:
        super().__init__(f"broker {broker_id} cannot register: {reason}")
        self.broker_id = broker_id
        self.reason = reason


class LogsRefused(BrokerFailure):
    """Log directories that belong to another broker or cluster, or are in use; or none works."""

    exit_status = ExitStatus.REFUSED


class DisksFailed(BrokerFailure):
    """The last log directory has failed: the broker can neither store nor serve anything."""

    def __init__(self) -> None:
        super().__init__("all log directories are offline")
