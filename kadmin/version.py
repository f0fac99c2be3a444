"""Which release is this?  Read by the build as well."""

VERSION = "0.1.0"
