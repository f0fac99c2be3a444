"""Replicas in archives and behind URIs: is the same said of them as of directories?"""

import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from kadmin.errors import ExitCode
from kadmin.jobs.places import FileByUri
from tests.kadmin.jobs.verify.broken import BROKERS, write_brokers
from tests.support.cli import KadminRun, kadmin
from tests.support.s3 import Bucket


def verified(places: list[str], *words: str) -> KadminRun:
    options = [
        word
        for broker, place in zip(BROKERS, places, strict=True)
        for word in ("--log-dir", f"{broker}={place}")
    ]
    return kadmin("verify-replicas", *options, "--output", "json", "--master", "none", *words)


def told(run: KadminRun, place_of: Callable[[str], str] = str) -> Any:
    """What was found, with the places that it was found in as they are in directories."""
    return [
        {
            **each,
            "replicas": [
                {**replica, "path": place_of(replica["path"])} for replica in each["replicas"]
            ],
            "unreadable": [one["reason"] for one in each["unreadable"]],
        }
        for each in json.loads(run.stdout)["partitions"]
    ]


def packed(log: Path, suffix: str, codec: str) -> Path:
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w") as archive:
        archive.add(log, arcname=".")
    path = log.with_name(log.name + suffix)
    with pa.output_stream(str(path), compression=codec) as stream:
        stream.write(plain.getvalue())
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("suffix", "codec"), [(".tar.gz", "gzip"), (".tgz", "gzip"), (".tar.zst", "zstd")]
)
def test_archives_are_unpacked(tmp_path: Path, suffix: str, codec: str) -> None:
    logs = write_brokers(tmp_path, 5, copies=1)

    run = verified([str(packed(log, suffix, codec)) for log in logs])

    assert told(verified(list(map(str, logs)))) == told(run, lambda path: path.replace(suffix, ""))


@pytest.mark.slow
@pytest.mark.parametrize(("suffix", "codec"), [(".tar.gz", "gzip"), (".tar.zst", "zstd")])
@pytest.mark.parametrize("left", [0, 20, 0.5])
def test_an_archive_that_is_cut_off_is_unreadable(
    tmp_path: Path, suffix: str, codec: str, left: float
) -> None:
    logs = write_brokers(tmp_path, 5, copies=1)
    archive = packed(logs[1], suffix, codec)
    content = archive.read_bytes()
    archive.write_bytes(content[: int(left if left > 1 else left * len(content))])

    run = verified([str(logs[0]), str(archive), str(logs[2])])

    (unreadable,) = json.loads(run.stdout)["unreadable"]
    assert str(archive) == unreadable["label"]
    assert f"warning: {archive}: it cannot be unpacked: " in run.stderr
    assert ExitCode.FOUND == run.exit_code


@pytest.mark.slow
def test_an_archive_that_holds_more_than_it_may_is_unreadable(tmp_path: Path) -> None:
    logs = write_brokers(tmp_path, 5, copies=1)
    places = [str(logs[0]), str(packed(logs[1], ".tar.gz", "gzip")), str(logs[2])]

    run = verified(places, "--max-unpacked", "1000")

    (unreadable,) = json.loads(run.stdout)["unreadable"]
    reason = "it unpacks to more than 1,000 bytes (--max-unpacked allows more)"
    assert {"label": places[1], "reason": reason} == unreadable
    assert [] == json.loads(verified(places, "--max-unpacked", "10000000").stdout)["unreadable"]


@pytest.mark.slow
def test_a_link_that_stands_for_a_segment_in_an_archive_is_named(tmp_path: Path) -> None:
    logs = write_brokers(tmp_path, 5, copies=1)
    segment = next(logs[1].rglob("*.log"))
    content = tmp_path / "elsewhere"
    segment.rename(content)
    segment.symlink_to(content)
    places = [str(logs[0]), str(packed(logs[1], ".tar.gz", "gzip")), str(logs[2])]

    run = verified(places)

    (unreadable,) = json.loads(run.stdout)["unreadable"]
    assert "it is no file but a link; left out" == unreadable["reason"]
    assert unreadable["label"].endswith(str(segment.relative_to(logs[1])))


@pytest.mark.slow
def test_uris_of_files_are_paths(tmp_path: Path) -> None:
    logs = write_brokers(tmp_path, 5, copies=1)
    here = told(verified(list(map(str, logs))))

    assert here == told(verified([f"file:{log}" for log in logs]))
    assert here == told(verified([f"file://{log}" for log in logs]))


def uploaded(bucket: Bucket, directory: Path, name: str) -> None:
    for path in directory.rglob("*"):
        if path.is_file():
            bucket.write(f"{name}/{path.relative_to(directory)}", path.read_bytes())


@pytest.mark.sockets
@pytest.mark.xdist_group("bucket")
def test_replicas_in_a_bucket_are_read_there(tmp_path: Path, bucket: Bucket) -> None:
    logs = write_brokers(tmp_path, 6, copies=1)
    for log in logs:
        uploaded(bucket, log, f"incident 7/{log.name}")
    uris = [bucket.uri(f"incident%207/{log.name}") for log in logs]
    uris[1] = uris[1].replace("s3://", "s3a://")

    def local(path: str) -> str:
        return str(tmp_path / path.partition("incident%207/")[2])

    # S3 has no directory without a file.
    here = [each for each in told(verified(list(map(str, logs)))) if len(each["replicas"]) == 3]
    there = {(each["topic"], each["partition"]): each for each in told(verified(uris), local)}
    assert len(here) > 5
    for each in here:
        assert each == there[each["topic"], each["partition"]]
    deep = verified(uris, "--deep")
    assert {"damaged", "equal"} <= {each["verdict"] for each in told(deep)}
    assert "secret" not in deep.stdout + deep.stderr


@pytest.mark.long
@pytest.mark.spark
@pytest.mark.sockets
def test_tasks_of_spark_read_replicas_in_a_bucket(tmp_path: Path, bucket: Bucket) -> None:
    logs = write_brokers(tmp_path, 6, copies=1)
    for log in logs:
        uploaded(bucket, log, f"spark/{log.name}")
    uris = [bucket.uri(f"spark/{log.name}") for log in logs]

    run = verified(uris, "--master", "local[1]", "--conf", "spark.ui.enabled=false")

    assert told(verified(uris)) == told(run)
    assert {"damaged", "equal"} <= {each["verdict"] for each in told(run)}


@pytest.mark.sockets
@pytest.mark.xdist_group("bucket")
def test_an_archive_in_a_bucket_is_unpacked_and_what_is_missing_is_named(
    tmp_path: Path, bucket: Bucket
) -> None:
    logs = write_brokers(tmp_path, 5, copies=1)
    archive = packed(logs[1], ".tar.zst", "zstd")
    bucket.write("archives/b2.tar.zst", archive.read_bytes())
    places = [str(logs[0]), bucket.uri("archives/b2.tar.zst"), bucket.uri("archives/none")]

    run = verified(places)

    (unreadable,) = json.loads(run.stdout)["unreadable"]
    assert {"label": "s3://bucket/archives/none", "reason": "it does not exist"} == unreadable
    paths = {replica["path"] for each in told(run) for replica in each["replicas"]}
    assert any(path.startswith("s3://bucket/archives/b2.tar.zst/topic-") for path in paths)
    assert "secret" not in run.stdout + run.stderr


@pytest.mark.sockets
@pytest.mark.xdist_group("bucket")
def test_a_file_in_a_bucket_is_read_in_blocks(
    bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kadmin.jobs.places.BLOCK_SIZE", 100)
    content = bytes(number % 251 for number in range(1000))
    bucket.write("file", content)
    other = FileByUri(bucket.uri("file"), 500)
    file = FileByUri(bucket.uri("file"), len(content))

    for position, size in [(0, 10), (10, 30), (40, 70), (105, 10), (990, 100), (5, 3), (1000, 1)]:
        assert content[position : position + size] == file.read(position, size)
    assert content[490:500] == other.read(490, 100)
    assert content[490:505] == file.read(490, 15)


def test_a_scheme_that_nobody_knows_is_refused() -> None:
    run = kadmin("verify-replicas", "--log-dir", "1=nowhere://x/y")

    assert ExitCode.FAILED == run.exit_code
    assert "cannot open nowhere://x" in run.stderr
