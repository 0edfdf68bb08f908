"""Cells of what bounds and allows: quotas, volumes, roles, storage (sandbox-apiserver.md TB4)."""

from datetime import datetime
from typing import Any, Final

from kubectl_kruise.objects.raw import Raw, dig
from kubectl_kruise.objects.selector import selector_of
from kubectl_kruise.sandbox.tables.network import UNSET
from kubectl_kruise.sandbox.tables.pods import NONE

MODES: Final = {
    "ReadWriteOnce": "RWO",
    "ReadOnlyMany": "ROX",
    "ReadWriteMany": "RWX",
    "ReadWriteOncePod": "RWOP",
}


def access_modes(modes: Any) -> str:
    """Write access modes in short, each once, in the order of the real server."""
    return ",".join(short for mode, short in MODES.items() if mode in (modes or ()))


def _quota(part: str) -> Any:
    """Write used and hard amounts: of limits, or of everything else."""

    def read(obj: Raw, _: datetime) -> str:
        hard, used = (dig(obj, ("status", key), {}) for key in ("hard", "used"))
        names = sorted(name for name in hard if name.startswith("limits.") == (part == "limits"))
        return ", ".join(f"{name}: {used.get(name, '0')}/{hard[name]}" for name in names)

    return read


def _subjects(kind: str) -> Any:
    def read(obj: Raw, _: datetime) -> str:
        found = [subject for subject in obj.get("subjects") or () if subject.get("kind") == kind]
        spaced = kind == "ServiceAccount"
        return ", ".join(
            f"{subject.get('namespace')}/{subject['name']}" if spaced else subject["name"]
            for subject in found
        )

    return read


def _role(obj: Raw, _: datetime) -> str:
    return "{kind}/{name}".format(
        kind=dig(obj, ("roleRef", "kind"), ""), name=dig(obj, ("roleRef", "name"), "")
    )


def _claim(obj: Raw, _: datetime) -> str:
    found = dig(obj, ("spec", "claimRef"))
    return f"{found.get('namespace', '')}/{found.get('name', '')}" if found else ""


def _volume_status(obj: Raw, _: datetime) -> str:
    going = dig(obj, ("metadata", "deletionTimestamp"))
    return "Terminating" if going else str(dig(obj, ("status", "phase"), ""))


def _chosen_by_policy(obj: Raw, _: datetime) -> str:
    return str(selector_of(dig(obj, ("spec", "podSelector"), {}))) or NONE


CELLS: Final = {
    "quota_requests": _quota("requests"),
    "quota_limits": _quota("limits"),
    "role": _role,
    "users": _subjects("User"),
    "groups": _subjects("Group"),
    "accounts": _subjects("ServiceAccount"),
    "claim": _claim,
    "volume_status": _volume_status,
    "volume_modes": lambda obj, _: access_modes(dig(obj, ("spec", "accessModes"))),
    "volume_attributes": lambda obj, _: dig(obj, ("spec", "volumeAttributesClassName")) or UNSET,
    "volume_mode": lambda obj, _: dig(obj, ("spec", "volumeMode")) or UNSET,
    "policy_pods": _chosen_by_policy,
    "webhooks": lambda obj, _: len(obj.get("webhooks") or ()),
    "is_default": lambda obj, _: bool(obj.get("globalDefault")),
    "expansion": lambda obj, _: bool(obj.get("allowVolumeExpansion")),
}
