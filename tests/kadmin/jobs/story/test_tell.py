"""Stories of collected logs, however slices, buckets and results are laid out."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kadmin.jobs.merge.request import MergeRequest
from kadmin.jobs.story import gather as module
from kadmin.jobs.story import tell as telling
from kadmin.jobs.story.gather import Selection
from kadmin.jobs.story.tell import Analysis, tell
from tests.kadmin.jobs.merge.logs import found_in
from tests.support.checkout import CHECKOUT

INCIDENT = CHECKOUT / "scripts" / "demo-incident"


def incident(selection: Selection, **options: Any) -> Analysis:
    request = MergeRequest(sources=found_in(INCIDENT), master=None)
    return tell(replace(request, **options), selection)


@pytest.fixture
def whole() -> Analysis:
    return incident(Selection())


@pytest.mark.slow
def test_many_slices_tell_what_one_does(whole: Analysis) -> None:
    cut = incident(Selection(), slice_bytes=2_000, part_bytes=700)

    assert whole.stories == cut.stories
    assert whole.coverage == cut.coverage
    assert whole.clocks == cut.clocks


@pytest.mark.slow
@pytest.mark.parametrize("size", [1_000, 1 << 20], ids=["many", "one"])
def test_buckets_hold_each_partition_once(
    whole: Analysis, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BUCKET_BYTES", size)

    assert whole.stories == incident(Selection(), slice_bytes=9_000).stories


@pytest.mark.slow
def test_results_that_come_back_tell_what_those_in_files_do(
    whole: Analysis, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_events = module.with_events

    def without_files(request: MergeRequest, wanted: Selection, directory: Path) -> MergeRequest:
        return replace(with_events(request, wanted, directory), part_files=None)

    monkeypatch.setattr(telling, "with_events", without_files)

    assert whole.stories == incident(Selection(), slice_bytes=9_000).stories


@pytest.mark.slow
@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        (Selection(topics=("orders",)), {"orders-0", "orders-1", "orders-2"}),
        (Selection(topic_regex="p.*", partitions=(1,)), {"payments-1"}),
        (Selection(partitions=(0,)), {"orders-0", "payments-0"}),
        (Selection(named=(("orders", 2), ("payments", 1))), {"orders-2", "payments-1"}),
        (Selection(topics=("nothing",)), set()),
    ],
)
def test_what_is_asked_for_is_told_and_the_controllers_all_the_same(
    whole: Analysis, selection: Selection, expected: set[str]
) -> None:
    found = incident(selection)

    assert expected == {story.name for story in found.stories}
    assert {s.name: s for s in whole.stories if s.name in expected} == {
        s.name: s for s in found.stories
    }
    assert whole.coverage == found.coverage


def test_orders_of_a_replaced_controller_are_told_by_who_refused_them(tmp_path: Path) -> None:
    line = (
        "[2026-11-20 03:12:04,117] WARN [Broker id=2] Ignoring LeaderAndIsr request from "
        "controller 1 with correlation id 5 since its controller epoch 3 is old. "
        "Latest known controller epoch is 4 (state.change.logger)\n"
    )
    (tmp_path / "broker-2").mkdir()
    (tmp_path / "broker-2" / "state-change.log").write_text(line * 3)
    told = tell(MergeRequest(sources=found_in(tmp_path), master=None), Selection())

    assert () == told.stories
    assert ["broker 2 refused 3 orders of controller 1, epoch 3: it knew of epoch 4"] == [
        each.text for each in told.refusals
    ]
    assert 1 == told.refusals[0].proof[0].number
