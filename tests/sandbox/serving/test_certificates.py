"""Certificates of an earlier start serve again only where they are whole (sandbox-apiserver.md S5)."""

import pytest

from kubectl_kruise.sandbox.serving import certificates
from kubectl_kruise.sandbox.serving.certificates import Certificates, make_certificates, usable

FIRST, SECOND = make_certificates(), make_certificates()


def test_what_was_made_is_usable():
    assert usable(FIRST)


@pytest.mark.parametrize(
    "kept",
    [
        Certificates(b"", b"", b""),
        FIRST._replace(key=b"no key"),
        FIRST._replace(key=SECOND.key),
        FIRST._replace(authority=SECOND.authority),
        FIRST._replace(server=FIRST.server[:100]),
    ],
    ids=["nothing kept", "no key", "another key", "another authority", "half a file"],
)
def test_what_does_not_fit_together_is_not(kept):
    assert not usable(kept)


def test_what_ends_within_a_day_is_not(monkeypatch):
    monkeypatch.setattr(certificates, "DAYS", 0.9)
    assert not usable(make_certificates())
