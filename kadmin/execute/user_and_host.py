"""Who makes a change, as leases and journals name him."""

from getpass import getuser
from socket import gethostname


def user_and_host() -> str:
    """Return `user@host` of this process."""
    try:
        user = getuser()
    except (KeyError, OSError):  # A container may run as a user that has no name.
        user = "unknown"
    return f"{user}@{gethostname()}"
