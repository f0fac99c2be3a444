"""The configs of one topic: every source of a value, which one wins, and which are legal.

The overrides of the topic win; without one, the sources of the broker's synonym count, see
`broker_configs`.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple, Self

from cluster.broker.configs.supported_configs import SUPPORTED_BROKER_CONFIGS, WITHOUT_DEFAULT
from cluster.broker.ports import ApiSettings
from cluster.model.config_source import ConfigSource, ConfigSynonym
from cluster.model.config_spec import ConfigSpec, trimmed, value_problem
from cluster.model.config_table import TOPIC_CONFIGS, conflict_of, topic_config_problem
from cluster.model.topic_config_specs import MIN_ISR, THROTTLED_FOLLOWERS, THROTTLED_LEADERS
from cluster.storage.errors import InvalidLogConfig
from cluster.storage.log_config import DELETE, UNLIMITED, LogConfig

CLEANUP_POLICY: Final = "cleanup.policy"
NO_RETENTION_LIMIT: Final = {"retention.ms": str(UNLIMITED), "retention.bytes": str(UNLIMITED)}


class EffectiveTopicConfigs(NamedTuple):
    """The effective configs of a topic's partitions, parsed."""

    log: LogConfig
    min_isr: int
    throttled_leaders: str
    throttled_followers: str
    """Lists of throttled replicas; empty for none."""

    @classmethod
    def parse(cls, defaults: Mapping[str, str], overrides: Mapping[str, str]) -> Self:
        """*defaults* are the broker's for all topics; where it sets none, Kafka's default counts.

        Raises:
            InvalidLogConfig: a log cannot use these.
        """
        merged = {**defaults, **overrides}
        log = LogConfig.parse(merged)
        default = TOPIC_CONFIGS[MIN_ISR].default
        assert default is not None
        min_isr = trimmed(merged.get(MIN_ISR, default))
        problem = value_problem(TOPIC_CONFIGS[MIN_ISR], min_isr)
        if problem is not None:
            raise InvalidLogConfig([problem])
        damaged = throttle_problems(merged)
        leaders, followers = (
            "" if key in damaged else trimmed(merged.get(key, ""))
            for key in (THROTTLED_LEADERS, THROTTLED_FOLLOWERS)
        )
        return cls(log, int(min_isr), leaders, followers)


def throttle_problems(overrides: Mapping[str, str]) -> dict[str, str]:
    """Problems of the lists of throttled replicas, by key: an invalid list throttles nothing, and
    the topic is served.
    """
    problems = {
        key: value_problem(TOPIC_CONFIGS[key], overrides[key])
        for key in (THROTTLED_LEADERS, THROTTLED_FOLLOWERS)
        if key in overrides
    }
    return {key: problem for key, problem in problems.items() if problem is not None}


def unserved_log_config(defaults: Mapping[str, str], overrides: Mapping[str, str]) -> LogConfig:
    """The config of a log whose topic is not served, since its *overrides* are invalid.

    The log is opened with the legal ones, and none of its records expire.
    """
    legal = {
        name: value
        for name, value in overrides.items()
        if name in TOPIC_CONFIGS and value_problem(TOPIC_CONFIGS[name], trimmed(value)) is None
    }
    return LogConfig.parse({**defaults, **legal, CLEANUP_POLICY: DELETE, **NO_RETENTION_LIMIT})


def synonyms_of(
    spec: ConfigSpec, overrides: Mapping[str, str], settings: ApiSettings
) -> tuple[ConfigSynonym, ...]:
    """All sources of *spec* for a topic with *overrides*; the first one wins.

    Empty for a default that has no broker key.
    """
    own: tuple[ConfigSynonym, ...] = ()
    if spec.name in overrides:
        source = ConfigSource.DYNAMIC_TOPIC_CONFIG
        own = (ConfigSynonym(source, spec.name, overrides[spec.name]),)
    if spec.synonym is None:
        return own
    if spec.synonym in SUPPORTED_BROKER_CONFIGS:
        return own + settings.configs.synonyms(spec.synonym)
    if spec.synonym in WITHOUT_DEFAULT:
        return own
    # A broker's config that is not supported changes nothing for topics.
    return (*own, ConfigSynonym(ConfigSource.DEFAULT_CONFIG, spec.synonym, spec.default))


def value_of(
    spec: ConfigSpec, overrides: Mapping[str, str], settings: ApiSettings
) -> tuple[str | None, ConfigSource]:
    """The value of *spec* for a topic with *overrides*, and its source."""
    synonyms = synonyms_of(spec, overrides, settings)
    default = settings.topic_defaults.get(spec.name, spec.default)
    source = synonyms[0].source if synonyms else ConfigSource.DEFAULT_CONFIG
    return overrides.get(spec.name, default), source


def configs_problem(overrides: Mapping[str, str], settings: ApiSettings) -> str | None:
    """Why a topic may not have *overrides* here; None when it may."""
    for name, value in overrides.items():
        problem = topic_config_problem(name, value)
        if problem is not None:
            return problem
    return conflict_of(overrides) or serving_problem(overrides, settings)


def serving_problem(overrides: Mapping[str, str], settings: ApiSettings) -> str | None:
    """Why a topic with *overrides* is not served here; None when it is."""
    try:
        EffectiveTopicConfigs.parse(settings.topic_defaults, overrides)
    except InvalidLogConfig as error:
        return str(error)
    return None
