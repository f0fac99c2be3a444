"""Errors in a configuration, for its author."""

from collections.abc import Sequence

from cluster.model.errors import ClusterError


class InvalidSettings(ClusterError):
    """A configuration that no broker can use; all problems at once, one line each."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)
