"""What takes turns: one slice in each round of the loop, large works one after the other."""

from collections import deque
from collections.abc import Callable, Generator

import pytest

from cluster.runtime.network.turns import ROUND_NS, SHARE_NS, SLICE_NS, STEPS_PER_LOOK, Turns, Work

STEPS_PER_SLICE = 2 * STEPS_PER_LOOK


class Loop:
    """A loop and a clock by hand: a slice is over at its second look at the clock."""

    def __init__(self) -> None:
        self.soon: deque[Callable[[], None]] = deque()
        self.now_ns = 0
        self.said: list[str] = []
        self.turns = Turns(self.soon.append, self.look)

    def look(self) -> int:
        self.now_ns += SLICE_NS // 2
        return self.now_ns

    def round(self) -> None:
        for _ in range(len(self.soon)):
            self.soon.popleft()()

    def work(self, name: str, slices: int, *, is_large: bool = False) -> Work:
        def steps() -> Generator[None, None, None]:
            for step in range(slices * STEPS_PER_SLICE - 1):
                if step % STEPS_PER_SLICE == 0:
                    self.said.append(name)
                yield

        return Work(steps(), lambda: self.said.append(f"{name} ended"), is_large=is_large)


def test_a_short_work_is_done_at_once() -> None:
    loop = Loop()

    loop.turns.begin(loop.work("a", 1))

    assert ["a", "a ended"] == loop.said
    assert not loop.soon


def test_works_go_on_in_turns_one_slice_in_a_round() -> None:
    loop = Loop()
    loop.turns.begin(loop.work("a", 3))
    loop.turns.begin(loop.work("b", 2))

    assert ["a", "b"] == loop.said
    for expected in ("a", "b", "b ended", "a", "a ended"):
        if not expected.endswith("ended"):
            assert 1 == len(loop.soon)
            loop.round()
        assert expected in loop.said
    assert ["a", "b", "a", "b", "b ended", "a", "a ended"] == loop.said
    assert not loop.soon


def test_of_large_works_one_goes_on_beside_the_others() -> None:
    loop = Loop()
    for name in ("l1", "l2"):
        loop.turns.begin(loop.work(name, 3, is_large=True))
    loop.turns.begin(loop.work("s", 3))
    while loop.soon:
        loop.round()

    begun = ["l1", "l2", "s"]
    assert begun == loop.said[:3]
    assert loop.said.index("l1 ended") < loop.said.index("l2", 3)
    assert loop.said.index("s ended") < loop.said.index("l2 ended")


def test_what_is_cancelled_takes_no_step_and_ends_nothing() -> None:
    loop = Loop()
    cancelled, other = loop.work("a", 3), loop.work("b", 2)
    loop.turns.begin(cancelled)
    loop.turns.begin(other)
    cancelled.cancel()
    while loop.soon:
        loop.round()

    assert ["a", "b", "b", "b ended"] == loop.said


def test_a_work_may_be_cancelled_by_its_own_step() -> None:
    loop = Loop()

    def steps() -> Generator[None, None, None]:
        yield
        work.cancel()
        yield
        yield

    work = Work(steps(), lambda: loop.said.append("ended"), is_large=False)
    loop.turns.begin(work)

    assert [] == loop.said
    assert not loop.soon


def test_a_step_that_raises_ends_its_work_and_keeps_nobody_from_his_turn() -> None:
    loop = Loop()

    def steps() -> Generator[None, None, None]:
        for _ in range(STEPS_PER_SLICE):
            yield
        raise RuntimeError("a mistake")

    loop.turns.begin(Work(steps(), lambda: loop.said.append("ended"), is_large=False))
    loop.turns.begin(loop.work("b", 2))
    with pytest.raises(RuntimeError, match="a mistake"):
        loop.round()
    assert ["b", "ended"] == loop.said
    loop.round()

    assert ["b", "ended", "b", "b ended"] == loop.said


def test_whoever_asks_for_much_has_all_of_it_while_few_do() -> None:
    loop = Loop()

    assert not loop.turns.has_had_share(0, SHARE_NS - 1)
    assert not loop.soon, "who asks for little costs nothing"
    assert not loop.turns.has_had_share(0, ROUND_NS - 1)
    assert loop.turns.has_had_share(0, ROUND_NS)
    assert not loop.turns.has_had_share(ROUND_NS, ROUND_NS + SHARE_NS - 1)
    assert loop.turns.has_had_share(ROUND_NS, ROUND_NS + SHARE_NS)
    loop.round()
    assert not loop.turns.has_had_share(ROUND_NS, ROUND_NS + SHARE_NS)
