"""The release of kadmin; read by the build as well."""

VERSION = "0.2.0"
