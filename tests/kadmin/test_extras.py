import sys
from pathlib import Path

import pytest

from kadmin.extras import Extra, MissingExtra, installer, pyspark_directory, require_extra


def test_what_is_installed_is_not_asked_for() -> None:
    require_extra("it", Extra.SPARK, "numpy", "pyarrow")

    assert (pyspark_directory("it", Extra.CLUSTER) / "jars").is_dir()


def test_who_needs_what_is_missing_says_which_extra_brings_it() -> None:
    with pytest.raises(MissingExtra, match=r"^it needs kadmin-kafka\[spark\]") as raised:
        require_extra("it", Extra.SPARK, "numpy", "no_such_module", "nor_this")

    assert str(raised.value).endswith(": there is no no_such_module or nor_this")
    assert str(raised.value.hint).endswith("-m pip install 'kadmin-kafka[spark]'")


def test_the_hint_is_that_of_the_program_which_made_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of pipx or uv has no pip of its own."""
    home = tmp_path / "venvs" / "kadmin-kafka"
    home.mkdir(parents=True)
    monkeypatch.setattr(sys, "prefix", str(home))
    monkeypatch.setattr(sys, "executable", "/my env/bin/python")
    of_pip = installer()
    monkeypatch.setattr("kadmin.extras.is_installed", lambda _: False)
    of_uv = installer()
    (home / "pipx_metadata.json").touch()

    assert "'/my env/bin/python' -m pip install" == of_pip
    assert "uv pip install --python '/my env/bin/python'" == of_uv
    assert "pipx runpip kadmin-kafka install" == installer()
