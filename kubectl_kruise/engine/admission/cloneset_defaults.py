"""Defaults of CloneSets as the mutating webhook writes them (cloneset.md §4).

Also used in memory by the CLI and the controller where no webhook runs: a CloneSet is judged by what the webhook would
have made of it.
"""

from typing import Any, Final

from kubectl_kruise.engine.admission.pod_defaults import fill_claim_template, fill_pod_template
from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.facts.cloneset_fields import cloneset_structs
from kubectl_kruise.objects.notation.number import DEFAULT_MAX_UNAVAILABLE
from kubectl_kruise.objects.raw import Raw, api_version, copied, dig
from kubectl_kruise.objects.typed import typed

IN_PLACE_TYPES: Final = ("InPlaceIfPossible", "InPlaceOnly")
_SWITCHES: Final[Raw] = {"partition": 0, "maxUnavailable": DEFAULT_MAX_UNAVAILABLE, "maxSurge": 0}


def typed_cloneset(obj: Raw) -> Raw:
    """Give metadata and spec in typed form. Raises ValueError with the decoder's text where a value does not fit."""
    version = api_version(obj)
    structs = cloneset_structs(version)
    return typed(obj, f"CloneSet@{version}", structs)


def default_cloneset(obj: Raw, old: Raw | None = None, gates: Gates | None = None) -> Raw:
    """Fill in what is missing: a creation without `old`, else an update; the gates say what of templates (§3).

    Gives `obj` itself where nothing was missing, else a new object written back from its typed form: unknown fields
    and empty values are gone, metadata and status are those of `obj`. Raises ValueError with the decoder's text where
    a value does not fit its type.
    """
    before = typed_cloneset(obj)
    after = copied(before)
    spec: Raw = after["spec"]
    _set(spec, {"replicas": 1, "revisionHistoryLimit": 10})
    _default_strategy(spec["updateStrategy"], api_version(obj))
    gates = gates or Gates()
    if _new_template(obj, old, before) and not gates.bare_templates:
        fill_pod_template(spec["template"], kruise=True, host_ports=gates.host_ports)
        for claim in spec.get("volumeClaimTemplates") or []:
            fill_claim_template(claim)
    if old is not None and after == before:
        return obj
    drop_null_times(spec)
    return {**obj, "spec": spec}


def _new_template(obj: Raw, old: Raw | None, read: Raw) -> bool:
    """Say whether an update has another template; `read` is the typed form of `obj`."""
    if old is None:
        return True
    # What is alike as it stands reads alike: most updates are spared the reading of the old object.
    if dig(obj, ("spec", "template")) == dig(old, ("spec", "template")):
        return False
    different: bool = read["spec"]["template"] != typed_cloneset(old)["spec"]["template"]
    return different


def drop_null_times(spec: Raw) -> None:
    """Take out the `creationTimestamp: null` of the typed form: only revisions keep it, stored objects never do."""
    for holder in (spec["template"], *(spec.get("volumeClaimTemplates") or [])):
        metadata = holder.get("metadata") or {}
        if metadata.get("creationTimestamp", "") is None:
            del metadata["creationTimestamp"]


def _default_strategy(strategy: Raw, version: str) -> None:
    if version != "v1beta1":
        _set(strategy, {"type": "ReCreate"})
        _default_switches(strategy, strategy["type"])
    elif strategy.setdefault("type", "RollingUpdate") == "RollingUpdate":
        rolling: Raw = strategy.setdefault("rollingUpdate", {})
        _set(rolling, {"podUpdatePolicy": "ReCreate"})
        _default_switches(rolling, rolling["podUpdatePolicy"])


def _default_switches(holder: Raw, policy: str) -> None:
    _set(holder, _SWITCHES)
    if policy in IN_PLACE_TYPES:
        _set(holder, {"inPlaceUpdateStrategy": {}})


def _set(target: Raw, values: dict[str, Any]) -> None:
    for key, value in values.items():
        if target.get(key) is None:
            target[key] = dict(value) if isinstance(value, dict) else value
