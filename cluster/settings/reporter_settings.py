"""The reporters of metrics that `server.properties` chooses, and their options."""

from dataclasses import dataclass

from cluster.broker.configs.reporter_configs import CLASS_NAMES, Reporter


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """The address at which a reporter listens, or to which it sends; port 0 is any free one."""

    host: str
    port: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReporterSettings:
    """The reporters by their *names*, short ones and classes of Kafka's, and their options."""

    names: tuple[str, ...]
    csv_enabled: bool | None
    """None where the config is not set: then, as in Kafka, the class of the reporter that writes
    CSV does nothing, while its short name is enough."""
    interval_s: int
    csv_directory: str
    prometheus: Address
    jolokia: Address
    graphite: Address
    graphite_prefix: str

    @property
    def chosen(self) -> tuple[Reporter, ...]:
        """The reporters that run, each once."""
        found = dict.fromkeys(Reporter(CLASS_NAMES.get(name, name)) for name in self.names)
        is_enabled = self.csv_enabled
        if is_enabled is None:
            is_enabled = Reporter.CSV in self.names
        return tuple(each for each in found if each is not Reporter.CSV or is_enabled)
