"""Carries out install and uninstall steps, and waits until a definition is served."""

from collections.abc import Iterable, Sequence

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.manager import manager_holder
from kubectl_kruise.cluster.port import Cluster, DryRun
from kubectl_kruise.errors import ConflictError, NotFoundError, RefusedError, ServerError
from kubectl_kruise.facts.crds.definitions import definition
from kubectl_kruise.facts.kinds import CRD, Kind
from kubectl_kruise.facts.releases import Release
from kubectl_kruise.objects.raw import Raw, dig, uid_of, version_of
from kubectl_kruise.operations.install.plan import (
    Action,
    Step,
    plan_install,
    plan_uninstall,
    stranded_versions,
)

ATTEMPTS = 5


def read_uninstall_steps(cluster: Cluster, kinds: Iterable[Kind], now: float) -> list[Step]:
    """Read the live definitions and decide what to remove.

    Raises RefusedError while objects of a kind that would go exist, with their number by kind (fault B158).
    """
    manager = manager_holder(cluster, now)
    steps = [plan_uninstall(kind, _live(cluster, kind), manager) for kind in kinds]
    doomed = [step for step in steps if step.action is Action.DELETE]
    counts = {step.kind.plural: count_objects(cluster, step) for step in doomed}
    if left := {plural: count for plural, count in counts.items() if count}:
        listed = ", ".join(f"{plural} {count}" for plural, count in left.items())
        raise RefusedError(
            f"cannot uninstall the CRDs: objects exist ({listed}), and they would be deleted with their pods",
            hint=f"look at them with: kubectl get {','.join(left)} -A",
        )
    return steps


def apply_step(cluster: Cluster, step: Step, *, dry_run: DryRun = DryRun.NONE) -> Raw:
    """Write one step; give the object as it is afterwards.

    Raises ConflictError where the definition changed since it was read; a new reading decides anew.
    """
    path = CRD.path(name=step.kind.resource)
    match step.action:
        case Action.CREATE if dry_run is not DryRun.CLIENT:
            return cluster.create(CRD.path(), step.wanted, dry_run=dry_run)
        case Action.UPDATE if dry_run is not DryRun.CLIENT:
            return cluster.replace(path, step.wanted, dry_run=dry_run)
        case Action.DELETE if dry_run is not DryRun.CLIENT:
            live = step.live or {}
            guard = {"preconditions": {"uid": uid_of(live), "resourceVersion": version_of(live)}}
            return cluster.delete(path, options=guard, dry_run=dry_run)
        case Action.CREATE | Action.UPDATE:
            return step.wanted
        case _:
            return step.live or {}


def install(
    cluster: Cluster,
    kinds: Sequence[Kind],
    clock: Clock,
    release: Release = Release.V1_9_0,
    *,
    dry_run: DryRun = DryRun.NONE,
) -> list[Step]:
    """Install what is missing and bring up to date what is ours; races are read and decided again."""
    manager = manager_holder(cluster, clock.time())
    done = []
    for kind in kinds:
        for attempt in range(ATTEMPTS):
            wanted, live = definition(kind, release), _live(cluster, kind)
            step = plan_install(kind, wanted, live, manager, stranded=_stranded(cluster, kind, live, wanted))
            try:
                apply_step(cluster, step, dry_run=dry_run)
            except ConflictError:
                if attempt == ATTEMPTS - 1:
                    raise
                # Whoever was faster may be a manager that has just come up.
                manager = manager_holder(cluster, clock.time())
                continue
            done.append(step)
            break
    return done


def count_objects(cluster: Cluster, step: Step) -> int:
    """Count the objects of a definition in all namespaces by one small request."""
    version = storage_version(step.live or {})
    try:
        page = cluster.get(step.kind.path(version=version), query={"limit": "1"})
    except NotFoundError:
        return 0
    return len(page.get("items") or []) + int(dig(page, ("metadata", "remainingItemCount"), 0))


def _stranded(cluster: Cluster, kind: Kind, live: Raw | None, wanted: Raw) -> str:
    """Give the versions in which objects are stored that `wanted` would not serve, "" without such objects.

    Objects that cannot be counted are held to be there: what stands in the way may be a conversion that fails.
    """
    versions = stranded_versions(live, wanted)
    if not versions or live is None:
        return ""
    try:
        page = cluster.get(kind.path(version=storage_version(live)), query={"limit": "1"})
    except NotFoundError:
        return ""
    except ServerError:
        return versions
    return versions if page.get("items") else ""


def storage_version(crd: Raw) -> str:
    """Give the version that a definition stores, which every server that has it serves."""
    return str(next(version["name"] for version in crd["spec"]["versions"] if version["storage"]))


def _live(cluster: Cluster, kind: Kind) -> Raw | None:
    try:
        return cluster.get(CRD.path(name=kind.resource))
    except NotFoundError:
        return None
