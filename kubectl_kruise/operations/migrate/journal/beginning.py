"""The first write of a migration: its journal, with everything that cannot be read later (migration.md §5.1.1 D1, §5.3)."""

import uuid
from collections.abc import Mapping
from typing import Any

from kubectl_kruise.cluster.port import DryRun
from kubectl_kruise.engine.migration.journal import Journal, Mode, Reference
from kubectl_kruise.engine.migration.manifests import manifest_of, replicaset_for, same_template
from kubectl_kruise.engine.migration.marks import mark_of
from kubectl_kruise.errors import RefusedError
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT, NATIVE_STATEFULSET, REPLICASET
from kubectl_kruise.facts.names import TEMPLATE_HASH_LABEL
from kubectl_kruise.objects.notation.timestamp import rfc3339
from kubectl_kruise.objects.pod import active, short_hash
from kubectl_kruise.objects.raw import Raw, dig, labels_of, name_of, owner_uid, uid_of
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.migrate.journal.holding import this_process
from kubectl_kruise.operations.migrate.journal.keeping import Keeper
from kubectl_kruise.operations.migrate.journal.storing import USUAL, Filing
from kubectl_kruise.operations.migrate.looking import pods_matching
from kubectl_kruise.operations.migrate.run import Run


def begin_adoption(
    run: Run, deployment: Raw, target: Raw, options: Mapping[str, Any], *, filing: Filing = USUAL
) -> Keeper:
    """Write the journal for handing the pods of `deployment` to the CloneSet `target`."""
    with_pods, zero_sized = split_replicasets(run, deployment)
    journal = Journal(
        **_opened(run, Mode.ADOPT, deployment, target, options),
        source_manifest=manifest_of(deployment),
        target_manifest=target,
        # A Deployment that was always paused has none: one that fits is noted for the way back, under any hash.
        replicaset=manifest_of(with_pods, uid=True)
        if with_pods
        else replicaset_for(deployment, uid_of(deployment)[:8]),
        zero_sized=[manifest_of(each, uid=True) for each in zero_sized],
    )
    return Keeper.start(run.cluster, run.clock, run.namespace, journal, filing=filing)


def begin_release(
    run: Run, cloneset: Raw, target: Raw, options: Mapping[str, Any], *, filing: Filing = USUAL
) -> Keeper:
    """Write the journal for handing the pods of `cloneset` to the Deployment `target`.

    The server is asked for the Deployment with its defaults: only then does it know a ReplicaSet of that template.
    Raises RefusedError where the pods are not all of one template.
    """
    stored = run.cluster.create(DEPLOYMENT.path(run.namespace), target, dry_run=DryRun.SERVER)
    selector = Workload(cloneset, CLONESET).selector
    pods = [pod for pod in pods_matching(run, selector) if owner_uid(pod) == uid_of(cloneset) and active(pod)]
    hashes = sorted({labels_of(pod).get(TEMPLATE_HASH_LABEL, "") for pod in pods})
    if not pods:
        hashes = [short_hash(Workload(cloneset, CLONESET).update_revision)]
    if len(hashes) != 1 or not hashes[0]:
        raise RefusedError(
            f"the pods of {Workload(cloneset, CLONESET).title} are not all of one revision: {', '.join(hashes)}"
        )
    journal = Journal(
        **_opened(run, Mode.ADOPT, cloneset, target, options),
        source_manifest=manifest_of(cloneset),
        target_manifest=target,
        replicaset=replicaset_for(stored, hashes[0]),
        pods=[mark_of(pod) for pod in pods],
    )
    return Keeper.start(run.cluster, run.clock, run.namespace, journal, filing=filing)


def begin_between_sets(
    run: Run,
    source: Raw,
    target: Raw,
    options: Mapping[str, Any],
    mode: Mode = Mode.ADOPT,
    *,
    filing: Filing = USUAL,
) -> Keeper:
    """Write the journal for moving a set of either kind to its twin `target`, with its pods or with new ones.

    The server is asked for a native target with its defaults: only then can it be told whether somebody changes it.
    """
    if not source["apiVersion"].startswith("apps/"):
        path = NATIVE_STATEFULSET.path(run.namespace)
        stored = run.cluster.create(path, target, dry_run=DryRun.SERVER)
        target = {**target, "spec": stored["spec"]}
    journal = Journal(
        **_opened(run, mode, source, target, options),
        source_manifest=manifest_of(source),
        target_manifest=target,
    )
    return Keeper.start(run.cluster, run.clock, run.namespace, journal, filing=filing)


def begin_gradually(
    run: Run, mode: Mode, deployment: Raw, target: Raw, options: Mapping[str, Any], *, filing: Filing = USUAL
) -> Keeper:
    """Write the journal for replacing the pods of `deployment` by new ones of the CloneSet `target`.

    `options` has the limits of a surge as numbers (`surge`, `unavailable`, and `part`, how many pods are moved if not
    all), and `wait_termination`, `keep_source`, `follow`, `rewrite_refs` where wanted.
    """
    journal = Journal(
        **_opened(run, mode, deployment, target, options),
        source_manifest=manifest_of(deployment),
        target_manifest=target,
    )
    return Keeper.start(run.cluster, run.clock, run.namespace, journal, filing=filing)


def split_replicasets(run: Run, deployment: Raw) -> tuple[Raw | None, list[Raw]]:
    """Give the ReplicaSet of the Deployment's pods, which may be none, and those of older revisions.

    Raises RefusedError where several have pods: a rollout is under way (P-ROLLOUT).
    """
    selector = Workload(deployment, DEPLOYMENT).selector
    listed = run.cluster.list(REPLICASET.path(run.namespace), labels=selector)["items"]
    owned = [each for each in listed if owner_uid(each) == uid_of(deployment)]
    busy = [
        each for each in owned if dig(each, ("spec", "replicas"), 1) or dig(each, ("status", "replicas"), 0)
    ]
    if len(busy) > 1:
        names = ", ".join(sorted(map(name_of, busy)))
        raise RefusedError(
            f"{Workload(deployment, DEPLOYMENT).title} has pods of several revisions (P-ROLLOUT): {names}",
            hint=f"kubectl kruise rollout status deployment/{name_of(deployment)}",
        )
    # Without pods it is the one that would have them.
    chosen = busy or [each for each in owned if same_template(deployment, each)]
    idle = [each for each in owned if each not in chosen[:1]]
    return (chosen[0] if chosen else None), idle


def _opened(run: Run, mode: Mode, source: Raw, target: Raw, options: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": str(uuid.uuid4()),
        "mode": mode,
        "source": Reference(source["kind"], name_of(source), source["apiVersion"], uid_of(source)),
        "target": Reference(target["kind"], name_of(target), target["apiVersion"]),
        "replicas": int(dig(source, ("spec", "replicas"), 1)),
        "started_at": rfc3339(run.clock.time()),
        "holder": this_process(),
        "renewed_at": rfc3339(run.clock.time()),
        "options": dict(options),
    }
