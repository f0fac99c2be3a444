"""The journals of supervised runs in ZooKeeper: `kadmin.admin.ports.RunStore`.

Below `/kadmin/moves`: each journal under the id of its run, which is guarded by its version; the
plans in pieces beside them, packed by gzip, written before the journal and never again; and the
election of the supervisor, whose lease fences all that it writes.
"""

from collections.abc import Sequence
from typing import Final

from cluster.model.ids import ZkVersion
from cluster.model.outcome import Committed, Conflict, ConflictKind
from cluster.recipes.lease import Lease
from cluster.recipes.view import read_election
from cluster.zk.requests import Create, Delete, Operation, SetData
from cluster.zk.steps import read_children, read_each, read_node
from kadmin.admin.ports import Fence, KeptRun, LeaseFence, Outcome
from kadmin.admin.zookeeper.connection import Connection
from kadmin.admin.zookeeper.leadership import Contender
from kadmin.admin.zookeeper.packing import BadPacking, packed, unpacked
from kadmin.admin.zookeeper.throttle_journal import OWN_PATH
from kadmin.admin.zookeeper.transaction import RUNS_PATH, commit, run_path
from kadmin.errors import RefusedError
from kadmin.named_file import SIZE_MAX
from kadmin.plan.moves.plan_file import BadPlanFile, MovePlan, from_json, to_json
from kadmin.plan.supervision.journal import BadRun, document_of, run_of, run_text
from kadmin.plan.supervision.run import MoveRun

SUPERVISORS: Final = "supervisors"
SUPERVISORS_PATH: Final = f"{RUNS_PATH}/{SUPERVISORS}"
CLAIM_S: Final = 0.5
"""So long one call waits in the queue."""
CLOSE_S: Final = 2.0
PLAN: Final = "plan-"
PIECE_BYTES: Final = 700_000
KEPT_MAX: Final = 20
"""So many runs that have ended are kept, with their plans, which a rollback needs."""


class RunUnreadable(RefusedError):
    """The journal of a run, or its plan, is damaged."""

    def __init__(self, run_id: str, reason: str) -> None:
        super().__init__(
            f"cannot read the journal of the run {run_id}: {run_path(run_id)}: {reason}",
            hint="'kadmin reassign --list' shows what is moving; when that has ended, remove"
            f" {run_path(run_id)} with zookeeper-shell",
        )


class ZooKeeperRuns:
    """The `RunStore` of a ZooKeeper session."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.unseen = ""
        self.plans: dict[str, MovePlan] = {}
        self.pieces: dict[str, int] = {}
        self.contender: Contender | None = None
        self.lease: Lease | None = None

    @property
    def place(self) -> str:
        return f"{RUNS_PATH} in ZooKeeper"

    def run_ids(self) -> Sequence[str]:
        names = self.connection.read(read_children(RUNS_PATH))
        return sorted(each for each in names if each != SUPERVISORS and not each.startswith(PLAN))

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
            data = b"".join(node.data or b"" for node in nodes if node is not None)
            try:
                text = unpacked(data, SIZE_MAX)
            except BadPacking as error:
                raise BadRun(f"its plan {error}") from error
            known = self.plans[run_id] = from_json(text.decode(), run_id)
        return known

    def create(self, run: MoveRun) -> Outcome:
        """Write the plan first, and what makes it known last: after a crash in between there is no
        run, and the next one removes the pieces.

        Each run is created over the version of the znode above, so that of two at the same moment
        one is refused.
        """
        version = self.prepare()
        if not all(map(self.has_ended, self.run_ids())):
            return Conflict(RUNS_PATH, ConflictKind.EXISTS)
        data = packed(to_json(run.plan).encode())
        pieces = [data[at : at + PIECE_BYTES] for at in range(0, len(data), PIECE_BYTES)]
        for number, piece in enumerate(pieces):
            outcome = self.write_nodes([Create(piece_path(run.run_id, number), piece)])
            if not isinstance(outcome, Committed):
                return outcome
        text = run_text(run, pieces=len(pieces))
        journal = Create(run_path(run.run_id), text.encode())
        return self.write_nodes([SetData(RUNS_PATH, b"", version), journal])

    def prepare(self) -> ZkVersion:
        """Make the parents, remove what is left of runs that have no journal, or are old, and
        return the version of the znode above them as it was before."""
        above, here = self.connection.read(read_each((OWN_PATH, RUNS_PATH)))
        missing = [path for path, node in ((OWN_PATH, above), (RUNS_PATH, here)) if node is None]
        if missing:
            self.write_nodes([Create(path) for path in missing])
        if here is None:
            return ZkVersion(0)
        kept = list(self.run_ids())
        for run_id in kept[:-KEPT_MAX]:
            if self.has_ended(run_id):
                self.write_nodes([Delete(run_path(run_id))])
                kept.remove(run_id)
        for name in self.connection.read(read_children(RUNS_PATH)):
            if name.startswith(PLAN) and name.removeprefix(PLAN).rpartition(".")[0] not in kept:
                self.write_nodes([Delete(f"{RUNS_PATH}/{name}")])
        return here.zk_version

    def has_ended(self, run_id: str) -> bool:
        try:
            run = self.read(run_id)
        except RunUnreadable:
            return False
        return run is not None and run.state.is_final

    def write(self, run: MoveRun) -> Outcome:
        data = run_text(run, pieces=self.pieces[run.run_id]).encode()
        kept = KeptRun(run.run_id, run.zk_version, self.lease_fence())
        return self.write_nodes([SetData(run_path(run.run_id), data, run.zk_version)], kept)

    def write_nodes(self, operations: Sequence[Operation], run: KeptRun | None = None) -> Outcome:
        # No controller reads any of it, so that it does not matter which one there is.
        return commit(self.connection, Fence(mark=None, run=run), operations)

    def claim(self, me: str) -> str | None:
        if self.contender is None:
            self.prepare_parents()
            self.contender = Contender(self.connection, SUPERVISORS_PATH, identity=me, is_fair=True)
            self.contender.latch.start()
        lease = self.contender.acquire(CLAIM_S)
        if lease is None:
            holder = self.supervisor()
            return None if holder == me else holder
        self.lease = lease
        return me

    def lease_fence(self) -> LeaseFence:
        checks = () if self.lease is None else self.lease.fence
        return tuple((check.path, check.expected_zk_version) for check in checks)

    def holds_lease(self) -> bool:
        lease, contender = self.lease, self.contender
        return lease is not None and contender is not None and contender.latch.still_valid(lease)

    def prepare_parents(self) -> None:
        (here,) = self.connection.read(read_each((RUNS_PATH,)))
        if here is None:
            self.prepare()

    def supervisor(self) -> str | None:
        view = self.connection.read(read_election(SUPERVISORS_PATH))
        return None if view is None or view.leader is None else view.leader.identity

    def release(self) -> None:
        if self.contender is not None:
            self.contender.latch.close(CLOSE_S)
            self.contender = self.lease = None


def piece_path(run_id: str, number: int) -> str:
    return f"{RUNS_PATH}/{PLAN}{run_id}.{number:03}"
