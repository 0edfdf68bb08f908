"""Our reading of kubeconfig files against kubectl's and the official client's, over many odd files.

A row is a set of files and the question; kubectl answers with `config view --raw --minify --flatten`.
"""

import base64
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest

from kubectl_kruise.cluster.connection import ConnectionFlags, resolve
from kubectl_kruise.errors import KruiseError
from tests.cluster.login.kubeconfigs import REFUSED, ROWS, Row

KUBECTL = shutil.which("kubectl", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")


class Answer(NamedTuple):
    server: str = ""
    authority: bytes = b""
    certificate: bytes = b""
    key: bytes = b""
    token: str = ""
    basic: str = ""
    namespace: str = "default"
    server_name: str = ""
    insecure: bool = False
    compress: bool = True
    proxy: str = ""
    acting_as: tuple[tuple[str, str], ...] = ()


def write(row: Row, root: Path) -> dict[str, str]:
    for name, text in row.files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.replace("@ROOT@", str(root)).encode())
    return {
        "HOME": str(root / "home"),
        "PATH": os.environ["PATH"],
        "KUBECONFIG": os.pathsep.join(str(root / name) if name else "" for name in row.names),
    }


def ours(row: Row, environ: dict[str, str]) -> Answer:
    endpoint = resolve(ConnectionFlags(context=row.context), environ)
    header = endpoint.credentials.authorize().get("Authorization", "")
    return Answer(
        endpoint.server,
        endpoint.authority,
        *endpoint.credentials.identify(),
        header.removeprefix("Bearer ") if header.startswith("Bearer") else "",
        base64.b64decode(header.removeprefix("Basic ")).decode() if header.startswith("Basic") else "",
        endpoint.namespace,
        endpoint.server_name,
        endpoint.insecure,
        endpoint.compress,
        endpoint.proxy.address if endpoint.proxy else "",
        endpoint.acting_as,
    )


def kubectl(row: Row, environ: dict[str, str]) -> Answer:
    command = [KUBECTL, "config", "view", "--raw", "--minify", "--flatten", "-o", "json"]
    command += [f"--context={row.context}"] if row.context else []
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=True, timeout=30)
    view = json.loads(done.stdout)
    cluster = view["clusters"][0]["cluster"]
    user = view["users"][0]["user"] if view.get("users") else {}
    # It alone is printed as it stands in its file.
    folder = Path(environ["KUBECONFIG"].split(os.pathsep)[0]).parent
    pair_given = user.get("username") or user.get("password")
    token = (
        (folder / user["tokenFile"]).read_text().strip() if user.get("tokenFile") else user.get("token", "")
    )
    url = urlsplit(cluster["server"])
    proxy = urlsplit(cluster.get("proxy-url", ""))
    acting = [("User", user.get("as", "")), ("Uid", user.get("as-uid", ""))]
    acting += [("Group", group) for group in user.get("as-groups", [])]
    acting += [
        (f"Extra-{key.replace('/', '%2F')}", value)
        for key, values in user.get("as-user-extra", {}).items()
        for value in values
    ]
    return Answer(
        url._replace(path=url.path.rstrip("/")).geturl(),
        base64.b64decode(cluster.get("certificate-authority-data", "")),
        base64.b64decode(user.get("client-certificate-data", "")),
        base64.b64decode(user.get("client-key-data", "")),
        token,
        f"{user.get('username', '')}:{user.get('password', '')}" if pair_given else "",
        view["contexts"][0]["context"].get("namespace", "default"),
        cluster.get("tls-server-name", ""),
        cluster.get("insecure-skip-tls-verify", False),
        not cluster.get("disable-compression", False),
        f"{proxy.scheme}://{proxy.hostname}:{proxy.port}" if proxy.hostname else "",
        tuple((f"Impersonate-{name}", value) for name, value in acting if value),
    )


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_as_kubectl(row, tmp_path):
    environ = write(row, tmp_path)

    assert ours(row, environ) == kubectl(row, environ)


@pytest.mark.parametrize("row", [row for row in ROWS if not row.official], ids=lambda row: row.id)
def test_as_the_official_client(row, tmp_path):
    from kubernetes import client
    from kubernetes import config as official

    environ, settings = write(row, tmp_path), client.Configuration()
    names = os.pathsep.join(name for name in environ["KUBECONFIG"].split(os.pathsep) if name)

    official.load_kube_config(names, row.context or None, settings, persist_config=False)

    mine = ours(row, environ)
    given = settings.get_api_key_with_prefix("authorization") or ""
    assert settings.host == mine.server
    assert read(settings.ssl_ca_cert) == mine.authority
    assert (read(settings.cert_file), read(settings.key_file)) == (mine.certificate, mine.key)
    assert (given.removeprefix("Bearer ").strip() if given.startswith("Bearer") else "") == mine.token
    assert settings.verify_ssl != mine.insecure
    assert (settings.tls_server_name or "") == mine.server_name


def read(path: str | None) -> bytes:
    return Path(path).read_bytes() if path else b""


@pytest.mark.parametrize("row", REFUSED, ids=lambda row: row.id)
def test_what_kubectl_refuses_we_refuse_too(row, tmp_path):
    environ = write(row, tmp_path)

    with pytest.raises(KruiseError) as caught:
        ours(row, environ)
    with pytest.raises(subprocess.CalledProcessError):
        kubectl(row, environ)

    assert caught.value.exit_code in (2, 7)
