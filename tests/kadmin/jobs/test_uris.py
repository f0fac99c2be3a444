"""File systems behind URIs: what is said where one lacks something, or does not answer?"""

from pathlib import Path

import pytest
from pyarrow.fs import LocalFileSystem, SubTreeFileSystem

from kadmin.errors import ExitCode, UnreachableError
from kadmin.jobs.uris import S3_ANSWER_S, filesystem_of, require_root
from tests.support.cli import kadmin


def test_what_hadoops_files_need_is_told_where_it_is_not_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("ARROW_LIBHDFS_DIR", "HADOOP_HOME", "CLASSPATH"):
        monkeypatch.delenv(name, raising=False)

    run = kadmin("verify-replicas", "--log-dir", "1=hdfs://127.0.0.1:1/incident")

    assert ExitCode.FAILED == run.exit_code
    assert "cannot open hdfs://127.0.0.1:1" in run.stderr
    assert 'CLASSPATH="$(hadoop classpath --glob)"' in run.stderr


@pytest.mark.parametrize("keys", ["me:secret@", ""])
def test_s3_has_time_to_answer_and_all_else_that_the_uri_says(keys: str) -> None:
    options = "endpoint_override=127.0.0.1:1&scheme=http&region=r&allow_bucket_creation=true"
    filesystem, inner = filesystem_of(f"s3a://{keys}bucket/logs?{options}")
    ((found,),) = filesystem.__reduce__()[1:]

    assert "bucket/logs" == inner
    assert S3_ANSWER_S == found["request_timeout"]
    assert ("127.0.0.1:1", "http", "r", True) == tuple(
        found[key] for key in ("endpoint_override", "scheme", "region", "allow_bucket_creation")
    )
    expected = ("me", "secret") if keys else (None, None)
    assert expected == (found["access_key"], found["secret_key"])


def test_a_file_system_without_a_root_is_one_that_does_not_answer(tmp_path: Path) -> None:
    """Of a name node that is down libhdfs says of everything that it is not there."""
    there = SubTreeFileSystem(str(tmp_path), LocalFileSystem())
    gone = SubTreeFileSystem(str(tmp_path / "gone"), LocalFileSystem())

    require_root(there, "hdfs://nn:8020/logs")
    with pytest.raises(UnreachableError, match="hdfs://nn:8020 does not answer"):
        require_root(gone, "hdfs://me@nn:8020/logs")
