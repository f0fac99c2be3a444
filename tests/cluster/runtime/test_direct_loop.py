"""Does a loop that calls readers at once do anything else than asyncio's own?"""

import asyncio
import os
import select
import socket
import threading
from collections.abc import Callable, Iterator
from functools import partial
from time import perf_counter_ns
from typing import Any, Final, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.runtime.direct_loop import DirectLoop

SOCKETS: Final = 4


class Step(NamedTuple):
    """What is done before the loop looks once."""

    what: str
    number: int
    reaction: str
    """What the socket's reader does then, besides reading."""
    other: int
    """To whom."""


STEPS: Final = st.lists(
    st.builds(
        Step,
        st.sampled_from(["send", "send twice", "end", "listen"]),
        st.integers(0, SOCKETS - 1),
        st.sampled_from(["nothing", "raise", "mute", "close", "soon"]),
        st.integers(0, SOCKETS - 1),
    ),
    max_size=4,
)


class World:
    """Sockets on a loop, and what their callbacks have told."""

    def __init__(self, make_loop: Callable[[], asyncio.AbstractEventLoop]) -> None:
        self.loop = make_loop()
        self.told: list[tuple[Any, ...]] = []
        self.loop.set_exception_handler(
            lambda _, said: self.told.append((repr(said["exception"]),))
        )
        self.pairs = [socket.socketpair() for _ in range(SOCKETS)]
        self.reactions = [Step("", 0, "nothing", 0)] * SOCKETS
        for number, (ours, _) in enumerate(self.pairs):
            ours.setblocking(False)
            self.listen(number)

    def listen(self, number: int) -> None:
        ours = self.pairs[number][0]
        if ours.fileno() >= 0:
            self.loop.add_reader(ours, partial(self.read, number))

    def read(self, number: int) -> None:
        ours = self.pairs[number][0]
        content = ours.recv(100)
        self.told.append(("read", number, content))
        if not content:
            # The end, of which the loop would tell for ever.
            self.loop.remove_reader(ours)
        reaction, other = self.reactions[number][2:]
        theirs = self.pairs[other][0]
        if reaction == "raise":
            raise ValueError(number)
        if reaction == "soon":
            self.loop.call_soon(self.told.append, ("soon", number))
        if theirs.fileno() < 0:
            return
        if reaction in ("mute", "close"):
            self.told.append(("muted", other, self.loop.remove_reader(theirs)))
        if reaction == "close":
            theirs.close()

    def take(self, step: Step) -> None:
        theirs = self.pairs[step.number][1]
        self.reactions[step.number] = step
        if step.what == "listen":
            self.listen(step.number)
        elif theirs.fileno() < 0 or self.pairs[step.number][0].fileno() < 0:
            return
        elif step.what == "end":
            theirs.close()
        else:
            theirs.send(b"once" if step.what == "send" else b"twice")

    def look(self) -> None:
        self.loop.call_soon(self.loop.stop)
        self.loop.run_forever()

    def close(self) -> None:
        for ours, theirs in self.pairs:
            if ours.fileno() >= 0:
                self.loop.remove_reader(ours)
            ours.close()
            theirs.close()
        self.loop.close()


@given(st.lists(STEPS, max_size=8))
def test_the_same_is_told_as_by_the_loop_of_asyncio(looks: list[list[Step]]) -> None:
    """What sockets get, who is called in which look, what raises, who was muted before its turn."""
    worlds = [World(asyncio.SelectorEventLoop), World(DirectLoop), World(loop_without_epoll)]
    try:
        for steps in looks:
            for world in worlds:
                for step in steps:
                    world.take(step)
                world.look()

            assert calls(worlds[0]) == calls(worlds[1]) == calls(worlds[2])
        for world in worlds:
            # asyncio does in the next look what a reader has asked for by `call_soon`.
            world.look()
            world.look()

        first, *others = (sorted(world.told, key=repr) for world in worlds)
        assert [first, first] == others
    finally:
        for world in worlds:
            world.close()


def calls(world: World) -> list[tuple[Any, ...]]:
    """In their order, with what they did; what they asked for by `call_soon` comes later."""
    return [one for one in world.told if one[0] != "soon"]


def loop_without_epoll() -> DirectLoop:
    """The loop as on macOS."""
    with pytest.MonkeyPatch.context() as context:
        context.delattr(select, "epoll")
        return DirectLoop()


@pytest.fixture(params=[DirectLoop, loop_without_epoll], ids=["epoll", "without epoll"])
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    world = World(request.param)
    yield world
    world.close()


def test_a_reader_is_called_while_the_loop_looks(world: World) -> None:
    world.pairs[0][1].send(b"x")
    world.loop.call_soon(world.told.append, ("asked for before",))

    world.look()

    assert [("read", 0, b"x"), ("asked for before",)] == world.told


def test_a_reader_finds_the_time_at_which_the_loop_woke_up(world: World) -> None:
    assert isinstance(world.loop, DirectLoop)
    moment, found = world.loop.moment, []
    world.loop.add_reader(world.pairs[0][0], lambda: found.append(moment.ns))
    world.pairs[0][1].send(b"x")

    before_ns = perf_counter_ns()
    world.look()

    assert before_ns <= found[0] <= perf_counter_ns()


def test_who_waits_to_write_as_well_goes_the_way_of_asyncio(world: World) -> None:
    ours, theirs = world.pairs[0]

    def written() -> None:
        world.told.append(("written",))
        world.loop.remove_writer(ours)

    world.loop.add_writer(ours, written)
    theirs.send(b"x")
    world.loop.call_soon(world.told.append, ("asked for before",))

    world.look()

    assert [("asked for before",), ("read", 0, b"x"), ("written",)] == world.told

    theirs.send(b"y")
    world.look()

    assert ("read", 0, b"y") == world.told[-1]


def test_a_reader_with_arguments_goes_the_way_of_asyncio(world: World) -> None:
    ours, theirs = world.pairs[0]
    world.loop.add_reader(ours, world.told.append, ("readable",))
    theirs.send(b"x")
    world.loop.call_soon(world.told.append, ("asked for before",))

    world.look()

    assert [("asked for before",), ("readable",)] == world.told


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_what_ends_a_program_ends_the_loop(world: World, error: type[BaseException]) -> None:
    def end() -> None:
        raise error

    world.loop.add_reader(world.pairs[0][0], end)
    world.pairs[0][1].send(b"x")

    with pytest.raises(error):
        world.look()


def test_timers_threads_and_transports_go_on(world: World) -> None:
    async def story() -> bytes:
        loop = asyncio.get_running_loop()
        called = loop.create_future()
        threading.Thread(target=loop.call_soon_threadsafe, args=(called.set_result, None)).start()
        await called
        fired: asyncio.Future[None] = loop.create_future()
        loop.call_later(0.001, fired.set_result, None)
        await fired
        reader, writer = await asyncio.open_connection(sock=world.pairs[0][1])
        world.loop.remove_reader(world.pairs[0][0])
        writer.write(b"from a transport")
        found = await loop.sock_recv(world.pairs[0][0], 100)
        world.pairs[0][0].send(b", and back")
        back = await reader.readexactly(10)
        writer.close()
        return found + back

    assert b"from a transport, and back" == world.loop.run_until_complete(story())


def test_a_closed_loop_leaves_no_descriptor() -> None:
    before = os.listdir("/proc/self/fd")
    DirectLoop().close()

    assert len(before) == len(os.listdir("/proc/self/fd"))
