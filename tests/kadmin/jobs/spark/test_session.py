"""The session of Spark, without a JVM."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import kadmin
from kadmin.jobs.spark.errors import SparkFailed
from kadmin.jobs.spark.session import forget_gateway, has_room_for_sockets, pack_code

RUN = """
import sys
sys.path.insert(0, sys.argv[1])
import kadmin.errors
print(kadmin.errors.__file__)
"""


def test_the_end_waits_for_no_import(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C may have come while another thread imports PySpark, which then never ends."""
    monkeypatch.delitem(sys.modules, "pyspark", raising=False)

    forget_gateway()

    assert "pyspark" not in sys.modules


@pytest.mark.slow
def test_the_zip_runs_by_itself(tmp_path: Path) -> None:
    path = pack_code(tmp_path)
    said = subprocess.run(
        [sys.executable, "-I", "-S", "-c", RUN, path], capture_output=True, text=True, check=True
    )
    assert said.stdout.startswith(str(path)), said


def test_files_whose_times_were_set_to_zero_are_taken_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "kadmin"
    package.mkdir()
    (package / "module.py").write_text("word = 'old'\n")
    os.utime(package / "module.py", (0, 0))
    monkeypatch.setattr(kadmin, "__path__", [str(package)])

    with zipfile.ZipFile(pack_code(tmp_path)) as archive:
        assert "kadmin/module.py" in archive.namelist()


def test_no_room_for_the_zip_is_said(tmp_path: Path) -> None:
    with pytest.raises(SparkFailed, match=r"cannot write .*/gone/kadmin.zip: no such file"):
        pack_code(tmp_path / "gone")


@pytest.mark.parametrize(
    ("directory", "master", "has"),
    [
        ("/tmp/kadmin-spark-abcdefgh", "local[*]", True),
        ("/tmp/kadmin-spark-abcdefgh", "spark://one:7077", True),
        ("/tmp/kadmin-spark-abcdefgh", "yarn", False),
        ("/tmp/kadmin-spark-abcdefgh", "local-cluster[1,1,1024]", False),
        (f"/{'d' * 59}", "local[*]", True),
        (f"/{'d' * 60}", "local[*]", False),
    ],
)
def test_sockets_are_files_where_their_names_fit(directory: str, master: str, has: bool) -> None:
    assert has == has_room_for_sockets(master, Path(directory))
