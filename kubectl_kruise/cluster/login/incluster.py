"""The login of a pod: its service account, where no kubeconfig says otherwise (cli.md §3.1)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from kubectl_kruise.cluster.login.kubeconfig import Choice

ACCOUNT: Final = Path("/var/run/secrets/kubernetes.io/serviceaccount")


def find_pod_login(environ: Mapping[str, str], account: Path = ACCOUNT) -> Choice | None:
    """Give the server, the token file and the namespace that a pod is given; None outside of one."""
    host, port = environ.get("KUBERNETES_SERVICE_HOST"), environ.get("KUBERNETES_SERVICE_PORT")
    token, authority, namespace = account / "token", account / "ca.crt", account / "namespace"
    if not host or not port or not token.is_file():
        return None
    cluster = {"server": f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}"}
    if authority.is_file():
        cluster["certificate-authority"] = str(authority)
    own = namespace.read_text(encoding="utf-8").strip() if namespace.is_file() else ""
    return Choice("", own, cluster, {"tokenFile": str(token)}, "the pod's service account")
