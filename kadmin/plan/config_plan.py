"""A plan of configs: which shall an entity have, and is that legal?

Pure: what was read goes in, a plan comes out, which is shown as it will be written.  Knows no
znodes and draws no salt for credentials.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from cluster.model.broker import BrokerRegistration
from cluster.model.config_entity import ConfigEntity, ConfigOverrides, Entity, EntityKind
from cluster.model.config_spec import Syntax, ValueKind, parsed_number, trimmed
from cluster.model.config_table import (
    broker_default_problem,
    config_problem,
    conflict_of,
    find_spec,
    is_throttle,
    suggest,
)
from cluster.model.ids import BrokerId
from kadmin.errors import KadminError, RefusedError
from kadmin.plan.config_warnings import NEWEST_RELEASE, ConfigRequest, Surroundings, warnings_of
from kadmin.plan.entity_options import options_of
from kadmin.plan.record_loss import RecordLoss, losses_of
from kadmin.plan.risks import (
    Risk,
    RiskKind,
    known_racks,
    locked_out,
    merged,
    new_risks,
    refuses_by_default,
    unclean_default,
)
from kadmin.plan.scram import shown_credential
from kadmin.wording import listed

HIDDEN: Final = "\0"
"""Stands for a value that brokers keep to themselves; no argument of a command can hold it."""

NULL: Final = "\0null"
"""Stands for a value of null, which brokers return for a key that they do not hide."""

QUOTA_KINDS: Final = (EntityKind.CLIENTS, EntityKind.USERS, EntityKind.IPS)
NUMBERS: Final = (ValueKind.INT, ValueKind.LONG, ValueKind.DOUBLE)
SECRET_WORDS: Final = re.compile("password|secret|credential|jaas|scram|token|private|hmac", re.I)
"""A key with one of these is a secret, whatever has it."""
KINDS_BEFORE_0_10_1: Final = (EntityKind.TOPICS, EntityKind.CLIENTS)


class InvalidConfigs(KadminError):
    """Keys or values that Kafka would refuse; all of them at once."""

    def __init__(self, problems: Sequence[str], hint: str | None) -> None:
        super().__init__(listed(problems, "; "), hint=hint)
        self.problems = tuple(problems)


class NotSet(KadminError):
    """Keys are to be deleted that the entity does not have."""

    def __init__(self, entity: ConfigEntity, names: Sequence[str]) -> None:
        super().__init__(
            f"Invalid config(s): {listed(names, ',')}: not set for {entity}; nothing was written",
            hint=f"kadmin configs --describe {options_of(entity)}",
        )
        self.names = tuple(names)


class StoredEncrypted(RefusedError):
    """Passwords of brokers stand encrypted with a secret that only the brokers have."""

    def __init__(self, names: Sequence[str], entity: ConfigEntity) -> None:
        super().__init__(
            f"{listed(names)}: brokers keep passwords in ZooKeeper encrypted with their"
            " password.encoder.secret, which kadmin does not have",
            hint="let a broker encrypt them: kadmin configs --bootstrap-server HOST:PORT --alter"
            f" {options_of(entity)} --add-config-file FILE",
        )
        self.names = tuple(names)


class BrokersRun(RefusedError):
    """Configs of running brokers are to be written to ZooKeeper, where no broker validates them."""

    def __init__(self, names: Sequence[str], entity: ConfigEntity, running: str, address: str):
        super().__init__(
            f"{listed(names)}: {running}, and would not be asked whether it takes that: Kafka"
            " drops all dynamic configs of a broker at its next start for one that is wrong",
            hint=f"let the broker check it: kadmin configs --bootstrap-server {address} --alter"
            f" {options_of(entity)} …; --allow-running-brokers writes it unchecked",
        )
        self.names = tuple(names)


class UnknownToBrokers(RefusedError):
    """A live broker is too old for configs of that kind, and could not even read the news."""

    def __init__(self, kind: EntityKind, release: str) -> None:
        super().__init__(
            f"a live broker registers like Kafka {release} or older, which has no dynamic configs"
            f" of {kind}",
            hint="'kadmin brokers --describe --output json' shows every broker's"
            " registration_version",
        )
        self.kind = kind


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyChange:
    """One key's value before and after; None where it has none.  Secrets are masked."""

    name: str
    before: str | None
    after: str | None

    def __str__(self) -> str:
        if self.before is None:
            return f"+ {self.name}={self.after}"
        if self.after is None:
            return f"- {self.name}={self.before}"
        return f"~ {self.name}: {self.before} -> {self.after}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigPlan:
    """The new configs of one entity; they are written if *before* is still what is there.

    *change_version* is the form of the notification that the live brokers understand.
    *warnings* are for the operator, who may go on; *losses* and *risks* he is asked about.
    """

    entity: ConfigEntity
    before: ConfigOverrides = field(repr=False)
    after: ConfigOverrides = field(repr=False)
    change_version: int = 2
    warnings: tuple[str, ...] = ()
    losses: tuple[RecordLoss, ...] = ()
    risks: tuple[Risk, ...] = ()

    @property
    def changes(self) -> tuple[KeyChange, ...]:
        """What differs, by key."""
        before, after = stated(self.before), stated(self.after)
        return tuple(
            KeyChange(
                name=name,
                before=self.shown(name, before.get(name)),
                after=self.shown(name, after.get(name)),
            )
            for name in sorted(before.keys() | after.keys())
            if before.get(name) != after.get(name)
        )

    def shown(self, name: str, value: "str | Unread | None") -> str | None:
        if value is None:
            return None
        text = value.text if isinstance(value, Unread) else value
        return shown_value(self.entity.kind, name, text)

    def __str__(self) -> str:
        lines = [f"plan: configs of {self.entity}"]
        lines += [f"  {change}" for change in self.changes] or ["  stay as they are"]
        lines += [f"  {loss}" for loss in self.losses]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Unread:
    """A value that no broker reads, since it is no text or stands in the wrong place."""

    text: str


def stated(config: ConfigOverrides) -> dict[str, str | Unread]:
    """Return the keys that *config* sets, also those that no broker reads; a value that is no text
    is its JSON."""
    unread = {**config.extra, **config.misplaced}
    return {**{name: Unread(json.dumps(value)) for name, value in unread.items()}, **config.values}


def shown_value(kind: EntityKind, name: str, value: str) -> str | None:
    """Return *value* for people and logs: passwords and keys are masked; None for null."""
    if value == NULL:
        return None
    if value == HIDDEN:
        return "***"
    spec = find_spec(kind, name)
    if spec is not None and spec.syntax is Syntax.CREDENTIAL:
        return shown_credential(value)
    return "***" if is_secret(kind, name) else value


def is_secret(kind: EntityKind, name: str) -> bool:
    """Return whether a value of *name* must not be shown.

    An unknown key is treated as secret where secrets are kept, for brokers and users, and elsewhere
    if its name has a word of secrets: it may have been set at the wrong entity.
    """
    spec = find_spec(kind, name)
    if spec is None:
        has_secrets = kind in (EntityKind.BROKERS, EntityKind.USERS)
        return has_secrets or SECRET_WORDS.search(name) is not None
    return spec.is_sensitive


def check_request(
    entity: ConfigEntity,
    request: ConfigRequest,
    *,
    allow_unknown: bool = False,
    asks_brokers: bool = False,
) -> None:
    """Refuse *request* where it is wrong whatever the cluster looks like.

    With *allow_unknown*, keys that Kafka does not know pass unchecked: plug-ins and forks of Kafka
    have their own.  With *asks_brokers* it is for brokers to carry out, which encrypt passwords.

    Raises:
        InvalidConfigs: unknown keys, bad values, keys that the entity cannot have.
        StoredEncrypted: passwords of brokers.
    """
    problems = [
        problem
        for name, value in request.add.items()
        if not allow_unknown or find_spec(entity.kind, name) is not None
        for problem in problems_of(entity, name, value)
    ]
    problems += [f"{name} is to be set and to be deleted" for name in sorted(both(request))]
    if problems:
        raise InvalidConfigs(problems, hint_for(entity.kind, request.add))
    encrypted = [
        name
        for name in request.add
        if (spec := find_spec(entity.kind, name)) is not None and spec.kind is ValueKind.PASSWORD
    ]
    if encrypted and not asks_brokers:
        raise StoredEncrypted(encrypted, entity)


def check_deletable(names: Collection[str], overrides: Iterable[Mapping[str, str]]) -> None:
    """Refuse to delete keys of topics that Kafka does not know and none of *overrides* has.

    A key that is set can be deleted even if it is unknown.

    Raises:
        InvalidConfigs: with each of them.
    """
    unknown = {name for name in names if find_spec(EntityKind.TOPICS, name) is None}
    for values in overrides:
        unknown -= values.keys()
    if unknown:
        problems = [f"Unknown topic config name: {name}" for name in sorted(unknown)]
        raise InvalidConfigs(problems, hint_for(EntityKind.TOPICS, unknown))


def problems_of(entity: ConfigEntity, name: str, value: str) -> Iterator[str]:
    problem = config_problem(entity.kind, name, value)
    if problem is not None:
        yield problem
        return
    if entity.root == Entity(EntityKind.BROKERS, None):
        problem = broker_default_problem(name)
        if problem is not None:
            yield problem
    spec = find_spec(entity.kind, name)
    if spec is not None and spec.syntax is Syntax.CREDENTIAL and entity.root.name is None:
        yield f"{name} is the credential of one user, it cannot be set for all"


def both(request: ConfigRequest) -> set[str]:
    return request.add.keys() & set(request.delete)


def hint_for(kind: EntityKind, names: Collection[str]) -> str | None:
    close = [
        meant
        for name in names
        if find_spec(kind, name) is None and (meant := suggest(kind, name)) is not None
    ]
    return f"did you mean {', '.join(close)}?" if close else None


def plan_change(
    entity: ConfigEntity,
    before: ConfigOverrides,
    request: ConfigRequest,
    surroundings: Surroundings,
) -> ConfigPlan:
    """Plan *request*, which `check_request` let pass, for an entity that has *before*.

    Raises:
        NotSet: keys to be deleted that are not there.
        InvalidConfigs: what would be set excludes something else.
        BrokersRun: brokers would not be asked whether they take it.
        UnknownToBrokers: a live broker is too old.
    """
    if entity.kind is EntityKind.BROKERS and not request.allow_running_brokers:
        refuse_past_brokers(entity, request, surroundings)
    there = stated(before)
    missing = [name for name in request.delete if name not in there]
    if missing:
        raise NotSet(entity, missing)
    remaining = {name: value for name, value in before.values.items() if name not in request.delete}
    values = remaining | {
        name: value
        for name, value in request.add.items()
        if not is_same_quota(entity.kind, name, remaining.get(name), value)
    }
    if entity.kind is EntityKind.TOPICS and conflict_of(before.values) is None:
        conflict = conflict_of(values)
        if conflict is not None:
            raise InvalidConfigs([conflict], None)
    return ConfigPlan(
        entity=entity,
        before=before,
        after=before.changed(values, (*request.add, *request.delete)),
        change_version=change_version(entity.kind, surroundings.oldest_registration),
        warnings=(*warnings_of(entity, request, surroundings), *still_unread(before, request)),
        losses=losses_of(entity.kind, before.values, values, surroundings.topic_overrides),
        risks=config_risks(entity, before.values, values, surroundings),
    )


def config_risks(
    entity: ConfigEntity,
    before: Mapping[str, str],
    after: Mapping[str, str],
    surroundings: Surroundings,
) -> tuple[Risk, ...]:
    """Return the risks that a topic, or where a default changes those that go by it, would have,
    and those of all who connect."""
    racks = known_racks(surroundings.brokers)
    if entity.kind is EntityKind.TOPICS:
        return merged(
            risk
            for topic in surroundings.judged
            for risk in new_risks(
                replace(topic, configs=before), replace(topic, configs=after), racks
            )
        )
    if entity.root == Entity(EntityKind.IPS, None):
        return locked_out(before, after)
    if entity.kind is not EntityKind.BROKERS:
        return ()
    found = [
        *unclean_default(before, after),
        *refuses_by_default(before, after),
        *locked_out(before, after, len(surroundings.brokers)),
    ]
    # A default that is a risk to all is one risk, not one for each topic.
    shown = {RiskKind.UNCLEAN, RiskKind.REFUSES_RECORDS}
    for topic in surroundings.judged:
        was = replace(topic, defaults={**topic.defaults, **before})
        becomes = replace(topic, defaults={**topic.defaults, **after})
        found += [risk for risk in new_risks(was, becomes, racks) if risk.kind not in shown]
    return merged(found)


def still_unread(before: ConfigOverrides, request: ConfigRequest) -> Iterator[str]:
    """Warn of values that are no text and that *request* leaves so."""
    for name in before.misplaced:
        if name not in request.add and name not in request.delete:
            yield (
                f"the value of {name} is not text, so no broker reads these configs: set or delete"
                " it, too"
            )


def refuse_past_brokers(
    entity: ConfigEntity, request: ConfigRequest, surroundings: Surroundings
) -> None:
    """Raise BrokersRun where Kafka's own tool would refuse to set it over ZooKeeper."""
    running = (
        () if surroundings.asks_brokers else those_to_ask(entity, request, surroundings.brokers)
    )
    if running:
        shown = "a broker" if entity.root.name is None else f"broker {entity.root.name}"
        addresses = [endpoint.address for broker in running for endpoint in broker.endpoints]
        names = checked_by_brokers(request)
        raise BrokersRun(names, entity, f"{shown} is running", next(iter(addresses), "HOST:PORT"))


def those_to_ask(
    entity: ConfigEntity, request: ConfigRequest, brokers: Mapping[BrokerId, BrokerRegistration]
) -> tuple[BrokerRegistration, ...]:
    """Return those of the live *brokers* that would check what *request* sets for *entity*."""
    if entity.kind is not EntityKind.BROKERS or not checked_by_brokers(request):
        return ()
    if entity.root.name is None:
        return tuple(brokers.values())
    broker = brokers.get(BrokerId(int(entity.root.name)))
    return () if broker is None else (broker,)


def checked_by_brokers(request: ConfigRequest) -> list[str]:
    return [name for name in request.add if not is_throttle(name)]


def is_same_quota(kind: EntityKind, name: str, before: str | None, after: str) -> bool:
    """Return whether *after* is the number that a quota has already: brokers write 50 as 50.0."""
    spec = find_spec(kind, name)
    if before is None or spec is None or kind not in QUOTA_KINDS:
        return False
    number = parsed_number(spec.kind, trimmed(after)) if spec.kind in NUMBERS else None
    return number is not None and number == parsed_number(spec.kind, trimmed(before))


def change_version(kind: EntityKind, oldest_registration: int | None) -> int:
    """Return the newest version of a notification that every live broker can read.

    Releases up to 0.8.2 (registration 1) read a bare topic name, up to 0.10.0 (2, 3) an object that
    can name topics and clients; what these cannot express is refused.

    Raises:
        UnknownToBrokers: a live broker knows no configs of *kind*.
    """
    if oldest_registration is None or oldest_registration >= 4:
        return 2
    if oldest_registration <= 1:
        if kind is not EntityKind.TOPICS:
            raise UnknownToBrokers(kind, NEWEST_RELEASE[1])
        return 0
    if kind in KINDS_BEFORE_0_10_1:
        return 1
    if oldest_registration == 2:
        raise UnknownToBrokers(kind, NEWEST_RELEASE[2])
    # Registration 3 is 0.10.0 or 0.10.1; of the two only the latter has configs of this kind.
    return 2
