"""Lines of Kafka's state-change.log: their templates, a parser, and typed columns of them."""

__all__ = [
    "filters",
    "kinds",
    "layouts",
    "lines",
    "parse",
    "typed",
]
