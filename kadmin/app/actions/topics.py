"""Actions on topics: create, add partitions, delete."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kadmin.app.actions.action import Action
from kadmin.execute.topics import (
    PartitionsRequest,
    TopicAlteration,
    TopicCreation,
    TopicDeletion,
    wait_for_deletion,
    wait_for_leaders,
)
from kadmin.plan.config_warnings import ConfigRequest
from kadmin.plan.topics import CreateRequest, TopicPlan
from kadmin.quoting import quoted
from kadmin.render.topics.changes import plan_lines
from kadmin.wording import counted

if TYPE_CHECKING:
    from kadmin.app.session import Session
    from kadmin.execute.change import Change


def named(names: Iterable[str]) -> str:
    """Return `topic orders` or `3 topics`."""
    found = list(names)
    return f"topic {found[0]}" if len(found) == 1 else counted(len(found), "topic")


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateTopic(Action):
    """A new topic; *draw* are two random numbers, so that its plan is the same each time.

    Where a count is None, brokers are asked for their default.
    """

    name: str
    partition_count: int | None
    replication_factor: int | None
    configs: Mapping[str, str] = field(default_factory=dict)
    draw: tuple[int, int] = (0, 0)

    @property
    def verb(self) -> str:
        return f"Create topic {self.name}"

    @property
    def command(self) -> str:
        words = ["kadmin topics --create --topic", quoted(self.name)]
        if self.partition_count is not None:
            words.append(f"--partitions {self.partition_count}")
        if self.replication_factor is not None:
            words.append(f"--replication-factor {self.replication_factor}")
        words += [f"--config {quoted(f'{key}={value}')}" for key, value in self.configs.items()]
        return " ".join(words)

    @contextmanager
    def change(self, session: "Session", rollback_path: str) -> Iterator[TopicCreation]:
        request = CreateRequest(
            name=self.name,
            partition_count=self.partition_count,
            replication_factor=self.replication_factor,
            configs=self.configs,
            draw=self.draw,
        )
        with session.topics() as admin:
            yield TopicCreation(admin, request, session)

    def lines(self, plan: TopicPlan) -> Iterable[str]:
        return plan_lines(plan)

    def finish(self, session: "Session", change: "Change[Any]") -> None:
        assert isinstance(change, TopicCreation)
        wait_for_leaders(change.admin, change.created, session.settings.timeout_s, session)


@dataclass(frozen=True, slots=True, kw_only=True)
class AddPartitions(Action):
    """More partitions for topics, up to *partition_count* each."""

    names: tuple[str, ...]
    partition_count: int

    @property
    def verb(self) -> str:
        return f"Add partitions to {named(self.names)}, up to {self.partition_count}"

    @property
    def command(self) -> str:
        topics = quoted(",".join(self.names))
        return f"kadmin topics --alter --topic {topics} --partitions {self.partition_count}"

    @contextmanager
    def change(self, session: "Session", rollback_path: str) -> Iterator[TopicAlteration]:
        request = PartitionsRequest(
            partition_count=self.partition_count,
            assignment=None,
            placement=None,
            is_rack_aware=True,
            allow_unknown_brokers=False,
            allow_many_partitions=False,
        )
        is_one_name = len(self.names) == 1
        with session.topics() as admin:
            yield TopicAlteration(
                admin, self.names, ConfigRequest(), request, session, is_one_name=is_one_name
            )

    def lines(self, plan: TopicPlan) -> Iterable[str]:
        return plan_lines(plan)

    def finish(self, session: "Session", change: "Change[Any]") -> None:
        assert isinstance(change, TopicAlteration)
        wait_for_leaders(change.admin, change.added, session.settings.timeout_s, session)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteTopics(Action):
    """Topics and all their records are deleted."""

    names: tuple[str, ...]

    @property
    def verb(self) -> str:
        return f"Delete {named(self.names)}"

    @property
    def command(self) -> str:
        return f"kadmin topics --delete --topic {quoted(','.join(self.names))} --wait"

    @property
    def to_be_typed(self) -> str:
        return self.names[0] if len(self.names) == 1 else f"delete {named(self.names)}"

    @contextmanager
    def change(self, session: "Session", rollback_path: str) -> Iterator[TopicDeletion]:
        with session.topics() as admin:
            yield TopicDeletion(admin, self.names)

    def lines(self, plan: TopicPlan) -> Iterable[str]:
        return plan_lines(plan)

    def finish(self, session: "Session", change: "Change[Any]") -> None:
        assert isinstance(change, TopicDeletion)
        wait_for_deletion(change.admin, self.names, session.settings.timeout_s, session)
