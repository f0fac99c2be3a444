"""What an exporter shows of a cluster: brokers, topics with offsets, groups with lag"""

from collections.abc import Mapping
from dataclasses import dataclass

from cluster.model.broker import BrokerRegistration
from cluster.model.ids import BrokerId
from cluster.model.snapshot import TopicSnapshot
from kadmin.errors import KadminError
from kadmin.plan.groups.lag import Logs
from kadmin.plan.groups.verdict import GroupVerdict
from kadmin.reports.groups import GroupsReport


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """A cluster as one poll has read it, with the topics and groups that are wanted.

    *logs* has the partitions of *topics*, and those of the groups that are gone.  *silent* are
    brokers that did not list their groups, each with the reason.  *missing* names topics and groups
    that were asked for and do not exist.
    """

    brokers: Mapping[BrokerId, BrokerRegistration]
    topics: Mapping[str, TopicSnapshot]
    logs: Logs
    groups: GroupsReport
    verdicts: tuple[GroupVerdict, ...]
    silent: Mapping[BrokerId, str]
    missing: tuple[KadminError, ...] = ()
