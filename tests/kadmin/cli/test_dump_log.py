"""`kadmin dump-log`, as an operator uses it.

`golden/dump-log/` holds what Kafka 3.9.1's own tool printed (`--print-data-log` of the segments;
indexes and snapshots as they are) of the log directories in `tests/cluster/storage/golden`, which
brokers of two releases wrote: all message formats and codecs, transactions, compaction, a kill.
`coordinator.*` is what its decoders printed of `tests/cluster/formats/coordinator_records.py`, and
`metadata` what 4.1.0's printed of `metadata_records.py` beside it.  `controller.checkpoint` is the
first snapshot of a quorum of 3.9.1 with voters that can change, which that release then printed.
"""

import gzip
import json
import shutil
import struct
import tarfile
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from cluster.wire.codec import encode_payload
from cluster.wire.messages.coordinator_records import OffsetCommitValue
from cluster.wire.messages.metadata_records import (
    ClientQuotaRecord,
    EntityData,
    UserScramCredentialRecord,
)
from kadmin.errors import ExitCode
from tests.cluster.formats.coordinator_records import (
    KeyAndValue,
    group,
    group_key,
    keyed,
    member,
    offset_key,
    offset_records,
    segment,
    transaction,
    transaction_key,
    transaction_records,
)
from tests.cluster.formats.messages import message, wrapper
from tests.cluster.formats.metadata_records import metadata_records, value_of
from tests.cluster.storage.batches import batch, batch_around, sealed
from tests.support.checkout import CHECKOUT
from tests.support.cli import done, kadmin

GOLDEN: Final = Path(__file__).parent / "golden" / "dump-log"
RELEASES: Final = ("2.8.2", "3.9.1")
INDEXES: Final = (".index", ".timeindex", ".txnindex", ".snapshot")
SEGMENT: Final = f"{7:020}.log"
FOUND: Final = 4
ATTRIBUTES_AT: Final = 22
CONTROL: Final = 0x20
METADATA: Final = "--cluster-metadata-decoder"


@pytest.fixture
def unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for release in RELEASES:
        name = f"tests/cluster/storage/golden/kafka-{release}.tar.gz"
        with tarfile.open(CHECKOUT / name) as archive:
            archive.extractall(tmp_path / release, filter="data")
    return tmp_path


def files(directory: Path, *suffixes: str) -> list[str]:
    """What Kafka's tool takes: it dies of the index of an empty segment."""
    return [
        str(path.relative_to(directory))
        for path in sorted(directory.glob("data-*/*/*"))
        if path.suffix in suffixes
        and (path.suffix in (".log", ".snapshot") or path.with_suffix(".log").stat().st_size > 0)
    ]


def golden(name: str) -> list[str]:
    return gzip.decompress((GOLDEN / f"{name}.txt.gz").read_bytes()).decode().splitlines()


def by_file(lines: list[str]) -> dict[str, list[str]]:
    """The lines below each file: the shell that wrote the golden files sorted otherwise."""
    found: dict[str, list[str]] = {}
    for line in lines:
        if line.startswith("Dumping "):
            below = found.setdefault(line, [])
        else:
            below.append(line)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("release", RELEASES)
def test_segments_are_printed_as_kafka_prints_them(unpacked, release, monkeypatch) -> None:
    monkeypatch.chdir(unpacked / release)
    names = ",".join(files(Path(), ".log"))

    outcome = kadmin("dump-log", "--print-data-log", "--files", names)

    assert by_file(golden(f"{release}.records")) == by_file(outcome.stdout.splitlines())
    assert 0 == outcome.exit_code


@pytest.mark.parametrize("release", RELEASES)
def test_indexes_are_printed_as_kafka_prints_them(unpacked, release, monkeypatch) -> None:
    monkeypatch.chdir(unpacked / release)
    names = files(Path(), *INDEXES)

    outcome = kadmin("dump-log", *names)

    assert by_file(golden(f"{release}.indexes")) == by_file(outcome.stdout.splitlines())
    assert 0 == outcome.exit_code


@pytest.mark.parametrize("release", RELEASES)
def test_without_deep_iteration_batches_alone_are_printed(unpacked, release, monkeypatch) -> None:
    monkeypatch.chdir(unpacked / release)

    lines = done("dump-log", *files(Path(), ".log")).splitlines()

    expected = [line for line in golden(f"{release}.records") if not line.startswith("| ")]
    assert by_file(expected) == by_file(lines)


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with a segment of three batches and its indexes."""
    monkeypatch.chdir(tmp_path)
    first = bytes(batch(3, base_offset=7, leader_epoch=1))
    second = bytes(batch(2, base_offset=10, leader_epoch=2, codec="zstd"))
    third = bytes(batch([b"\xff\xfe"], base_offset=12, leader_epoch=2))
    (tmp_path / SEGMENT).write_bytes(first + second + third)
    write_indexes(tmp_path, [(4, len(first))], [(1_700_000_000_001, 4)])
    return tmp_path


def write_indexes(
    directory: Path, offsets: list[tuple[int, int]], times: list[tuple[int, int]]
) -> None:
    path = directory / SEGMENT
    path.with_suffix(".index").write_bytes(b"".join(struct.pack(">ii", *row) for row in offsets))
    path.with_suffix(".timeindex").write_bytes(b"".join(struct.pack(">qi", *row) for row in times))


def name_of(suffix: str) -> str:
    return str(Path(SEGMENT).with_suffix(suffix))


def test_indexes_that_are_right_have_nothing_found(directory: Path) -> None:
    outcome = kadmin("dump-log", "--verify-index-only", name_of(".index"), name_of(".timeindex"))

    assert (0, "") == (outcome.exit_code, outcome.stderr)
    assert ["Dumping " + name_of(".index"), "Dumping " + name_of(".timeindex")] == (
        outcome.stdout.splitlines()
    )


def test_an_offset_index_that_lies_is_told_of(directory: Path) -> None:
    at = struct.unpack(">ii", (directory / name_of(".index")).read_bytes())[1]
    write_indexes(directory, [(3, at), (5, at + 1), (6, 10**6)], [])

    outcome = kadmin("dump-log", name_of(".index"))

    assert FOUND == outcome.exit_code
    assert [
        f"Dumping {name_of('.index')}",
        f"offset: 10 position: {at}",
        f"offset: 12 position: {at + 1}",
        "offset: 13 position: 1000000",
    ] == outcome.stdout.splitlines()
    assert [
        f"warning: {name_of('.index')}: offset 12: no batch begins at byte {at + 1} of the segment",
        f"warning: {name_of('.index')}: offset 13: no batch begins at byte 1000000 of the segment",
        f"Mismatches in :{directory / name_of('.index')}",
        "  Index offset: 10, log offset: 11",
    ] == outcome.stderr.splitlines()


def test_a_time_index_that_lies_is_told_of(directory: Path) -> None:
    write_indexes(directory, [], [(1_700_000_000_009, 2), (1_700_000_000_001, 4), (5, 3), (9, 90)])

    outcome = kadmin("dump-log", name_of(".timeindex"))

    path = directory / name_of(".timeindex")
    assert FOUND == outcome.exit_code
    assert [
        f"Found timestamp mismatch in :{path}",
        "  Index timestamp: 1700000000009, log timestamp: 1700000000002",
        f"Found out of order timestamp in :{path}",
        "  Index timestamp: 1700000000001, Previously indexed timestamp: 1700000000009",
        "The following indexed offsets are not found in the log.",
        "Indexed offset: 10, found log offset: 11",
        "Indexed offset: 97, found log offset: -1",
    ] == outcome.stderr.splitlines()


def test_a_time_index_of_an_older_release_may_name_an_offset_within_a_batch(
    directory: Path,
) -> None:
    write_indexes(directory, [], [(1_700_000_000_001, 3)])

    outcome = kadmin("dump-log", name_of(".timeindex"))

    assert 0 == outcome.exit_code
    assert "Indexed offset: 10, found log offset: 11" in outcome.stderr


def test_indexes_that_are_preallocated_and_empty_do_not_lie(directory: Path) -> None:
    (directory / name_of(".index")).write_bytes(bytes(80))
    (directory / name_of(".timeindex")).write_bytes(bytes(120))

    outcome = kadmin("dump-log", name_of(".index"), name_of(".timeindex"))

    assert (0, "") == (outcome.exit_code, outcome.stderr)
    assert ["offset: 7 position: 0", "timestamp: 0 offset: 7"] == (
        outcome.stdout.splitlines()[1::2]
    )


def test_an_index_whose_segment_is_not_there_is_printed_and_not_compared(directory: Path) -> None:
    (directory / SEGMENT).unlink()

    outcome = kadmin("dump-log", name_of(".index"))

    assert 0 == outcome.exit_code
    assert f"not compared: there is no {SEGMENT} beside it" in outcome.stderr
    assert 2 == len(outcome.stdout.splitlines())


NO_INDEX = "it is no index, or a damaged one: "


@pytest.mark.parametrize("options", [(), ("--verify-index-only",), ("--index-sanity-check",)])
@pytest.mark.parametrize(("suffix", "size"), [(".index", 8), (".timeindex", 12)])
def test_text_by_the_name_of_an_index_is_none(
    directory: Path, suffix: str, size: int, options: tuple[str, ...]
) -> None:
    (directory / name_of(suffix)).write_text("this is no index, whatever its name says\n" * 2 + "x")

    outcome = kadmin("dump-log", *options, name_of(suffix))

    assert ExitCode.FOUND == outcome.exit_code
    told = f"warning: {name_of(suffix)}: {NO_INDEX}its size of 83 is no multiple of {size}\n"
    assert told in outcome.stderr


def test_an_index_whose_offsets_go_backwards_is_none(directory: Path) -> None:
    write_indexes(directory, [(4, 0), (3, 9), (9, 9)], [])

    outcome = kadmin("dump-log", name_of(".index"))

    assert ExitCode.FOUND == outcome.exit_code
    base = int(Path(SEGMENT).stem)
    assert f"{NO_INDEX}entry 1 is of offset {base + 3}, behind {base + 4}\n" in outcome.stderr
    assert f"offset: {base + 9} " not in outcome.stdout


@pytest.mark.parametrize("option", ["--verify-index-only", "--index-sanity-check"])
def test_what_is_no_index_where_one_is_asked_for_is_a_finding(directory: Path, option: str) -> None:
    (directory / "notes.txt").write_text("x")
    (directory / "partition.metadata").write_text("version: 0\n")

    stray = kadmin("dump-log", option, "notes.txt")
    beside = kadmin("dump-log", option, "partition.metadata")
    unasked = kadmin("dump-log", "notes.txt")

    assert (ExitCode.FOUND, 0, 0) == (stray.exit_code, beside.exit_code, unasked.exit_code)
    reason = "it is no index: these are named *.index and *.timeindex"
    assert f"warning: notes.txt: {reason}\n" == stray.stderr
    assert "warning: Ignoring unknown file notes.txt\n" == unasked.stderr


@pytest.mark.parametrize("suffix", [".index", ".timeindex"])
def test_a_sane_index_passes_and_one_with_half_an_entry_does_not(
    directory: Path, suffix: str
) -> None:
    path = directory / name_of(suffix)

    assert f"{path.name} passed sanity check." in done(
        "dump-log", "--index-sanity-check", path.name
    )
    path.write_bytes(path.read_bytes() + b"x")
    outcome = kadmin("dump-log", "--index-sanity-check", path.name)
    assert FOUND == outcome.exit_code
    assert "is no multiple of" in outcome.stderr


def test_a_time_index_that_ends_before_it_begins_is_not_sane(directory: Path) -> None:
    write_indexes(directory, [], [(9, 1), (3, 2)])

    outcome = kadmin("dump-log", "--index-sanity-check", name_of(".timeindex"))

    assert FOUND == outcome.exit_code
    assert "it ends at timestamp 3, before the first, 9" in outcome.stderr


def test_a_segment_that_is_cut_off_is_printed_as_far_as_it_goes(directory: Path) -> None:
    path = directory / SEGMENT
    path.write_bytes(path.read_bytes()[:-5])

    outcome = kadmin("dump-log", SEGMENT)

    assert FOUND == outcome.exit_code
    assert 2 == outcome.stdout.count("baseOffset")
    last = len(bytes(batch([b"\xff\xfe"])))
    assert f"Found {last - 5} invalid bytes at the end of {SEGMENT}" in outcome.stdout
    assert f"{last - 5} bytes are left of a batch of {last}" in outcome.stderr


def test_damage_is_told_of_and_does_not_end_the_run(directory: Path) -> None:
    content = bytearray((directory / SEGMENT).read_bytes())
    at = content.index(b"\x28\xb5\x2f\xfd")
    content[at] ^= 1  # No zstd stream any more.
    (directory / SEGMENT).write_bytes(content)
    (directory / "5.snapshot").write_bytes(b"no snapshot")
    (directory / "leader-epoch-checkpoint").write_text("0\n3\n0 0\n")

    outcome = kadmin(
        "dump-log", "--deep-iteration", SEGMENT, "5.snapshot", "leader-epoch-checkpoint", "missing"
    )

    assert 1 == outcome.exit_code
    assert ["true", "false", "true"] == [
        line.rsplit(" ", 1)[1] for line in outcome.stdout.splitlines() if "baseOffset" in line
    ]
    batch_at = at - 61
    for said in (
        f"warning: {SEGMENT}: byte {batch_at}: the checksum of the batch is wrong",
        f"warning: {SEGMENT}: byte {batch_at}: the records of the batch cannot be read: ",
        "warning: 5.snapshot: ",
        "warning: leader-epoch-checkpoint: 1 rows, which is not the count in line 2",
        "warning: missing: No such file or directory",
    ):
        assert said in outcome.stderr


@pytest.mark.slow
@pytest.mark.parametrize("content", [b"", b"\0", bytes(11), bytes(5000), b"\xff" * 5000])
@pytest.mark.parametrize("suffix", [".log", ".index", ".timeindex", ".txnindex", ".snapshot"])
def test_no_content_at_all_is_too_much(directory: Path, suffix: str, content: bytes) -> None:
    (directory / name_of(suffix)).write_bytes(content)

    outcome = kadmin("dump-log", "--print-data-log", name_of(suffix))

    assert outcome.exit_code in (0, FOUND)
    assert "internal error" not in outcome.stderr


def test_checkpoints_are_printed(directory: Path) -> None:
    (directory / "leader-epoch-checkpoint").write_text("0\n2\n0 0\n3 17\n")
    (directory / "replication-offset-checkpoint").write_text("0\n1\norders 2 99\n")

    text = done("dump-log", "leader-epoch-checkpoint", "replication-offset-checkpoint")

    assert [
        "Dumping leader-epoch-checkpoint",
        "epoch: 0 startOffset: 0",
        "epoch: 3 startOffset: 17",
        "Dumping replication-offset-checkpoint",
        "topic: orders partition: 2 offset: 99",
    ] == text.splitlines()


def test_offsets_that_compaction_left_out_are_told_and_are_no_damage(directory: Path) -> None:
    gap = bytes(batch(1, base_offset=7)) + bytes(batch(1, base_offset=11))
    (directory / SEGMENT).write_bytes(gap)

    outcome = kadmin("dump-log", "--deep-iteration", SEGMENT)

    assert 0 == outcome.exit_code
    assert [f"Non-consecutive offsets in {directory / SEGMENT}", "  7 is followed by 11"] == (
        outcome.stderr.splitlines()
    )


def test_a_segment_may_be_read_in_part(directory: Path) -> None:
    size = len(bytes(batch(3)))

    text = done("dump-log", "--max-bytes", str(size), SEGMENT)

    assert ["Dumping", "Log", "baseOffset:"] == [line.split()[0] for line in text.splitlines()]


def test_json_has_an_object_for_every_piece_and_every_finding(directory: Path) -> None:
    path = directory / SEGMENT
    path.write_bytes(path.read_bytes() + b"?")

    outcome = kadmin("dump-log", "--print-data-log", "--output", "json", SEGMENT)

    found = [json.loads(line) for line in outcome.stdout.splitlines()]
    assert FOUND == outcome.exit_code
    assert [
        *("segment", "batch", "record", "record", "record", "batch", "record", "record"),
        *("batch", "record", "invalid_bytes", "finding"),
    ] == [piece["type"] for piece in found]
    assert all(piece["file"] == SEGMENT for piece in found)
    assert {"base_offset": 10, "last_offset": 11, "codec": "zstd", "is_valid": True}.items() <= (
        found[5].items()
    )
    assert "00000000000000000001" == found[3]["value"]
    assert ("//4=", None) == (found[9]["value_base64"], found[9]["key"])
    assert ("invalid_bytes", True) == (found[11]["flaw"], found[11]["is_damage"])


def test_json_of_old_messages_has_their_own_checksums(directory: Path) -> None:
    (directory / SEGMENT).write_bytes(message(b"x", offset=7) + wrapper([b"a"], base_offset=8))

    found = [
        json.loads(line)
        for line in done("dump-log", "--deep-iteration", SEGMENT, "--output", "json").splitlines()
    ]

    assert [None, None] == [piece["base_offset"] for piece in found if piece["type"] == "batch"]
    assert [(7, True), (8, True)] == [
        (piece["offset"], piece["is_valid"]) for piece in found if piece["type"] == "record"
    ]
    assert "value" not in found[2]


def test_a_record_without_its_metadata_is_key_and_value(directory: Path) -> None:
    text = done("dump-log", "--print-data-log", "--skip-record-metadata", SEGMENT)

    assert " payload: 00000000000000000002" == text.splitlines()[5]


OFFSETS: Final = "--offsets-decoder"
TRANSACTIONS: Final = "--transaction-log-decoder"


@pytest.mark.parametrize(
    ("decoder", "name", "records"),
    [
        (OFFSETS, "coordinator.offsets", offset_records()),
        (TRANSACTIONS, "coordinator.transactions", transaction_records()),
    ],
)
def test_records_of_coordinators_are_decoded_as_kafka_decodes_them(
    directory: Path, decoder: str, name: str, records: list[KeyAndValue]
) -> None:
    first = f"{0:020}.log"
    (directory / first).write_bytes(segment(records))

    assert golden(name) == done("dump-log", decoder, first).splitlines()


def test_records_of_every_type_of_metadata_are_printed_as_kafka_does(directory: Path) -> None:
    (directory / SEGMENT).write_bytes(segment(metadata_records()))

    assert golden("metadata") == done("dump-log", METADATA, SEGMENT).splitlines()


def test_a_snapshot_of_a_controller_is_printed_as_kafka_does(directory: Path) -> None:
    name = f"{0:020}-{0:010}.checkpoint"
    shutil.copy(GOLDEN / "controller.checkpoint", directory / name)

    assert golden("checkpoint") == done("dump-log", METADATA, name).splitlines()
    start, _, header, version, voters, _, footer = map(
        json.loads, done("dump-log", METADATA, "--output", "json", name).splitlines()
    )
    assert (start["type"], start["end_offset"]) == ("metadata_snapshot", 0)
    assert ["SNAPSHOT_HEADER", "KRAFT_VERSION", "KRAFT_VOTERS", "SNAPSHOT_FOOTER"] == [
        record["control_type"] for record in (header, version, voters, footer)
    ]
    assert [3] == [voter["voter_id"] for voter in voters["control"]["voters"]]


def test_json_of_metadata_has_its_fields_and_why_a_record_is_not_decoded(directory: Path) -> None:
    credential = UserScramCredentialRecord("alice", 1, b"salt", b"key", b"server", 4096)
    quota = ClientQuotaRecord([EntityData("user", None)], "consumer_byte_rate", 1e7)

    scram, limit, unknown = decoded(
        directory,
        METADATA,
        (None, value_of(credential, 0)),
        (None, value_of(quota, 0)),
        (None, b"\1\x63\0"),
    )

    assert scram["key"] is None
    assert scram["value"] == {
        **{"type": "USER_SCRAM_CREDENTIAL_RECORD", "version": 0, "name": "alice", "mechanism": 1},
        **{"salt_base64": "c2FsdA==", "stored_key_base64": "a2V5", "iterations": 4096},
        "server_key_base64": "c2VydmVy",
    }
    assert limit["value"]["entity"] == [{"entity_type": "user", "entity_name": None}]
    assert limit["value"]["value"] == 1e7
    assert unknown["not_decoded"].endswith("Unknown metadata id 99")
    assert (unknown["key"], unknown["value"]) == (None, "\1c\0")


def control_batch(key: bytes, value: bytes) -> bytes:
    content = batch_around(keyed(0, key, value), 1)
    content[ATTRIBUTES_AT] |= CONTROL
    return bytes(sealed(content))


def test_an_unknown_control_record_is_printed_and_a_damaged_one_is_found(directory: Path) -> None:
    (directory / SEGMENT).write_bytes(control_batch(b"\0\0\0\x09", b""))
    assert done("dump-log", METADATA, SEGMENT).splitlines()[-1].endswith("controlType: UNKNOWN(9)")

    (directory / SEGMENT).write_bytes(control_batch(b"\0\0\0\x06", b"\0"))
    outcome = kadmin("dump-log", METADATA, SEGMENT)

    assert outcome.exit_code == FOUND
    assert "a control record that cannot be read" in outcome.stderr


def decoded(directory: Path, decoder: str, *records: KeyAndValue) -> list[dict[str, Any]]:
    (directory / SEGMENT).write_bytes(segment(records))
    lines = done("dump-log", decoder, "--output", "json", SEGMENT).splitlines()
    return [piece for piece in map(json.loads, lines) if piece["type"] == "record"]


def test_json_of_offsets_and_groups_has_their_fields(directory: Path) -> None:
    value = encode_payload(3, OffsetCommitValue(42, 5, "meta", 1_700_000_000_123))

    commit, joined, deleted, other = decoded(
        directory,
        OFFSETS,
        (offset_key(), value),
        (group_key(), group([member(0)])),
        (group_key("gone"), None),
        (group_key("connect"), group([member(0)], protocol_type="connect")),
    )

    assert commit["key"] == {
        **{"type": "offset_commit", "version": 1},
        **{"group": "billing", "topic": "orders", "partition": 3},
    }
    assert commit["value"] == {
        **{"version": 3, "offset": 42, "leader_epoch": 5},
        **{"metadata": "meta", "commit_timestamp": 1_700_000_000_123},
    }
    assert joined["value"]["members"][0]["subscription"] == {
        "topics": ["orders", "paid"],
        "user_data_base64": "AP8=",
    }
    assert ("group_metadata", "gone", None) == (
        *(deleted["key"]["type"], deleted["key"]["group"]),
        deleted["value"],
    )
    assert "subscription_base64" in other["value"]["members"][0]


def test_json_of_transactions_names_states_and_partitions(directory: Path) -> None:
    partitions = {"orders": [2, 0]}

    (ongoing,) = decoded(
        directory, TRANSACTIONS, (transaction_key(), transaction(1, partitions, version=1))
    )

    assert ongoing["key"] == {
        **{"type": "transaction", "version": 0},
        "transactional_id": "payments-1",
    }
    assert ("Ongoing", [{"topic": "orders", "partition_ids": [2, 0]}], 4000) == (
        ongoing["value"]["transaction_status"],
        ongoing["value"]["transaction_partitions"],
        ongoing["value"]["producer_id"],
    )


UNDECODABLE: Final = [
    (OFFSETS, (None, b"v"), "Error at offset 0, skipping. The record has no key."),
    (OFFSETS, (b"\0", b"v"), "Error at offset 0, skipping. Could not read version from key's"),
    (OFFSETS, (b"\0\x01\0", b"v"), "Could not read record with version 1 from key's buffer due to"),
    (OFFSETS, (offset_key(), b""), "Could not read version from value's buffer."),
    (
        OFFSETS,
        (offset_key(), b"\0\x05v"),
        "with version 5 from value's buffer due to: OffsetCommit",
    ),
    (OFFSETS, (group_key(), group([member(3)])[:-3]), "GroupMetadataValue v3: it ends too early."),
    (OFFSETS, (b"\0\x09k", None), "Unknown record type 9 at offset 0, skipping."),
    (TRANSACTIONS, (b"\0\x01k", b"v"), "unknown::version=1"),
    (TRANSACTIONS, (transaction_key(), transaction(8, {})), "Unknown transaction status id 8."),
    (
        TRANSACTIONS,
        (transaction_key(), b"\0\x02v"),
        "with version 2 from value's buffer due to: Tr",
    ),
]


@pytest.mark.parametrize(("decoder", "record", "said"), UNDECODABLE)
def test_a_record_that_cannot_be_decoded_is_told_in_its_line(
    directory: Path, decoder: str, record: KeyAndValue, said: str
) -> None:
    (found,) = decoded(directory, decoder, record)
    outcome = kadmin("dump-log", decoder, "--skip-record-metadata", SEGMENT)

    assert said in found["not_decoded"]
    assert "value" in found or "value_base64" in found
    line = outcome.stdout.splitlines()[-1]
    assert line == f"| key: {found['not_decoded']}"
    assert (0, "") == (outcome.exit_code, outcome.stderr)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("decoder", "records"), [(OFFSETS, offset_records()), (TRANSACTIONS, transaction_records())]
)
def test_records_that_are_cut_or_flipped_anywhere_are_printed_in_a_line_each(
    directory: Path, decoder: str, records: list[KeyAndValue]
) -> None:
    random = Random(7)
    bent = [
        (key if random.random() < 0.7 else bent_bytes(random, key), bent_bytes(random, value))
        for key, value in records * 12
    ]
    (directory / SEGMENT).write_bytes(segment(bent))

    for form in ("text", "json"):
        outcome = kadmin("dump-log", decoder, "--output", form, SEGMENT)

        assert (0, "") == (outcome.exit_code, outcome.stderr)
        assert len(bent) == len(
            [line for line in outcome.stdout.splitlines() if "| offset" in line or '"key' in line]
        )


def bent_bytes(random: Random, content: bytes | None) -> bytes | None:
    if not content:
        return content
    if random.random() < 0.5:
        return content[: random.randrange(len(content))]
    at = random.randrange(len(content))
    return content[:at] + bytes([random.randrange(256)]) + content[at + 1 :]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 2, "no file is named"),
        ((OFFSETS, TRANSACTIONS, "a.log"), 2, "are of different topics"),
        (("--files", "a.log", "--output", "yaml"), 2, "a dump has no form yaml"),
        (("--max-bytes", "0", "a.log"), 2, "max-bytes"),
        (("--value-decoder-class", "x.Y", "a.log"), 2, "kadmin runs no Java class"),
        ((OFFSETS, METADATA, "a.log"), 2, "are of different topics"),
        (("somewhere.txt",), 1, "No such file"),
    ],
)
def test_what_cannot_be_done_is_refused_with_its_reason(
    directory: Path, arguments: tuple[str, ...], code: int, said: str
) -> None:
    outcome = kadmin("dump-log", *arguments)

    assert code == outcome.exit_code
    assert said in outcome.stderr


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (".", ".: Is a directory"),
        ("some.log", "some.log: Is a directory"),
        ("", "'': no file has an empty name"),
    ],
)
@pytest.mark.parametrize("form", ["text", "json"])
def test_what_is_no_file_is_an_error_and_the_others_are_shown(
    directory: Path, name: str, said: str, form: str
) -> None:
    (directory / "some.log").mkdir()
    (directory / "leader-epoch-checkpoint").write_text("0\n1\n3 7\n")

    outcome = kadmin("dump-log", name, "leader-epoch-checkpoint", "--output", form)

    assert 1 == outcome.exit_code
    assert f"warning: {said}\n" == outcome.stderr
    assert "7" in outcome.stdout


def test_a_file_of_another_kind_is_ignored_as_by_kafka(directory: Path) -> None:
    (directory / "notes.txt").touch()

    outcome = kadmin("dump-log", "notes.txt")

    assert 0 == outcome.exit_code
    assert "warning: Ignoring unknown file notes.txt\n" == outcome.stderr


@pytest.mark.parametrize("state", [".swap", ".cleaned", ".deleted"])
def test_what_is_about_to_come_or_to_go_is_read_as_what_it_is(tmp_path: Path, state: str) -> None:
    first = batch(3, base_offset=7)
    content = first + batch(2, base_offset=10)
    entry = struct.pack(">ii", 4, len(first))
    names = (SEGMENT, f"{7:020}.index", f"{7:020}.timeindex")
    for name, part in zip(names, (content, entry, b""), strict=True):
        for each in (name, name + state):
            (tmp_path / each).write_bytes(bytes(part))
    options = ("--print-data-log", "--output", "json")

    plain = kadmin("dump-log", *options, *(str(tmp_path / name) for name in names))
    # Beside them is the log of the same state, and not what may be there without it.
    (tmp_path / SEGMENT).write_bytes(b"")
    other = kadmin("dump-log", *options, *(str(tmp_path / name) + state for name in names))

    assert ExitCode.DONE == other.exit_code
    assert plain.exit_code == other.exit_code
    assert plain.stdout == other.stdout.replace(state, "")
    assert plain.stderr == other.stderr.replace(state, "")
    assert '"base_offset": 10' in other.stdout


def test_what_recovery_has_set_aside_is_read(tmp_path: Path) -> None:
    whole, rest = tmp_path / f"{SEGMENT}.set-aside-1", tmp_path / f"{SEGMENT}.142.set-aside-12"
    whole.write_bytes(batch(3, base_offset=7))
    rest.write_bytes(batch(2, base_offset=10)[:-1])

    run = kadmin("dump-log", "--output", "json", str(whole), str(rest))

    assert ExitCode.FOUND == run.exit_code
    assert '"base_offset": 7' in run.stdout
    assert "unknown file" not in run.stderr
