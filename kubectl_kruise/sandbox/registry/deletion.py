"""DELETE: grace periods, finalizers, propagation policies (sandbox-apiserver.md §18, §19)."""

from http import HTTPStatus
from typing import Final, NamedTuple

from kubectl_kruise.objects.notation import field_errors
from kubectl_kruise.objects.notation.timestamp import parse_rfc3339, rfc3339
from kubectl_kruise.objects.pod import finished
from kubectl_kruise.objects.raw import Raw, dig
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.registry.call import Call
from kubectl_kruise.sandbox.registry.registry import Registry
from kubectl_kruise.sandbox.store import Stored

ORPHAN: Final = "orphan"
FOREGROUND: Final = "foregroundDeletion"
CRD_CLEANUP: Final = "customresourcecleanup.apiextensions.k8s.io"
POLICIES: Final = ("Foreground", "Background", "Orphan", "nil")
PROTECTED: Final = ("default", "kube-system", "kube-public")
JOB_WARNING: Final = (
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them "
    "or set propagationPolicy=Orphan to suppress this warning"
)
SHOWN_WHEN_GONE: Final = (
    "pods",
    "persistentvolumeclaims",
    "persistentvolumes",
    "podtemplates",
    "resourcequotas",
    "serviceaccounts",
)
"""Kinds whose deletion is answered with the object, not with a Status."""
OPTION_KINDS: Final = ("", "DeleteOptions")


class Deleted(NamedTuple):
    """`object` is the state to answer with; None where the answer is a Status about `uid`."""

    object: Stored | None
    uid: str


def check_options(options: Raw) -> None:
    """Refuse DeleteOptions that mean nothing (G1, G5)."""
    kind, api_version = options.get("kind") or "", options.get("apiVersion") or "v1"
    if kind not in OPTION_KINDS:
        raise status.bad_request(
            f'no kind "{kind}" is registered for version "{api_version}" in scheme '
            '"k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:56"'
        )
    policy = options.get("propagationPolicy")
    errors = []
    if policy and options.get("orphanDependents") is not None:
        why = "orphanDependents and deletionPropagation cannot be both set"
        errors.append(field_errors.invalid("propagationPolicy", policy, why))
    elif policy is not None and policy not in POLICIES[:3]:
        errors.append(field_errors.not_supported("propagationPolicy", policy, POLICIES))
    if set(options.get("dryRun") or ("All",)) != {"All"}:
        errors.append(field_errors.not_supported("dryRun", options["dryRun"], ["All"]))
    if errors:
        raise status.invalid("meta.k8s.io", "DeleteOptions", "", errors)


def delete(registry: Registry, call: Call, options: Raw, *, guarded: bool = True) -> Deleted:
    """Delete an object, or mark it as going where something holds it back (G2 to G7).

    No webhook is asked without `guarded`: the server itself takes away what a definition leaves.
    """
    old = registry.find(call)
    raw = registry.view(call.resource, old).object
    _check_preconditions(call, raw, options.get("preconditions") or {})
    if guarded:
        registry.refuse_protected(call, raw)
    if call.resource.key == "namespaces":
        return _delete_namespace(registry, call, old)
    going = _marked(registry, call, raw, options)
    if going is None:
        return Deleted(registry.view(call.resource, old), "")
    meta = going["metadata"]
    held = bool(meta.get("finalizers")) or bool(meta.get("deletionGracePeriodSeconds"))
    shows = call.resource.key in SHOWN_WHEN_GONE
    last = old if not held and call.resource.key != "pods" else None
    if call.dry_run:
        shown = last or Stored(call.resource.key, going, old.version)
        return Deleted(shown if held or shows else None, meta["uid"])
    if last is not None:
        gone = registry.store.remove(last)
        return Deleted(registry.view(call.resource, gone) if shows else None, meta["uid"])
    # A pod is marked also where it goes at once: its watchers see that it was meant to end (G2).
    marked = old.object | {"metadata": meta}
    written = old if going == raw else registry.store.put(call.resource.key, marked)
    if not held:
        written = registry.store.remove(written)
    return Deleted(registry.view(call.resource, written), meta["uid"])


def _check_preconditions(call: Call, raw: Raw, wanted: Raw) -> None:
    meta, resource = raw["metadata"], call.resource
    uid, version = wanted.get("uid"), wanted.get("resourceVersion")
    if uid is not None and uid != meta["uid"]:
        why = (
            f"the UID in the precondition ({uid}) does not match the UID in record ({meta['uid']}). "
            "The object might have been deleted and then recreated"
        )
        raise status.conflict(resource.group, resource.kind, call.name, why)
    if version is not None and version != meta["resourceVersion"]:
        why = (
            f"the ResourceVersion in the precondition ({version}) does not match the ResourceVersion in record "
            f"({meta['resourceVersion']}). The object might have been modified"
        )
        raise status.conflict(resource.group, resource.kind, call.name, why)


def _delete_namespace(registry: Registry, call: Call, old: Stored) -> Deleted:
    if call.name in PROTECTED:
        raise status.forbidden("", "namespaces", call.name, "this namespace may not be deleted")
    raw = old.object
    if raw["metadata"].get("deletionTimestamp"):
        return Deleted(old, "")
    meta = raw["metadata"] | {"deletionTimestamp": registry.now}
    going = raw | {"metadata": meta, "status": (raw.get("status") or {}) | {"phase": "Terminating"}}
    if call.dry_run:
        return Deleted(Stored("namespaces", going, old.version), "")
    return Deleted(registry.store.put("namespaces", going), "")


def _marked(registry: Registry, call: Call, raw: Raw, options: Raw) -> Raw | None:
    """Give the object with its deletion noted in it; None where it is going already and nothing changes."""
    meta = dict(raw["metadata"])
    if meta.get("deletionTimestamp"):
        return _sooner(call, raw, meta, options)
    finalizers = _finalizers(call, meta, options)
    meta.pop("finalizers", None)
    if finalizers:
        meta["finalizers"] = finalizers
    seconds = grace_seconds(raw, options) if call.resource.key == "pods" else 0
    meta["deletionTimestamp"] = rfc3339(registry.clock.time() + seconds)
    if call.resource.key != "customresourcedefinitions.apiextensions.k8s.io":
        meta["deletionGracePeriodSeconds"] = seconds
    if meta.get("generation"):
        meta["generation"] += 1
    return raw | {"metadata": meta}


def _sooner(call: Call, raw: Raw, meta: Raw, options: Raw) -> Raw | None:
    """Shorten the grace period of a pod that is going already (G3)."""
    held = meta.get("deletionGracePeriodSeconds") or 0
    wanted = options.get("gracePeriodSeconds")
    if call.resource.key != "pods" or wanted is None:
        return None
    seconds = _not_negative(wanted)
    if seconds >= held:
        return None
    due = parse_rfc3339(meta["deletionTimestamp"]) or 0
    meta |= {"deletionTimestamp": rfc3339(due - held + seconds), "deletionGracePeriodSeconds": seconds}
    return raw | {"metadata": meta}


def grace_seconds(pod: Raw, options: Raw) -> int:
    """Give the seconds that a pod has to end: none where no kubelet has it (G2, G3)."""
    if not dig(pod, ("spec", "nodeName")) or finished(pod):
        return 0
    wanted = options.get("gracePeriodSeconds")
    if wanted is None:
        wanted = dig(pod, ("spec", "terminationGracePeriodSeconds"), 30)
    return _not_negative(wanted)


def _not_negative(seconds: int) -> int:
    return 1 if seconds < 0 else int(seconds)


def _finalizers(call: Call, meta: Raw, options: Raw) -> list[str]:
    """Give the finalizers with those of the propagation policy (G7)."""
    held: list[str] = meta.get("finalizers") or []
    policy = options.get("propagationPolicy")
    orphans = options.get("orphanDependents")
    if orphans is not None:
        policy = "Orphan" if orphans else "Background"
    if policy is None:
        policy = "Orphan" if ORPHAN in held else "Foreground" if FOREGROUND in held else _default_policy(call)
    rest = [name for name in held if name not in (ORPHAN, FOREGROUND)]
    wanted = {"Orphan": [ORPHAN], "Foreground": [FOREGROUND]}.get(policy, [])
    return [*rest, *wanted]


def _default_policy(call: Call) -> str:
    if call.resource.key == "jobs.batch":
        call.warnings.append(JOB_WARNING)
        return "Orphan"
    return "Orphan" if call.resource.key == "replicationcontrollers" else "Background"


def delete_collection(registry: Registry, call: Call, options: Raw, chosen: list[Stored]) -> None:
    """Delete each of `chosen`; an object that is gone meanwhile is no failure (L8, G12)."""
    for stored in chosen:
        one = Call(call.resource, stored.namespace, stored.name, dry_run=call.dry_run, warnings=call.warnings)
        try:
            delete(registry, one, options)
        except status.Refused as refusal:
            if refusal.code != HTTPStatus.NOT_FOUND:
                raise
