"""Everything that is known before pods change hands between a StatefulSet and an Advanced one (migration.md §10)."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from kubectl_kruise.cluster.manager import manager_holder
from kubectl_kruise.cluster.port import DryRun
from kubectl_kruise.cluster.versions import served_version
from kubectl_kruise.convert.advancedstatefulset import NativeTarget, asts_to_statefulset, refusals
from kubectl_kruise.convert.report import Conversion
from kubectl_kruise.convert.statefulset import (
    SetTarget,
    objections,
    start_of,
    statefulset_to_asts,
    unknown_fields,
)
from kubectl_kruise.engine.changes.stewards import way_on
from kubectl_kruise.engine.migration.answers import changes_template, check_kept, differences
from kubectl_kruise.engine.migration.checks.check import Check, weigh
from kubectl_kruise.engine.migration.checks.neighbours import check_neighbours, check_strangers
from kubectl_kruise.engine.migration.checks.sets import (
    check_pace,
    check_quotas,
    check_revision,
    check_set,
    check_settled_revision,
)
from kubectl_kruise.engine.migration.checks.source import (
    check_in_place,
    check_rollout,
    check_settled,
    check_source,
)
from kubectl_kruise.engine.migration.journal import Mode
from kubectl_kruise.engine.migration.ordinals import ordinal_of
from kubectl_kruise.engine.migration.pairs import twin_of
from kubectl_kruise.engine.migration.references import Pointer, find_pointers
from kubectl_kruise.engine.migration.stillness import made_still
from kubectl_kruise.engine.migration.surroundings import Surroundings
from kubectl_kruise.engine.revisions.content import data_bytes, revision_data
from kubectl_kruise.engine.revisions.naming import revision_hash, revision_name
from kubectl_kruise.errors import KruiseError, NotAllowedError, RefusedError, UnknownTypeError
from kubectl_kruise.facts.kinds import (
    CONFIGMAP,
    HPA,
    NATIVE_STATEFULSET,
    POD,
    RESOURCE_QUOTA,
    STATEFULSET,
    Kind,
)
from kubectl_kruise.facts.names import MIGRATE_SOURCE
from kubectl_kruise.facts.neighbours import SCALED_OBJECT
from kubectl_kruise.facts.policies import RECREATE
from kubectl_kruise.objects.pod import active, revision
from kubectl_kruise.objects.raw import Raw, annotations_of, dig, owner_uid
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.migrate.before.outlook import Order, Preflight, Wish
from kubectl_kruise.operations.migrate.before.probing import probe_target
from kubectl_kruise.operations.migrate.before.revisions import check_revisions
from kubectl_kruise.operations.migrate.before.surveying import (
    BETWEEN_SETS,
    REPLACING_SETS,
    Right,
    check_rights,
    check_server,
    check_transfer,
    check_undo,
    definition_of,
    filed,
    survey,
)
from kubectl_kruise.operations.migrate.looking import fetch, pods_matching
from kubectl_kruise.operations.migrate.run import Run

_TAKEN: Final = 409
"""A name that is taken is P-EXISTS' business."""

_MAX_UNAVAILABLE: Final = ("spec", "updateStrategy", "rollingUpdate", "maxUnavailable")
_ORDINALS: Final = ("spec", "ordinals")


class _Scene(NamedTuple):
    """What is around a set, all pods that it selects, and those that are its own."""

    around: Surroundings
    matched: Sequence[Raw]
    pods: Sequence[Raw]


class _Twin(NamedTuple):
    """The set that is to be made; `kept` is how the server would keep it, {} where it has not judged it."""

    conversion: Conversion
    checks: list[Check]
    kept: Raw


def look_between_sets(run: Run, source: Workload, wish: Wish) -> Preflight:
    """Convert a set of either kind and check everything; sends no write but dry runs."""
    around = survey(run)
    matched = pods_matching(run, source.selector)
    pods = [pod for pod in matched if owner_uid(pod) == source.uid]
    scene = _Scene(around, matched, pods)
    try:
        twin = _forward(run, source, scene, wish) if source.kind.native else _back(run, source, scene, wish)
    except UnknownTypeError as error:
        conversion = statefulset_to_asts(source.raw, _target(wish, STATEFULSET.versions[0]))
        missing = Check("P-CRD", "the cluster does not know Advanced StatefulSets", error.hint)
        findings = weigh([missing, *_checks_of_source(source, scene, wish)], wish.mode, wish.flags)
        return Preflight(source, conversion, findings, (), {})
    target = twin.conversion.obj
    pointers = find_pointers(source, target, around)
    checks = [*twin.checks, *_rights(run, wish, pointers), *_target_free(run, source)]
    checks += _checks_of_source(source, scene, wish)
    checks += check_revisions(run, source)
    options: dict[str, Any] = {
        "allow_unready": "--allow-unready" in wish.flags,
        "unprotect": "--unprotect" in wish.flags,
    }
    if wish.mode is Mode.ADOPT:
        last, ordering = _ordering(run, source, twin, scene, wish)
        checks += ordering
        options["target_last"] = last
        if scene.pods:
            moved, options["block_owner_deletion"] = check_transfer(run, scene.pods[0], source.raw, target)
            checks += moved
    return Preflight(
        source,
        twin.conversion,
        weigh(checks, wish.mode, wish.flags),
        pointers,
        options,
        kept=twin.kept,
        changes=differences(target, twin.kept) if twin.kept else (),
    )


def _forward(run: Run, source: Workload, scene: _Scene, wish: Wish) -> _Twin:
    # What was found out an hour ago says nothing: a CRD may have gone since.
    version = served_version(run.cluster, STATEFULSET, fresh=True)
    definition = definition_of(run, STATEFULSET)
    target = _target(wish, version)._replace(ranges=takes_ranges(definition, version))
    conversion = statefulset_to_asts(source.raw, target)
    checks = [Check("P-CRD", f"Advanced StatefulSets are served as {version}", passed=True)]
    checks += check_server(run, None, STATEFULSET)
    checks += [Check(each.code, each.text, each.fix) for each in objections(source.raw, target)]
    checks += check_pace(source)
    checks += [
        Check("P-FIELDS", f"{path} has no twin: it is left out", "look whether it matters")
        for path in unknown_fields(source.raw)
    ]
    path = STATEFULSET.path(run.namespace, version=version)
    try:
        kept = probe_target(run.cluster, path, made_still(conversion.obj, STATEFULSET))
    except RefusedError as error:
        code = next((code for code in ("P-LOSS", "P-WEBHOOKDOWN") if code in error.message), "P-DRYRUN")
        checks.append(Check(code, error.message.replace(f" ({code})", ""), error.hint))
        return _Twin(conversion, checks, {})
    except KruiseError as error:
        return _Twin(conversion, checks + _rejected(STATEFULSET, error), {})
    checks += _accepted(
        STATEFULSET, ", and loses nothing of it", made_still(conversion.obj, STATEFULSET), kept
    )
    if changes_template(differences(conversion.obj, kept)):
        # Pods are compared with what the set has, and nobody shall take a webhook's change for an update.
        spec = {**conversion.obj["spec"], "template": kept["spec"]["template"]}
        conversion = conversion._replace(obj={**conversion.obj, "spec": spec})
    data = data_bytes(revision_data(dig(kept, ("spec", "template"))))
    checks.append(check_revision(scene.pods, revision_name(source.name, revision_hash(data))))
    return _Twin(conversion, checks, _as_wanted(conversion.obj, kept))


def _back(run: Run, source: Workload, scene: _Scene, wish: Wish) -> _Twin:
    target = NativeTarget(
        max_unavailable=True, honours_start=_honours_start(source, scene.pods), keep_helm=wish.keep_helm
    )
    conversion = asts_to_statefulset(source.raw, target)
    checks: list[Check] = []
    held = made_still(conversion.obj, NATIVE_STATEFULSET)
    try:
        # With its real strategy, so that what the server does not have of it shows; and held, as it will be created.
        kept = run.cluster.create(
            NATIVE_STATEFULSET.path(run.namespace), conversion.obj, dry_run=DryRun.SERVER
        )
        run.cluster.create(NATIVE_STATEFULSET.path(run.namespace), held, dry_run=DryRun.SERVER)
    except KruiseError as error:
        checks += _rejected(NATIVE_STATEFULSET, error)
        kept = {}
    else:
        has = {path: dig(kept, path) is not None for path in (_MAX_UNAVAILABLE, _ORDINALS)}
        target = target._replace(
            max_unavailable=has[_MAX_UNAVAILABLE], ordinals=has[_ORDINALS] or not _starts(conversion.obj)
        )
        conversion = asts_to_statefulset(source.raw, target)
        checks += _accepted(NATIVE_STATEFULSET, "", conversion.obj, kept)
    checks += [Check("P-BACK", text, "change that first") for text in refusals(source.raw, target)]
    checks += check_settled(scene.pods)
    return _Twin(conversion, checks, kept)


def _checks_of_source(source: Workload, scene: _Scene, wish: Wish) -> Iterator[Check]:
    yield from check_source(source, source.name)
    revisions = sorted({revision(pod) for pod in scene.pods if active(pod)})
    yield from check_rollout(source, scene.pods, revisions=revisions)
    if len(revisions) == 1:
        yield from check_settled_revision(source, scene.pods)
    yield from check_set(source, scene.pods)
    yield from check_neighbours(source, scene.around, frozen=wish.mode is not Mode.ADOPT)
    yield from check_strangers(source, scene.matched, {source.uid})
    if wish.policy != RECREATE:
        yield from check_in_place(source)


def _ordering(run: Run, source: Workload, twin: _Twin, scene: _Scene, wish: Wish) -> tuple[bool, list[Check]]:
    """Decide whether the new set is created when the old one is gone; then somebody has to be there who takes the pods."""
    del twin
    quotas = scene.around.of(RESOURCE_QUOTA)
    checks = list(check_quotas(source, quotas, forced=wish.order is Order.TARGET_FIRST))
    last = wish.order is Order.TARGET_LAST or (bool(checks) and wish.order is Order.AUTO)
    if last and source.kind.native and not _manager_lives(run):
        checks.append(
            Check(
                "P-MANAGER",
                "nobody holds the lease of the Kruise manager, and the new set is created last",
                "kubectl -n kruise-system get pods, or --order target-first",
            )
        )
    return last, checks


def _manager_lives(run: Run) -> bool:
    try:
        return bool(manager_holder(run.cluster, run.clock.time()))
    except NotAllowedError:
        return False


def _rights(run: Run, wish: Wish, pointers: Sequence[Pointer]) -> Iterator[Check]:
    needed = list(BETWEEN_SETS)
    if wish.mode is not Mode.ADOPT:
        frozen = [each.kind for each in pointers if each.rewritable and each.kind in (HPA, SCALED_OBJECT)]
        needed = [right for right in REPLACING_SETS if right.kind is not POD]
        needed += [Right("patch", kind) for kind in dict.fromkeys(frozen)]
    yield from check_rights(run, filed(needed, wish.journal))
    yield from check_undo(run, filed([Right("delete", CONFIGMAP)], wish.journal))


def _target_free(run: Run, source: Workload) -> Iterator[Check]:
    kind = twin_of(source.kind)
    version = served_version(run.cluster, kind) if not kind.native else ""
    live = fetch(run, kind.path(run.namespace, source.name, version=version))
    what = f"{kind.word}/{source.name}"
    if live is None:
        yield Check("P-EXISTS", f"there is no {what} yet", passed=True)
    elif annotations_of(live).get(MIGRATE_SOURCE, "").endswith(f"/{source.uid}"):
        yield Check("P-EXISTS", f"{what} was made for it by an earlier run", passed=True)
    else:
        delete = (
            f"delete it, if it is not needed: kubectl delete {kind.resource} {source.name} --cascade=orphan"
        )
        fix = way_on(live) or delete
        yield Check("P-EXISTS", f"{what} exists already, and pods bear the name of their set", fix, what)


def _target(wish: Wish, version: str) -> SetTarget:
    return SetTarget(version, wish.policy, wish.keep_helm, clamp="--clamp" in wish.flags)


def takes_ranges(definition: Raw | None, version: str) -> bool:
    """Say whether the CRD takes ranges of reserved ordinals; one that cannot be read is taken to do so."""
    if definition is None:
        return True
    steps = ("schema", "openAPIV3Schema", "properties", "spec", "properties", "reserveOrdinals", "items")
    for each in dig(definition, ("spec", "versions"), []):
        if each.get("name") == version:
            items = dig(each, steps) or {}
            return bool(items.get("x-kubernetes-int-or-string") or items.get("anyOf"))
    return False


def _honours_start(source: Workload, pods: Sequence[Raw]) -> bool:
    """Say whether the manager goes by `ordinals.start`: its pods tell, for without the gate they begin at 0."""
    start = start_of(source.raw["spec"])
    return not any(0 <= ordinal_of(pod, source.name) < start for pod in pods)


def _starts(native: Raw) -> bool:
    return dig(native, _ORDINALS) is not None


def _accepted(kind: Kind, more: str, sent: Raw, kept: Raw) -> list[Check]:
    found = [each for each in differences(sent, kept) if each.sent is not None or not kind.native]
    well = Check("P-DRYRUN", f"the server accepts the {kind.called}{more} (dry run)", passed=True)
    return [*check_kept(found)] or [well]


def _rejected(kind: Kind, error: KruiseError) -> list[Check]:
    if error.http == _TAKEN:
        return []
    why = error.cause or error.message
    return [Check("P-DRYRUN", f"the server refuses the {kind.called}: {why}", "change that first")]


def _as_wanted(wanted: Raw, kept: Raw) -> Raw:
    """Give what the server would keep of a set that was held, as it will be when it works."""
    return {**kept, "spec": {**kept["spec"], **{
        key: wanted["spec"][key] for key in ("updateStrategy", "persistentVolumeClaimRetentionPolicy") if key in wanted["spec"]
    }}}  # fmt: skip
