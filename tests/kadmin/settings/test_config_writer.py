"""Is the configuration file changed as a careful person would change it?"""

import stat
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path

import pytest

from kadmin.errors import UsageError
from kadmin.settings import config_writer
from kadmin.settings.config_reader import UnknownCluster
from kadmin.settings.config_writer import (
    ClusterExists,
    ConfigFileUnwritable,
    add_cluster,
    remove_cluster,
    use_cluster,
)

WRITTEN_BY_HAND = """\
# Mine; ask me before you change it.
current = "dev" # until Friday

[defaults] # for all
timeout = "5s" # slow link

# The test cluster.
[clusters.dev]
zookeeper = "dev:2181" # rack a
zookeeper_user = "me"

[clusters.prod]
zookeeper = "prod:2181"
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "kadmin" / "config.toml"


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_first_cluster_makes_the_file_for_its_owner_alone(path: Path) -> None:
    add_cluster(
        path, "dev", {"zookeeper": "dev:2181", "zookeeper_tls": True, "zookeeper_user": None}
    )

    expected = {"clusters": {"dev": {"zookeeper": "dev:2181", "zookeeper_tls": True}}}
    assert expected == tomllib.loads(path.read_text())
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)
    assert 0o700 == stat.S_IMODE(path.parent.stat().st_mode)


def test_comments_and_order_of_what_people_wrote_are_kept(path: Path) -> None:
    written(path, WRITTEN_BY_HAND)

    add_cluster(path, "stage", {"zookeeper": "stage:2181"})
    add_cluster(path, "dev", {"zookeeper": "dev2:2181"}, overwrite=True)
    use_cluster(path, "prod")
    remove_cluster(path, "stage")

    now = '"prod" # until Friday\nprevious = "dev"'
    changed = WRITTEN_BY_HAND.replace('"dev" # until Friday', now).replace("dev:2181", "dev2:2181")
    assert changed.replace('zookeeper_user = "me"\n', "").split() == path.read_text().split()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[defaults]\nquiet = true",
        'clusters = {a = {zookeeper = "a:1"}}\n',
        'clusters.a.zookeeper = "a:1"\n',
        '[clusters]\n[clusters.a]\nzookeeper = "a:1"\n[defaults]\nquiet = true\n',
        '[clusters.a]\nzookeeper = "a:1"\n[defaults]\n[clusters.c]\nzookeeper = "c:1"\n',
        '[clusters."a"]\r\nzookeeper = "a:1"\r\n',
    ],
)
def test_every_way_to_write_the_tables_takes_another_cluster(path: Path, text: str) -> None:
    before = tomllib.loads(written(path, text).read_text())

    add_cluster(path, "new", {"zookeeper": "new:1"})
    use_cluster(path, "new")

    clusters = {**before.get("clusters", {}), "new": {"zookeeper": "new:1"}}
    assert {**before, "clusters": clusters, "current": "new"} == tomllib.loads(path.read_text())


def test_same_values_once_more_change_nothing(path: Path) -> None:
    add_cluster(path, "dev", {"zookeeper": "dev:2181"})
    before = path.stat().st_ino

    add_cluster(path, "dev", {"zookeeper": "dev:2181"})

    assert before == path.stat().st_ino


def test_other_values_are_refused_unless_they_are_forced(path: Path) -> None:
    add_cluster(path, "dev", {"zookeeper": "dev:2181"})

    with pytest.raises(ClusterExists, match="there is a cluster 'dev'"):
        add_cluster(path, "dev", {"zookeeper": "other:2181"})

    assert "dev:2181" in path.read_text()


@pytest.mark.parametrize("name", ["", "a b", "-x", ".x", "a/b", "ä", "a\n"])
def test_name_that_would_need_quotes_is_refused(path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="cannot be the name of a cluster"):
        add_cluster(path, name, {"zookeeper": "dev:2181"})

    assert not path.exists()


def test_cluster_that_is_not_there_can_neither_be_used_nor_removed(path: Path) -> None:
    written(path, WRITTEN_BY_HAND)

    for change in (use_cluster, remove_cluster):
        with pytest.raises(UnknownCluster, match=r"no cluster 'x' in .*known: dev, prod"):
            change(path, "x")
    assert WRITTEN_BY_HAND == path.read_text()


def test_removed_current_cluster_leaves_none_current(path: Path) -> None:
    written(path, WRITTEN_BY_HAND)

    remove_cluster(path, "dev")

    assert "current" not in tomllib.loads(path.read_text())
    assert "# Mine; ask me before you change it." in path.read_text()


def test_broken_file_is_left_alone(path: Path) -> None:
    written(path, "[clusters.a\n")

    with pytest.raises(UsageError, match="is no TOML"):
        add_cluster(path, "dev", {"zookeeper": "dev:2181"})

    assert "[clusters.a\n" == path.read_text()


def test_mode_of_an_old_file_stays(path: Path) -> None:
    written(path, WRITTEN_BY_HAND).chmod(0o640)

    use_cluster(path, "prod")

    assert 0o640 == stat.S_IMODE(path.stat().st_mode)


def test_link_into_a_repository_of_dot_files_stays_a_link(path: Path, tmp_path: Path) -> None:
    target = written(tmp_path / "dotfiles" / "kadmin.toml", WRITTEN_BY_HAND)
    path.parent.mkdir()
    path.symlink_to(target)

    use_cluster(path, "prod")

    assert path.is_symlink()
    assert 'current = "prod"' in target.read_text()


def test_directory_that_is_a_file_gives_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "kadmin").write_text("")

    with pytest.raises(ConfigFileUnwritable, match="cannot write the configuration file"):
        add_cluster(tmp_path / "kadmin" / "config.toml", "dev", {"zookeeper": "dev:2181"})


@pytest.mark.slow
def test_many_processes_at_once_lose_nothing(path: Path) -> None:
    code = (
        "import sys; from kadmin.settings.config_writer import add_cluster;"
        " [add_cluster(sys.argv[1], f'c{sys.argv[2]}-{i}', {'zookeeper': 'z:1'}) for i in range(5)]"
    )

    with ThreadPoolExecutor(4) as pool:
        runs = [
            pool.submit(subprocess.run, [sys.executable, "-c", code, str(path), str(number)])
            for number in range(4)
        ]

    assert [0] * 4 == [run.result().returncode for run in runs]
    names = {f"c{number}-{i}" for number in range(4) for i in range(5)}
    assert names == set(tomllib.loads(path.read_text())["clusters"])


def test_lock_that_another_process_keeps_is_not_waited_for_without_end(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_cluster(path, "dev", {"zookeeper": "dev:2181"})
    monkeypatch.setattr(config_writer, "LOCK_TIMEOUT_S", 0.05)

    with (path.parent / ".config.toml.lock").open() as lock:
        flock(lock, LOCK_EX | LOCK_NB)
        with pytest.raises(ConfigFileUnwritable, match="another kadmin holds"):
            use_cluster(path, "dev")


def test_no_temporary_file_is_left_behind(path: Path) -> None:
    add_cluster(path, "dev", {"zookeeper": "dev:2181"})

    assert {"config.toml", ".config.toml.lock"} == {file.name for file in path.parent.iterdir()}
