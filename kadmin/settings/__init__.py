"""Which value of a setting wins, and who said it; the configuration file; a user's paths."""

__all__ = [
    "atomic_file",
    "brokers",
    "client_security",
    "command_config",
    "config_reader",
    "config_writer",
    "file_lock",
    "keys",
    "properties",
    "resolve",
    "xdg",
]
