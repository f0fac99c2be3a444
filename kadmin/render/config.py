"""Named clusters, and the settings in force: how do they look?

Knows no file: it is handed what stands there.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from kadmin.render.output import Document
from kadmin.settings.config_reader import ConfigFile
from kadmin.settings.keys import SERVERS, Value
from kadmin.settings.resolve import Setting, Settings

if TYPE_CHECKING:
    from kadmin.render.tables import FittedTable

CLUSTER_COLUMNS = ("current", "name", "zookeeper", "auth", "tls", "bootstrap_server")
SETTING_COLUMNS = ("key", "value", "source")


def clusters_document(file: ConfigFile) -> Document:
    """Return the clusters of *file* by name; `*` stands before the current one."""
    return Document(
        schema="kadmin.config.list/1",
        body=lambda: {
            "config_file": str(file.path),
            "current": file.current,
            "clusters": [cluster_record(name, file) for name in sorted(file.clusters)],
        },
        columns=CLUSTER_COLUMNS,
        rows=lambda: (tuple(cluster_record(name, file).values()) for name in sorted(file.clusters)),
        lines=lambda: cluster_lines(file),
        pretty=(lambda: clusters_table(file)) if file.clusters else None,
    )


def cluster_record(name: str, file: ConfigFile) -> dict[str, object]:
    cluster = file.clusters[name]
    return {
        "current": name == file.current,
        "name": name,
        "zookeeper": cluster.get("zookeeper"),
        "auth": cluster.get("zookeeper_auth", "none"),
        "tls": cluster.get("zookeeper_tls", False),
        "bootstrap_server": cluster.get("bootstrap_server"),
    }


def cluster_lines(file: ConfigFile) -> Iterator[str]:
    width = max(map(len, file.clusters), default=0)
    for name in sorted(file.clusters):
        mark = "*" if name == file.current else " "
        addresses = [file.clusters[name].get(key) for key in SERVERS]
        shown = "  ".join(str(address) for address in addresses if address is not None)
        yield f"{mark} {name:<{width}}  {shown}"


def clusters_table(file: ConfigFile) -> "FittedTable":
    from kadmin.render.tables import FittedTable

    table = FittedTable("", "cluster")
    table.add_column("zookeeper", least=40)
    table.add_column("auth", worth=1)
    table.add_column("TLS", worth=2)
    table.add_column("brokers", least=24, worth=3)
    for name in sorted(file.clusters):
        record = cluster_record(name, file)
        table.add_row(
            "*" if record["current"] else "",
            name,
            str(record["zookeeper"] or "not set"),
            str(record["auth"]),
            "yes" if record["tls"] else "no",
            str(record["bootstrap_server"] or "by ZooKeeper"),
            style="bold" if record["current"] else None,
        )
    return table


def settings_document(settings: Settings) -> Document:
    """Return every setting with its value and who said so; secrets are masked."""
    in_order = tuple(settings.by_name.values())
    return Document(
        schema="kadmin.config.show/1",
        body=lambda: {
            "config_file": str(settings.file.path),
            "cluster": settings.cluster_name,
            "settings": [setting_record(setting) for setting in in_order],
        },
        columns=SETTING_COLUMNS,
        rows=lambda: ((item.key.name, item.shown, item.source) for item in in_order),
        lines=lambda: setting_lines(settings.by_name),
        pretty=lambda: settings_table(settings),
    )


def setting_record(setting: Setting) -> dict[str, object]:
    value: Value = setting.value
    if setting.key.secret and value is not None:
        value = setting.shown
    return {"key": setting.key.name, "value": value, "source": setting.source}


def setting_lines(by_name: Mapping[str, Setting]) -> Iterator[str]:
    names = max(map(len, by_name))
    values = max(len(setting.shown) for setting in by_name.values())
    for name, setting in by_name.items():
        yield f"{name:<{names}}  {setting.shown:<{values}}  {setting.source}"


def settings_table(settings: Settings) -> "FittedTable":
    from rich.text import Text

    from kadmin.render.tables import FittedTable, Forms

    file = settings.file.path
    file_name = file.rpartition("/")[2]
    table = FittedTable("key")
    table.add_column("value", least=22)
    table.add_column("source", least=24, worth=1)
    for name, setting in settings.by_name.items():
        forms = [Text(text) for text in (setting.source, setting.source.replace(file, file_name))]
        table.add_row(name, setting.shown, Forms(forms), style=None if setting.is_given else "dim")
    return table
