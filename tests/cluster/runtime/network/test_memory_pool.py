"""The memory of requests: who may begin, and who has to wait for whom."""

from cluster.runtime.network.memory_pool import (
    HELD_SIZE_MAX,
    HUGE_SIZE,
    SPARE_SIZE_MAX,
    UNLIMITED,
    MemoryPool,
)

LARGE = 1_000_000


def test_what_is_held_beyond_a_handler_counts_towards_the_limit():
    pool = MemoryPool(LARGE, 3 * LARGE)
    resumed: list[str] = []
    assert LARGE == pool.allocate(LARGE, lambda: None)
    pool.hold(2 * LARGE, LARGE)

    assert pool.allocate(LARGE, lambda: resumed.append("first")) is None
    assert pool.allocate(LARGE, lambda: resumed.append("second")) is None
    assert pool.allocate(100, lambda: None) == 0, "a small one never waits"
    assert resumed == []
    pool.let_go(2 * LARGE, LARGE)
    assert resumed == ["first", "second"]
    assert (LARGE, 0) == (pool.allocated_bytes, pool.held_bytes)


def test_what_is_held_is_bounded_without_a_limit_as_well():
    pool = MemoryPool(LARGE, UNLIMITED)
    resumed: list[str] = []
    pool.hold(HELD_SIZE_MAX - 1, LARGE)
    assert LARGE == pool.allocate(LARGE, lambda: None)
    pool.hold(1, LARGE)

    assert pool.allocate(LARGE, lambda: resumed.append("later")) is None
    pool.release(LARGE)
    assert resumed == []
    pool.let_go(1, LARGE)
    assert resumed == ["later"]


def test_whoever_fills_the_memory_again_stops_those_behind_him():
    pool = MemoryPool(LARGE, UNLIMITED)
    resumed: list[int] = []
    pool.hold(HELD_SIZE_MAX, LARGE)
    for number in range(3):

        def resume(number: int = number) -> None:
            resumed.append(number)
            pool.hold(LARGE, LARGE)

        assert pool.allocate(LARGE, resume) is None

    pool.let_go(LARGE, LARGE)
    assert resumed == [0]
    pool.let_go(LARGE, LARGE)
    assert resumed == [0, 1]


def test_usual_requests_do_not_wait_for_huge_ones_to_be_looked_at():
    huge = 50 * HUGE_SIZE
    pool = MemoryPool(huge, UNLIMITED)
    resumed: list[str] = []
    pool.hold(huge, huge)

    assert pool.allocate(huge, lambda: resumed.append("huge")) is None
    assert LARGE == pool.allocate(LARGE, lambda: None)
    pool.hold(HELD_SIZE_MAX, LARGE)
    assert pool.allocate(LARGE, lambda: resumed.append("usual")) is None
    pool.let_go(LARGE, LARGE)
    assert resumed == ["usual"]
    pool.let_go(LARGE, huge)
    assert resumed == ["usual"]
    pool.let_go(huge - LARGE, huge)
    assert resumed == ["usual", "huge"]


def test_readers_of_very_large_requests_are_not_kept_with_their_memory():
    pool = MemoryPool(4 * SPARE_SIZE_MAX, UNLIMITED)
    for size in (SPARE_SIZE_MAX // 4, 2 * SPARE_SIZE_MAX):
        reader = pool.borrow_reader()
        assert size == pool.allocate(size, lambda: None)
        frame = memoryview(size.to_bytes(4, "big") + bytes(size))
        while frame:
            space = reader.space()[: len(frame)]
            space[:] = frame[: len(space)]
            reader.received(len(space))
            frame = frame[len(space) :]
            whole = reader.next_frame()
        assert whole is not None
        assert size == len(whole)
        assert len(reader._buffer) > size
        pool.give_back(reader)
        pool.release(size)
        is_usual = size < SPARE_SIZE_MAX
        assert (len(reader._buffer) > size) is is_usual, "usual bulk keeps its memory"
