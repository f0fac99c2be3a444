"""Prometheus itself: Debian's package, unpacked once, and a server of it that scrapes a target."""

import json
import os
import shutil
import subprocess
import tempfile
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from kadmin.local.ports import free_ports
from tests.support import checkout
from tests.support.evidence import watch
from tests.support.waiting import OUTER_LIMIT_S, wait_until

LOOPBACK: Final = "127.0.0.1"
CACHE: Final = checkout.CACHE / "prometheus"
PROGRAMS: Final = Path("usr/bin")


def program(name: str) -> str:
    """Return the path of `prometheus` or `promtool`; the test is skipped where there is none."""
    installed = shutil.which(name)
    if installed is not None:
        return installed
    if not (CACHE / PROGRAMS / name).exists():
        unpack()
    return str(CACHE / PROGRAMS / name)


def unpack() -> None:
    """Fetch the package and unpack it, without installing it: that would start a service."""
    CACHE.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE.parent) as place:
        try:
            run("apt-get", "download", "prometheus", cwd=place)
            (package,) = Path(place).glob("prometheus_*.deb")
            run("dpkg", "-x", str(package), f"{place}/unpacked")
        except (OSError, subprocess.CalledProcessError, ValueError):
            pytest.skip("prometheus is not installed, and apt-get returned no package")
        shutil.rmtree(CACHE, ignore_errors=True)
        os.rename(f"{place}/unpacked", CACHE)


def run(*command: str, cwd: str | None = None) -> str:
    """Return what *command* prints, whose failure is an error with all of it."""
    return subprocess.run(
        command, cwd=cwd, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ).stdout


class Prometheus:
    """A server that scrapes one target."""

    def __init__(self, port: int) -> None:
        self.url = f"http://{LOOPBACK}:{port}"

    def ask(self, path: str, **values: str) -> Any:
        url = f"{self.url}/api/v1/{path}?{urllib.parse.urlencode(values)}"
        with urllib.request.urlopen(url, timeout=OUTER_LIMIT_S) as answer:
            return json.load(answer)["data"]

    def query(self, expression: str) -> list[dict[str, Any]]:
        """The samples of *expression* now."""
        result: list[dict[str, Any]] = self.ask("query", query=expression)["result"]
        return result

    def is_ready(self) -> bool:
        try:
            return bool(self.query("up == 1"))
        except OSError:
            return False


@contextmanager
def running_prometheus(directory: Path, target: str) -> Iterator[Prometheus]:
    """A server that has scraped *target*, an address, and does so every second."""
    config = {
        "global": {"scrape_interval": "1s"},
        "scrape_configs": [{"job_name": "kadmin", "static_configs": [{"targets": [target]}]}],
    }
    directory.mkdir(parents=True)
    watch(directory)
    path = directory / "prometheus.yml"
    # JSON is YAML.
    path.write_text(json.dumps(config))
    (port,) = free_ports(1, LOOPBACK)
    command = [
        program("prometheus"),
        f"--config.file={path}",
        f"--storage.tsdb.path={directory / 'data'}",
        f"--web.listen-address={LOOPBACK}:{port}",
    ]
    with (directory / "stderr").open("w") as stderr:
        process = subprocess.Popen(command, stdout=stderr, stderr=stderr)
    server = Prometheus(port)
    try:
        wait_until(server.is_ready, what="Prometheus has scraped its target")
        yield server
    finally:
        process.kill()
        process.wait(OUTER_LIMIT_S)
