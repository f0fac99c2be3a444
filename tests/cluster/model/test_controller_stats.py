"""The file in which a broker tells of its controller's events, written and read."""

import json
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.model.controller_stats import (
    VERSION,
    ControllerStats,
    EventStats,
    Spread,
    decode_controller_stats,
    encode_controller_stats,
)

MS = st.floats(0, 1e9)
SPREADS = st.builds(Spread, mean=MS, p99=MS, max=MS)
STATS = st.builds(
    ControllerStats,
    broker_id=st.integers(0),
    pid=st.integers(1),
    controller_epoch=st.none() | st.integers(0),
    since_ms=st.integers(0),
    events=st.lists(
        st.builds(
            EventStats,
            event=st.sampled_from(["BrokerChange", "IsrChange"]),
            count=st.integers(1),
            queue_ms=SPREADS,
            processing_ms=SPREADS,
        )
    ).map(tuple),
)


@given(STATS)
def test_what_was_written_is_read(stats: ControllerStats) -> None:
    assert stats == decode_controller_stats(encode_controller_stats(stats))


@given(STATS, st.data())
def test_what_is_not_whole_is_not_read(stats: ControllerStats, data: st.DataObject) -> None:
    whole = encode_controller_stats(stats)
    length = data.draw(st.integers(0, len(whole) - 1))

    assert decode_controller_stats(whole[:length]) is None


@pytest.mark.parametrize(
    "other",
    [
        {"version": VERSION + 1},
        {"events": None},
        {"events": [{"event": "BrokerChange"}]},
        {"events": ["BrokerChange"]},
        {"more": 1},
    ],
)
def test_another_version_or_form_is_not_read(other: dict[str, object]) -> None:
    stats = ControllerStats(broker_id=0, pid=1, controller_epoch=None, since_ms=0, events=())
    fields = {"version": VERSION, **asdict(stats)}
    assert stats == decode_controller_stats(json.dumps(fields).encode())

    assert decode_controller_stats(json.dumps(fields | other).encode()) is None


@pytest.mark.parametrize("data", [b"", b"[]", b"7", b"null", b"\xff\xfe\x00", b"{}"])
def test_garbage_is_not_read(data: bytes) -> None:
    assert decode_controller_stats(data) is None
