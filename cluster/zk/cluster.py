"""Znodes of the cluster as a whole: codecs of its id, its producer ids and its features."""

from typing import Final

from cluster.model.cluster import (
    ClusterId,
    FeatureLevels,
    FeatureStatus,
    FinalizedFeatures,
    ProducerIdBlock,
)
from cluster.model.ids import BrokerId
from cluster.zk.fields import (
    INT16_MAX,
    INT64_MAX,
    JsonObject,
    decimal,
    extra_fields,
    integer,
    json_bytes,
    json_map,
    json_object,
    number,
    shown,
    text,
)
from cluster.zk.znode import Znode

CLUSTER_ID_FIELDS: Final = frozenset({"version", "id"})
BLOCK_FIELDS: Final = frozenset({"version", "broker", "block_start", "block_end"})
FEATURE_FIELDS: Final = frozenset({"version", "status", "features"})


def decode_cluster_id(node: Znode) -> ClusterId:
    document = json_object(node)
    return ClusterId(
        cluster_id=text(node, document, "id"),
        version=text(node, document, "version"),
        zk_version=node.zk_version,
        extra=extra_fields(document, CLUSTER_ID_FIELDS),
    )


def encode_cluster_id(cluster: ClusterId) -> bytes:
    return json_bytes({"version": cluster.version, "id": cluster.cluster_id, **cluster.extra})


def decode_producer_id_block(node: Znode) -> ProducerIdBlock | None:
    """Decode the last assigned block; None while there is no data, hence no block yet."""
    if not node.data:
        return None
    document = json_object(node)
    first = decimal(node, text(node, document, "block_start"), "'block_start'", 0, INT64_MAX)
    last = decimal(node, text(node, document, "block_end"), "'block_end'", first, INT64_MAX)
    return ProducerIdBlock(
        # A KRaft controller, which writes it during a migration, has -1 here.
        broker_id=BrokerId(number(node, document, "broker", -1)),
        first=first,
        last=last,
        version=integer(node, document, "version", default=1),
        zk_version=node.zk_version,
        extra=extra_fields(document, BLOCK_FIELDS),
    )


def encode_producer_id_block(block: ProducerIdBlock) -> bytes:
    document: JsonObject = {
        "version": block.version,
        "broker": block.broker_id,
        "block_start": str(block.first),
        "block_end": str(block.last),
    }
    return json_bytes({**document, **block.extra})


def decode_features(node: Znode) -> FinalizedFeatures:
    document = json_object(node)
    version = integer(node, document, "version", 1, 2)
    return FinalizedFeatures(
        status=FeatureStatus(integer(node, document, "status", 0, max(FeatureStatus))),
        levels={
            name: decode_levels(node, name, levels, version)
            for name, levels in json_map(node, document, "features").items()
        },
        version=version,
        zk_version=node.zk_version,
        extra=extra_fields(document, FEATURE_FIELDS),
    )


def decode_levels(node: Znode, name: str, levels: object, version: int) -> FeatureLevels:
    """Version 2 is an object with only the maximum; a bare number is accepted too."""
    if version == 2 and type(levels) is int:
        levels = {"max_version_level": levels}
    if type(levels) is not dict:
        raise node.corrupt(f"the levels of {shown(name)} are no object: {shown(levels)}")
    if version == 2:
        return FeatureLevels(integer(node, levels, "max_version_level", 1, INT16_MAX))
    min_level = integer(node, levels, "min_version_level", 1, INT16_MAX)
    max_level = integer(node, levels, "max_version_level", min_level, INT16_MAX)
    return FeatureLevels(max_level, min_level)


def encode_features(features: FinalizedFeatures) -> bytes:
    """Encode in *features*' own version, in the order of the hash map of Scala 2.13."""
    levels = {}
    for name, at in features.levels.items():
        levels[name] = {"max_version_level": at.max_level}
        if at.min_level is not None:
            levels[name]["min_version_level"] = at.min_level
    document: JsonObject = {
        "features": levels,
        "version": features.version,
        "status": features.status.value,
    }
    return json_bytes({**document, **features.extra})
