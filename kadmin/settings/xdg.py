"""Directories for a user's files, by the XDG base directory specification.

Knows no file, and makes no directory.
"""

import os
from collections.abc import Mapping


def user_directory(variable: str, fallback: str, env: Mapping[str, str] = os.environ) -> str:
    """Return kadmin's directory below `$variable`, or below *fallback* where that is unset.

    The specification wants relative paths ignored.  The directory may not exist, nor be writable.
    """
    base = env.get(variable, "")
    if not os.path.isabs(base):
        base = os.path.expanduser(fallback)
    return os.path.join(base, "kadmin")
