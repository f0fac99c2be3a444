"""The request to compare replicas: of which partitions, how, and who works.  Values only."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from cluster.model.ids import TopicPartition
from kadmin.jobs.spark.master_url import SMALL_BYTES
from kadmin.jobs.verify.collected import FoundReplica
from kadmin.jobs.verify.partition import HowToVerify
from kadmin.jobs.verify.pieces import PIECE_BYTES

LOCAL: Final = "local[*]"

DEEP_FACTOR: Final = 4
"""How much longer it takes to read all records."""
SINGLE_BYTES: Final = 1 << 30
"""Less is read by one process about as fast as others start and read it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyRequest:
    """The replicas of *partitions*, each of another broker, are compared.

    *parquet* is a directory for all batch rows.  A *master* of None reads without Spark; so is what
    has less than *small_bytes*, unless a master of other machines or *conf*, Spark's settings, say
    that Spark is meant.  Without Spark as many *processes* read what has more than *single_bytes*,
    and is not written down.
    """

    partitions: Mapping[TopicPartition, Sequence[FoundReplica]]
    how: HowToVerify = HowToVerify()
    parquet: str | None = None
    master: str | None = LOCAL
    conf: Mapping[str, str] = field(default_factory=dict)
    small_bytes: int = SMALL_BYTES
    processes: int = 1
    single_bytes: int = SINGLE_BYTES
    piece_bytes: int = PIECE_BYTES
