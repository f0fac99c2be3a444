"""The control records of a quorum, in its log and its snapshots.

The field `version` of Kafka's schemas is the version of the payload.

Source: the schemas in kafka-clients 3.9.1 and 4.1.0.
"""

from collections.abc import Sequence
from typing import NamedTuple

from cluster.wire.fields import array, int16, int32, int64, nested, string, uint16, uuid
from cluster.wire.schema import payload, struct


@payload("0", "0+")
class KRaftVersionRecord(NamedTuple):
    k_raft_version: int = int16()


@struct
class LeaderVoter(NamedTuple):
    voter_id: int = int32()
    voter_directory_id: bytes = uuid("1+")


@payload("0-1", "0+")
class LeaderChangeMessage(NamedTuple):
    leader_id: int = int32()
    voters: Sequence[LeaderVoter] = array(LeaderVoter)
    granting_voters: Sequence[LeaderVoter] = array(LeaderVoter)


@payload("0", "0+")
class SnapshotFooterRecord(NamedTuple):
    """A record without fields."""


@payload("0", "0+")
class SnapshotHeaderRecord(NamedTuple):
    last_contained_log_timestamp: int = int64()


@struct
class VoterEndpoint(NamedTuple):
    name: str = string()
    host: str = string()
    port: int = uint16()


@struct
class KRaftVersionFeature(NamedTuple):
    min_supported_version: int = int16()
    max_supported_version: int = int16()


@struct
class Voter(NamedTuple):
    voter_id: int = int32()
    voter_directory_id: bytes = uuid()
    endpoints: Sequence[VoterEndpoint] = array(VoterEndpoint)
    k_raft_version_feature: KRaftVersionFeature = nested(KRaftVersionFeature)


@payload("0", "0+")
class VotersRecord(NamedTuple):
    voters: Sequence[Voter] = array(Voter)
