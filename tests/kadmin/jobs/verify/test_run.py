"""Replicas in pieces, as rows and on Spark: is the same said of them as of whole ones?"""

import os
import signal
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from cluster.formats.batch_walk import Walk
from kadmin.errors import ExitCode, KadminError
from kadmin.jobs.progress import Progress
from kadmin.jobs.verify.collected import LogDirArgument, by_partition, collect
from kadmin.jobs.verify.partition import HowToVerify, VerifiedPartition
from kadmin.jobs.verify.replica_files import segments_of
from kadmin.jobs.verify.request import VerifyRequest
from kadmin.jobs.verify.run import verify
from kadmin.segments import replica_log
from kadmin.segments.compare import Verdict
from kadmin.segments.replica_log import read_replica
from kadmin.segments.values import DamageKind
from tests.kadmin.jobs.verify.broken import BROKERS, garble, write_brokers
from tests.support.waiting import OUTER_LIMIT_S, wait_until

PIECE_BYTES = 150
"""So few that the segments here are split."""


def request_of(logs: list[Path], **options: Any) -> VerifyRequest:
    with ExitStack() as opened:
        arguments = [
            LogDirArgument(broker, str(log)) for broker, log in zip(BROKERS, logs, strict=True)
        ]
        found = collect(arguments, opened)
    assert [] == found.unreadable
    options = {"master": None, "piece_bytes": PIECE_BYTES, **options}
    return VerifyRequest(partitions=by_partition(found.replicas), **options)


def rows_in(directory: Path) -> list[dict[str, Any]]:
    rows = pq.read_table(directory).to_pylist()
    return sorted(
        rows,
        key=lambda row: (
            [row[name] for name in ("topic", "partition", "broker", "file")] + [row["position"]]
        ),
    )


def verdicts(verified: list[VerifiedPartition]) -> set[Verdict]:
    return {each.verdict for each in verified}


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "deep"), [(0, False), (1, False), (2, True)])
def test_pieces_say_what_whole_segments_say(tmp_path: Path, seed: int, deep: bool) -> None:
    logs = write_brokers(tmp_path, seed, copies=4)
    how = HowToVerify(is_deep=deep)

    whole = verify(request_of(logs, how=how))

    assert whole == verify(request_of(logs, how=how, parquet=str(tmp_path / "rows")))
    assert verdicts(whole) >= {Verdict.DAMAGED, Verdict.EQUAL}


@pytest.mark.parametrize(
    "options", [{}, {"master": "local[1]", "conf": {"spark.ui.enabled": "no"}}]
)
def test_rows_that_cannot_be_written_are_told_before_anything_is_read(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    logs = write_brokers(tmp_path / "logs", 0, copies=1)
    place = tmp_path / "file" / "rows"
    place.parent.touch()

    with pytest.raises(KadminError, match=f"cannot write {place}: not a directory"):
        verify(request_of(logs, parquet=str(place), **options))


@pytest.mark.sockets
@pytest.mark.parametrize(("seed", "deep", "piece_bytes"), [(3, False, PIECE_BYTES), (4, True, 600)])
def test_several_processes_say_what_one_says(
    tmp_path: Path, seed: int, deep: bool, piece_bytes: int
) -> None:
    logs = write_brokers(tmp_path, seed, copies=4)
    options: dict[str, Any] = {"how": HowToVerify(is_deep=deep), "piece_bytes": piece_bytes}
    heard: list[Progress] = []

    request = request_of(logs, processes=2, single_bytes=0, **options)
    several = verify(request, heard.append)

    assert verify(request_of(logs, **options)) == several
    assert list(request.partitions) == [each.partition for each in several]
    assert verdicts(several) >= {Verdict.DAMAGED, Verdict.EQUAL}
    assert (0, heard[-1].total_bytes) == (heard[0].done_bytes, heard[-1].done_bytes)
    assert not [each for each in heard if each.done_bytes > each.total_bytes]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_what_is_the_same_is_looked_into_once_and_each_replica_is_told_of(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = write_brokers(tmp_path, seed, copies=3)
    for number, log in enumerate(logs[seed % 3 :]):
        for replica in log.glob("topic-[567]-*"):
            garble(replica, seed + number % 2)
    request = request_of(logs, how=HowToVerify(is_deep=True))
    alone = {
        (each.broker, partition): set(
            read_replica(
                segments_of(each.directory), high_watermark=each.high_watermark, is_deep=True
            ).damage
        )
        for partition, found in request.partitions.items()
        for each in found
        if segments_of(each.directory)
    }
    looked_at: list[int] = []
    whole = replica_log.looked_into

    def counted(walk: Walk, *, is_deep: bool) -> Any:
        for each in whole(walk, is_deep=is_deep):
            looked_at.append(int(is_deep))
            yield each

    monkeypatch.setattr(replica_log, "looked_into", counted)
    verified = verify(request)

    assert alone == {
        (replica.broker, each.partition): set(replica.damage)
        for each in verified
        for replica in each.replicas
    }
    kinds = {damage.kind for found in alone.values() for damage in found}
    assert DamageKind.UNREADABLE_RECORDS in kinds
    assert sum(looked_at) < len(looked_at) * 0.6


@pytest.mark.spark
@pytest.mark.long
@pytest.mark.xdist_group("standalone-spark")
def test_a_standalone_master_with_two_workers_says_what_this_process_says(
    tmp_path: Path, standalone_spark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = write_brokers(tmp_path, 11, copies=2)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    conf = {"spark.executor.memory": "500m", "spark.cores.max": "2"}
    heard: list[Progress] = []

    elsewhere = verify(
        request_of(logs, master=standalone_spark, conf=conf, parquet=str(tmp_path / "spark")),
        heard.append,
    )

    assert verify(request_of(logs, parquet=str(tmp_path / "here"))) == elsewhere
    assert len(elsewhere) > 10
    assert rows_in(tmp_path / "here") == rows_in(tmp_path / "spark")
    assert (0, heard[-1].total_bytes) == (heard[0].done_bytes, heard[-1].done_bytes)
    assert any(0 < each.done_bytes < each.total_bytes for each in heard), "it grows on the way"
    assert [] == list(tmp_path.glob("kadmin-*"))


@pytest.mark.spark
@pytest.mark.long
@pytest.mark.xdist_group("standalone-spark")
@pytest.mark.parametrize("begun", ["gateway", "blockmgr-*"])
def test_ctrl_c_ends_spark_without_a_word_of_its_own(
    tmp_path: Path, standalone_spark: str, begun: str
) -> None:
    """When its JVM is there, and when its context is."""
    logs = write_brokers(tmp_path, 11, copies=2)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    words = [f"--log-dir={each[0]}={each[1]}" for each in zip(BROKERS, logs, strict=True)]
    words += ["--master", standalone_spark, "--conf", "spark.executor.memory=500m"]
    with subprocess.Popen(
        [sys.executable, "-m", "kadmin", "verify-replicas", *words],
        env={**os.environ, "TMPDIR": str(temporary)},
        stderr=subprocess.PIPE,
        # A process that a busy test runner starts may ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        text=True,
    ) as process:
        wait_until(
            lambda: any(temporary.glob(f"kadmin-spark-*/**/{begun}")),
            what=f"Spark's {begun}",
        )
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        said = process.stderr.read()
        assert process.wait(OUTER_LIMIT_S) == ExitCode.INTERRUPTED

    assert said == "kadmin: interrupted\n"
    assert list(temporary.iterdir()) == []
