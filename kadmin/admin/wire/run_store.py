"""The journals of supervised runs where ZooKeeper cannot be reached: `kadmin.admin.ports.RunStore`.

Files of one user at one machine, for each cluster: another machine knows nothing of them.  The
lease of the supervisor is a lock, which ends with the process.
"""

import json
import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import quote

from cluster.model.ids import NEVER_READ, ZkVersion
from cluster.model.outcome import Committed, Conflict, ConflictKind
from kadmin.admin.ports import Outcome
from kadmin.errors import KadminError, RefusedError
from kadmin.plan.moves.plan_file import BadPlanFile, from_json, to_document
from kadmin.plan.supervision.journal import BadRun, document_of, number_in, run_of, run_text
from kadmin.plan.supervision.run import MoveRun
from kadmin.settings.atomic_file import write_atomically
from kadmin.settings.file_lock import locked_file, try_lock
from kadmin.settings.xdg import user_directory

LOCK_TIMEOUT_S: Final = 10.0
KEPT_MAX: Final = 20
"""So many runs are kept that have ended."""

T = TypeVar("T")


class RunUnreadable(RefusedError):
    """The journal of a run is damaged, or may not be read."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(
            f"cannot read the journal of a run: {path}: {reason}",
            hint="'kadmin reassign --list' shows what is moving; when that has ended, move it out"
            f" of {path.parent}",
        )
        self.path = path


class RunUnwritable(KadminError):
    """A run cannot be carried on, since its journal cannot be kept."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(
            f"cannot keep the journal of a run in {path}: {reason}",
            hint="check the owner and mode of that file and directory, or let XDG_STATE_HOME name"
            " another directory",
        )
        self.path = path


class FileRuns:
    """The `RunStore` of the cluster with *cluster_id*."""

    def __init__(self, cluster_id: str, unseen: str = "") -> None:
        self.cluster_id = cluster_id
        self.unseen = unseen
        state = user_directory("XDG_STATE_HOME", "~/.local/state")
        # An operator may have given the cluster any id; a file has no slash in its name.
        self.directory = Path(state, "moves", quote(cluster_id, safe=""))
        self.lease: int | None = None
        """The descriptor of the lock, while it is ours."""

    @property
    def place(self) -> str:
        return str(self.directory)

    def run_ids(self) -> Sequence[str]:
        return sorted(path.stem for path in self.directory.glob("*.json"))

    def path_of(self, run_id: str) -> Path:
        return self.directory / f"{quote(run_id, safe='')}.json"

    def read(self, run_id: str) -> MoveRun | None:
        path = self.path_of(run_id)
        try:
            document = document_of(path.read_text(encoding="utf-8"))
            plan = from_json(json.dumps(document.get("plan")), "its plan")
            if plan.cluster_id not in (None, self.cluster_id):
                raise BadRun(f"it is of the cluster {plan.cluster_id}")
            return run_of(document, plan, ZkVersion(number_in(document, "revision")))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise RunUnreadable(path, error.strerror or str(error)) from error
        except (BadRun, BadPlanFile, UnicodeDecodeError) as error:
            raise RunUnreadable(path, str(error)) from error

    def create(self, run: MoveRun) -> Outcome:
        ended = [each for each in self.run_ids() if self.has_ended(each)]
        for run_id in ended[:-KEPT_MAX]:
            self.path_of(run_id).unlink(missing_ok=True)
        return self.write(run)

    def has_ended(self, run_id: str) -> bool:
        try:
            run = self.read(run_id)
        except RunUnreadable:
            return False
        return run is not None and run.state.is_final

    def unfinished(self) -> MoveRun | None:
        """Return the latest run that has not ended, of those that can be read."""
        for run_id in reversed(self.run_ids()):
            with suppress(RunUnreadable):
                run = self.read(run_id)
                if run is not None and not run.state.is_final:
                    return run
        return None

    def write(self, run: MoveRun) -> Outcome:
        """Keep *run*, on disk when this returns."""
        path = self.path_of(run.run_id)

        def write() -> Outcome:
            kept = self.read(run.run_id)
            if kept is None and not all(map(self.has_ended, self.run_ids())):
                return Conflict(f"the journals in {self.directory}", ConflictKind.EXISTS)
            if run.zk_version != (NEVER_READ if kept is None else kept.zk_version):
                return Conflict(f"the journal {path}", ConflictKind.VERSION)
            text = run_text(run, revision=max(0, run.zk_version + 1), plan=to_document(run.plan))
            write_atomically(path, text)
            return Committed()

        return self.at_disk(path, lambda: self.locked(write))

    def locked(self, action: Callable[[], T]) -> T:
        lock = self.directory / "journals.lock"
        with locked_file(lock, LOCK_TIMEOUT_S, RunUnwritable(lock, "another kadmin holds it")):
            return action()

    def at_disk(self, path: Path, action: Callable[[], T]) -> T:
        try:
            self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            return action()
        except OSError as error:
            raise RunUnwritable(path, error.strerror or str(error)) from error

    @property
    def lease_path(self) -> Path:
        return self.directory / "supervisor.lock"

    def claim(self, me: str) -> str:
        if self.lease is not None:
            return me
        return self.at_disk(self.lease_path, lambda: self.take_lease(me))

    def take_lease(self, me: str) -> str:
        with ExitStack() as stack:
            lease = os.open(self.lease_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            stack.callback(os.close, lease)
            if not try_lock(lease):
                holder = os.pread(lease, 1024, 0).decode(errors="replace")
                return holder if holder != me else f"another process {me}"
            os.ftruncate(lease, 0)
            os.pwrite(lease, me.encode(), 0)
            stack.pop_all()
        self.lease = lease
        return me

    def supervisor(self) -> str | None:
        if self.lease is not None:
            return self.lease_path.read_text(encoding="utf-8")
        with suppress(FileNotFoundError), self.lease_path.open("rb") as file:
            return None if try_lock(file.fileno()) else file.read().decode(errors="replace")
        return None

    def lease_fence(self) -> tuple[()]:
        """Return no checks: files have none, and the lock ends with the process alone."""
        return ()

    def holds_lease(self) -> bool:
        return self.lease is not None

    def release(self) -> None:
        if self.lease is not None:
            os.close(self.lease)
            self.lease = None
