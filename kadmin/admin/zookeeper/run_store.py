"""The journals of supervised runs in ZooKeeper: `kadmin.admin.ports.RunStore`.

Below `/kadmin/moves`: each journal under the id of its run, which is guarded by its version; the
plans in pieces beside them, packed by gzip, written before the journal and never again; and the
lease of the supervisor, an ephemeral node.
"""

import gzip
from collections.abc import Sequence
from typing import Final

from cluster.model.outcome import Committed
from cluster.zk.requests import Create, Delete, Operation, SetData
from cluster.zk.steps import read_children, read_each, read_node
from cluster.zk.znode import Znode
from kadmin.admin.ports import Fence, Outcome
from kadmin.admin.zookeeper.connection import Connection
from kadmin.admin.zookeeper.throttle_journal import OWN_PATH
from kadmin.admin.zookeeper.transaction import RUNS_PATH, commit, run_path
from kadmin.errors import RefusedError
from kadmin.plan.moves.plan_file import BadPlanFile, MovePlan, from_json, to_json
from kadmin.plan.supervision.journal import BadRun, document_of, run_of, run_text
from kadmin.plan.supervision.run import MoveRun

SUPERVISOR: Final = "supervisor"
PLAN: Final = "plan-"
PIECE_BYTES: Final = 700_000
KEPT_MAX: Final = 20
"""So many runs that have ended are kept, with their plans, which a rollback needs."""


class RunUnreadable(RefusedError):
    """The journal of a run, or its plan, is damaged."""

    def __init__(self, run_id: str, reason: str) -> None:
        super().__init__(
            f"cannot read the journal of the run {run_id}: {run_path(run_id)}: {reason}",
            hint=f"look at {run_path(run_id)} with zookeeper-shell; 'kadmin reassign --list' shows"
            " what is moving",
        )


class ZooKeeperRuns:
    """The `RunStore` of a ZooKeeper session."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.plans: dict[str, MovePlan] = {}
        self.pieces: dict[str, int] = {}

    @property
    def place(self) -> str:
        return f"{RUNS_PATH} in ZooKeeper"

    def run_ids(self) -> Sequence[str]:
        names = self.connection.read(read_children(RUNS_PATH))
        return sorted(each for each in names if each != SUPERVISOR and not each.startswith(PLAN))

    def read(self, run_id: str) -> MoveRun | None:
        self.connection.budget.renew()
        node = self.connection.read(read_node(run_path(run_id)))
        if node is None:
            return None
        try:
            document = document_of((node.data or b"").decode())
            pieces = document.get("pieces")
            if type(pieces) is not int:
                raise BadRun("'pieces' is no number")
            self.pieces[run_id] = pieces
            plan = self.plan(run_id, pieces)
            return run_of(document, plan, node.zk_version)
        except (BadRun, BadPlanFile, UnicodeDecodeError, OSError, EOFError) as error:
            raise RunUnreadable(run_id, str(error)) from error

    def plan(self, run_id: str, pieces: int) -> MovePlan:
        known = self.plans.get(run_id)
        if known is None:
            paths = [piece_path(run_id, number) for number in range(pieces)]
            nodes = self.connection.read(read_each(paths))
            if None in nodes:
                raise BadRun("its plan is not there")
            packed = b"".join(node.data or b"" for node in nodes if node is not None)
            known = self.plans[run_id] = from_json(gzip.decompress(packed).decode(), run_id)
        return known

    def create(self, run: MoveRun) -> Outcome:
        """Write the plan first, and what makes it known last: after a crash in between there is no
        run, and the next one removes the pieces."""
        self.prepare()
        packed = gzip.compress(to_json(run.plan).encode(), mtime=0)
        pieces = [packed[at : at + PIECE_BYTES] for at in range(0, len(packed), PIECE_BYTES)]
        for number, piece in enumerate(pieces):
            outcome = self.write_nodes([Create(piece_path(run.run_id, number), piece)])
            if not isinstance(outcome, Committed):
                return outcome
        text = run_text(run, pieces=len(pieces))
        return self.write_nodes([Create(run_path(run.run_id), text.encode())])

    def prepare(self) -> None:
        """Make the parents, and remove what is left of runs that have no journal, or are old."""
        above, here = self.connection.read(read_each((OWN_PATH, RUNS_PATH)))
        missing = [path for path, node in ((OWN_PATH, above), (RUNS_PATH, here)) if node is None]
        if missing:
            self.write_nodes([Create(path) for path in missing])
            return
        kept = list(self.run_ids())
        for run_id in kept[:-KEPT_MAX]:
            if self.has_ended(run_id):
                self.write_nodes([Delete(run_path(run_id))])
                kept.remove(run_id)
        for name in self.connection.read(read_children(RUNS_PATH)):
            if name.startswith(PLAN) and name.removeprefix(PLAN).rpartition(".")[0] not in kept:
                self.write_nodes([Delete(f"{RUNS_PATH}/{name}")])

    def has_ended(self, run_id: str) -> bool:
        try:
            run = self.read(run_id)
        except RunUnreadable:
            return False
        return run is not None and run.state.is_final

    def write(self, run: MoveRun) -> Outcome:
        data = run_text(run, pieces=self.pieces[run.run_id]).encode()
        return self.write_nodes([SetData(run_path(run.run_id), data, run.zk_version)])

    def write_nodes(self, operations: Sequence[Operation]) -> Outcome:
        # No controller reads any of it, so that it does not matter which one there is.
        return commit(self.connection, Fence(mark=None), operations)

    def claim(self, me: str) -> str:
        self.prepare_parents()
        node = self.supervisor_node()
        session = self.connection.client.client_id[0]
        if node is not None and text_of(node) == me and node.ephemeral_owner != session:
            # Ours, of a session before this one: it would go with that.
            self.write_nodes([Delete(node.path, node.zk_version)])
            node = None
        if node is None:
            path = f"{RUNS_PATH}/{SUPERVISOR}"
            self.write_nodes([Create(path, me.encode(), is_ephemeral=True)])
            node = self.supervisor_node()
        return me if node is None else text_of(node)

    def prepare_parents(self) -> None:
        (here,) = self.connection.read(read_each((RUNS_PATH,)))
        if here is None:
            self.prepare()

    def supervisor(self) -> str | None:
        node = self.supervisor_node()
        return None if node is None else text_of(node)

    def supervisor_node(self) -> Znode | None:
        return self.connection.read(read_node(f"{RUNS_PATH}/{SUPERVISOR}"))

    def release(self, me: str) -> None:
        node = self.supervisor_node()
        if node is not None and text_of(node) == me:
            self.write_nodes([Delete(node.path, node.zk_version)])


def piece_path(run_id: str, number: int) -> str:
    return f"{RUNS_PATH}/{PLAN}{run_id}.{number:03}"


def text_of(node: Znode) -> str:
    return (node.data or b"").decode(errors="replace")
