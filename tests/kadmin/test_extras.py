import pytest

from kadmin.extras import Extra, MissingExtra, pyspark_directory, require_extra


def test_what_is_installed_is_not_asked_for() -> None:
    require_extra("it", Extra.SPARK, "numpy", "pyarrow")

    assert (pyspark_directory("it", Extra.CLUSTER) / "jars").is_dir()


def test_who_needs_what_is_missing_says_which_extra_brings_it() -> None:
    with pytest.raises(MissingExtra, match=r"^it needs kadmin-kafka\[spark\]") as raised:
        require_extra("it", Extra.SPARK, "numpy", "no_such_module", "nor_this")

    assert str(raised.value).endswith(": there is no no_such_module and nor_this")
    assert str(raised.value.hint).endswith("-m pip install 'kadmin-kafka[spark]'")
