"""Certificates for loopback servers, made once per test run."""

import datetime as dt
import ipaddress
import ssl
from functools import cache
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DAY = dt.timedelta(days=1)
_AUTHORITIES: dict[str, "Authority"] = {}
NOW = dt.datetime.now(dt.UTC)


class Pair(NamedTuple):
    certificate: bytes
    key: bytes


class Authority:
    """Signs certificates; `pem` is its own."""

    def __init__(self, name: str, above: "Authority | None" = None) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        signer = above or self
        own = _builder(self._name, signer._name, self._key).add_extension(
            x509.BasicConstraints(True, None), True
        )
        self.pem = own.sign(signer._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)

    def issue(self, name: str, *hosts: str) -> Pair:
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        builder = _builder(subject, self._name, key)
        if hosts:
            builder = builder.add_extension(
                x509.SubjectAlternativeName([_host(host) for host in hosts]), False
            )
        signed = builder.sign(self._key, hashes.SHA256())
        return Pair(signed.public_bytes(serialization.Encoding.PEM), key_pem(key))


def authority(name: str = "cluster") -> Authority:
    """Give the authority of that name; a name such as `cluster/site` is of one that `cluster` vouches for."""
    if name not in _AUTHORITIES:
        above = name.rpartition("/")[0]
        _AUTHORITIES[name] = Authority(name, authority(above) if above else None)
    return _AUTHORITIES[name]


@cache
def pair(name: str, *hosts: str, signer: str = "cluster") -> Pair:
    return authority(signer).issue(name, *hosts)


def key_pem(key: ec.EllipticCurvePrivateKey, password: bytes | None = None) -> bytes:
    secret = serialization.BestAvailableEncryption(password) if password else serialization.NoEncryption()
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, secret)


def server_tls(folder: Path, shown: Pair, *, asks_for_client: bool = False) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    file = folder / "server.pem"
    file.write_bytes(shown.certificate + shown.key)
    context.load_cert_chain(file)
    if asks_for_client:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(cadata=authority().pem.decode())
    return context


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(NOW - DAY)
        .not_valid_after(NOW + DAY)
    )


def _host(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)
