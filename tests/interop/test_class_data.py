"""Do JVMs of a release map its class-data archive, and print the same without a sound one?"""

import subprocess
from pathlib import Path

import pytest

from tests.interop.brokers import run_tool
from tests.interop.class_data import class_data_flags, find_archive, is_sound, keep
from tests.interop.maven import Maven, needing_maven
from tests.interop.releases import KAFKA

pytestmark = pytest.mark.interop

TOOL = "kafka.tools.ConsoleProducer"


@pytest.fixture
def class_path(maven: Maven, tmp_path: Path) -> str:
    """The jars of a release, beside which there is no archive yet."""
    with needing_maven():
        fetched = Path(maven.class_path(KAFKA["3.9.1"])).parent
    jars = tmp_path / "jars"
    jars.mkdir()
    for jar in fetched.glob("*.jar"):
        (jars / jar.name).symlink_to(jar)
    return str(jars / "*")


def test_an_archive_is_used_whole_and_does_no_harm_when_it_is_not(
    java: str, class_path: str, tmp_path: Path
) -> None:
    without = run_tool(java, class_path, tmp_path, TOOL, "--version")
    written = tmp_path / "written"
    subprocess.run(
        [java, *class_data_flags(java, class_path, written), "-cp", class_path, TOOL, "--version"],
        capture_output=True,
        check=True,
    )
    keep(written, java, class_path)
    place = find_archive(java, class_path)
    assert place is not None
    content = place.read_bytes()

    told = [run_tool(java, class_path, tmp_path, TOOL, "--version")]
    loaded = subprocess.run(
        [java, *class_data_flags(java, class_path), "-Xlog:class+load", "-cp", class_path, TOOL],
        capture_output=True,
        text=True,
        check=False,
    )
    for damaged in (content[: len(content) // 2], b"no archive", b""):
        is_sound.cache_clear()  # Another process would look afresh.
        place.unlink()
        place.write_bytes(damaged)
        told.append(run_tool(java, class_path, tmp_path, TOOL, "--version"))

    assert without.exit_code == 0, without
    assert [without] * 4 == told
    assert f"{TOOL}$ source: shared objects file (top)" in loaded.stdout
