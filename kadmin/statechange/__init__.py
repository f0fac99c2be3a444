"""What a line of Kafka's state-change.log says: templates, a parser, and the same in columns."""

__all__ = [
    "filters",
    "kinds",
    "layouts",
    "lines",
    "parse",
    "typed",
]
