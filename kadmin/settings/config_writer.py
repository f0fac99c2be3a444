"""The configuration file, written: a cluster is added, taken out, or made the current one.

Keeps the comments and the order of what people wrote there, and never leaves half a file.  Knows
no flag and no environment; `kadmin.settings.config_reader` reads the file.
"""

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kadmin.errors import KadminError, RefusedError
from kadmin.settings.atomic_file import write_atomically
from kadmin.settings.config_reader import UnknownCluster, config_problems, read_config_file
from kadmin.settings.file_lock import locked_file
from kadmin.settings.keys import CLUSTER_KEYS, check_cluster_name

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

LOCK_TIMEOUT_S: Final = 10.0


class ClusterExists(RefusedError):
    """The name is taken by a cluster with other values."""

    def __init__(self, name: str, path: Path | str) -> None:
        super().__init__(
            f"there is a cluster '{name}' in {path} already; it was left as it is",
            hint=f"add --force to replace it, or 'kadmin config remove {name}' first",
        )
        self.name = name


class ConfigFileUnwritable(KadminError):
    """The configuration file, or a directory above it, cannot be written."""

    def __init__(self, path: Path | str, reason: str) -> None:
        super().__init__(
            f"cannot write the configuration file {path}: {reason}",
            hint="check the owner and mode of that file and directory, or point KADMIN_CONFIG at"
            " another file",
        )
        self.path = path


def add_cluster(
    path: Path | str, name: str, values: Mapping[str, object], *, overwrite: bool = False
) -> None:
    """Write *values* (by key name, None left out) as the cluster *name* into the file at *path*.

    The file and the directories above it are made when there are none.  The same values once more
    change nothing.

    Raises:
        ClusterExists: the name is taken and not *overwrite*.
        UsageError: the name or a key cannot stand in the file, or the file is broken.
        ConfigFileUnwritable: the disk refused.
    """
    check_cluster_name(name)
    table = {key: value for key, value in values.items() if value is not None}

    def add(document: "TOMLDocument") -> None:
        import tomlkit
        from tomlkit.items import InlineTable

        if "clusters" not in document:
            document["clusters"] = tomlkit.table(is_super_table=True)
        clusters: Any = document["clusters"]
        if name in clusters and clusters[name].unwrap() != table and not overwrite:
            raise ClusterExists(name, path)
        if name not in clusters:
            is_inline = isinstance(clusters, InlineTable)
            clusters[name] = tomlkit.inline_table() if is_inline else tomlkit.table()
        replace_values(clusters[name], table)

    edit(path, add)


def use_cluster(path: Path | str, name: str) -> None:
    """Make *name* the current cluster of the file at *path*.

    Raises:
        UnknownCluster: the file has no such cluster.
        UsageError: the file is broken.
        ConfigFileUnwritable: the disk refused.
    """

    def use(document: "TOMLDocument") -> None:
        if name not in document.get("clusters", {}):
            raise UnknownCluster(name, read_config_file(str(path)))
        current = document.get("current")
        if current != name:
            document["current"] = name
            if current is None:
                document.pop("previous", None)
            else:
                document["previous"] = str(current)  # Without the comment that stands beside it.

    edit(path, use)


def remove_cluster(path: Path | str, name: str) -> None:
    """Take the cluster *name* out of the file at *path*; if it was current, none is.

    Raises:
        UnknownCluster: the file has no such cluster.
        UsageError: the file is broken.
        ConfigFileUnwritable: the disk refused.
    """

    def remove(document: "TOMLDocument") -> None:
        clusters: Any = document.get("clusters", {})
        if name not in clusters:
            raise UnknownCluster(name, read_config_file(str(path)))
        del clusters[name]
        for key in ("current", "previous"):
            if document.get(key) == name:
                del document[key]

    edit(path, remove)


def replace_values(table: Any, values: Mapping[str, object]) -> None:
    """Make *table* hold *values* and nothing else; comments of the keys that stay are kept."""
    for key in [key for key in table if key not in values]:
        del table[key]
    for key in CLUSTER_KEYS:
        if key.name in values and table.get(key.name) != values[key.name]:
            table[key.name] = values[key.name]
    assert values.keys() <= {key.name for key in CLUSTER_KEYS}, values.keys()


def edit(path: Path | str, change: Callable[["TOMLDocument"], None]) -> None:
    """Apply *change* to the parsed file at *path*; other kadmins wait meanwhile.

    A file that *change* leaves as it was is not written.
    """
    import tomlkit

    # A configuration file is often a link into a repository of dot files: the link stays.
    target = Path(path).resolve()
    try:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = target.with_name(f".{target.name}.lock")
        taken = ConfigFileUnwritable(path, f"another kadmin holds {lock}")
        with locked_file(lock, LOCK_TIMEOUT_S, taken):
            read_config_file(str(target))  # Refuses what is broken, with all of its problems.
            before = target.read_text(encoding="utf-8-sig") if target.exists() else ""
            document = tomlkit.parse(before)
            change(document)
            after = tomlkit.dumps(document)
            assert not config_problems(tomllib.loads(after)), after
            if after != before:
                write_atomically(target, after)
    except OSError as error:
        raise ConfigFileUnwritable(path, error.strerror or str(error)) from error
