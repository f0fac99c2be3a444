"""The controller of a cluster of this machine, from files that its brokers write beside their logs.

No server is asked, so this works also while none answers.
"""

from typing import TYPE_CHECKING

from cluster.model.controller_stats import FILE_NAME, ControllerStats, decode_controller_stats
from kadmin.local.status import is_running

if TYPE_CHECKING:
    from kadmin.local.status import BrokerStatus, ClusterStatus


def controller_of(found: "ClusterStatus") -> ControllerStats | None:
    """Return the figures of the broker that is the controller; None where none claims to be.

    Of several that do, all but the one of the newest epoch have not noticed the newer one yet.
    """
    answering = [stats for broker in found.brokers if (stats := stats_of(broker)) is not None]
    claims = {one.controller_epoch: one for one in answering if one.controller_epoch is not None}
    return claims[max(claims)] if claims else None


def stats_of(broker: "BrokerStatus") -> ControllerStats | None:
    """Read what the running process of *broker* has written; None for nothing.

    A file of an earlier process stays until the next one writes its own.
    """
    try:
        stats = decode_controller_stats((broker.logs_directory / FILE_NAME).read_bytes())
    except OSError:
        return None
    is_its_own = stats is not None and stats.pid == broker.pid
    return stats if is_its_own and is_running(broker.state) else None
