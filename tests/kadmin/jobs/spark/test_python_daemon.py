import zipfile
from pathlib import Path

import pytest

from kadmin.jobs.spark.python_daemon import path_of_installed

VERSION = '__version__: str = "4.1.0"\n'


def installed(directory: Path, version: str = VERSION) -> str:
    """A PySpark in *directory*, which counts as installed."""
    package = directory / "pyspark"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "version.py").write_text(version)
    return str(directory)


@pytest.fixture
def packed(tmp_path: Path) -> str:
    path = tmp_path / "pyspark.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("pyspark/__init__.py", "")
        archive.writestr("pyspark/version.py", VERSION)
    return str(path)


def test_the_installed_one_is_taken_instead_of_the_zip(packed: str, tmp_path: Path) -> None:
    own = installed(tmp_path / "site-packages")
    assert path_of_installed([packed, "/lib", own]) == ["/lib", own]


def test_the_zip_stays_where_nothing_is_installed(packed: str) -> None:
    assert path_of_installed([packed, "/lib"]) == [packed, "/lib"]


def test_the_zip_stays_where_another_version_is_installed(packed: str, tmp_path: Path) -> None:
    own = installed(tmp_path / "site-packages", VERSION.replace("4.1", "4.2"))
    assert path_of_installed([packed, own]) == [packed, own]


@pytest.mark.parametrize("content", [None, b"no zip"])
def test_a_zip_that_cannot_be_read_stays(tmp_path: Path, content: bytes | None) -> None:
    own = installed(tmp_path / "site-packages")
    path = tmp_path / "broken" / "pyspark.zip"
    if content is not None:
        path.parent.mkdir()
        path.write_bytes(content)
    assert path_of_installed([str(path), own]) == [str(path), own]
