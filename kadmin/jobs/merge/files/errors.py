"""Errors of files that cannot be read or written, or that changed meanwhile."""

from kadmin.errors import KadminError
from kadmin.jobs.uris import is_uri, shown


class CannotRead(KadminError):
    """A file that is missing or may not be read, in the system's words."""

    def __init__(self, path: str, error: OSError) -> None:
        reason = (error.strerror or str(error)).lower()
        super().__init__(
            f"cannot read {shown(path)}: {reason}",
            hint="see whether its server answers, also to every worker, and who may read it there"
            if is_uri(path)
            else f"see whether it is there, for this user and on every worker: ls -l {path}",
        )
        self.path = path


class FileChanged(KadminError):
    """A file that no longer is what the survey found."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{shown(path)} changed while it was read",
            hint="copy the logs of running brokers first, or leave out the file that grows",
        )
        self.path = path


class CannotWrite(KadminError):
    """A place that does not take a result, in the system's words."""

    def __init__(self, path: str, error: OSError) -> None:
        reason = (error.strerror or str(error)).lower()
        super().__init__(
            f"cannot write {shown(path)}: {reason}",
            hint="name a new directory for each merge"
            if isinstance(error, FileExistsError)
            else "see owner, mode and free space there; TMPDIR moves what is temporary",
        )
        self.path = path
