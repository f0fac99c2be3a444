"""The controller of a cluster on KRaft, by DescribeQuorum: the leader of the metadata quorum.

Metadata names any broker there, which takes what is for the controller and hands it on.
"""

from typing import Final

from kafka.errors import AuthorizationError, for_code
from kafka.protocol.admin import DescribeQuorumRequest

from cluster.model import fault as subjects
from cluster.model.controller import Controller
from cluster.model.fault import Fault
from cluster.model.ids import NO_LEADER, BrokerId
from kadmin.admin.wire.connection import SILENCES, WireConnection, plain
from kadmin.admin.wire.errors import BrokersUnreachable

METADATA_LOG: Final = "__cluster_metadata"
WHAT: Final = "who the controller is"


def is_on_kraft(connection: WireConnection) -> bool:
    """Return whether the brokers have a metadata quorum: those with ZooKeeper serve no such
    request."""
    return connection.serves(DescribeQuorumRequest)


def told_controller(connection: WireConnection, faults: list[Fault]) -> Controller | None:
    """Return the leader of the quorum, or None while there is none; an answer without it is added
    to *faults*."""
    topic = DescribeQuorumRequest.TopicData
    part = topic.PartitionData(partition_index=0)
    request = DescribeQuorumRequest(topics=[topic(topic_name=METADATA_LOG, partitions=[part])])
    try:
        with connection.budget.sharing():
            answer = connection.ask(request)
        codes = [answer.error_code, *(part.error_code for part in answer.topics[0].partitions)]
        for code in codes:
            if code != 0:
                raise for_code(code)(WHAT)
    except AuthorizationError:
        faults.append(subjects.hidden(subjects.CONTROLLER, WHAT))
        return None
    except (BrokersUnreachable, *SILENCES) as error:
        reason = error.reason if isinstance(error, BrokersUnreachable) else plain(error)
        faults.append(subjects.untold(subjects.CONTROLLER, WHAT, reason))
        return None
    [quorum] = answer.topics[0].partitions
    if quorum.leader_id == NO_LEADER:
        return None
    return Controller(
        broker_id=BrokerId(quorum.leader_id), kraft_controller_epoch=quorum.leader_epoch
    )
