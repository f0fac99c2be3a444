"""The journal of a run as text: without its plan, which never changes and is kept beside it."""

import json
from collections.abc import Mapping
from typing import Final

from cluster.model.ids import NEVER_READ, ZkVersion
from kadmin.plan.moves.plan_file import MovePlan
from kadmin.plan.supervision.gates import Gate
from kadmin.plan.supervision.run import Goal, MoveRun, RunState, Settings

VERSION: Final = 1


class BadRun(Exception):
    """A text that is no journal of a run, with the reason."""


def run_text(run: MoveRun, **more: object) -> str:
    """Return *run* without its plan, with *more* beside it."""
    settings = run.settings
    document = {
        "version": VERSION,
        "run": run.run_id,
        "by": run.by,
        "began_at_ms": run.began_at_ms,
        "ended_at_ms": run.ended_at_ms,
        "state": str(run.state),
        "goal": str(run.goal),
        "reason": run.reason,
        "epoch": run.epoch,
        "supervisor": run.supervisor,
        "settings": {
            "max_moves": settings.max_moves,
            "max_moves_total": settings.max_moves_total,
            "throttle": settings.rate,
            "is_adaptive": settings.is_adaptive,
            "overrides": sorted(map(str, settings.overrides)),
        },
        **more,
    }
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def document_of(text: str) -> Mapping[str, object]:
    """Return the JSON object that *text* is.

    Raises:
        BadRun: it is none, or one of a later kadmin.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadRun(f"it is not JSON: {error}") from error
    if not isinstance(document, dict):
        raise BadRun("it is no JSON object")
    if document.get("version") != VERSION:
        raise BadRun(f"its version is {document.get('version')!r}, and not {VERSION}")
    return document


def run_of(
    document: Mapping[str, object], plan: MovePlan, zk_version: ZkVersion = NEVER_READ
) -> MoveRun:
    """Return the run of *plan* that *document* is the journal of.

    Raises:
        BadRun: it lacks something, or has what no kadmin writes.
    """
    settings = document.get("settings")
    if not isinstance(settings, dict):
        raise BadRun("it has no object 'settings'")
    overrides = settings.get("overrides")
    if not isinstance(overrides, list):
        raise BadRun("it has no list 'overrides'")
    try:
        state = RunState(text_in(document, "state"))
        ended_at_ms = optional_number_in(document, "ended_at_ms")
        if state is RunState.INTERRUPTED:
            raise BadRun("its state is 'interrupted', which no kadmin writes")
        if state.is_final != (ended_at_ms is not None):
            raise BadRun("it has ended, and not when; or the other way round")
        return MoveRun(
            run_id=text_in(document, "run"),
            plan=plan,
            by=text_in(document, "by"),
            began_at_ms=number_in(document, "began_at_ms"),
            ended_at_ms=ended_at_ms,
            state=state,
            goal=Goal(text_in(document, "goal")),
            reason=text_in(document, "reason"),
            epoch=number_in(document, "epoch"),
            supervisor=text_in(document, "supervisor"),
            settings=Settings(
                max_moves=number_in(settings, "max_moves"),
                max_moves_total=optional_number_in(settings, "max_moves_total"),
                rate=optional_number_in(settings, "throttle"),
                is_adaptive=settings.get("is_adaptive") is True,
                overrides=frozenset(map(Gate, overrides)),
            ),
            zk_version=zk_version,
        )
    except ValueError as error:
        raise BadRun(str(error)) from error


def text_in(document: Mapping[str, object], key: str) -> str:
    value = document.get(key)
    if not isinstance(value, str):
        raise BadRun(f"'{key}' is no text")
    return value


def number_in(document: Mapping[str, object], key: str) -> int:
    value = document.get(key)
    if type(value) is not int:
        raise BadRun(f"'{key}' is no number")
    return value


def optional_number_in(document: Mapping[str, object], key: str) -> int | None:
    return None if document.get(key) is None else number_in(document, key)
