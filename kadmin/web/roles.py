"""Roles of visitors: what may each do on which cluster?"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Role(StrEnum):
    """What a visitor may do on a cluster; each role may do what those above it may."""

    READ = "read"
    """See everything."""
    OPERATE = "operate"
    """Move replicas, elect leaders, create and grow topics, reset offsets."""
    ADMIN = "admin"
    """Delete, and change configs, ACLs and unclean leaders."""


RANKS: Final = {role: rank for rank, role in enumerate(Role)}

EVERY_CLUSTER: Final = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """A person or program that has proved its *name*; *grants* are its roles by cluster."""

    name: str
    grants: Mapping[str, Role]

    def role_on(self, cluster: str) -> Role | None:
        """Return the role on *cluster*, which wins over that on every cluster; None without any."""
        return self.grants.get(cluster, self.grants.get(EVERY_CLUSTER))

    def may(self, role: Role, cluster: str) -> bool:
        """Return whether the visitor may do on *cluster* what *role* may."""
        own = self.role_on(cluster)
        return own is not None and RANKS[own] >= RANKS[role]

    @property
    def sees_every_cluster(self) -> bool:
        return EVERY_CLUSTER in self.grants
