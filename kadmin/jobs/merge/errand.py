"""How does a piece of work get to a Spark task and its outcome back?

As a name and a pickled argument; a failure in kadmin's own words comes back as words, so that
Spark neither repeats it nor prints it.  Runs in the tasks; knows no SparkContext.
"""

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kadmin.errors import KadminError
from kadmin.jobs.merge.calls import Call


@dataclass(frozen=True, slots=True)
class Failure:
    """A KadminError that ended a piece of work."""

    message: str
    hint: str | None


def pack(work: Callable[[Any], Any], argument: Any) -> bytes:
    """An errand: to call the module-level function *work* with *argument*."""
    return pickle.dumps((f"{work.__module__}:{work.__qualname__}", argument))


def perform(errand: bytes) -> bytes:
    """Do what `pack` packed; the outcome is for `unpack`."""
    name, argument = pickle.loads(errand)
    try:
        return pickle.dumps(Call(name).find()(argument))
    except KadminError as error:
        return pickle.dumps(Failure(error.message, error.hint))


def unpack(outcome: bytes) -> Any:
    """What the work returned.

    Raises:
        KadminError: the work raised one, of whatever kind.
    """
    answer = pickle.loads(outcome)
    if isinstance(answer, Failure):
        raise KadminError(answer.message, hint=answer.hint)
    return answer
