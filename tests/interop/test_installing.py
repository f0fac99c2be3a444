"""Does the wheel work in an environment that has nothing but what it asks for?

PyPI is asked for the locked versions of what the wheel names, once: pip keeps what it has fetched.
"""

import os
import re
import subprocess
import sys
import venv
from pathlib import Path
from typing import Final

import pytest

from kadmin.cli.main import CATALOG
from kadmin.version import VERSION
from tests.interop.maven import CACHE
from tests.kadmin.builders import brokers, cluster, topic
from tests.support.checkout import CHECKOUT
from tests.support.znodes import write_snapshot

pytestmark = pytest.mark.interop

SILENCE: Final = "Retrying (Retry("
"""What pip says when the registry does not answer."""

INCIDENT: Final = CHECKOUT / "scripts" / "demo-incident"
REPLICAS: Final = CHECKOUT / "scripts" / "demo-replicas"

MIB: Final = 1024 * 1024
INSTALLED_MIB_MAX: Final = 320
"""Arrow and NumPy are 240 of them: logs are merged and replicas compared without an extra."""


def pip(*words: str | Path) -> None:
    """Run pip, or skip the test where PyPI is needed and does not answer."""
    done = subprocess.run(
        [sys.executable, "-m", "pip", *map(str, words)],
        env={
            **os.environ,
            "PIP_CACHE_DIR": str(CACHE.parent / "pip"),
            "PIP_DEFAULT_TIMEOUT": "30",
            "PIP_RETRIES": "2",
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    said = done.stdout + done.stderr
    if done.returncode != 0 and SILENCE in said:
        pytest.skip("PyPI: it does not answer")
    assert done.returncode == 0, said


def locked_versions(path: Path) -> Path:
    """The lock without sums: the wheel has none that could stand in it."""
    lock = (CHECKOUT / "requirements.lock").read_text()
    path.write_text("\n".join(re.findall(r"^[a-z0-9].*?==[^\\\n]*", lock, re.MULTILINE)))
    return path


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """An environment of its own into which the wheel was installed, without an extra."""
    pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", tmp_path, CHECKOUT)
    (wheel,) = tmp_path.glob("kadmin_kafka-*.whl")
    environment = tmp_path / "installed"
    venv.create(environment, with_pip=False)
    versions = locked_versions(tmp_path / "versions.txt")
    python = environment / "bin" / "python"
    pip("--python", python, "install", "--constraint", versions, wheel)
    return environment


def test_the_base_of_the_wheel_is_small_and_says_what_needs_more(
    installed: Path, chroot: str, tmp_path: Path
) -> None:
    write_snapshot(chroot, cluster(brokers("1"), topic("users", "1")))
    share = installed / "share"
    files = [path for path in installed.rglob("*") if path.is_file() and not path.is_symlink()]

    def kadmin(*words: str) -> tuple[int, str, str]:
        done = subprocess.run(
            [str(installed / "bin" / "kadmin"), *words],
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        return done.returncode, done.stdout, done.stderr

    assert sum(path.stat().st_size for path in files) < INSTALLED_MIB_MAX * MIB
    assert {f"kadmin-{name}.1" for name in CATALOG} < {
        path.name for path in (share / "man" / "man1").iterdir()
    }
    assert (share / "bash-completion" / "completions" / "kadmin").is_file()
    assert (share / "zsh" / "site-functions" / "_kadmin").is_file()
    assert (share / "fish" / "vendor_completions.d" / "kadmin.fish").is_file()
    assert (share / "bash-completion" / "completions" / "kadmin-kafka").is_file()
    assert (share / "fish" / "vendor_completions.d" / "kadmin-kafka.fish").is_file()
    assert (share / "man" / "man1" / "kadmin-kafka.1").is_file()
    assert (0, f"kadmin {VERSION}\n", "") == kadmin("--version")
    assert (0, "users\n", "") == kadmin("topics", "--list", "--zookeeper", chroot)
    assert {0} == {kadmin(name, "--help")[0] for name in CATALOG}
    assert 0 == kadmin("completion", "bash")[0]
    assert 0 == kadmin("merge-logs", "--list-kinds")[0]
    python = installed / "bin" / "python"
    logs, replicas = INCIDENT / "broker-1", REPLICAS / "broker-1"
    merged = kadmin("merge-logs", str(logs), "--quiet")
    told = kadmin("merge-logs", str(INCIDENT), "--analyze", "--quiet", "--output", "json")
    both = (f"--log-dir={broker[-1]}={REPLICAS / broker}" for broker in ("broker-1", "broker-2"))
    verified = kadmin("verify-replicas", *both, "--quiet")
    lines = [line for file in logs.iterdir() for line in file.read_text().splitlines()]
    assert (0, sorted(lines)) == (merged[0], sorted(merged[1].splitlines()))
    assert 0 == told[0]
    assert (4, True) == (verified[0], "first divergent offset 37" in verified[1])
    assert 0 == kadmin("collect", "b", "--log-dir", f"1={replicas}")[0]
    for words, what, extra in (
        (("merge-logs", str(logs), "--conf", "spark.task.cpus=1"), "Spark", "spark"),
        (("merge-logs", str(logs), "--analyze", "--html", "a.html"), "merge-logs --html", "html"),
        (("cluster", "up"), "the embedded ZooKeeper", "cluster"),
    ):
        module = "plotly" if extra == "html" else "pyspark"
        lacking = (
            f"{what} needs kadmin-kafka[{extra}], which is not installed: there is no {module}"
        )
        # There is no pip in this environment, as in those of uv.
        hint = f"hint: uv pip install --python {python} 'kadmin-kafka[{extra}]'"
        assert kadmin(*words) == (1, "", f"kadmin: {lacking}\n{hint}\n")
    of_second_name = subprocess.run(
        [str(installed / "bin" / "kadmin-kafka"), "topics"], capture_output=True, text=True
    )
    assert "hint: kadmin-kafka topics --help\n" in of_second_name.stderr
