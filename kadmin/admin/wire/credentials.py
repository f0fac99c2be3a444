"""SCRAM credentials of users, read and changed by brokers.

Brokers do not return a credential itself, only its mechanism and its number of iterations.
"""

from collections.abc import Sequence
from typing import Any, Final

from kafka.admin import ScramMechanism
from kafka.errors import DuplicateResourceError, NotControllerError, ResourceNotFoundError, for_code
from kafka.protocol.admin import (
    AlterUserScramCredentialsRequest,
    DescribeUserScramCredentialsRequest,
)

from kadmin.admin.wire.connection import NotServed, WireConnection
from kadmin.plan.config_plan import ConfigPlan
from kadmin.plan.scram import HASHES, salted_password_of

NUMBERS: Final = {name: ScramMechanism[name.replace("-", "_")].value for name in HASHES}
NAMES: Final = {number: name for name, number in NUMBERS.items()}
"""The mechanisms, by Kafka's numbers."""

WHAT: Final = "SCRAM credentials"
SINCE: Final = "2.7"
ATTEMPTS_MAX: Final = 5
PAUSE_S: Final = 0.2


def tells_credentials(connection: WireConnection) -> bool:
    """Return whether the brokers can be asked for credentials at all."""
    return connection.serves(DescribeUserScramCredentialsRequest)


def read_credentials(
    connection: WireConnection, users: Sequence[str] | None
) -> dict[str, dict[str, str]]:
    """Return what may be known of the credentials of *users*, None for all, by user and mechanism.

    A user without any is left out.

    Raises:
        KafkaError: the brokers' error, which `connect_brokers` translates.
    """
    names = None if users is None else [(user,) for user in users]
    answer = connection.ask(DescribeUserScramCredentialsRequest(users=names))
    if answer.error_code != 0:
        raise for_code(answer.error_code)(answer.error_message or WHAT)
    found = {}
    for result in answer.results:
        if result.error_code == ResourceNotFoundError.errno:
            continue
        if result.error_code != 0:
            raise for_code(result.error_code)(f"{WHAT} of user '{result.user}'")
        found[result.user] = {
            NAMES[one.mechanism]: f"iterations={one.iterations}"
            for one in result.credential_infos
            if one.mechanism in NAMES
        }
    return found


def alter_credentials(connection: WireConnection, plan: ConfigPlan) -> tuple[int, str | None]:
    """Set and delete the credentials that *plan* changes; the controller does it.

    Brokers with ZooKeeper change all of them or none.  KRaft controllers take no two mechanisms of
    a user in one request, so there it is one after the other.

    Returns the answer's error code and reason.

    Raises:
        NoController: there is none.
    """
    user = plan.entity.root.name
    before, after = plan.before.values, plan.after.values
    deletions = [(user, NUMBERS[name]) for name in before if name not in after]
    changed = {name: text for name, text in after.items() if before.get(name) != text}
    salted = {name: salted_password_of(text) for name, text in changed.items()}
    upsertions = [
        (user, NUMBERS[name], one.iterations, one.salt, one.salted) for name, one in salted.items()
    ]
    code, reason = send(connection, deletions, upsertions)
    if code != DuplicateResourceError.errno:
        return code, reason
    done = ""
    for one_by_one in (
        *(([each], []) for each in deletions),
        *(([], [each]) for each in upsertions),
    ):
        code, reason = send(connection, *one_by_one)
        if code != 0:
            return code, f"{reason}{done}"
        done = "; the credentials of other mechanisms were changed"
    return 0, None


def send(
    connection: WireConnection, deletions: Sequence[Any], upsertions: Sequence[Any]
) -> tuple[int, str | None]:
    request = AlterUserScramCredentialsRequest(deletions=deletions, upsertions=upsertions)
    for attempt in range(ATTEMPTS_MAX):
        if attempt:
            connection.budget.pause(PAUSE_S)
        [answer] = connection.send(request, connection.controller()).results
        # The broker asked for the controller may not know a new one yet.
        if answer.error_code != NotControllerError.errno:
            break
    return int(answer.error_code), answer.error_message


def require_credentials(connection: WireConnection) -> None:
    """Raise NotServed unless the brokers take credentials."""
    if not connection.serves(AlterUserScramCredentialsRequest):
        raise NotServed(connection.settings.bootstrap, WHAT, SINCE)
