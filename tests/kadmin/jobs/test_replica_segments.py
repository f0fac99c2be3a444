"""Replicas that brokers serve, copied to where nothing can be added to a file."""

from contextlib import suppress

import pytest

from kadmin.jobs import replica_segments
from kadmin.jobs.collect_wire import WireCopying
from kadmin.jobs.collection import CollectedFile
from kadmin.jobs.collection_store import UriStore
from kadmin.jobs.read_bounds import GRACE_S
from tests.kadmin.jobs.test_collect_wire import LOG, Reports
from tests.kadmin.jobs.test_verify_live import ONE, THREE, TWO, Brokers, log, of_three
from tests.support.s3 import Bucket

pytestmark = [pytest.mark.sockets, pytest.mark.xdist_group("bucket")]


@pytest.fixture
def uri(bucket: Bucket) -> str:
    return bucket.uri(bucket.new_folder())


def copy(brokers: Brokers, uri: str) -> list[CollectedFile]:
    copying = WireCopying(
        brokers,
        brokers.placement(),
        UriStore(uri),
        Reports(),
        rate_max=None,
        clock=lambda: brokers.now_s,
        sleep=brokers.sleep,
    )
    return list(copying.run((ONE, TWO, THREE)))


def segments(uri: str, number: int) -> dict[str, bytes]:
    """Those of the replica of a broker, by their names."""
    store, found = UriStore(uri), {}
    for path in store.paths():
        if path.startswith(f"broker-{number}/wire/orders-0/"):
            with store.opened(path) as file:
                found[path.rpartition("/")[2]] = file.read()
    return found


def test_each_replica_is_there_as_it_is(uri: str) -> None:
    files = copy(of_three(b2=log(4, mark=10), b3=log(1, mark=0)), uri)

    assert {f"{0:020}.log": LOG} == segments(uri, 1)
    assert LOG.startswith(segments(uri, 2)[f"{0:020}.log"])
    assert {f"{0:020}.log": b""} == segments(uri, 3)
    store = UriStore(uri)
    assert {file.path: file.size_bytes for file in files} == {
        path: store.size_of(path) for path in store.paths()
    }


def test_a_run_that_was_ended_is_gone_on_with_behind_what_is_there(
    uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replica_segments, "PIECE_SIZE", 1)
    monkeypatch.setattr("kadmin.jobs.collect_wire.FETCH_SIZE", len(LOG) // 4 + 1)
    ended, again = of_three(), of_three()
    fetch = ended.fetch

    def fetch_and_end(*asked: object, **how: object) -> object:
        if len(ended.fetched) == 3:
            raise KeyboardInterrupt
        return fetch(*asked, **how)  # type: ignore[arg-type]

    ended.fetch = fetch_and_end  # type: ignore[method-assign, assignment]
    with suppress(KeyboardInterrupt):
        copy(ended, uri)
    begun = segments(uri, 2)

    files = copy(again, uri)

    assert [f"{0:020}.log", f"{5:020}.log"] == sorted(begun)
    assert LOG == b"".join(content for _, content in sorted(segments(uri, 2).items()))
    assert 4 == len(segments(uri, 2))
    assert sum(again.fetched) < 3 * len(LOG)
    assert 3 * (4 + 2) == len(files)


def test_what_its_broker_has_deleted_meanwhile_is_not_kept(uri: str) -> None:
    copy(of_three(b2=log(1)), uri)
    late = log()
    late.start = 10
    del late.batches[0], late.batches[5]

    copy(of_three(b2=late), uri)

    assert {f"{10:020}.log": b"".join(late.batches.values())} == segments(uri, 2)


def test_one_that_cannot_be_read_is_left_out(uri: str) -> None:
    brokers = of_three()
    brokers.silent.add(TWO)

    files = copy(brokers, uri)

    assert {"1", "3"} == {file.broker for file in files}
    assert GRACE_S < brokers.now_s < 2 * GRACE_S
