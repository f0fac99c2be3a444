"""The assignment algorithm against 44 plans of Kafka's own tools and against its properties."""

import json
from collections import Counter
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.model.ids import BrokerId
from cluster.model.placement import Layout, Placement, alternate_racks, placement_of_more
from kadmin.plan.place import MixedRacks, NotEnoughBrokers, place

GOLDEN = Path(__file__).parent / "golden"
RACKS: dict[BrokerId, str | None] = {
    BrokerId(0): "r1",
    BrokerId(1): "r3",
    BrokerId(2): "r3",
    BrokerId(3): "r2",
    BrokerId(4): "r2",
    BrokerId(5): "r1",
}


def golden_plans():
    for path in sorted(GOLDEN.glob("*.txt")):
        for line in path.read_text().splitlines():
            if not line.startswith("#"):
                what, is_rack_aware, count, factor, first, result = json.loads(line)
                layout = {int(number): tuple(replicas) for number, replicas in result.items()}
                yield pytest.param(
                    (what, is_rack_aware, count, factor, first, layout),
                    id=f"{path.stem}-{what}-{is_rack_aware}-{count}x{factor}",
                )


def layout_of(racks, count, factor, start, shift, *, aware=True, first=0) -> Layout:
    placement = Placement(start_index=start, shift=shift, is_rack_aware=aware)
    return place(
        racks,
        partition_count=count,
        replication_factor=factor,
        placement=placement,
        first_partition=first,
    )


@pytest.mark.parametrize("plan", list(golden_plans()))
def test_plans_of_the_real_tools_are_reproduced(plan):
    what, is_rack_aware, count, factor, first, expected = plan
    racks = RACKS
    if what.startswith("generate"):
        racks = {
            BrokerId(int(text)): RACKS[BrokerId(int(text))] for text in what.split()[1].split(",")
        }
    if what == "alter":
        # Kafka's tools always respect racks here, whatever they are told (real-kafka B1 row 18).
        placement = placement_of_more(racks, expected[0][0], is_rack_aware=True)
        added = place(
            racks,
            partition_count=count - first,
            replication_factor=factor,
            placement=placement,
            first_partition=first,
        )

        assert {number: expected[number] for number in range(first, count)} == added
        return
    candidates = (
        layout_of(racks, count, factor, start, shift, aware=is_rack_aware)
        for start, shift in product(range(len(racks)), repeat=2)
    )

    assert any(expected == layout for layout in candidates)


@pytest.mark.parametrize(
    ("racks", "count", "factor", "start", "first", "expected"),
    [
        (
            dict.fromkeys(range(5)),
            10,
            3,
            0,
            0,
            "012 123 234 340 401 023 134 240 301 412",
        ),
        (RACKS, 7, 3, 0, 0, "031 315 154 542 420 203 042"),
        (RACKS, 6, 2, 0, 0, "03 31 15 54 42 20"),
        (RACKS, 7, 3, 2, 12, "135 514 452 240 023 301 103"),
        (dict.fromkeys((1, 2, 3)), 4, 2, 0, 5, "31 13 21 32"),
        ({0: "a", 1: "a", 2: "b", 3: "b"}, 4, 3, 0, 0, "021 213 130 302"),
    ],
)
def test_vectors_of_the_reference(racks, count, factor, start, first, expected):
    layout = layout_of(racks, count, factor, start, start, first=first)

    assert expected == " ".join("".join(map(str, replicas)) for replicas in layout.values())
    assert list(range(first, first + count)) == list(layout)


def test_brokers_of_three_racks_take_turns():
    racks = {BrokerId(broker): f"rack{broker // 3}" for broker in range(9)}

    assert [0, 3, 6, 1, 4, 7, 2, 5, 8] == alternate_racks(racks)


def test_too_many_replicas_name_the_brokers_that_there_are():
    with pytest.raises(NotEnoughBrokers, match=r"factor 4 .* brokers: 3 \(0, 1, 2\)"):
        layout_of(dict.fromkeys(range(3)), 1, 4, 0, 0)


def test_mixed_racks_are_refused_unless_racks_are_left_aside():
    racks = {0: "a", 1: None, 2: "c"}

    with pytest.raises(MixedRacks, match="rack information: 1"):
        layout_of(racks, 1, 2, 0, 0)
    assert {0: (0, 1)} == layout_of(racks, 1, 2, 0, 0, aware=False)


@pytest.mark.parametrize(("preferred", "start"), [(0, 0), (4, 1), (7, 2), (8, 0)])
def test_added_partitions_begin_at_the_next_broker_and_wrap(preferred, start):
    placement = placement_of_more(map(BrokerId, [3, 5, 7]), preferred, is_rack_aware=True)

    assert (start, start) == (placement.start_index, placement.shift)


@given(
    racks=st.dictionaries(st.integers(0, 40), st.sampled_from("abcd"), min_size=1, max_size=12),
    count=st.integers(1, 60),
    data=st.data(),
)
def test_every_layout_is_sound(racks, count, data):
    """No broker twice, as many racks as possible, and leaders as even as they can be."""
    factor = data.draw(st.integers(1, len(racks)))
    start = data.draw(st.integers(0, 100))
    shift = data.draw(st.integers(0, 100))
    layout = layout_of(racks, count, factor, start, shift)
    rack_count = len(set(racks.values()))

    for replicas in layout.values():
        assert factor == len(set(replicas))
        assert min(factor, rack_count) == len({racks[replica] for replica in replicas})
    if count >= len(racks):
        leaders = Counter(replicas[0] for replicas in layout.values())
        assert len(racks) == len(leaders)
        assert max(leaders.values()) - min(leaders.values()) <= 1
