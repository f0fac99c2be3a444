"""A simulated election: processes that contend, faults first; then a leader must be found.

Everything is drawn from the seed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Final, Protocol

from cluster.model.ids import MATCH_ANY
from cluster.zk.requests import Check, Create, Delete, Multi, SetData
from tests.sim.recipes.client import Client, Recipe
from tests.sim.recipes.ensemble import TIMEOUT_MS, Ensemble
from tests.sim.recipes.ours import PATH, Ours
from tests.sim.recipes.violation import Kind, Violation
from tests.sim.schedule import Schedule
from tests.sim.zookeeper import TOOL, Commit, SimZnode

FAULTS_MS: Final = 10_000
HEALING_MS: Final = 3 * TIMEOUT_MS
PROCESSES: Final = 4
DATA: Final = "/data"
SNAPSHOT_MS: Final = 150


class Contends(Recipe, Protocol):
    """What a process runs: ours, or a model of another client's."""

    def join(self) -> None: ...

    def leave(self) -> None: ...

    @property
    def is_out(self) -> bool: ...

    @property
    def epoch(self) -> int: ...

    @property
    def fence(self) -> tuple[Check, ...]: ...


NewRecipe = Callable[[Client], Contends]


def fair(client: Client) -> Contends:
    return Ours(client, is_fair=True)


def unfair(client: Client) -> Contends:
    return Ours(client, is_fair=False)


def kind_of(seed: int) -> NewRecipe:
    return unfair if seed % 3 == 2 else fair


def violation_of(
    seed: int, new_recipe: NewRecipe | None = None, *, is_fenced: bool = True
) -> Violation | None:
    """How the story of *seed* ends badly; None when it ends well."""
    try:
        World(seed, new_recipe or kind_of(seed), is_fenced=is_fenced).play()
    except Violation as violation:
        return violation
    return None


class World:
    """*is_fenced* is whether leaders write under their fence."""

    def __init__(self, seed: int, new_recipe: NewRecipe, *, is_fenced: bool = True) -> None:
        self.random = Random(f"{seed} recipes")
        self.schedule = Schedule()
        self.is_troubled = True
        self._is_fenced = is_fenced
        self._new_recipe = new_recipe
        self._id = 0
        self.lives = Counter[int]()
        self._removed: set[int] = set()
        """The processes whose znode an operator has removed, until they are elected again."""
        self._ended: set[int] = set()
        """The sessions that an operator has ended, of which their clients may not know yet."""
        self.stays_out: set[int] = set()
        """The processes that do not contend any more."""
        self._last_epoch = self._last_write = 0
        self.elected_count = self.written_count = 0
        self.loss = self.random.choice((0, 0.01, 0.05))
        self.doubles = self.random.choice((0, 0.3))
        self.lags = self.random.choice((0, 0.5))
        self.ensemble = Ensemble(self.schedule, self._on_watch, self._on_commit)
        zookeeper = self.ensemble.zookeeper
        zookeeper.serve(zookeeper.connect(), Multi((Create(DATA, b"0"),)), TOOL)
        self.stale_nodes: dict[str, SimZnode] = self.ensemble.nodes()
        self.clients = [
            Client(self, number, Random(f"{seed} {number}")) for number in range(PROCESSES)
        ]
        self.recipes: dict[int, Contends] = {}

    # What processes use.

    def new_id(self) -> str:
        self._id += 1
        return f"u{self._id}"

    def latency_ms(self, random: Random) -> int:
        if self.is_troubled and random.random() < 0.02:
            return random.randint(10, 150)
        return random.randint(1, 4)

    def on_elected(self, client: Client, epoch: int) -> None:
        self.elected_count += 1
        if epoch <= self._last_epoch:
            raise Violation(Kind.EPOCH_FELL, f"{client}: {epoch} after {self._last_epoch}")
        self._last_epoch = epoch
        self._removed.discard(client.number)
        if client.session in self._ended:
            self._removed.add(client.number)
        self._write_soon(client, epoch)

    def _write_soon(self, client: Client, epoch: int) -> None:
        """Let the leader write its epoch again and again, as long as it leads."""

        def write() -> None:
            recipe = self.recipes[client.number]
            if not recipe.is_leading() or recipe.epoch != epoch:
                return
            fence = recipe.fence if self._is_fenced else ()
            data = str(epoch).encode()
            client.send((Multi((*fence, SetData(DATA, data, MATCH_ANY))),), lambda _: None)
            self._write_soon(client, epoch)

        client.later(self.random.randint(5, 40), write)

    # What is judged.

    def _on_watch(self, session: int, path: str) -> None:
        for client in self.clients:
            if client.session == session:
                client.watch_fired(path)

    def _on_commit(self, commit: Commit) -> None:
        if commit.path != DATA or commit.after is None or commit.before is None:
            return
        assert commit.after.data is not None
        epoch = int(commit.after.data)
        if epoch < self._last_write:
            raise Violation(Kind.OLD_WRITE, f"{commit.author}: {epoch} after {self._last_write}")
        self._last_write = epoch
        self.written_count += 1

    def check_leaders(self) -> None:
        """No two do what only a leader may.

        But for those from whom an operator has taken the leadership.
        """
        working = [
            client
            for client in self.clients
            if client.is_up and self.recipes[client.number].is_working()
        ]
        true = [
            client
            for client in working
            if not client.is_paused
            and client.number not in self._removed
            and client.session not in self._ended
        ]
        if len(true) > 1:
            raise Violation(Kind.TWO_LEADERS, " and ".join(map(str, true)))

    # What happens.

    def play(self) -> None:
        """Play the story to its end.

        Raises:
            Violation: something happened that must not, or no leader was found.
        """
        try:
            self._begin()
            self.run_until(FAULTS_MS)
            self.end_well()
        except Violation:
            raise
        except AssertionError as error:
            raise Violation(Kind.ASSERTION, str(error)) from error
        except Exception as error:
            raise Violation(Kind.ERROR, repr(error)) from error

    def begin_quietly(self, until_ms: int) -> None:
        """Let all contend, and nothing break."""
        self.is_troubled = False
        self.loss = self.doubles = self.lags = 0
        for client in self.clients:
            self.start(client)
        self._keep_snapshots()
        self.run_until(until_ms)

    def end_well(self) -> None:
        """Heal all, and require that one contender leads, and that nothing is left at the end.

        Raises:
            Violation: it is not so.
        """
        self._heal()
        self.run_until(self.schedule.now_ms + HEALING_MS)
        self._check_one_leads()
        for recipe in self.recipes.values():
            recipe.leave()
        self.run_until(self.schedule.now_ms + HEALING_MS)
        self._check_nothing_is_left()

    def _begin(self) -> None:
        for client in self.clients:
            self.start(client)
        self._keep_snapshots()
        for _ in range(self.random.randint(6, 40)):
            act = self.random.choice(ACTS)
            at_ms = self.random.randint(0, FAULTS_MS)
            self.schedule.after(at_ms, lambda act=act: act(self))  # type: ignore[misc]

    def start(self, client: Client) -> None:
        self.lives[client.number] += 1
        client.is_up, client.session = True, None
        client.recipe = recipe = self.recipes[client.number] = self._new_recipe(client)
        client.connect()
        recipe.join()

    def _keep_snapshots(self) -> None:
        self.stale_nodes = self.ensemble.nodes()
        self.schedule.after(SNAPSHOT_MS, self._keep_snapshots)

    def run_until(self, until_ms: int) -> None:
        while self.schedule.run_next(until_ms):
            self.check_leaders()

    def a_client(self) -> Client:
        """The leader's more often than another."""
        leading = [one for one in self.clients if one.is_up and self._leads(one)]
        if leading and self.random.random() < 0.7:
            return self.random.choice(leading)
        return self.random.choice(self.clients)

    def _leads(self, client: Client) -> bool:
        return self.recipes[client.number].is_leading()

    def expire(self, client: Client) -> None:
        """End the session of *client* before its time, as an operator may do."""
        assert client.session is not None
        self._ended.add(client.session)
        if client.is_up and self.recipes[client.number].is_working():
            self._removed.add(client.number)
        self.ensemble.zookeeper.expire(client.session)

    def remove_leader(self) -> None:
        """Remove the leader's znode, as an operator may do."""
        for client in self.clients:
            if client.is_up and self._leads(client):
                self._removed.add(client.number)
                path = self.recipes[client.number].fence[-1].path
                zookeeper = self.ensemble.zookeeper
                zookeeper.serve(zookeeper.connect(), Multi((Delete(path),)), TOOL)

    # The end.

    def _heal(self) -> None:
        self.is_troubled = False
        self.loss = self.doubles = self.lags = 0
        for client in self.clients:
            client.resume()
            client.watch_delay_ms = client.offline_until_ms = 0
            if client.session is not None and client.is_connected:
                client.disconnect()
            if not client.is_up:
                self.start(client)
            client.connect()
            if client.number not in self.stays_out:
                self.recipes[client.number].join()

    def _check_one_leads(self) -> None:
        leaders = [one for one in self.clients if self._leads(one)]
        if len(leaders) != 1:
            raise Violation(Kind.NO_LEADER, f"{len(leaders)} lead: {self._left()}")

    def _check_nothing_is_left(self) -> None:
        left = self._left()
        if left or not all(recipe.is_out for recipe in self.recipes.values()):
            raise Violation(Kind.ORPHAN, f"{left} when all have left")

    def _left(self) -> list[str]:
        return [name for name in self.ensemble.zookeeper.children(PATH) if name != "epoch"]


# What breaks.


def expire(world: World) -> None:
    client = world.a_client()
    if client.session is not None:
        world.expire(client)


def disconnect(world: World) -> None:
    world.a_client().disconnect()


def partition(world: World) -> None:
    world.a_client().go_offline(world.random.randint(10, 3 * TIMEOUT_MS))


def pause(world: World) -> None:
    client = world.a_client()
    if client.is_up and not client.is_paused:
        client.pause()
        world.schedule.after(world.random.randint(10, 3 * TIMEOUT_MS), client.resume)


def crash(world: World) -> None:
    client = world.a_client()
    if client.is_up:
        client.crash()
        delay_ms = world.random.randint(5, 500)
        world.schedule.after(delay_ms, lambda: None if client.is_up else world.start(client))


def cut_off(world: World) -> None:
    """The client's server loses the ensemble, and notices it after some time."""
    client = world.a_client()
    session = client.session
    if session is not None and client.is_connected and world.ensemble.is_live(session):
        world.ensemble.cut_off(session)
        world.schedule.after(world.random.randint(50, 2 * TIMEOUT_MS), client.disconnect)


def delay_watches(world: World) -> None:
    client = world.random.choice(world.clients)
    client.watch_delay_ms = world.random.randint(0, 600)


def remove(world: World) -> None:
    world.remove_leader()


def leave(world: World) -> None:
    client = world.a_client()
    recipe = world.recipes[client.number]
    if client.is_up and not client.is_paused:
        recipe.leave()
        client.later(world.random.randint(0, 400), recipe.join)


ACTS: Final = (
    *2 * (expire,),
    *2 * (disconnect,),
    *2 * (partition,),
    *2 * (pause,),
    *2 * (crash,),
    *2 * (cut_off,),
    delay_watches,
    remove,
    *2 * (leave,),
)
