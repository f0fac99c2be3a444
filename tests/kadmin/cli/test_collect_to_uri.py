"""`kadmin collect` into a bucket of S3, and what the other commands make of it there."""

import hashlib
import json
import os
import shutil
from pathlib import Path
from typing import Any, Final

import pytest

from kadmin.errors import ExitCode
from tests.support.checkout import CHECKOUT
from tests.support.cli import KadminRun, kadmin
from tests.support.s3 import Bucket

pytestmark = [pytest.mark.sockets, pytest.mark.xdist_group("bucket")]

DEMO: Final = CHECKOUT / "scripts" / "demo-replicas"
LINE: Final = (
    "[2026-11-20 03:12:00,000] TRACE [Controller id=1 epoch=3] Changed partition orders-0 state"
    " from NewPartition to OnlinePartition (state.change.logger)\n"
)


@pytest.fixture
def brokers(tmp_path: Path) -> tuple[str, ...]:
    """Options for three brokers, one with a log."""
    shutil.copytree(DEMO, tmp_path / "demo")
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "state-change.log").write_text(LINE)
    return (
        *(
            word
            for number in (1, 2, 3)
            for word in ("--log-dir", f"{number}={tmp_path}/demo/broker-{number}")
        ),
        *("--logs", f"1={tmp_path}/logs"),
    )


def manifest(bucket: Bucket, name: str) -> list[dict[str, Any]]:
    files: list[dict[str, Any]] = json.loads(bucket.read(f"{name}/manifest.json"))["files"]
    return files


def verdicts(run: KadminRun) -> list[tuple[str, str, int | None]]:
    return [
        (each["topic"], each["verdict"], each["first_divergent_offset"])
        for each in json.loads(run.stdout)["partitions"]
    ]


def test_what_is_collected_into_a_bucket_is_what_other_commands_take(
    bucket: Bucket, brokers: tuple[str, ...]
) -> None:
    uri = bucket.uri("collected%207").replace("s3://", "s3a://")

    run = kadmin("collect", uri, *brokers)

    assert (ExitCode.DONE, 22) == (run.exit_code, len(manifest(bucket, "collected 7"))), run
    for file in manifest(bucket, "collected 7"):
        content = bucket.read(f"collected 7/{file['path']}")
        assert content == Path(file["source"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == file["sha256"]
    assert "bucket/collected 7/manifest.jsonl" not in bucket.names()
    checked = kadmin("collect", uri, "--check")
    verified = kadmin("verify-replicas", uri, "--output", "json")
    of_sources = kadmin("verify-replicas", *brokers[:6], "--output", "json")
    assert "22 files, 5.5 KiB: all as in the manifest\n" == checked.stdout
    assert verdicts(of_sources) == verdicts(verified)
    assert ExitCode.FOUND == verified.exit_code
    assert LINE == kadmin("merge-logs", uri, "--master", "none").stdout
    for each in (run, checked, verified):
        assert "secret" not in each.stdout + each.stderr


def test_a_run_that_was_ended_is_gone_on_with(
    bucket: Bucket, brokers: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []

    def end(path: Path) -> int:
        if len(sizes) == 3:
            raise KeyboardInterrupt
        sizes.append(path.stat().st_size)
        return sizes[-1]

    uri = bucket.uri("ended")
    with monkeypatch.context() as patched:
        patched.setattr("kadmin.jobs.collect.whole_size", end)
        patched.setattr("kadmin.jobs.collect.Copying._has_changed", lambda *_: True)
        assert ExitCode.INTERRUPTED == kadmin("collect", uri, *brokers).exit_code
    begun = bucket.read("ended/manifest.jsonl").splitlines()
    unfinished = kadmin("verify-replicas", uri)
    there = sorted({json.loads(line)["path"] for line in begun})
    bucket.write(f"ended/{there[0]}", b"changed there, which is not seen but by its size")
    (size,) = {each["size_bytes"] for each in map(json.loads, begun) if each["path"] == there[1]}
    bucket.write(f"ended/{there[1]}", b"x" * size)

    run = kadmin("collect", uri, *brokers)

    assert 0 < len(begun) < 22
    assert "the collection is not finished" in unfinished.stderr
    assert (ExitCode.DONE, 22) == (run.exit_code, len(manifest(bucket, "ended"))), run
    # The one of another size was copied again, the other not.
    differing = kadmin("collect", uri, "--check", "--output", "json")
    assert [(there[1], "checksum")] == [
        (each["path"], each["kind"]) for each in json.loads(differing.stdout)["differences"]
    ]


def test_a_file_whose_name_a_bucket_cannot_have_is_left_out(
    bucket: Bucket, brokers: tuple[str, ...], tmp_path: Path
) -> None:
    os.rename(
        tmp_path / "logs" / "state-change.log", os.fsencode(tmp_path) + b"/logs/state-change\xff"
    )

    run = kadmin("collect", bucket.uri("names"), *brokers)

    assert (ExitCode.UNREACHABLE, 21) == (run.exit_code, len(manifest(bucket, "names"))), run
    assert ": its name is no UTF-8, as those at a URI have to be\n" in run.stderr


def test_what_cannot_be_collected_into_a_bucket_is_refused_with_its_reason(
    bucket: Bucket, brokers: tuple[str, ...]
) -> None:
    bucket.write("full/else", b"")
    full = kadmin("collect", bucket.uri("full"), *brokers)
    absent = kadmin("collect", bucket.uri("x").replace("bucket/x", "nobucket/x"), *brokers)
    unknown = kadmin("collect", "nowhere://x/y", *brokers)
    nothing = kadmin("verify-replicas", bucket.uri("none"))

    assert ExitCode.REFUSED == full.exit_code
    assert "s3://bucket/full is not empty, and no collection" in full.stderr
    assert ExitCode.FAILED == absent.exit_code
    assert "kadmin: cannot write s3://nobucket/x: " in absent.stderr
    assert ExitCode.FAILED == unknown.exit_code
    assert "cannot open nowhere://x" in unknown.stderr
    assert "s3://bucket/none is no collection: there is no such directory" in nothing.stderr
    for each in (full, absent, unknown, nothing):
        assert "secret" not in each.stdout + each.stderr
        assert "Traceback" not in each.stderr
