"""Names of rollback files that no option names."""

import time
from pathlib import Path


def new_rollback_path(what: str, suffix: str) -> str:
    """A name for the rollback file of a change of *what*, which no file in this directory has."""
    stem = time.strftime(f"{what}-rollback-%Y%m%dT%H%M%SZ", time.gmtime())
    number = 0
    while True:
        path = Path(f"{stem}{f'-{number}' if number else ''}{suffix}")
        if not path.exists():
            return str(path)
        number += 1
