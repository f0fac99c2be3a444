"""Logs that lie behind URIs: an S3 server of the test's own, on the loopback."""

from typing import Any

import pytest

from kadmin.errors import ExitCode, KadminError
from kadmin.jobs.merge.inputs.find import find_inputs
from kadmin.jobs.merge.inputs.uris import matches
from kadmin.jobs.uris import inner_uri, shown
from tests.kadmin.jobs.merge import reference
from tests.kadmin.jobs.merge.logs import head
from tests.support.cli import kadmin
from tests.support.s3 import Bucket

pytestmark = [pytest.mark.sockets, pytest.mark.xdist_group("bucket")]

CONTENTS = [[head(7 * line + broker, b"INFO x\n") for line in range(50)] for broker in (1, 2)]
MERGED = reference.merge([[b"".join(lines)] for lines in CONTENTS])


@pytest.fixture(autouse=True)
def logs(bucket: Bucket) -> None:
    for broker, lines in enumerate(CONTENTS, start=1):
        bucket.write(f"logs/broker-{broker}/state-change.log", b"".join(lines))


def merge(bucket: Bucket, path: str, *words: str) -> Any:
    return kadmin("merge-logs", bucket.uri(path), "--master", "none", "--quiet", *words)


@pytest.mark.parametrize(
    "path", ["logs", "logs/", "logs/*/state-change.log", "logs/broker-*/state*"]
)
def test_directories_and_globs_of_a_bucket_are_merged(bucket, path):
    assert MERGED.decode() == merge(bucket, path).stdout


def test_hadoop_s_name_of_s3_is_understood(bucket):
    uri = bucket.uri("logs").replace("s3://", "s3a://")

    assert MERGED.decode() == kadmin("merge-logs", uri, "--master", "none", "--quiet").stdout


def test_results_appear_in_a_bucket_under_their_name(bucket):
    assert ExitCode.DONE == merge(bucket, "logs", "--out", bucket.uri("out/all.log")).exit_code
    assert ExitCode.DONE == merge(bucket, "logs", "--out", bucket.uri("parts/")).exit_code

    assert MERGED == bucket.read("out/all.log") == bucket.read("parts/part-00000.log")
    assert ["bucket/out/all.log", "bucket/parts/part-00000.log"] == [
        name for name in bucket.names() if name.startswith(("bucket/out/", "bucket/parts/"))
    ]


def test_passwords_of_a_uri_are_never_shown(bucket):
    missing = merge(bucket, "nothing/*.log")
    silent = kadmin(
        "merge-logs",
        "s3://me:secret@b/x?endpoint_override=127.0.0.1:1&scheme=http&region=us-east-1",
    )
    named = merge(bucket, "logs/broker-1/state-change.log", "--clock-offset", "9=1")

    assert "s3://bucket/nothing/*.log does not exist" in missing.stderr
    assert "cannot read s3://b/x" in silent.stderr
    assert (ExitCode.FAILED, ExitCode.USAGE) == (silent.exit_code, named.exit_code)
    assert "secret" not in missing.stderr + silent.stderr + named.stderr


@pytest.mark.parametrize(
    ("uri", "path", "expected"),
    [
        ("s3://u:p@b/x/?r=1", "b/x/y", "s3://u:p@b/x/y?r=1"),
        ("hdfs://nn:8020/logs", "/logs/a", "hdfs://nn:8020/logs/a"),
        ("s3://b/a%20b", "b/a b/c%", "s3://b/a%20b/c%25"),
    ],
)
def test_a_file_of_a_directory_has_its_uri(uri, path, expected):
    assert expected == inner_uri(uri, path)


@pytest.mark.parametrize(
    ("path", "shown_as"),
    [
        ("s3://u:p@b/x?secret=1", "s3://b/x"),
        ("hdfs://nn:8020/logs", "hdfs://nn:8020/logs"),
        ("/tmp/a?b@c", "/tmp/a?b@c"),
    ],
)
def test_a_uri_is_shown_without_what_is_secret(path, shown_as):
    assert shown_as == shown(path)


def test_no_part_of_a_glob_crosses_a_slash():
    assert matches("b/x/y.log", "b/*/*.log")
    assert not matches("b/x/z/y.log", "b/*/*.log")
    assert not matches("b/y.log", "b/*/*.log")


def test_a_scheme_that_there_is_not_is_named():
    with pytest.raises(KadminError, match="cannot open nowhere://x"):
        find_inputs(["nowhere://x"])
