from pathlib import Path

import pytest

from kadmin.jvm.java import NoJava, find_java, major_of


def install(home: Path, version: str, *, with_release_file: bool = True) -> Path:
    """A directory that looks like a Java of *version*; its `java` can say so."""
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2021-01-01' >&2\n")
    program.chmod(0o755)
    if with_release_file:
        (home / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n')
    return program


def test_java_home_comes_before_path_and_installed_ones(tmp_path: Path) -> None:
    of_home = install(tmp_path / "home", "21.0.1")
    on_path = install(tmp_path / "path", "17.0.2")
    env = {"JAVA_HOME": str(tmp_path / "home"), "PATH": str(on_path.parent)}

    assert of_home == find_java(env, [tmp_path / "jvm"]).path


def test_a_java_that_is_too_old_is_passed_over(tmp_path: Path) -> None:
    install(tmp_path / "home", "1.8.0_402")
    on_path = install(tmp_path / "path", "11.0.2")
    installed = install(tmp_path / "jvm" / "seventeen", "17.0.2")
    env = {"JAVA_HOME": str(tmp_path / "home"), "PATH": str(on_path.parent)}

    java = find_java(env, [tmp_path / "jvm"])

    assert (installed, "17.0.2", 17) == (java.path, java.version, java.major)


def test_a_java_without_a_release_file_is_asked_for_its_version(tmp_path: Path) -> None:
    install(tmp_path / "home", "17.0.9", with_release_file=False)

    assert "17.0.9" == find_java({"JAVA_HOME": str(tmp_path / "home"), "PATH": ""}, []).version


def test_without_a_fit_java_the_error_names_those_that_were_found(tmp_path: Path) -> None:
    old = install(tmp_path / "home", "1.8.0_402")

    with pytest.raises(NoJava) as raised:
        find_java({"JAVA_HOME": str(tmp_path / "home"), "PATH": ""}, [tmp_path])

    assert f"{old} is 1.8.0_402" in raised.value.message
    assert "JAVA_HOME" in str(raised.value.hint)


def test_a_java_home_that_is_gone_is_passed_over(tmp_path: Path) -> None:
    installed = install(tmp_path / "jvm" / "j", "25")

    java = find_java({"JAVA_HOME": str(tmp_path / "gone"), "PATH": ""}, [tmp_path / "jvm"])

    assert installed == java.path


@pytest.mark.parametrize(
    ("version", "major"), [("17.0.15", 17), ("1.8.0_402", 8), ("21-ea", 21), ("25", 25), ("1", 1)]
)
def test_the_major_version_is_read_in_both_schemes(version: str, major: int) -> None:
    assert major == major_of(version)
