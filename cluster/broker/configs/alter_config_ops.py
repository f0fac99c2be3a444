"""The operations of AlterConfigs and IncrementalAlterConfigs on the overrides of a resource.

Source: Kafka's ConfigAdminManager and ZkAdminManager, whose texts these are.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple, TypeAlias

from cluster.model.api_error import ApiError
from cluster.model.config_spec import ConfigSpec, ValueKind, members, trimmed
from cluster.model.error_codes import ErrorCode


class Operation(IntEnum):
    """An operation on one config, by Kafka's numbers."""

    SET = 0
    DELETE = 1
    APPEND = 2
    SUBTRACT = 3


Overrides: TypeAlias = Mapping[str, str]

Change: TypeAlias = tuple[str, int, str | None]
"""A key, the operation on it, and its value."""


class Rules(NamedTuple):
    """The rules for the configs of a resource.

    *find_spec* returns the spec of a known key, *list_base* the value of a list without an
    override. *problem* returns why a change is not possible, given the overrides that it sets, and
    all overrides after it.
    """

    find_spec: Callable[[str], ConfigSpec | None]
    list_base: Callable[[ConfigSpec], str]
    problem: Callable[[Overrides, Overrides], ApiError | None]


def replaced(
    rules: Rules, configs: Sequence[tuple[str, str | None]], before: Overrides
) -> Overrides | ApiError:
    """Replace the overrides of a resource by *configs*; the ones *before* do not matter."""
    problem = null_problem([name for name, value in configs if value is None])
    if problem is not None:
        return problem
    after = {name: value for name, value in configs if value is not None}
    return rules.problem(after, after) or after


def changed(rules: Rules, configs: Sequence[Change], before: Overrides) -> Overrides | ApiError:
    """Apply each of *configs* to the overrides *before*; the others stay as they are."""
    if any(count > 1 for count in Counter(name for name, _, _ in configs).values()):
        return refused("Error due to duplicate config keys")
    deleting = Operation.DELETE
    problem = null_problem(
        [name for name, operation, value in configs if value is None and operation != deleting]
    )
    if problem is not None:
        return problem
    after = dict(before)
    for change in configs:
        problem = apply(rules, after, change)
        if problem is not None:
            return problem
    set_now = {name: after[name] for name, operation, _ in configs if operation != deleting}
    return rules.problem(set_now, after) or after


def apply(rules: Rules, overrides: dict[str, str], change: Change) -> ApiError | None:
    """Change one config in *overrides*; else return why not."""
    name, operation, value = change
    if operation == Operation.DELETE:
        overrides.pop(name, None)
        return None
    assert value is not None
    if operation == Operation.SET:
        overrides[name] = value
        return None
    if operation not in (Operation.APPEND, Operation.SUBTRACT):
        return refused(f"Unknown operations type {operation}")
    spec = rules.find_spec(name)
    if spec is None or spec.kind is not ValueKind.LIST:
        verb = Operation(operation).name.lower()
        message = f"Config value {verb} is not allowed for config key: {name}"
        return ApiError(ErrorCode.INVALID_CONFIG, message)
    words = members(trimmed(overrides.get(name, rules.list_base(spec))))
    given = members(trimmed(value))
    if operation == Operation.APPEND:
        words += [word for word in given if word not in words]
    else:
        words = [word for word in words if word not in given]
    overrides[name] = ",".join(words)
    return None


def null_problem(names: Sequence[str]) -> ApiError | None:
    return refused(f"Null value not supported for : {','.join(names)}") if names else None


def refused(message: str) -> ApiError:
    return ApiError(ErrorCode.INVALID_REQUEST, message)
