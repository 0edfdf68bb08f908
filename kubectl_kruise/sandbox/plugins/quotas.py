"""ResourceQuotas at work: what a request costs is counted before it is let through, or the request is refused."""

from collections.abc import Iterable, Mapping
from typing import Final

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.objects.notation.quantity import Quantity
from kubectl_kruise.objects.quota import Usage, concerns, covers, unspecified, usage_of
from kubectl_kruise.objects.raw import Raw, dig, name_of
from kubectl_kruise.objects.resources import ZERO, add, read_amounts
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.registry.call import Call
from kubectl_kruise.sandbox.store import Store

QUOTAS: Final = "resourcequotas"
PODS: Final = "pods"
CLAIMS: Final = "persistentvolumeclaims"


class Quotas:
    """Counts new objects, resized pods and grown claims; the last of all plugins."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock

    def mutate(self, call: Call, new: Raw, old: Raw | None) -> bool:  # noqa: ARG002 (nothing is changed)
        return False

    def validate(self, call: Call, new: Raw, old: Raw | None) -> None:
        """Refuse with 403 what is beyond a quota of the namespace; otherwise count it in all of them.

        Not counted are dry runs, and objects that are about to be refused because their name is taken. The status is what is known of a quota: its controller has to have looked at it first.
        """
        if not _counted(call, old):
            return
        resource, now = call.resource.key, self._clock.time()
        cost = usage_of(resource, new, now)
        before = usage_of(resource, old, now) if old is not None else {}
        charged = []
        for stored in self._store.items(QUOTAS, call.namespace):
            quota = stored.object
            names = [name for name in dig(quota, ("status", "hard"), {}) if concerns(resource, name)]
            if not names or not covers(quota, resource, new):
                continue
            _require(call, quota, names, new)
            grown = cost if old is None or not covers(quota, resource, old) else _grown(cost, before)
            if wanted := {name: grown[name] for name in names if name in grown and grown[name].nanos}:
                charged.append((quota, _charge(call, quota, wanted, new)))
        taken = old is None and self._store.get(resource, call.namespace, name_of(new)) is not None
        for quota, used in charged if not (call.dry_run or taken) else ():
            state = {**quota["status"], "used": {name: str(used[name]) for name in sorted(used)}}
            self._store.put(QUOTAS, quota | {"metadata": dict(quota["metadata"]), "status": state})


def _counted(call: Call, old: Raw | None) -> bool:
    if old is None:
        return not call.subresource and bool(call.namespace)
    if call.resource.key == PODS:
        return call.subresource == "resize"
    return call.resource.key == CLAIMS and not call.subresource


def _require(call: Call, quota: Raw, names: Iterable[str], new: Raw) -> None:
    """Refuse a pod that leaves open what the quota limits, and a quota that was not counted yet."""
    if call.resource.key == PODS and (missing := unspecified(new, names)):
        told = "; ".join(f"{name} for: {','.join(containers)}" for name, containers in missing.items())
        raise _forbidden(call, new, f"failed quota: {name_of(quota)}: must specify {told}")
    used = dig(quota, ("status", "used"), {})
    if any(name not in used for name in names):
        unknown = ",".join(sorted(names))
        raise _forbidden(call, new, f"status unknown for quota: {name_of(quota)}, resources: {unknown}")


def _grown(cost: Usage, before: Usage) -> Usage:
    return {
        name: Quantity(max(0, amount.nanos - before.get(name, ZERO).nanos), amount.notation)
        for name, amount in cost.items()
    }


def _charge(call: Call, quota: Raw, wanted: Usage, new: Raw) -> Usage:
    """Give what is used with the request; raises where that is more than a limit."""
    hard, used = (read_amounts(dig(quota, ("status", part))) for part in ("hard", "used"))
    after = used | {name: add(used[name], amount) for name, amount in wanted.items()}
    over = sorted(name for name in wanted if after[name].nanos > hard[name].nanos)
    if over:
        asked, taken, limit = (_shown(amounts, over) for amounts in (wanted, used, hard))
        why = f"exceeded quota: {name_of(quota)}, requested: {asked}, used: {taken}, limited: {limit}"
        raise _forbidden(call, new, why)
    return after


def _shown(amounts: Mapping[str, Quantity], names: Iterable[str]) -> str:
    return ",".join(f"{name}={amounts[name]}" for name in names)


def _forbidden(call: Call, new: Raw, why: str) -> status.Refused:
    return status.forbidden(call.resource.group, call.resource.plural, name_of(new), why)
