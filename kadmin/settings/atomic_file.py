"""A file that is replaced in one go: who reads it meanwhile sees the old one or the new one.

Knows nothing of what is in it.
"""

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

PRIVATE: Final = 0o600


def write_atomically(target: Path, content: str | bytes, *, mode: int = PRIVATE) -> None:
    """Replace *target* by *content*, text in UTF-8: readers see the old file or the new one.

    A new file has *mode*: its owner's alone, unless it can hold no passwords; an old one keeps mode
    and owner.
    """
    descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(descriptor, mode)
            if target.exists():
                old = target.stat()
                os.fchmod(descriptor, old.st_mode & 0o777)
                # Under sudo the file stays the user's; without rights to give it away, ours.
                with suppress(PermissionError):
                    os.fchown(descriptor, old.st_uid, old.st_gid)
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(descriptor)
        os.replace(temporary, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
