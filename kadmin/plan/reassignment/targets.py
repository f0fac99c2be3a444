"""Targets: which replicas is a partition to get, and in which directories of their brokers?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.errors import KadminError
from kadmin.wording import listed

ANY_DIR: Final = "any"
"""In the place of a log directory: the broker may choose."""


@dataclass(frozen=True, slots=True)
class Target:
    """*replicas* in order of preference; *log_dirs* has one for each, `ANY_DIR` or an absolute
    path, and is empty where no directory is asked for."""

    replicas: tuple[BrokerId, ...]
    log_dirs: tuple[str, ...] = ()

    @property
    def chosen_dirs(self) -> Mapping[BrokerId, str]:
        """The directories that are asked for, by broker."""
        pairs = zip(self.replicas, self.log_dirs, strict=bool(self.log_dirs))
        return {broker: path for broker, path in pairs if path != ANY_DIR}


Targets: TypeAlias = Mapping[TopicPartition, Target]
"""In order of topic and partition."""


def in_order(targets: Targets) -> dict[TopicPartition, Target]:
    """Sort *targets* by topic, and of a topic by number: `t-10` behind `t-9`."""
    return {partition: targets[partition] for partition in sorted(targets)}


class UnfitTargets(KadminError):
    """Targets that do not fit the cluster; *problems* are all reasons, each with its partitions."""

    def __init__(self, problems: Sequence[str], hint: str) -> None:
        super().__init__("nothing is moved: " + listed(problems, "; "), hint=hint)
        self.problems = tuple(problems)
