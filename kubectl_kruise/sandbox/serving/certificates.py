"""A certificate authority of the sandbox's own, and a certificate for 127.0.0.1 (sandbox-apiserver.md S5)."""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from typing import Final, NamedTuple

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

DAYS: Final = 3650
NAMES: Final = ("localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc")
ADDRESSES: Final = ("127.0.0.1", "::1")


class Certificates(NamedTuple):
    """PEM texts: the authority's certificate, the server's, and the server's key. Nobody keeps the authority's key."""

    authority: bytes
    server: bytes
    key: bytes


def usable(kept: Certificates) -> bool:
    """Tell whether certificates kept from an earlier start serve for this one: whole, of one pair, valid for a day yet."""
    try:
        authority, server = map(x509.load_pem_x509_certificate, (kept.authority, kept.server))
        key = serialization.load_pem_private_key(kept.key, password=None)
        server.verify_directly_issued_by(authority)
    except (ValueError, TypeError, InvalidSignature, UnsupportedAlgorithm):
        return False
    lasts = min(authority.not_valid_after_utc, server.not_valid_after_utc)
    return key.public_key() == server.public_key() and lasts > datetime.now(UTC) + timedelta(days=1)


def make_certificates() -> Certificates:
    """Make a new authority and have it sign a server certificate. P-256: RSA would cost 3 ms per connection."""
    now = datetime.now(UTC)
    ca_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    ca_name = _name("kruise-sandbox-ca")
    authority = (
        _builder(ca_name, ca_name, ca_key.public_key(), now)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signing=True), critical=True)
        .sign(ca_key, hashes.SHA256())
    )
    alternatives = [*map(x509.DNSName, NAMES), *(x509.IPAddress(ip_address(text)) for text in ADDRESSES)]
    server = (
        _builder(_name("kruise-sandbox"), ca_name, key.public_key(), now)
        .add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signing=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(ca_key, hashes.SHA256())
    )
    plain_key = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    pem = serialization.Encoding.PEM
    return Certificates(authority.public_bytes(pem), server.public_bytes(pem), plain_key)


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, now: datetime
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=DAYS))
    )


def _usage(*, signing: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=signing,
        crl_sign=signing,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
