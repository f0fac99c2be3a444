"""What ZooKeeper and the metadata log of KRaft have of a cluster, in one form that compares.

A fact is a property of a thing with its value as text.  Broker registrations, features and the
partition epoch are facts of one store only, and left out.

Source: Kafka's ZkMigrationClient and the deltas of its MetadataImage.
"""

from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final, NamedTuple

from cluster.formats.metadata_records import MetadataRecord
from cluster.model.config_entity import ConfigEntity, ConfigOverrides, EntityKind
from cluster.model.ids import BrokerId
from cluster.model.topic_id import read_by_kafka, topic_id_text
from kadmin.plan.migration.contents import QUOTA_KINDS, double, is_password
from kadmin.plan.migration.evidence import MigrationEvidence
from kadmin.plan.scram import HASHES


class Fact(NamedTuple):
    """A property of a thing, such as the leader of a partition."""

    thing: str
    name: str


Facts = dict[Fact, str]

SECRET: Final = "a secret"
"""The value of what is never shown, and stored in another form in each of the stores."""
PRESENT: Final = "present"
PRODUCER_IDS: Final = Fact("producer ids", "next")

OF_KRAFT: Final = BrokerId(-1)
NO_LEADER_CHANGE: Final = -2
TOPIC_CONFIG: Final = 2
BROKER_CONFIG: Final = 4
RESOURCE_TYPES: Final = ("", "", "TOPIC", "GROUP", "CLUSTER", "TRANSACTIONAL_ID",
                         "DELEGATION_TOKEN", "USER")  # fmt: skip
PATTERN_TYPES: Final = {3: "LITERAL", 4: "PREFIXED"}
PERMISSIONS: Final = {2: "Deny", 3: "Allow"}
OPERATIONS: Final = {
    2: "All", 3: "Read", 4: "Write", 5: "Create", 6: "Delete", 7: "Alter", 8: "Describe",
    9: "ClusterAction", 10: "DescribeConfigs", 11: "AlterConfigs", 12: "IdempotentWrite",
    13: "CreateTokens", 14: "DescribeTokens",
}  # fmt: skip
MECHANISMS: Final = {1: "SCRAM-SHA-256", 2: "SCRAM-SHA-512"}
QUOTA_ENTITIES: Final = {"user": "users", "client-id": "clients", "ip": "ips"}


def numbers(values: Iterable[int]) -> str:
    return ",".join(map(str, values))


@dataclass(slots=True)
class MetadataImage:
    """What the records of the metadata log add up to; those of an open transaction wait."""

    end_offset: int = 0
    last_change_offset: int = -1
    """That of the last record that is a fact."""
    _things: dict[str, dict[str, str]] = field(default_factory=dict)
    _topics: dict[str, str] = field(default_factory=dict)
    _partitions: dict[str, list[str]] = field(default_factory=dict)
    """The things of each topic, by its id."""
    _rules: dict[str, Fact] = field(default_factory=dict)
    _transaction: list[tuple[int, MetadataRecord]] | None = None

    def facts(self) -> Facts:
        return {
            Fact(thing, name): value
            for thing, values in self._things.items()
            for name, value in values.items()
        }

    def replay(self, offset: int, record: MetadataRecord) -> None:
        match record.type_name:
            case "BEGIN_TRANSACTION_RECORD":
                self._transaction = []
            case "ABORT_TRANSACTION_RECORD":
                self._transaction = None
            case "END_TRANSACTION_RECORD":
                waiting, self._transaction = self._transaction or [], None
                for at, each in waiting:
                    self._apply(at, each)
            case _ if self._transaction is not None:
                self._transaction.append((offset, record))
            case _:
                self._apply(offset, record)

    def _apply(self, offset: int, record: MetadataRecord) -> None:
        apply = APPLY.get(record.type_name)
        if apply is not None:
            apply(self, record.fields)
            self.last_change_offset = offset

    def _topic(self, fields: Mapping[str, Any]) -> None:
        topic_id, thing = fields["topic_id"], f"topic {fields['name']}"
        self._topics[topic_id] = fields["name"]
        self._partitions[topic_id] = [thing]
        self._set(Fact(thing, "id"), topic_id)

    def _remove_topic(self, fields: Mapping[str, Any]) -> None:
        self._topics.pop(fields["topic_id"], None)
        for thing in self._partitions.pop(fields["topic_id"], ()):
            self._things.pop(thing, None)

    def _partition(self, fields: Mapping[str, Any]) -> None:
        topic = self._topics.get(fields["topic_id"], fields["topic_id"])
        thing = f"partition {topic}-{fields['partition_id']}"
        if thing not in self._things:
            self._partitions.setdefault(fields["topic_id"], []).append(thing)
        values = self._things.setdefault(thing, {})
        for name in ("replicas", "adding_replicas", "removing_replicas"):
            if fields.get(name) is not None:
                values[name] = numbers(fields[name])
        if fields.get("isr") is not None:
            values["isr"] = numbers(sorted(fields["isr"]))
        leader = fields.get("leader", NO_LEADER_CHANGE)
        if leader != NO_LEADER_CHANGE:
            values["leader"] = str(leader)
            # A change has no epoch, and counts as the next one.
            before = int(values.get("leader_epoch", "-1"))
            values["leader_epoch"] = str(fields.get("leader_epoch", before + 1))

    def _config(self, fields: Mapping[str, Any]) -> None:
        name, key = fields["resource_name"], fields["name"]
        if fields["resource_type"] == TOPIC_CONFIG:
            fact = Fact(f"topic {name}", f"config {key}")
        elif fields["resource_type"] == BROKER_CONFIG:
            fact = Fact(f"brokers '{name}'" if name else "default brokers", f"config {key}")
        else:
            return
        value = fields["value"]
        if value is not None and fields["resource_type"] == BROKER_CONFIG and is_password(key):
            value = SECRET
        self._set(fact, value)

    def _quota(self, fields: Mapping[str, Any]) -> None:
        names = {one["entity_type"]: one["entity_name"] for one in fields["entity"]}
        fact = Fact(quota_thing(names), f"quota {fields['key']}")
        self._set(fact, None if fields["remove"] else repr(fields["value"]))

    def _credential(self, fields: Mapping[str, Any]) -> None:
        thing = quota_thing({"user": fields["name"]})
        mechanism = MECHANISMS.get(fields["mechanism"], str(fields["mechanism"]))
        parts = [fields.get(name) for name in ("salt", "stored_key", "server_key")]
        is_removed = "iterations" not in fields
        self._set(
            Fact(thing, mechanism),
            None if is_removed else credential_text(parts, str(fields["iterations"])),
        )

    def _rule(self, fields: Mapping[str, Any]) -> None:
        kind, pattern = fields["resource_type"], fields["pattern_type"]
        fact = rule(
            RESOURCE_TYPES[kind] if kind < len(RESOURCE_TYPES) else str(kind),
            PATTERN_TYPES.get(pattern, str(pattern)),
            fields["resource_name"],
            (
                PERMISSIONS.get(fields["permission_type"], "UNKNOWN"),
                OPERATIONS.get(fields["operation"], "UNKNOWN"),
                fields["principal"],
                fields["host"],
            ),
        )
        self._rules[fields["id"]] = fact
        self._set(fact, PRESENT)

    def _remove_rule(self, fields: Mapping[str, Any]) -> None:
        fact = self._rules.pop(fields["id"], None)
        if fact is not None:
            self._set(fact, None)

    def _token(self, fields: Mapping[str, Any]) -> None:
        found = token_facts(
            fields["token_id"],
            fields["owner"],
            fields["requester"],
            fields["renewers"],
            fields["expiration_timestamp"],
            fields["max_timestamp"],
        )
        for fact, value in found.items():
            self._set(fact, value)

    def _remove_token(self, fields: Mapping[str, Any]) -> None:
        self._things.pop(f"token {fields['token_id']}", None)

    def _producer_ids(self, fields: Mapping[str, Any]) -> None:
        self._set(PRODUCER_IDS, str(fields["next_producer_id"]))

    def _set(self, fact: Fact, value: str | None) -> None:
        values = self._things.setdefault(fact.thing, {})
        if value is None:
            values.pop(fact.name, None)
        else:
            values[fact.name] = value


APPLY: Final = {
    "TOPIC_RECORD": MetadataImage._topic,
    "REMOVE_TOPIC_RECORD": MetadataImage._remove_topic,
    "PARTITION_RECORD": MetadataImage._partition,
    "PARTITION_CHANGE_RECORD": MetadataImage._partition,
    "CONFIG_RECORD": MetadataImage._config,
    "CLIENT_QUOTA_RECORD": MetadataImage._quota,
    "USER_SCRAM_CREDENTIAL_RECORD": MetadataImage._credential,
    "REMOVE_USER_SCRAM_CREDENTIAL_RECORD": MetadataImage._credential,
    "ACCESS_CONTROL_ENTRY_RECORD": MetadataImage._rule,
    "REMOVE_ACCESS_CONTROL_ENTRY_RECORD": MetadataImage._remove_rule,
    "DELEGATION_TOKEN_RECORD": MetadataImage._token,
    "REMOVE_DELEGATION_TOKEN_RECORD": MetadataImage._remove_token,
    "PRODUCER_IDS_RECORD": MetadataImage._producer_ids,
}
"""By the types of records that both stores have."""


def quota_thing(names: Mapping[str, str | None]) -> str:
    """Return the entity of *names* by their types in KRaft's order of words; None is a default."""
    found = [
        f"default {kind}" if names[kind] is None else f"{kind} '{names[kind]}'"
        for kind in QUOTA_ENTITIES
        if kind in names
    ]
    return ", ".join(found)


def rule(kind: str, pattern: str, name: str, words: Sequence[str]) -> Fact:
    return Fact(f"{kind} '{name}' ({pattern})", f"ACL {' '.join(words)}")


def as_copied(topic_id: str) -> str:
    """Return the text of an id in the form in which the controllers write it."""
    read = read_by_kafka(topic_id)
    return topic_id if read is None else topic_id_text(read)


def facts_of_zookeeper(evidence: MigrationEvidence) -> Facts:
    """Return what ZooKeeper has; topics that wait for their deletion are in neither store."""
    facts: Facts = {}
    for topic in evidence.snapshot.topics.values():
        if topic.is_marked_for_deletion:
            continue
        thing = f"topic {topic.name}"
        facts[Fact(thing, "id")] = as_copied(topic.assignment.topic_id or "")
        for key, value in topic.config.values.items():
            facts[Fact(thing, f"config {key}")] = value
        for number, assigned in topic.assignment.partitions.items():
            thing = f"partition {topic.name}-{number}"
            facts[Fact(thing, "replicas")] = numbers(assigned.replicas)
            facts[Fact(thing, "adding_replicas")] = numbers(assigned.adding)
            facts[Fact(thing, "removing_replicas")] = numbers(assigned.removing)
            state = topic.states.get(number)
            if state is not None:
                facts[Fact(thing, "isr")] = numbers(sorted(state.isr))
                facts[Fact(thing, "leader")] = str(state.leader)
                facts[Fact(thing, "leader_epoch")] = str(state.leader_epoch)
    for entity, config in evidence.configs.items():
        facts.update(facts_of_entity(entity, config))
    for resource, acls in evidence.acls.items():
        for entry in acls.entries:
            words = (entry.permission_type, entry.operation, entry.principal, entry.host)
            kind, pattern = resource.resource_type.name, resource.pattern_type.value
            facts[rule(kind, pattern, resource.name, words)] = PRESENT
    for token in evidence.tokens:
        facts |= token_facts(
            token.token_id,
            token.owner,
            token.requester,
            token.renewers,
            token.expiry_timestamp_ms,
            token.max_timestamp_ms,
        )
    block = evidence.producer_ids
    if block is not None:
        # Brokers write the block that they have taken, KRaft the next one.
        is_of_kraft = block.broker_id == OF_KRAFT
        facts[PRODUCER_IDS] = str(block.first if is_of_kraft else block.last + 1)
    return facts


def token_facts(
    token_id: str, owner: str, requester: str, renewers: Iterable[str], expires: int, maximum: int
) -> Facts:
    thing = f"token {token_id}"
    return {
        Fact(thing, "owner"): owner,
        Fact(thing, "requester"): requester,
        Fact(thing, "renewers"): ",".join(sorted(renewers)),
        Fact(thing, "expires"): str(expires),
        Fact(thing, "maximum"): str(maximum),
    }


def facts_of_entity(entity: ConfigEntity, config: ConfigOverrides) -> Iterator[tuple[Fact, str]]:
    kind = entity.root.kind
    if kind is EntityKind.BROKERS:
        name = entity.root.name
        thing = "default brokers" if name is None else f"brokers '{name}'"
        for key, value in config.values.items():
            yield Fact(thing, f"config {key}"), SECRET if is_password(key) else value
    elif kind in QUOTA_KINDS:
        parts = (entity.root,) if entity.child is None else (entity.root, entity.child)
        words = {plural: word for word, plural in QUOTA_ENTITIES.items()}
        thing = quota_thing({words[part.kind.value]: part.name for part in parts})
        for key, value in config.values.items():
            if key in HASHES:
                yield Fact(thing, key), stored_credential(value)
            else:
                yield Fact(thing, f"quota {key}"), number_text(value)


def stored_credential(text: str) -> str:
    """Return what of a credential is compared; *text* itself is never shown."""
    found = dict(part.partition("=")[::2] for part in text.split(","))
    try:
        parts = [b64decode(found[name]) for name in ("salt", "stored_key", "server_key")]
        return credential_text(parts, found["iterations"])
    except (KeyError, ValueError):
        return "unreadable"


def credential_text(parts: Sequence[bytes | None], iterations: str) -> str:
    digest = sha256(b"\0".join(part or b"" for part in parts)).hexdigest()
    return f"{iterations} iterations, digest {digest[:8]}"


def number_text(text: str) -> str:
    number = double(text)
    return text if number is None else repr(number)
