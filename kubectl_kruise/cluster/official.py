"""Logins that only the official client still knows: `auth-provider` entries, which Kubernetes removed in 1.26.

The one module that imports `kubernetes`, an optional package that takes half a second to load.
"""

from typing import Any

from kubectl_kruise.cluster.http.transport import Authorize
from kubectl_kruise.errors import UnreachableError
from kubectl_kruise.objects.raw import Raw, dig

HINT = "use the exec plugin of your provider: kubectl config set-credentials --exec-command"


def provider_login(user: Raw, name: str) -> Authorize:
    """Let the official client log in by the entry's auth-provider (gcp, azure, oidc).

    A refreshed token is used and not written back. Raises UnreachableError, which points to exec plugins, where the
    client is not installed, does not know the provider or cannot log in.
    """
    provider = dig(user, ("auth-provider", "name"), "without a name")
    try:
        header = _ask_official_client(user)
    except ImportError as error:
        raise _failed(name, provider, f"a package is missing: {error}") from error
    except Exception as error:
        raise _failed(name, provider, f"{type(error).__name__}: {error}") from error
    if not header:
        raise _failed(name, provider, "the provider gave no token")
    return lambda: {"Authorization": header}


def _ask_official_client(user: Raw) -> str:
    from kubernetes import client
    from kubernetes.config.kube_config import KubeConfigLoader

    document: dict[str, Any] = {
        "current-context": "x",
        "clusters": [{"name": "x", "cluster": {"server": "https://localhost"}}],
        "contexts": [{"name": "x", "context": {"cluster": "x", "user": "x"}}],
        "users": [{"name": "x", "user": {"auth-provider": user["auth-provider"]}}],
    }
    settings = client.Configuration()
    KubeConfigLoader(config_dict=document).load_and_set(settings)
    return str(settings.api_key.get("authorization") or "")


def _failed(name: str, provider: str, cause: str) -> UnreachableError:
    return UnreachableError(
        f'user "{name}" cannot log in by auth-provider {provider}', cause=cause, hint=HINT
    )
