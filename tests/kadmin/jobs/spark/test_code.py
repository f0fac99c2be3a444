import os
import py_compile
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import kadmin
from kadmin.jobs.spark.code import compiled, pack_code
from kadmin.jobs.spark.errors import SparkFailed

RUN = """
import sys
sys.path.insert(0, sys.argv[1])
import kadmin.errors
print(kadmin.errors.__file__)
"""


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


def test_a_module_comes_compiled_where_it_was_and_did_not_change(tmp_path: Path) -> None:
    source = tmp_path / "module.py"
    source.write_text("word = 'first'\n")
    assert compiled(source) is None

    py_compile.compile(str(source), invalidation_mode=py_compile.PycInvalidationMode.TIMESTAMP)
    code = compiled(source)
    assert code is not None
    assert word_from(tmp_path / "one.zip", source.read_text(), code) == "first"

    source.write_text("word = 'second'\n")
    assert compiled(source) is None


def test_another_python_takes_the_source(tmp_path: Path) -> None:
    assert word_from(tmp_path / "one.zip", "word = 'source'\n", b"\0" * 100) == "source"


def word_from(path: Path, source: str, code: bytes) -> str:
    """What the module says that a zip has as *source* and as *code*."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("module.py", source)
        archive.writestr("module.pyc", code)
    said = subprocess.run(
        [sys.executable, "-c", "import module; print(module.word)"],
        env={**os.environ, "PYTHONPATH": str(path)},
        capture_output=True,
        text=True,
        check=True,
    )
    return said.stdout.strip()
