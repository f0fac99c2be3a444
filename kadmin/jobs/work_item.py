"""Work items: pieces of work on their way to another process, and their outcomes on the way back.

As a name and a pickled argument; a failure in kadmin's own words comes back as words, so that
Spark neither repeats it nor prints it.  Runs in the tasks; knows no SparkContext.
"""

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kadmin.errors import KadminError
from kadmin.jobs.factory import Factory


@dataclass(frozen=True, slots=True)
class Failure:
    """A KadminError that ended a piece of work."""

    message: str
    hint: str | None


def pack_work_item(work: Callable[[Any], Any], argument: Any) -> bytes:
    """A work item: to call the module-level function *work* with *argument*."""
    return pickle.dumps((f"{work.__module__}:{work.__qualname__}", argument))


def run_work_item(work_item: bytes) -> bytes:
    """Do what `pack_work_item` packed; the outcome is for `result_of`."""
    name, argument = pickle.loads(work_item)
    try:
        return pickle.dumps(Factory(name).find()(argument))
    except KadminError as error:
        return pickle.dumps(Failure(error.message, error.hint))


def result_of(outcome: bytes) -> Any:
    """What the work returned.

    Raises:
        KadminError: the work raised one, of whatever kind.
    """
    answer = pickle.loads(outcome)
    if isinstance(answer, Failure):
        raise KadminError(answer.message, hint=answer.hint)
    return answer
