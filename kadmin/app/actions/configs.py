"""The action on configs: set and remove some of entities."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from cluster.model.config_entity import ConfigEntity, EntityKind
from kadmin.admin.ports import ConfigAdmin
from kadmin.app.actions.action import Action
from kadmin.app.session import Session
from kadmin.execute.configs import ConfigChange
from kadmin.plan.config_plan import ConfigPlan, those_to_ask
from kadmin.plan.config_warnings import ConfigRequest
from kadmin.plan.entity_options import options_of
from kadmin.quoting import quoted


@contextmanager
def configs_to_change(
    session: Session, entity: ConfigEntity, request: ConfigRequest
) -> Iterator[ConfigAdmin]:
    """Open a connection for *request*: to ZooKeeper if it is named, but to the brokers that are
    named beside it for what running brokers check."""
    with session.configs() as admin:
        asks_zookeeper = session.known_brokers is not None and not session.asks_brokers
        if (
            not asks_zookeeper
            or entity.kind is not EntityKind.BROKERS
            or request.allow_running_brokers
            or not those_to_ask(entity, request, admin.snapshot([entity]).brokers)
        ):
            yield admin
            return
    with session.configs(by_brokers=True) as admin:
        yield admin


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeConfigs(Action):
    """Configs of *entities*, which are of one kind: *added* are set, *deleted* removed."""

    entities: tuple[ConfigEntity, ...]
    added: Mapping[str, str]
    deleted: tuple[str, ...]

    @property
    def verb(self) -> str:
        what = []
        if self.added:
            what.append(f"set {', '.join(self.added)}")
        if self.deleted:
            what.append(f"remove {', '.join(self.deleted)}")
        whom = self.entities[0]
        whose = str(whom) if len(self.entities) == 1 else f"{len(self.entities):,} {whom.kind}"
        return f"{' and '.join(what).capitalize()} of {whose}"

    @property
    def command(self) -> str:
        words = ["kadmin configs --alter", options_of(self.entities[0])]
        if len(self.entities) > 1:
            names = ",".join(str(entity.root.name) for entity in self.entities)
            words = ["kadmin configs --alter --topic", quoted(names)]
        if self.added:
            # In brackets, since lists have commas.
            pairs = ",".join(f"{key}=[{value}]" for key, value in self.added.items())
            words.append(f"--add-config {quoted(pairs)}")
        if self.deleted:
            words.append(f"--delete-config {quoted(','.join(self.deleted))}")
        return " ".join(words)

    @contextmanager
    def change(self, session: Session, rollback_path: str) -> Iterator[ConfigChange]:
        request = ConfigRequest(add=self.added, delete=self.deleted)
        with configs_to_change(session, self.entities[0], request) as admin:
            yield ConfigChange(admin, request, lambda: self.entities, session)

    def lines(self, plan: ConfigPlan) -> Iterable[str]:
        return str(plan).splitlines()
