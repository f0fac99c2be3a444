"""How do overrides and their change notifications stand in ZooKeeper?"""

from typing import Final

from cluster.model.topic import EntityConfig
from cluster.zk.znode import Znode, extra_fields, integer, json_bytes, json_object

CONFIG_FIELDS: Final = frozenset({"version", "config"})


def decode_config(node: Znode) -> EntityConfig:
    """Decode an entity's overrides; null data, as Kafka leaves on parents, is no override."""
    if node.data is None:
        return EntityConfig(values={}, zk_version=node.zk_version)
    document = json_object(node)
    values = document.get("config")
    if type(values) is not dict:
        raise node.corrupt("has no object 'config'")
    for key, value in values.items():
        if type(value) is not str:
            raise node.corrupt(f"the value of '{key}' is not text: {value!r}")
    return EntityConfig(
        values=values,
        version=integer(node, document, "version", default=1),
        zk_version=node.zk_version,
        extra=extra_fields(document, CONFIG_FIELDS),
    )


def encode_config(config: EntityConfig) -> bytes:
    return json_bytes({"version": config.version, "config": dict(config.values), **config.extra})
