"""Errors of files whose content is not what it has to be."""

from cluster.model.errors import ClusterError


class CorruptFileError(ClusterError):
    """A file of ours, or of a Kafka broker, whose content is not what its name promises."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason
