"""Commands with a share of a core, as if each had a slower machine of its own.

Works on Linux only, by control groups (both versions), which only root can create.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

PERIOD_US: Final = 20_000
"""Short beside what is measured, so that a process does not wait long for its next share."""

SHARE_MIN: Final = 0.1
"""With less, processes do not start within their timeouts."""

OLD: Final = Path("/sys/fs/cgroup/cpu")
UNIFIED: Final = Path("/sys/fs/cgroup")
NAME: Final = "kadmin-bench-"
REMOVE_TIMEOUT_S: Final = 10.0


@contextmanager
def share_of_a_core(share: float | None) -> Iterator[list[str]]:
    """The words before a command that limit it, and all its children, to so much of a core.

    Each command has a share of its own; None: no limit.

    Raises:
        SystemExit: it is no share, or this system does not permit it.
    """
    if share is None:
        yield []
        return
    if not SHARE_MIN <= share <= 1:
        raise SystemExit(f"a share of a core is from {SHARE_MIN} to 1, not {share}")
    quota = round(share * PERIOD_US)
    if (OLD / "cgroup.procs").exists():
        root = OLD
        limits = f"echo {PERIOD_US} > $g/cpu.cfs_period_us && echo {quota} > $g/cpu.cfs_quota_us"
    else:
        root, limits = UNIFIED, f"echo {quota} {PERIOD_US} > $g/cpu.max"
    try:
        probe = root / f"{NAME}probe"
        probe.mkdir(exist_ok=True)
        probe.rmdir()
    except OSError as error:
        raise SystemExit(f"no shares of a core without control groups: {error}") from error
    script = f'g={root}/{NAME}$$; mkdir $g && {limits} && echo $$ > $g/cgroup.procs && exec "$@"'
    try:
        yield ["sh", "-c", script, "sh"]
    finally:
        deadline = time.monotonic() + REMOVE_TIMEOUT_S
        while (groups := list(root.glob(f"{NAME}*"))) and time.monotonic() < deadline:
            for group in groups:
                # A group in which a process is still ending stays for another moment.
                with suppress(OSError):
                    group.rmdir()
            time.sleep(0.05)
