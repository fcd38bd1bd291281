"""Certificates of servers on the loopback, and who vouches for them."""

import ssl
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

HOST = "hooks.example.org"
Party = tuple[str, ec.EllipticCurvePrivateKey]
"""Who is named in a certificate, with its key."""


@dataclass(frozen=True)
class Authority:
    """Who vouches for the certificates of servers."""

    folder: Path
    name: str = "Authority"
    key: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )

    def trusting(self) -> ssl.SSLContext:
        """What a client needs that trusts this authority alone."""
        own = _certificate((self.name, self.key), (self.name, self.key))
        return ssl.create_default_context(cadata=own.public_bytes(Encoding.PEM).decode("ascii"))

    def serving(
        self, host: str = HOST, ends_days: int = 1, *, alone: bool = False
    ) -> ssl.SSLContext:
        """What a server of a name needs, which may vouch for itself `alone`."""
        key = ec.generate_private_key(ec.SECP256R1())
        issuer = (host, key) if alone else (self.name, self.key)
        made = _certificate((host, key), issuer, ends_days)
        secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        file = self.folder / f"{self.name}-{host}.pem"
        file.write_bytes(secret + made.public_bytes(Encoding.PEM))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context


def _certificate(subject: Party, issuer: Party, ends_days: int = 1) -> x509.Certificate:
    now, (name, key) = datetime.now(UTC), subject
    return (
        x509.CertificateBuilder()
        .subject_name(_named(name))
        .issuer_name(_named(issuer[0]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=9))
        .not_valid_after(now + timedelta(days=ends_days))
        .add_extension(x509.BasicConstraints(subject == issuer, None), critical=True)
        .add_extension(x509.SubjectAlternativeName([_general(name)]), critical=False)
        .sign(issuer[1], SHA256())
    )


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _general(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)
