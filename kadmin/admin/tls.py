"""TLS of a connection: which do its settings ask for?

Reads certificates and keys; opens no connection.
"""

import ssl
from pathlib import Path

from kadmin.errors import UsageError
from kadmin.settings.resolve import TlsSettings, Whose


def tls_context(settings: TlsSettings, whose: Whose) -> ssl.SSLContext | None:
    """Return the TLS context of *settings*, or None without TLS.

    All files are read here, before any connection is opened.  Errors name *whose* settings they
    are.

    Raises:
        UsageError: a file cannot be read, is no PEM, or its key is locked or another's.
    """
    if not settings.tls:
        return None
    for path in (settings.tls_ca, settings.tls_cert, settings.tls_key):
        if path is not None:
            check_readable(path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if not settings.tls_verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    elif not settings.tls_check_host:
        context.check_hostname = False
    if settings.tls_ca is None:
        context.load_default_certs(ssl.Purpose.SERVER_AUTH)
    else:
        load_authorities(context, settings.tls_ca, whose)
    if settings.tls_cert is not None:
        load_certificate(context, settings, settings.tls_cert, whose)
    return context


def check_readable(path: str) -> None:
    try:
        with open(path, "rb"):
            check_no_device(path)
    except OSError as error:
        raise unreadable(path, error.strerror) from error


def check_no_device(path: str) -> None:
    """Refuse a device, such as /dev/zero, which OpenSSL would read without end."""
    if Path(path).is_char_device():
        raise unreadable(path, "it is a device")


def unreadable(path: str, reason: str | None) -> UsageError:
    return UsageError(
        f"cannot read {path}: {reason}",
        hint="'kadmin config show' shows which setting names that file",
    )


def load_authorities(context: ssl.SSLContext, path: str, whose: Whose) -> None:
    try:
        context.load_verify_locations(path)
    except ssl.SSLError as error:
        raise UsageError(
            f"{path} holds no certificate in PEM form",
            hint=f"--{whose}-tls-ca wants the authorities as PEM, not a Java key store",
        ) from error


def load_certificate(
    context: ssl.SSLContext, settings: TlsSettings, path: str, whose: Whose
) -> None:
    # Without a password OpenSSL would ask for one on the terminal by itself.
    password = settings.tls_key_password or ""
    try:
        context.load_cert_chain(path, settings.tls_key, password=password)
    except ssl.SSLError as error:
        key = settings.tls_key or path
        words = (error.reason or "wrong or missing password").replace("_", " ").lower()
        raise UsageError(
            f"cannot use the certificate {path} with the key {key}: {words}",
            hint="both are PEM files that belong together; the password of a locked key is"
            f" KADMIN_{whose.upper()}_TLS_KEY_PASSWORD",
        ) from error
