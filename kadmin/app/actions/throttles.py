"""The action on throttles: release those that nothing needs any more."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from cluster.model.ids import BrokerId
from kadmin.app.actions.action import Action
from kadmin.app.hint_target import with_cluster
from kadmin.app.session import Session
from kadmin.execute.throttle_release import Releasing
from kadmin.plan.reassignment.throttle_release import Release
from kadmin.quoting import quoted
from kadmin.render.throttles import release_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseThrottles(Action):
    """All throttles left behind; or, where some are named, all of *brokers* and *topics*."""

    brokers: tuple[BrokerId, ...] = ()
    topics: tuple[str, ...] = ()

    @property
    def verb(self) -> str:
        if not self.brokers and not self.topics:
            return "Release the throttles left behind"
        named = [f"broker {broker}" for broker in self.brokers]
        named += [f"topic {name}" for name in self.topics]
        return f"Release all throttles of {', '.join(named)}"

    @property
    def command(self) -> str:
        words = ["kadmin throttle release"]
        words += [f"--broker {broker}" for broker in self.brokers]
        words += [f"--topic {quoted(name)}" for name in self.topics]
        return " ".join(words)

    @property
    def rollback_suffix(self) -> str:
        return ".sh"

    @contextmanager
    def change(self, session: Session, rollback_path: str) -> Iterator[Releasing]:
        from kadmin.app.moves import site

        with site(session) as opened:
            yield Releasing(
                opened,
                brokers=self.brokers,
                topics=self.topics,
                rollback_path=rollback_path,
                with_cluster=lambda text: with_cluster(text, session.flags),
            )

    def lines(self, plan: Release) -> Iterable[str]:
        return release_lines(plan)
