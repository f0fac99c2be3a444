"""Every `$ kadmin` of the README and the guide is run, and prints what stands below it.

After a change of what kadmin prints: `REWRITE_DOCS=1 .venv/bin/pytest tests/docs`, then read the
diff.
"""

import os
import pty
import re
import subprocess
import sys

import pytest

from scripts.restore_znodes import main as restore
from tests.support.checkout import CHECKOUT
from tests.support.zookeeper import make_chroot

pytestmark = pytest.mark.zk

BLOCK = re.compile(r"(```console\n)(.*?)(```)", re.DOTALL)
SHOWN_CONNECT = "zk1:2181/kafka"
"""Stands on the pages for wherever the test has put the cluster."""

SINCE = re.compile(r"(since|at least) \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC")
SHOWN_SINCE = r"\1 2026-11-20 03:12:18 UTC"
"""Stands for when the test has written the states of the partitions."""

STYLE = re.compile(r"\x1b\[[0-9;]*m")


def on_a_terminal(command: str, connect: str) -> str:
    """What *command* shows on a terminal of 100 columns, without its styles."""
    words = command.replace("kadmin", f"{sys.executable} -m kadmin", 1)
    environment = {**os.environ, "KADMIN_ZOOKEEPER": connect, "COLUMNS": "100", "TERM": "xterm"}
    controller, terminal = pty.openpty()
    process = subprocess.Popen(
        ["bash", "-c", words],
        stdin=subprocess.DEVNULL,
        stdout=terminal,
        stderr=terminal,
        env=environment,
        cwd=CHECKOUT,
    )
    os.close(terminal)
    shown = b""
    try:
        while part := os.read(controller, 65536):
            shown += part
    except OSError:
        pass  # Linux says so that nobody has the terminal open any more.
    os.close(controller)
    process.wait()
    text = STYLE.sub("", shown.decode()).replace("\r\n", "\n").replace(connect, SHOWN_CONNECT)
    text = SINCE.sub(SHOWN_SINCE, text)
    return "".join(line.rstrip() + "\n" for line in text.splitlines())


def transcript(block: str, connect: str) -> str:
    commands = [line[2:] for line in block.splitlines() if line.startswith("$ ")]
    return "\n".join(f"$ {command}\n{on_a_terminal(command, connect)}" for command in commands)


@pytest.mark.parametrize("page", ["README.md", "docs/operating.md"])
def test_the_commands_print_what_the_page_says(page, zookeeper):
    connect = f"{make_chroot(zookeeper)}x"
    restore(connect, str(CHECKOUT / "scripts" / "demo-cluster.json"))
    path = CHECKOUT / page
    text = path.read_text(encoding="utf-8")

    ran = BLOCK.sub(lambda found: found[1] + transcript(found[2], connect) + found[3], text)

    assert "$ kadmin" in text
    if os.environ.get("REWRITE_DOCS"):
        path.write_text(ran, encoding="utf-8")
    assert ran == path.read_text(encoding="utf-8")
