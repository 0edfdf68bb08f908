"""Everything that is known before the first write: the twin, the checks, what points at the source (migration.md §10)."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from kubectl_kruise.cluster.port import DryRun
from kubectl_kruise.cluster.versions import served_version
from kubectl_kruise.convert.cloneset import cloneset_to_deployment, refusals
from kubectl_kruise.convert.deployment import RECREATE, Target, deployment_to_cloneset, unknown_fields
from kubectl_kruise.convert.report import Conversion
from kubectl_kruise.engine.changes.stewards import way_on
from kubectl_kruise.engine.migration.answers import Difference, changes_template, check_kept, differences
from kubectl_kruise.engine.migration.checks.check import Check, weigh
from kubectl_kruise.engine.migration.checks.doubling import check_doubling
from kubectl_kruise.engine.migration.checks.neighbours import check_neighbours, check_strangers, selects
from kubectl_kruise.engine.migration.checks.source import (
    check_in_place,
    check_replicaset,
    check_rollout,
    check_settled,
    check_source,
)
from kubectl_kruise.engine.migration.journal import Mode
from kubectl_kruise.engine.migration.manifests import same_template
from kubectl_kruise.engine.migration.pairs import SETS
from kubectl_kruise.engine.migration.references import find_pointers
from kubectl_kruise.engine.migration.surge import Limits, surge_limits
from kubectl_kruise.engine.migration.surroundings import Surroundings
from kubectl_kruise.errors import KruiseError, NotAllowedError, RefusedError, UnknownTypeError, UsageError
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT, HPA, PDB, PVC, REPLICASET, RESOURCE_QUOTA
from kubectl_kruise.facts.names import MIGRATE_SOURCE
from kubectl_kruise.facts.neighbours import SCALED_OBJECT
from kubectl_kruise.objects.pod import active, revision
from kubectl_kruise.objects.raw import (
    Raw,
    annotations_of,
    api_version,
    dig,
    labels_of,
    name_of,
    owner_uid,
    uid_of,
)
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.migrate.before.outlook import Preflight, Wish
from kubectl_kruise.operations.migrate.before.probing import probe_target
from kubectl_kruise.operations.migrate.before.sets import look_between_sets
from kubectl_kruise.operations.migrate.before.speaking import convert_for
from kubectl_kruise.operations.migrate.before.surveying import (
    ADOPTING,
    UNDOING,
    check_patch,
    check_rights,
    check_server,
    check_undo,
    definition_of,
    filed,
    rights_for,
    survey,
    unprotecting,
)
from kubectl_kruise.operations.migrate.looking import fetch, pods_matching
from kubectl_kruise.operations.migrate.run import Run

_TAKEN: Final = 409
"""A name that is taken is P-EXISTS' business."""

_Tried = tuple[list[Check], Raw]


def look_ahead(run: Run, source: Workload, wish: Wish) -> Preflight:
    """Convert the source and check everything; sends no write but dry runs."""
    if source.kind in SETS:
        return look_between_sets(run, source, wish)
    if source.kind is DEPLOYMENT:
        return _look_forward(run, source, wish)
    return _look_back(run, source, wish)


class _Scene(NamedTuple):
    """What stands there of a Deployment: its ReplicaSets, those with pods, all pods that it selects, those that are its own."""

    around: Surroundings
    owned: Sequence[Raw]
    busy: Sequence[Raw]
    matched: Sequence[Raw]
    pods: Sequence[Raw]

    @property
    def owners(self) -> set[str]:
        return {uid_of(each) for each in self.owned}


def _scene_of(run: Run, source: Workload) -> _Scene:
    around = survey(run)
    owned = [each for each in around.of(REPLICASET) if owner_uid(each) == source.uid]
    busy = [
        each for each in owned if dig(each, ("spec", "replicas"), 1) or dig(each, ("status", "replicas"), 0)
    ]
    matched = pods_matching(run, source.selector)
    owners = {uid_of(each) for each in owned}
    return _Scene(around, owned, busy, matched, [pod for pod in matched if owner_uid(pod) in owners])


def _look_forward(run: Run, source: Workload, wish: Wish) -> Preflight:
    scene = _scene_of(run, source)
    try:
        # What was found out an hour ago says nothing: a CRD may have gone since.
        version = served_version(run.cluster, CLONESET, fresh=True)
    except UnknownTypeError as error:
        conversion = deployment_to_cloneset(source.raw, _target(wish, CLONESET.versions[0]))
        missing = Check("P-CRD", "the cluster does not know CloneSets", error.hint)
        checks = [missing, *_checks_of_source(source, conversion.obj, scene, wish)]
        return Preflight(source, conversion, weigh(checks, wish.mode, wish.flags), (), {})
    definition = definition_of(run, CLONESET)
    conversion = convert_for(run, source.raw, _target(wish, version), definition)
    version = api_version(conversion.obj)
    checks = [Check("P-CRD", f"CloneSets are served as {version}", passed=True)]
    checks += check_server(run, definition)
    pointers = find_pointers(source, conversion.obj, scene.around)
    frozen = [each.kind for each in pointers if each.rewritable and each.kind in (HPA, SCALED_OBJECT)]
    rights = rights_for(wish.mode, frozen if wish.mode is not Mode.ADOPT else ())
    checks += check_rights(run, [*filed(rights, wish.journal), *unprotecting(wish.flags)])
    checks += check_undo(run, filed(UNDOING, wish.journal))
    checks += _target_free(run, conversion.obj, source)
    checks += _checks_of_source(source, conversion.obj, scene, wish)
    tried, kept = _dry_run(run, conversion.obj)
    checks += tried
    block = True
    if wish.mode is Mode.ADOPT and len(scene.busy) == 1 and scene.pods:
        patch_checks, block = _patch_checks(run, scene.pods[0], scene.busy[0], conversion.obj)
        checks += patch_checks
    options: dict[str, Any] = {
        "block_owner_deletion": block,
        "allow_unready": "--allow-unready" in wish.flags,
        "unprotect": "--unprotect" in wish.flags,
    }
    if wish.mode is Mode.SURGE:
        limits = limits_for(source, wish, scene.around)
        options |= {"surge": limits.surge, "unavailable": limits.unavailable}
        quotas = scene.around.of(RESOURCE_QUOTA)
        checks += check_doubling(source, limits.surge, _claims(run, source), quotas)
    findings = weigh(checks, wish.mode, wish.flags)
    changes = differences(conversion.obj, kept) if kept else ()
    return Preflight(
        source,
        _as_kept(conversion, kept, changes),
        findings,
        pointers,
        options,
        len(scene.owned),
        kept,
        changes,
    )


def _as_kept(conversion: Conversion, kept: Raw, changes: Sequence[Difference]) -> Conversion:
    if not changes_template(changes):
        return conversion
    spec = {**conversion.obj["spec"], "template": kept["spec"]["template"]}
    return conversion._replace(obj={**conversion.obj, "spec": spec})


def _checks_of_source(source: Workload, target: Raw, scene: _Scene, wish: Wish) -> Iterator[Check]:
    """Check what needs no Kruise to be seen."""
    yield from check_source(source, name_of(target))
    revisions = [name_of(each) for each in scene.busy]
    held_back = len(scene.busy) == 1 and not same_template(source.raw, scene.busy[0])
    yield from check_rollout(source, scene.pods, revisions=revisions, held_back=held_back)
    if wish.mode is Mode.ADOPT:
        for replicaset in scene.busy:
            yield from check_replicaset(replicaset)
    yield from check_neighbours(source, scene.around, frozen=wish.mode is not Mode.ADOPT)
    yield from check_strangers(source, scene.matched, scene.owners)
    for path in unknown_fields(source.raw):
        yield Check("P-FIELDS", f"{path} has no twin: it is left out", "look whether it matters")
    if wish.policy != RECREATE:
        yield from check_in_place(source)


def _look_back(run: Run, source: Workload, wish: Wish) -> Preflight:
    conversion = cloneset_to_deployment(source.raw, wish.to_name, keep_helm=wish.keep_helm)
    around = survey(run)
    matched = pods_matching(run, source.selector)
    pods = [pod for pod in matched if owner_uid(pod) == source.uid]
    revisions = sorted({revision(pod) for pod in pods if active(pod)})
    checks: list[Check] = [Check("P-BACK", text, "change that first") for text in refusals(source.raw)]
    checks += check_rights(run, filed((*ADOPTING, *UNDOING), wish.journal))
    checks += _target_free(run, conversion.obj, source)
    checks += check_source(source, name_of(conversion.obj))
    checks += check_rollout(source, pods, revisions=revisions)
    checks += check_settled(pods)
    checks += check_neighbours(source, around)
    checks += check_strangers(source, matched, {source.uid})
    tried, kept = _dry_run_back(run, conversion.obj)
    checks += tried
    if pods:
        checks += check_patch(run, pods[0], None, source.raw)
    return Preflight(
        source,
        conversion,
        weigh(checks, wish.mode, wish.flags),
        find_pointers(source, conversion.obj, around),
        {},
        kept=kept,
        changes=differences(conversion.obj, kept) if kept else (),
    )


def limits_for(source: Workload, wish: Wish, around: Surroundings) -> Limits:
    """Resolve the pace; every budget that selects the pods counts, because scaling passes budgets by.

    Raises UsageError where nothing could ever move.
    """
    labels = labels_of(dig(source.raw, ("spec", "template"), {}))
    budgets = [each for each in around.of(PDB) if selects(each, labels)]
    total = source.replicas if wish.total is None else wish.total
    try:
        return surge_limits(total, wish.surge, wish.unavailable, budgets)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _claims(run: Run, source: Workload) -> list[Raw]:
    """Read the volume claims that the template names; those that may not be read are not judged."""
    claims = []
    for volume in dig(source.raw, ("spec", "template", "spec", "volumes")) or []:
        name = dig(volume, ("persistentVolumeClaim", "claimName"))
        try:
            found = fetch(run, PVC.path(run.namespace, name)) if name else None
        except NotAllowedError:
            continue
        if found is not None:
            claims.append(found)
    return claims


def _target(wish: Wish, version: str) -> Target:
    return Target(wish.to_name, version, wish.policy, keep_helm=wish.keep_helm)


def _target_free(run: Run, target: Raw, source: Workload) -> Iterator[Check]:
    kind = CLONESET if target["kind"] == CLONESET.kind else DEPLOYMENT
    version = target["apiVersion"].rpartition("/")[2]
    name = name_of(target)
    live = fetch(run, kind.path(run.namespace, name, version=version))
    if live is None:
        yield Check("P-EXISTS", f"there is no {kind.singular} {name} yet", passed=True)
    elif annotations_of(live).get(MIGRATE_SOURCE, "").endswith(f"/{source.uid}"):
        # Its journal is lost, and the source is still in charge: whatever was begun, it can be begun again.
        yield Check("P-EXISTS", f"{kind.singular} {name} was made for it by an earlier run", passed=True)
    else:
        yield Check(
            "P-EXISTS",
            f"{kind.singular} {name} exists already",
            way_on(live)
            or (
                "--to-name another one"
                if source.kind is DEPLOYMENT
                else f"delete it, if it is not needed: {kind.singular}/{name}"
            ),
            f"{kind.singular}/{name}",
        )


def _dry_run(run: Run, target: Raw) -> _Tried:
    """Let the server judge a CloneSet; gives the checks, and the object as it would be kept."""
    path = CLONESET.path(run.namespace, version=target["apiVersion"].rpartition("/")[2])
    try:
        kept = probe_target(run.cluster, path, target)
    except RefusedError as error:
        code = next((code for code in ("P-LOSS", "P-WEBHOOKDOWN") if code in error.message), "P-DRYRUN")
        return [Check(code, error.message.replace(f" ({code})", ""), error.hint)], {}
    except KruiseError as error:
        return _rejected(CLONESET.kind, error), {}
    changed = [*check_kept(differences(target, kept))]
    well = Check(
        "P-DRYRUN", "the server accepts the CloneSet, and loses nothing of it (dry run)", passed=True
    )
    return changed or [well], kept


def _dry_run_back(run: Run, target: Raw) -> _Tried:
    try:
        kept = run.cluster.create(DEPLOYMENT.path(run.namespace), target, dry_run=DryRun.SERVER)
    except KruiseError as error:
        return _rejected(DEPLOYMENT.kind, error), {}
    changed = [*check_kept([each for each in differences(target, kept) if each.sent is not None])]
    return changed or [Check("P-DRYRUN", "the server accepts the Deployment (dry run)", passed=True)], kept


def _rejected(kind: str, error: KruiseError) -> list[Check]:
    if error.http == _TAKEN:
        return []
    why = error.cause or error.message
    return [Check("P-DRYRUN", f"the server refuses the {kind}: {why}", "change that first")]


def _patch_checks(run: Run, pod: Raw, old: Raw, target: Raw) -> tuple[list[Check], bool]:
    """Try the patch of one pod; where only blockOwnerDeletion is forbidden, do without it (K7)."""
    checks = list(check_patch(run, pod, old, target))
    if all(check.passed for check in checks) or "blockOwnerDeletion" not in checks[0].evidence:
        return checks, True
    return list(check_patch(run, pod, old, target, block=False)), False
