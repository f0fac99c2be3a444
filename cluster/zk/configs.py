"""Znodes of configs: paths and codecs of overrides and of notifications about them.

Names of users, clients and ips are URL-encoded in paths, those of topics and brokers are not.
"""

from collections.abc import Iterator
from typing import Final

from cluster.model.config_entity import (
    ConfigChange,
    ConfigEntity,
    ConfigOverrides,
    Entity,
    EntityKind,
)
from cluster.model.errors import CorruptZnodeError
from cluster.zk.fields import (
    JsonObject,
    extra_fields,
    integer,
    json_bytes,
    json_map,
    json_object,
    json_value,
    shown,
    text,
)
from cluster.zk.paths import CONFIG, DEFAULT_ENTITY, desanitized, sanitized
from cluster.zk.znode import Znode

PLAIN_KINDS: Final = frozenset({EntityKind.TOPICS, EntityKind.BROKERS})
CONFIG_FIELDS: Final = frozenset({"version", "config"})
CHANGE_FIELDS: Final = {
    1: frozenset({"version", "entity_type", "entity_name"}),
    2: frozenset({"version", "entity_path"}),
}
KINDS_OF_VERSION_1: Final = (EntityKind.TOPICS, EntityKind.CLIENTS)


def entity_path(entity: ConfigEntity) -> str:
    """The path below `/config`, without a leading slash: `users/u%201/clients/<default>`."""
    own = f"{entity.root.kind}/{znode_name(entity.root)}"
    if entity.child is None:
        return own
    return f"{own}/{entity.child.kind}/{znode_name(entity.child)}"


def config_path(entity: ConfigEntity) -> str:
    return f"{CONFIG}/{entity_path(entity)}"


def znode_name(entity: Entity) -> str:
    """A user whose real name is `<default>` is encoded, so that it is not taken for the default.

    Kafka's admin API does so too; its ZooKeeper tools cannot name such a user.
    """
    if entity.name is None:
        return DEFAULT_ENTITY
    is_plain = entity.is_raw or entity.kind in PLAIN_KINDS
    return entity.name if is_plain else sanitized(entity.name)


def entity_of_path(path: str) -> ConfigEntity | None:
    """The entity of a path below `/config`; None for an unknown one."""
    match path.split("/"):
        case [kind, name] if kind in set(EntityKind) and name:
            return ConfigEntity(entity_of_znode(EntityKind(kind), name))
        case [EntityKind.USERS, user, EntityKind.CLIENTS, client] if user and client:
            return ConfigEntity(
                entity_of_znode(EntityKind.USERS, user),
                entity_of_znode(EntityKind.CLIENTS, client),
            )
        case _:
            return None


def entity_of_znode(kind: EntityKind, name: str) -> Entity:
    if name == DEFAULT_ENTITY:
        return Entity(kind, None)
    return Entity(kind, name if kind in PLAIN_KINDS else desanitized(name))


def entity_at(path: str) -> ConfigEntity | None:
    """As `entity_of_path`, for changing the config at *path*: where brokers would encode the
    entity's name in another way, the result is a raw entity, whose znode this is.
    """
    entity = entity_of_path(path)
    if entity is None or entity_path(entity) == path:
        return entity
    names = path.split("/")[1::2]
    parts = (entity.root,) if entity.child is None else (entity.root, entity.child)
    return ConfigEntity(
        *(
            part if znode_name(part) == name else Entity(part.kind, name, is_raw=True)
            for part, name in zip(parts, names, strict=True)
        )
    )


def is_meant_by(entity: Entity, raw: Entity) -> bool:
    """Whether a client that wrote the znode of *raw* probably meant *entity*."""
    is_kind = raw.is_raw and raw.kind is entity.kind
    return is_kind and raw.name is not None and entity.name in (raw.name, desanitized(raw.name))


def decode_config(node: Znode) -> ConfigOverrides:
    """Decode an entity's overrides; no data, as Kafka leaves on parents, means no overrides."""
    config = decode_mendable_config(node)
    for problem in config_problems(node, config):
        raise problem
    return config


def decode_mendable_config(node: Znode) -> ConfigOverrides:
    """As `decode_config`, for repairing what that refuses: a value that is no text is kept apart,
    and a missing config is an empty one."""
    if not node.data:
        return ConfigOverrides(values={}, zk_version=node.zk_version)
    document = json_object(node)
    config = {} if document.get("config") is None else json_map(node, document, "config")
    return ConfigOverrides(
        values={key: value for key, value in config.items() if type(value) is str},
        version=integer(node, document, "version", default=1),
        zk_version=node.zk_version,
        extra=extra_fields(document, CONFIG_FIELDS),
        misplaced={key: value for key, value in config.items() if type(value) is not str},
    )


def config_problems(node: Znode, config: ConfigOverrides) -> Iterator[CorruptZnodeError]:
    """Why brokers cannot read *config*, which is mendable."""
    if node.data and json_object(node).get("config") is None:
        yield node.corrupt("has no object 'config'")
    for key in config.misplaced:
        # The value itself is not shown: it may be a password.
        yield node.corrupt(f"the value of {shown(key)} is not text")


def encode_config(config: ConfigOverrides) -> bytes:
    values = {**config.values, **config.misplaced}
    return json_bytes({"version": config.version, "config": values, **config.extra})


def decode_config_change(node: Znode) -> ConfigChange:
    """Decode a notification in any of its three forms.

    Only the shape of its path is checked: the reader skips unknown kinds of entities.
    """
    document = json_value(node)
    if type(document) is str:
        return ConfigChange(
            entity_path=checked_path(node, f"{EntityKind.TOPICS}/{document}"),
            version=0,
            zk_version=node.zk_version,
        )
    if type(document) is not dict:
        raise node.corrupt("is neither a topic name nor a JSON object")
    version = integer(node, document, "version", 1, max(CHANGE_FIELDS))
    return ConfigChange(
        entity_path=checked_path(node, entity_path_of_change(node, document, version)),
        version=version,
        zk_version=node.zk_version,
        extra=extra_fields(document, CHANGE_FIELDS[version]),
    )


def entity_path_of_change(node: Znode, document: JsonObject, version: int) -> str:
    if version == 2:
        return text(node, document, "entity_path")
    kind = text(node, document, "entity_type")
    if kind not in KINDS_OF_VERSION_1:
        raise node.corrupt(f"version 1 knows no {shown(kind)}")
    return f"{kind}/{text(node, document, 'entity_name')}"


def checked_path(node: Znode, entity_path: str) -> str:
    parts = entity_path.split("/")
    if len(parts) not in (2, 4) or "" in parts:
        raise node.corrupt(f"{shown(entity_path)} is no path of an entity")
    return entity_path


def encode_config_change(change: ConfigChange) -> bytes:
    """Encode in *change*'s own form; versions 0 and 1 support only some entities."""
    if change.version == 2:
        return json_bytes({"version": 2, "entity_path": change.entity_path, **change.extra})
    kind, name = change.entity_path.split("/")
    if change.version == 1:
        assert kind in KINDS_OF_VERSION_1
        return json_bytes({"version": 1, "entity_type": kind, "entity_name": name, **change.extra})
    assert kind == EntityKind.TOPICS
    assert not change.extra
    return json_bytes(name)
