"""Records of coordinators in words: as Kafka's own tool writes them, or as JSON.

The text is that of Kafka 3.9's DumpLogSegments, to the byte.
"""

from base64 import b64encode
from typing import Any, Final

from cluster.formats.coordinator_records import (
    TRANSACTION,
    TRANSACTION_STATES,
    CoordinatorRecord,
    UnknownRecord,
)
from cluster.formats.message_fields import Fields, Part, UndecodableRecord
from kadmin.render.dump_log.kafka_json import kafka_json

TOMBSTONE: Final = "<DELETE>"
SMALL_SET_SIZE_MAX: Final = 4


def coordinator_texts(record: CoordinatorRecord) -> tuple[str, str]:
    """Return key and value of *record*."""
    key, value = record.key, record.value
    if record.type_name == TRANSACTION:
        key_text = f"transaction_metadata::transactionalId={key.fields['transactional_id']}"
        return key_text, TOMBSTONE if value is None else transaction_text(value.fields)
    return part_text("type", key), TOMBSTONE if value is None else part_text("version", value)


def why_not_decoded(decoded: UnknownRecord | UndecodableRecord, offset: int) -> str:
    if isinstance(decoded, UndecodableRecord):
        return f"Error at offset {offset}, skipping. {decoded.reason}"
    if decoded.is_transaction:
        return f"unknown::version={decoded.key_version}"
    return f"Unknown record type {decoded.key_version} at offset {offset}, skipping."


def part_text(version_name: str, part: Part) -> str:
    return kafka_json({version_name: str(part.version), "data": part.fields})


def transaction_text(fields: Fields) -> str:
    state = TRANSACTION_STATES[fields["transaction_status"]]
    # Of an empty transaction Kafka reads no partitions.
    topics = fields["transaction_partitions"] or [] if fields["transaction_status"] else []
    partitions = as_scala_orders([(one["topic"], one["partition_ids"]) for one in topics])
    return (
        f"producerId:{fields['producer_id']},producerEpoch:{fields['producer_epoch']}"
        f",state={state},partitions=[{','.join(partitions)}]"
        f",txnLastUpdateTimestamp={fields['transaction_last_update_timestamp_ms']}"
        f",txnTimeoutMs={fields['transaction_timeout_ms']}"
    )


def as_scala_orders(topics: list[tuple[str, list[int]]]) -> list[str]:
    """Return the partitions in the order in which Kafka's tool prints them, that of a hash table.

    Source: Scala 2.13's mutable.HashSet and Kafka's TopicPartition.
    """
    hashes: dict[tuple[str, int], int] = {}
    size = 16
    for topic, partitions in topics:
        # What is added from a hash table, which sets of up to four are not, only makes the room
        # that its own size wants.
        added = set(partitions)
        size = max(size, table_size((len(added) + 1) * 4 // 3))
        for partition in partitions:
            if len(added) <= SMALL_SET_SIZE_MAX and len(hashes) + 1 >= size * 3 // 4:
                size *= 2
            hashes[topic, partition] = hash_of(topic, partition)
    ordered = sorted(hashes, key=lambda one: (hashes[one] & (size - 1), signed(hashes[one])))
    return [f"{topic}-{partition}" for topic, partition in ordered]


def table_size(capacity: int) -> int:
    return 1 << max(capacity - 1, 4).bit_length()


def hash_of(topic: str, partition: int) -> int:
    """Compute Java's hash of a partition, with Scala's mixing of its upper half into the lower."""
    of_topic = 0
    for character in topic:
        of_topic = of_topic * 31 + ord(character) & 0xFFFFFFFF
    mixed = (31 + partition) * 31 + of_topic & 0xFFFFFFFF
    return mixed ^ mixed >> 16


def signed(number: int) -> int:
    return number - (1 << 32) if number >> 31 else number


def json_coordinator_record(decoded: CoordinatorRecord) -> dict[str, object]:
    """Return key and value of a record as objects of JSON; a value that is null deletes the key."""
    key, value = decoded.key, decoded.value
    fields = {
        "key": {"type": decoded.type_name, "version": key.version, **json_fields(key.fields)},
        "value": None,
    }
    if value is not None:
        of_value = json_fields(value.fields)
        if decoded.type_name == TRANSACTION:
            of_value["transaction_status"] = TRANSACTION_STATES[of_value["transaction_status"]]
        fields["value"] = {"version": value.version, **of_value}
    return dict(fields)


def json_fields(fields: Fields) -> Fields:
    """Return *fields* with data in base64, under names that say so."""
    return {
        f"{name}_base64" if isinstance(value, bytes) else name: json_value(value)
        for name, value in fields.items()
    }


def json_value(value: Any) -> Any:
    match value:
        case dict():
            return json_fields(value)
        case list():
            return [json_value(one) for one in value]
        case bytes():
            return b64encode(value).decode()
        case _:
            return value
