"""The configuration file, read: where is it, and what stands in it?

Finds it, reads it and names all that cannot stand there.  Resolves nothing and writes nothing.
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kadmin.errors import UsageError, hint_for_missing
from kadmin.named_file import read_named
from kadmin.settings.keys import CLUSTER_KEYS, DEFAULTS_KEYS, Key
from kadmin.settings.xdg import user_directory


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigFile:
    """The contents of the configuration file; all empty when there is none.

    *previous* is the cluster that was current before the one that is.
    """

    path: str
    current: str | None = None
    previous: str | None = None
    defaults: Mapping[str, object]
    clusters: Mapping[str, Mapping[str, object]]


class UnknownCluster(UsageError):
    """A cluster was named that the configuration file does not have."""

    def __init__(self, name: str, file: ConfigFile) -> None:
        known = sorted(file.clusters)
        super().__init__(
            f"there is no cluster '{name}' in {file.path} (known: {', '.join(known) or 'none'})",
            hint=hint_for_missing(name, known, listed_by="kadmin config list"),
        )
        self.name = name


def config_path(env: Mapping[str, str]) -> str:
    """Return `$KADMIN_CONFIG`, else `kadmin/config.toml` below `$XDG_CONFIG_HOME` or
    `~/.config`."""
    if env.get("KADMIN_CONFIG"):
        return os.path.expanduser(env["KADMIN_CONFIG"])
    return os.path.join(user_directory("XDG_CONFIG_HOME", "~/.config", env), "config.toml")


def read_config_file(path: str) -> ConfigFile:
    """Read and check the configuration file; a missing one is empty.

    Raises:
        UsageError: it cannot be read, is no TOML, or holds unknown keys; all problems at once.
    """
    if not os.path.exists(path):
        return ConfigFile(path=path, defaults={}, clusters={})
    import tomllib

    try:
        document = tomllib.loads(read_named(path).decode())
    except OSError as error:
        raise UsageError(
            f"cannot read the configuration file {path}: {error.strerror}",
            hint="check the owner and mode of that file, or point KADMIN_CONFIG at another file",
        ) from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(
            f"the configuration file {path} is no TOML: {error}",
            hint="correct it there, or point KADMIN_CONFIG at another file",
        ) from error
    problems = list(config_problems(document))
    if problems:
        raise UsageError(
            f"{path}: " + "; ".join(problems),
            hint=f"[defaults] takes {names_of(DEFAULTS_KEYS)}; [clusters.NAME] takes"
            f" {names_of(CLUSTER_KEYS)}; at the top stand current and previous",
        )
    return ConfigFile(
        path=path,
        current=document.get("current"),
        previous=document.get("previous"),
        defaults=document.get("defaults", {}),
        clusters=document.get("clusters", {}),
    )


def names_of(keys: Iterable[Key]) -> str:
    return ", ".join(key.name for key in keys)


def config_problems(document: Mapping[str, object]) -> list[str]:
    problems = [
        f"unknown key '{name}'"
        for name in document
        if name not in ("current", "previous", "defaults", "clusters")
    ]
    problems += [
        f"'{name}' must be a string"
        for name in ("current", "previous")
        if not isinstance(document.get(name, ""), str)
    ]
    problems += table_problems("defaults", document.get("defaults", {}), DEFAULTS_KEYS)
    clusters = document.get("clusters", {})
    if not isinstance(clusters, dict):
        return [*problems, "'clusters' must be a table"]
    for name, table in clusters.items():
        problems += table_problems(f"clusters.{name}", table, CLUSTER_KEYS)
    return problems


def table_problems(where: str, table: object, keys: tuple[Key, ...]) -> list[str]:
    if not isinstance(table, dict):
        return [f"'{where}' must be a table"]
    known = {key.name for key in keys}
    return [f"unknown key '{name}' in [{where}]" for name in table if name not in known]
