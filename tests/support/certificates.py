"""What does a test of TLS need: authorities, certificates and keys, as files."""

from pathlib import Path

import trustme
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)


class Authority:
    """A certificate authority with its own certificate in *file*."""

    def __init__(self, directory: Path, name: str) -> None:
        self.directory = directory
        self.name = name
        self.authority = trustme.CA()
        self.file = directory / f"{name}-ca.pem"
        self.authority.cert_pem.write_to_path(str(self.file))

    def issue(self, *identities: str, password: str | None = None) -> tuple[Path, Path]:
        """A certificate for *identities*, with its chain, and its key in PKCS#8: two PEM files."""
        issued = self.authority.issue_cert(*identities)
        stem = f"{self.name}-{identities[0]}" + ("-locked" if password else "")
        certificate = self.directory / f"{stem}-cert.pem"
        certificate.write_bytes(b"".join(blob.bytes() for blob in issued.cert_chain_pems))
        key = self.directory / f"{stem}-key.pem"
        lock = BestAvailableEncryption(password.encode()) if password else NoEncryption()
        loaded = load_pem_private_key(issued.private_key_pem.bytes(), None)
        key.write_bytes(loaded.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, lock))
        return certificate, key
