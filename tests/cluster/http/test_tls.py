import os

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from kubectl_kruise.cluster.http.tls import tls_context
from kubectl_kruise.errors import UnreachableError
from tests.cluster.certificates import key_pem, pair


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"authority": b"no PEM"}, "the certificate authority is not a PEM certificate"),
        ({"authority": b"\xff"}, "the certificate authority is not a PEM certificate"),
        ({"certificate": b"x"}, "a client certificate but no client key"),
        ({"key": b"x"}, "a client key but no client certificate"),
        ({"certificate": b"x", "key": b"y"}, "cannot be read"),
        ({"certificate": pair("me").certificate, "key": pair("you").key}, "do not match"),
        (
            {
                "certificate": pair("me").certificate,
                "key": key_pem(ec.generate_private_key(ec.SECP256R1()), b"pw"),
            },
            "the client key is encrypted",
        ),
    ],
    ids=["authority", "authority bytes", "no key", "no certificate", "nonsense", "mismatch", "encrypted"],
)
def test_material_that_cannot_be_used(given, message):
    with pytest.raises(UnreachableError, match=message):
        tls_context(**given)


@pytest.mark.parametrize("system", ["memory", "no memory files", "no /proc"])
def test_no_key_stays_on_disk(tmp_path, monkeypatch, system):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    if system == "no memory files":
        monkeypatch.delattr(os, "memfd_create", raising=False)
    if system == "no /proc":
        monkeypatch.setattr(os.path, "exists", lambda _: False)
    me = pair("me")

    tls_context(certificate=me.certificate, key=me.key)

    assert list(tmp_path.iterdir()) == []
