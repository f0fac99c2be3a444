"""Are the offsets of a group those of its latest commits, in whichever way they came?"""

from hypothesis import given
from hypothesis import strategies as st

from cluster.group.offsets import NOWHERE, PLAIN_MAX, LoggedOffsets
from cluster.model.group_records import OffsetCommitValue, PlainOffsets
from cluster.model.ids import TopicPartition

INDEXES = st.sets(st.integers(0, 4), min_size=1).map(lambda one: tuple(sorted(one)))
TOPICS = st.lists(
    st.tuples(st.sampled_from(["t", "u"]), INDEXES), min_size=1, unique_by=lambda one: one[0]
)
COMMITS = st.tuples(TOPICS, st.integers(0, 20), st.booleans())
REMOVED = st.builds(TopicPartition, st.sampled_from(["t", "u"]), st.integers(0, 4))


@given(st.lists(COMMITS | REMOVED | st.none(), max_size=2 * PLAIN_MAX))
def test_plain_offsets_count_as_all_others_do(
    steps: list[tuple[list[tuple[str, tuple[int, ...]]], int, bool] | TopicPartition | None],
) -> None:
    """Commits at any offset of the log, removals, and looks in between."""
    logged = LoggedOffsets()
    values: dict[TopicPartition, OffsetCommitValue] = {}
    log_offsets: dict[TopicPartition, int] = {}
    for number, step in enumerate(steps):
        if step is None:
            assert values == logged.values
        elif isinstance(step, TopicPartition):
            logged.remove(step)
            values.pop(step, None)
            log_offsets.pop(step, None)
        else:
            topics, log_offset, is_plain = step
            count = sum(len(indexes) for _, indexes in topics)
            plain = PlainOffsets(tuple(topics), (number,) * count, (-1,) * count, 7)
            logged.add(log_offset, plain if is_plain else dict(plain))
            for partition in plain:
                if log_offsets.get(partition, NOWHERE) < log_offset:
                    values[partition] = OffsetCommitValue(number, -1, "", 7)
                    log_offsets[partition] = log_offset

    assert bool(values) == bool(logged)
    assert values == logged.values
