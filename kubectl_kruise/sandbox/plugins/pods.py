"""What a real server's own admission plugins do to pods: service account, token, priority (sandbox-apiserver.md N1, N4)."""

from typing import Any, Final

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.native.pod_defaults import containers_of, fill_tolerations
from kubectl_kruise.sandbox.registry.admission import Admission
from kubectl_kruise.sandbox.registry.call import Call
from kubectl_kruise.sandbox.registry.identity import random_name
from kubectl_kruise.sandbox.store import Store

ACCOUNT: Final = "default"
ACCESS_VOLUME: Final = "kube-api-access-"
ACCESS_PATH: Final = "/var/run/secrets/kubernetes.io/serviceaccount"
ACCESS_SECONDS: Final = 3607
"""An hour and a little: the real plugin's mark of a token that it asked for itself."""
PRIORITY_CLASSES: Final = "priorityclasses.scheduling.k8s.io"
SYSTEM_CLASSES: Final = {"system-node-critical": 2_000_001_000, "system-cluster-critical": 2_000_000_000}
PREEMPTS: Final = "PreemptLowerPriority"


def pod_plugins(store: Store) -> list[Admission]:
    """Give the plugins in the order in which they work."""
    return [ServiceAccounts(store), Tolerations(), Priorities(store)]


class ServiceAccounts:
    """Gives new pods their account, its pull secrets and a volume with its token."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def mutate(self, call: Call, new: Raw, old: Raw | None) -> bool:
        """Complete a new pod; refuse one whose account does not exist.

        A namespace's default account is taken for granted: where a real server waits for it, it is on its way here.
        """
        if call.resource.key != "pods" or call.subresource or old is not None:
            return False
        spec = new["spec"]
        name = spec.get("serviceAccountName") or ACCOUNT
        stored = self._store.get("serviceaccounts", call.namespace, name)
        if stored is None and name != ACCOUNT:
            why = (
                f'error looking up service account {call.namespace}/{name}: serviceaccount "{name}" not found'
            )
            raise status.forbidden("", "pods", _asked_name(new), why)
        account = stored.object if stored else {}
        spec["serviceAccountName"] = spec["serviceAccount"] = name
        if account.get("imagePullSecrets") and not spec.get("imagePullSecrets"):
            spec["imagePullSecrets"] = [dict(secret) for secret in account["imagePullSecrets"]]
        wanted = (holder.get("automountServiceAccountToken") for holder in (spec, account))
        if next((told for told in wanted if told is not None), True):
            _mount_token(spec)
        return True

    def validate(self, call: Call, new: Raw, old: Raw | None) -> None:
        """Nothing is refused that was let through before."""


class Tolerations:
    """Gives pods the tolerations for nodes in trouble; by a plugin, and so no client comes to own them."""

    def mutate(self, call: Call, new: Raw, old: Raw | None) -> bool:  # noqa: ARG002 - one of several plugins
        if call.resource.key == "pods" and not call.subresource:
            fill_tolerations(new["spec"])
        return False

    def validate(self, call: Call, new: Raw, old: Raw | None) -> None:
        """Nothing is refused for its tolerations."""


class Priorities:
    """Gives new pods the number of their priority class, and keeps it."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def mutate(self, call: Call, new: Raw, old: Raw | None) -> bool:
        if call.resource.key != "pods" or call.subresource:
            return False
        spec = new["spec"]
        if old is not None:
            held = old.get("spec") or {}
            for key in ("priority", "preemptionPolicy"):
                if spec.get(key) is None and held.get(key) is not None:
                    spec[key] = held[key]
            return False
        self._prioritise(_asked_name(new), spec)
        return False

    def validate(self, call: Call, new: Raw, old: Raw | None) -> None:
        """Nothing is refused that was let through before."""

    def _prioritise(self, pod: str, spec: Raw) -> None:
        name, value, preemption = self._class(pod, spec.get("priorityClassName") or "")
        if spec.get("priority") not in (None, value):
            why = (
                f"the integer value of priority ({spec['priority']}) must not be provided in pod spec; priority"
                f" admission controller computed {value} from the given PriorityClass name"
            )
            raise status.forbidden("", "pods", pod, why)
        if spec.get("preemptionPolicy") not in (None, preemption):
            why = (
                f"the string value of PreemptionPolicy ({spec['preemptionPolicy']}) must not be provided in pod spec;"
                f" priority admission controller computed {preemption} from the given PriorityClass name"
            )
            raise status.forbidden("", "pods", pod, why)
        if name:
            spec["priorityClassName"] = name
        spec |= {"priority": value, "preemptionPolicy": preemption}

    def _class(self, pod: str, name: str) -> tuple[str, int, str]:
        """Give name, value and preemption policy of the class a pod names, or of the one for pods that name none."""
        if not name:
            classes: list[Raw] = [stored.object for stored in self._store.items(PRIORITY_CLASSES)]
            general = [found for found in classes if found.get("globalDefault")]
            return _read(min(general, key=_value)) if general else ("", 0, PREEMPTS)
        stored = self._store.get(PRIORITY_CLASSES, "", name)
        if stored is not None:
            return _read(stored.object)
        if name in SYSTEM_CLASSES:
            return name, SYSTEM_CLASSES[name], PREEMPTS
        raise status.forbidden("", "pods", pod, f"no PriorityClass with name {name} was found")


def _asked_name(pod: Raw) -> str:
    """Give the name in the request: of one that was made up, the base it was made from."""
    meta = pod["metadata"]
    base = str(meta.get("generateName") or "")
    name = str(meta["name"])
    return base if base and name.startswith(base) and len(name) == len(base) + 5 else name


def _read(found: Raw) -> tuple[str, int, str]:
    return str(found["metadata"]["name"]), _value(found), str(found.get("preemptionPolicy") or PREEMPTS)


def _value(found: Raw) -> int:
    return int(found.get("value") or 0)


def _mount_token(spec: Raw) -> None:
    """Mount the account's token into every container that has nothing in its place."""
    bare = [
        container
        for container in containers_of(spec)
        if all(mount.get("mountPath") != ACCESS_PATH for mount in container.get("volumeMounts") or ())
    ]
    held = [volume["name"] for volume in spec.get("volumes") or () if _is_token(volume)]
    name = held[0] if held else random_name(ACCESS_VOLUME)
    for container in bare:
        mount = {"name": name, "readOnly": True, "mountPath": ACCESS_PATH}
        container["volumeMounts"] = [*(container.get("volumeMounts") or ()), mount]
    if bare and not held:
        spec["volumes"] = [*(spec.get("volumes") or ()), _token_volume(name)]


def _is_token(volume: Raw) -> bool:
    return bool(volume.get("projected")) and str(volume.get("name") or "").startswith(ACCESS_VOLUME)


def _token_volume(name: str) -> dict[str, Any]:
    certificate = {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}
    place = {"path": "namespace", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}}
    sources = [
        {"serviceAccountToken": {"expirationSeconds": ACCESS_SECONDS, "path": "token"}},
        {"configMap": certificate},
        {"downwardAPI": {"items": [place]}},
    ]
    return {"name": name, "projected": {"sources": sources, "defaultMode": 0o644}}
