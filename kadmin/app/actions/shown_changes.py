"""Changes that were shown and may be confirmed: once each, by who saw them, as they were seen.

They are kept in this process, few and not for long; a command is not needed to confirm them, only
their ids, which are drawn at random.  A change whose plan is no longer the one that was shown is
not written: the newer plan takes its place, and has to be confirmed itself.
"""

import re
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kadmin.app.actions.action import Action
from kadmin.app.actions.noting_session import NotingSession
from kadmin.app.evidence import now_ms
from kadmin.app.hint_target import with_cluster
from kadmin.errors import KadminError, RefusedError
from kadmin.execute.change import Begun, Proposal, carry_out
from kadmin.render.visible import visible
from kadmin.settings.xdg import user_directory
from kadmin.wording import moment_of

if TYPE_CHECKING:
    from kadmin.settings.keys import Value

AGE_S_MAX: Final = 900.0
"""A plan that is older is not confirmed any more; the result of one that was is kept as long."""
COUNT_MAX: Final = 500
COUNT_OF_ONE_MAX: Final = 50
"""So many are kept for one owner, the last ones."""
SOON_S: Final = 2.0


class Stage(StrEnum):
    SHOWN = "shown"
    WRITING = "writing"
    ENDED = "ended"


class NotConfirmed(RefusedError):
    """What had to be typed was not."""

    def __init__(self, action: Action) -> None:
        super().__init__(
            f"not confirmed, and nothing was written: type '{visible(action.to_be_typed)}' to"
            " confirm",
        )


class TooMany(RefusedError):
    """No more changes are kept."""

    def __init__(self) -> None:
        super().__init__(
            f"{COUNT_MAX} changes are being written; nothing was planned",
            hint="try again when some have ended",
        )


class ChangedMeanwhile(RefusedError):
    """Another client changed the cluster between two writes of one change."""

    def __init__(self, written_count: int, count: int) -> None:
        super().__init__(
            f"the cluster changed meanwhile: {written_count} of {count} parts were written, and"
            " the rest was not",
            hint="plan the rest again, from what is there now",
        )


@dataclass(slots=True, kw_only=True)
class ShownChange:
    """A change of *cluster* that *owner* sees, with what became of it.

    *proposal* is what was shown; *lines* are the plans as text.  *successor* is the id of the
    change that took its place since the cluster had changed, which *replaces* one.  *written* are
    the lines of what was written; *rollback_file* is None where none was made.  One that is neither
    *is_done* nor has an error or a successor when it has ended was stopped by a fault of kadmin's
    own.
    """

    change_id: str
    owner: str
    cluster: str
    action: Action
    proposal: Proposal[Any]
    session: NotingSession
    lines: tuple[str, ...]
    shown_at_ms: int
    rollback_path: Path
    shown_s: float = 0.0
    stage: Stage = Stage.SHOWN
    is_done: bool = False
    written: tuple[str, ...] = ()
    rollback_file: Path | None = None
    error: KadminError | None = None
    successor: str | None = None
    replaces: bool = False
    ended: threading.Event = field(default_factory=threading.Event)

    @property
    def has_changes(self) -> bool:
        return any(map(self.action.changes, self.proposal.plans))

    @property
    def warnings(self) -> list[str]:
        return [text for texts in self.proposal.warnings for text in texts]

    @property
    def notes(self) -> list[str]:
        """What was noted while it was planned, or since it is being written."""
        return self.session.notes

    @property
    def command(self) -> str:
        """The command that does the same to the same cluster."""
        return with_cluster(self.action.command, self.session.flags)

    @property
    def question(self) -> str:
        question = self.proposal.question
        return "" if question is None else question.text


class ShownChanges:
    """All changes that were shown, of all clusters; rollback files are kept in *directory*."""

    def __init__(
        self, directory: Path | None = None, now_s: Callable[[], float] = time.monotonic
    ) -> None:
        self.directory = directory or default_directory()
        self.now_s = now_s
        self._lock = threading.Lock()
        self._changes: OrderedDict[str, ShownChange] = OrderedDict()

    def propose(
        self, owner: str, cluster: str, flags: "dict[str, Value]", action: Action
    ) -> ShownChange:
        """Plan *action* on the *cluster* that *flags* name, and keep the plan for *owner*; writes
        nothing to the cluster.

        Raises:
            KadminError: it cannot be planned.
        """
        change_id = secrets.token_urlsafe(18)
        path = self.directory / rollback_name(cluster, change_id, action.rollback_suffix)
        session = NotingSession(flags)
        with action.change(session, str(path)) as change:
            stages = carry_out(change)
            first = next(stages)
            assert isinstance(first, Proposal)
            shown = shown_change(change_id, owner, cluster, session, action, first, path)
        return self._keep(shown)

    def find(self, change_id: str, owner: str) -> ShownChange | None:
        """Return the change of *owner*; None where there is none, or it is too old."""
        with self._lock:
            self._forget_old()
            found = self._changes.get(change_id)
            return found if found is not None and found.owner == owner else None

    def of_owner(self, owner: str, cluster: str) -> list[ShownChange]:
        """Return those of *owner* on *cluster*, the latest first."""
        with self._lock:
            self._forget_old()
            own = [each for each in self._changes.values() if each.owner == owner]
        return [each for each in reversed(own) if each.cluster == cluster]

    def confirm(
        self,
        shown: ShownChange,
        typed: str = "",
        noted: Callable[[], AbstractContextManager[dict[str, Any]]] = lambda: nullcontext({}),
        ended: Callable[[], object] = lambda: None,
    ) -> bool:
        """Begin to write *shown*, in a thread, and wait a moment for its end.

        All that is done is in a block of *noted*, which notes what is put into its mapping; *ended*
        is called behind it, however long it takes.
        Return whether this call began it: a change is written once, however often it is confirmed.

        Raises:
            NotConfirmed: it needs something *typed*, and that is not it.
        """
        if shown.action.to_be_typed and not is_typed(shown.action.to_be_typed, typed):
            raise NotConfirmed(shown.action)
        with self._lock:
            if shown.stage is not Stage.SHOWN or not shown.has_changes:
                return False
            shown.stage = Stage.WRITING
        # No daemon: the process ends behind a write, not within it.
        threading.Thread(
            target=self._write, args=(shown, noted, ended), name="confirmed change"
        ).start()
        shown.ended.wait(SOON_S)
        return True

    def _write(
        self,
        shown: ShownChange,
        noted: Callable[[], AbstractContextManager[dict[str, Any]]],
        ended: Callable[[], object],
    ) -> None:
        session = shown.session
        session.look_again()
        session.notes.clear()
        try:
            with noted() as outcome:
                self._carry_out(shown, session, outcome)
        except KadminError as error:
            # A trace would keep all that was read for the plan.
            error.__cause__ = error.__context__ = None
            shown.error = error.with_traceback(None)
        finally:
            shown.shown_s = self.now_s()  # Who confirmed it late still sees what became of it.
            shown.stage = Stage.ENDED
            ended()
            shown.ended.set()

    def _carry_out(
        self, shown: ShownChange, session: NotingSession, outcome: dict[str, Any]
    ) -> None:
        action, path = shown.action, shown.rollback_path
        if action.rollback_suffix:
            self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        with action.change(session, str(path)) as change:
            stages = carry_out(change)
            first = next(stages)
            assert isinstance(first, Proposal)
            if not is_as_shown(shown, first):
                outcome["replaced_by"] = self._replace(shown, first)
                return
            try:
                for stage in stages:
                    if isinstance(stage, Begun):
                        continue
                    if not change.written:
                        outcome["replaced_by"] = self._replace(shown, stage)
                        return
                    raise ChangedMeanwhile(len(change.written), len(first.plans))
            finally:
                shown.written = tuple(
                    line for plan in change.written for line in action.lines(plan)
                )
                outcome["written"] = shown.written
                if path.is_file():
                    shown.rollback_file = path
                    outcome["rollback_file"] = str(path)
            action.finish(session, change)
        shown.is_done = True

    def _replace(self, shown: ShownChange, newer: Proposal[Any]) -> str:
        """Keep *newer* in the place of *shown*, which was not written, and return its id."""
        change_id = secrets.token_urlsafe(18)
        path = shown.rollback_path.with_name(
            rollback_name(shown.cluster, change_id, shown.action.rollback_suffix)
        )
        session = NotingSession(shown.session.flags)
        kept = self._keep(
            shown_change(change_id, shown.owner, shown.cluster, session, shown.action, newer, path)
        )
        kept.replaces = True
        shown.successor = kept.change_id
        return kept.change_id

    def _keep(self, shown: ShownChange) -> ShownChange:
        shown.shown_s = self.now_s()
        with self._lock:
            self._forget_old()
            own = [each for each in self._changes.values() if each.owner == shown.owner]
            if len(own) >= COUNT_OF_ONE_MAX:
                self._forget_one(own)
            if len(self._changes) >= COUNT_MAX:
                self._forget_one(list(self._changes.values()))
            if len(self._changes) >= COUNT_MAX:
                raise TooMany
            self._changes[shown.change_id] = shown
        return shown

    def _forget_old(self) -> None:
        oldest_s = self.now_s() - AGE_S_MAX
        for each in list(self._changes.values()):
            if each.shown_s < oldest_s and each.stage is not Stage.WRITING:
                del self._changes[each.change_id]

    def _forget_one(self, some: list[ShownChange]) -> None:
        for each in some:
            if each.stage is not Stage.WRITING:
                del self._changes[each.change_id]
                return


def shown_change(
    change_id: str,
    owner: str,
    cluster: str,
    session: NotingSession,
    action: Action,
    proposal: Proposal[Any],
    path: Path,
) -> ShownChange:
    return ShownChange(
        change_id=change_id,
        owner=owner,
        cluster=cluster,
        action=action,
        session=session,
        proposal=proposal,
        lines=tuple(line for plan in proposal.plans for line in action.lines(plan)),
        shown_at_ms=now_ms(),
        rollback_path=path,
    )


def is_typed(wanted: str, typed: str) -> bool:
    """Return whether *typed* is *wanted*, or what is shown of it: no key types some characters."""
    return typed == wanted or typed.strip() == visible(wanted).strip() != ""


def is_as_shown(shown: ShownChange, now: Proposal[Any]) -> bool:
    """Return whether *now* is, in what matters, what the operator saw and confirmed."""
    before, key = shown.proposal, shown.action.key
    return (
        list(map(key, before.plans)) == list(map(key, now.plans))
        and before.warnings == now.warnings
        and before.question == now.question
    )


def rollback_name(cluster: str, change_id: str, suffix: str) -> str:
    """Return the name of a new file, whatever characters the name of the cluster has."""
    stem = re.sub(r"[^A-Za-z0-9._]+", "-", cluster)[:60]
    moment = moment_of(now_ms())
    assert moment is not None, "it is within the calendar"
    stamp = f"{moment:%Y%m%dT%H%M%SZ}"
    return f"{stem}-rollback-{stamp}-{change_id[:6].replace('-', '_')}{suffix}"


def default_directory() -> Path:
    """Return where rollback files are kept: below the user's directory of state."""
    return Path(user_directory("XDG_STATE_HOME", "~/.local/state")) / "rollback"
