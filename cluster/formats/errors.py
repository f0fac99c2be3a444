"""Errors of files with invalid content."""

from cluster.model.errors import ClusterError


class CorruptFileError(ClusterError):
    """A file of this project, or of a Kafka broker, with other content than its name promises."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason
