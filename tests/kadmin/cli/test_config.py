"""Does `kadmin config` name, choose, show and forget clusters?"""

import csv
import json
from pathlib import Path

import pytest
import yaml

from tests.support.cli import done, kadmin


@pytest.fixture
def path(home: Path) -> Path:
    return home / "config" / "kadmin" / "config.toml"


def current() -> object:
    return json.loads(done("config", "list", "--output", "json"))["current"]


def test_added_cluster_is_listed_and_is_current_only_when_asked_for() -> None:
    done("config", "add", "dev", "--zookeeper", "dev1,dev2:99/kafka")
    assert current() is None

    done("config", "add", "prod", "--zookeeper", "[::1]", "--use")
    assert "prod" == current()
    assert "  dev   dev1:2181,dev2:99/kafka\n* prod  [::1]:2181\n" == done("config", "list")

    done("config", "use", "dev")
    assert "dev" == current()


def test_list_has_every_form() -> None:
    done("config", "add", "dev", "--zookeeper", "dev", "--zookeeper-tls", "--use")
    record = {
        "current": True,
        "name": "dev",
        "zookeeper": "dev:2181",
        "auth": "none",
        "tls": True,
        "bootstrap_server": None,
    }

    body = json.loads(done("config", "list", "--output", "json"))
    assert "kadmin.config.list/1" == body["schema"]
    assert [record] == body["clusters"]
    assert body == yaml.safe_load(done("config", "list", "--output", "yaml"))
    header, row = csv.reader(done("config", "list", "--output", "csv").splitlines())
    assert list(record) == header
    assert ["true", "dev", "dev:2181", "none", "true", ""] == row


def test_empty_list_tells_how_to_add_a_cluster() -> None:
    outcome = kadmin("config", "list")

    assert (0, "") == (outcome.exit_code, outcome.stdout)
    assert "kadmin config add NAME --zookeeper HOST:PORT" in outcome.stderr


def test_security_options_are_stored_and_files_by_their_full_path(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    done(
        *("config", "add", "dev", "--zookeeper", "dev", "--zookeeper-auth", "digest"),
        *("--zookeeper-user", "me", "--zookeeper-password-file", "secret.txt"),
    )

    assert f'zookeeper_password_file = "{tmp_path}/secret.txt"' in path.read_text()
    assert 'zookeeper_auth = "digest"' in path.read_text()


def test_only_flags_are_stored_and_never_a_password(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KADMIN_ZOOKEEPER_PASSWORD", "swordfish")
    monkeypatch.setenv("KADMIN_ZOOKEEPER_USER", "me")

    done("config", "add", "dev", "--zookeeper", "dev")

    assert '[clusters.dev]\nzookeeper = "dev:2181"\n' == path.read_text()


def test_cluster_is_not_overwritten_without_force() -> None:
    done("config", "add", "dev", "--zookeeper", "dev")

    outcome = kadmin("config", "add", "dev", "--zookeeper", "other")
    assert 6 == outcome.exit_code
    assert "there is a cluster 'dev'" in outcome.stderr

    done("config", "add", "dev", "--zookeeper", "other", "--force")
    assert "  dev  other:2181\n" == done("config", "list")


def test_add_without_servers_is_wrong_usage() -> None:
    outcome = kadmin("config", "add", "dev")

    assert 2 == outcome.exit_code
    assert "which servers? give --zookeeper" in outcome.stderr


def test_removed_cluster_is_gone_and_nothing_is_current() -> None:
    done("config", "add", "dev", "--zookeeper", "dev", "--use")

    outcome = kadmin("config", "remove", "dev")

    assert 0 == outcome.exit_code
    assert "no cluster is current now" in outcome.stderr
    assert "" == done("config", "list")


def test_a_mistyped_name_is_not_made_by_the_hint():
    done("config", "add", "prod", "--zookeeper", "zk.example:2181")

    near = [kadmin("config", word, "prdo").stderr for word in ("use", "remove")]
    far = [kadmin("config", word, "staging").stderr for word in ("use", "remove")]

    assert 2 == sum("did you mean 'prod'? 'kadmin config list'" in stderr for stderr in near)
    assert not any("config add" in stderr for stderr in (*near, *far))


@pytest.mark.parametrize("command", ["use", "remove"])
def test_unknown_name_is_wrong_usage_and_tells_the_known_ones(command: str) -> None:
    done("config", "add", "dev", "--zookeeper", "dev")

    outcome = kadmin("config", command, "dve")

    assert 2 == outcome.exit_code
    assert "known: dev" in outcome.stderr


def test_broken_current_cluster_does_not_stop_the_commands_that_mend_it(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_text('current = "gone"\n[clusters.bad]\nzookeeper = "a:b:c"\n')

    assert "  bad  a:b:c\n" == done("config", "list")
    done("config", "use", "bad")
    assert 2 == kadmin("config", "show").exit_code
    done("config", "add", "bad", "--zookeeper", "good", "--force")

    assert "* bad  good:2181\n" == done("config", "list")


def test_variable_that_wins_over_the_current_cluster_is_warned_of(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done("config", "add", "dev", "--zookeeper", "dev")
    monkeypatch.setenv("KADMIN_ZOOKEEPER", "elsewhere")

    outcome = kadmin("config", "use", "dev", "--quiet")

    assert "warning: KADMIN_ZOOKEEPER is set and wins over the current cluster\n" == outcome.stderr


def test_show_tells_value_and_source_of_every_setting(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done("config", "add", "dev", "--zookeeper", "dev", "--use")
    monkeypatch.setenv("KADMIN_TIMEOUT", "1m")

    body = json.loads(done("config", "show", "--output", "json", "--quiet"))

    assert "kadmin.config.show/1" == body["schema"]
    assert ("dev", str(path)) == (body["cluster"], body["config_file"])
    told = {item["key"]: (item["value"], item["source"]) for item in body["settings"]}
    assert ("dev:2181", f"{path}: [clusters.dev]") == told["zookeeper"]
    assert (60.0, "KADMIN_TIMEOUT") == told["timeout"]
    assert (True, "--quiet") == told["quiet"]
    assert (False, "default") == told["zookeeper_tls"]


@pytest.mark.parametrize("form", ["text", "json", "yaml", "csv"])
def test_show_masks_passwords_in_every_form_and_warns_when_others_can_read_them(
    form: str, path: Path
) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(
        'current = "p"\n[clusters.p]\nzookeeper = "p"\nzookeeper_password = "swordfish"\n'
        'zookeeper_tls_key_password = "halibut"\n'
    )
    path.chmod(0o644)

    outcome = kadmin("config", "show", "--output", form, "--debug")

    assert 0 == outcome.exit_code
    assert "***" in outcome.stdout
    for secret in ("swordfish", "halibut"):
        assert secret not in outcome.stdout + outcome.stderr
    assert f"warning: others can read zookeeper_password in {path}" in outcome.stderr
