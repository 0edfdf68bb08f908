"""Look around a workload before it migrates, and ask the server what this user may do (migration.md §10)."""

from collections.abc import Collection, Iterable, Iterator
from typing import Final, NamedTuple

from kubectl_kruise.cluster.manager import manager_holder
from kubectl_kruise.cluster.port import DryRun, Patch, PatchType
from kubectl_kruise.engine.migration.checks.check import Check
from kubectl_kruise.engine.migration.handover import adoption_patch, release_patch, transfer_patch
from kubectl_kruise.engine.migration.journal import Mode
from kubectl_kruise.engine.migration.surroundings import OWNERS, POINTERS, Surroundings
from kubectl_kruise.errors import KruiseError, NotAllowedError, NotFoundError, ServerError
from kubectl_kruise.facts.kinds import (
    CLONESET,
    CONFIGMAP,
    CONTROLLER_REVISION,
    CRD,
    DEPLOYMENT,
    LEASE,
    NATIVE_STATEFULSET,
    POD,
    PVC,
    REPLICASET,
    SECRET,
    STATEFULSET,
    Kind,
)
from kubectl_kruise.facts.names import MANAGER_LEASE, MANAGER_NAMESPACE
from kubectl_kruise.objects.raw import Raw, dig, name_of, uid_of
from kubectl_kruise.operations.migrate.journal.storing import Place
from kubectl_kruise.operations.migrate.run import Run

_REVIEWS: Final = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
_OLDEST_MINOR: Final = 20
_REVISION: Final = "5d5f7bdb6c"
"""What no revision is called; short, so that names of owners that are too long are not this check's business."""
_NOBODY: Final = "00000000-0000-0000-0000-000000000000"


class Right(NamedTuple):
    """Something the migration will do (§4.3)."""

    verb: str
    kind: Kind
    subresource: str = ""

    def __str__(self) -> str:
        plural = self.kind.plural if self.kind.word == self.kind.singular else self.kind.resource
        return f"{self.verb} {plural}" + (f"/{self.subresource}" if self.subresource else "")


ADOPTING: Final = (
    Right("create", CLONESET), Right("patch", CLONESET), Right("delete", CLONESET), Right("create", DEPLOYMENT),
    Right("delete", DEPLOYMENT), Right("create", REPLICASET), Right("patch", REPLICASET), Right("delete", REPLICASET),
    Right("patch", POD), Right("create", CONFIGMAP), Right("update", CONFIGMAP),
)  # fmt: skip
"""What handing pods over takes."""

BETWEEN_SETS: Final = (
    *(Right(verb, kind) for kind in (STATEFULSET, NATIVE_STATEFULSET) for verb in ("create", "patch", "delete")),
    Right("patch", POD), Right("create", CONFIGMAP), Right("update", CONFIGMAP), Right("list", CONTROLLER_REVISION),
    Right("list", PVC),
)  # fmt: skip
"""What handing pods over between sets takes."""

REPLACING_SETS: Final = (
    *BETWEEN_SETS, Right("patch", STATEFULSET, "scale"), Right("patch", NATIVE_STATEFULSET, "scale"),
)  # fmt: skip
"""What making the pods of a set anew takes, the way back included; pods themselves are never patched."""

UNDOING: Final = (Right("patch", DEPLOYMENT), Right("delete", CONFIGMAP))
"""What an undo takes besides: the Deployment is made paused and let go, and the journal is deleted in the end."""

REPLACING: Final = (
    Right("create", CLONESET), Right("patch", CLONESET), Right("patch", CLONESET, "scale"), Right("delete", CLONESET),
    Right("patch", DEPLOYMENT, "scale"), Right("create", DEPLOYMENT), Right("delete", DEPLOYMENT),
    Right("create", REPLICASET), Right("delete", REPLICASET), Right("create", CONFIGMAP), Right("update", CONFIGMAP),
)  # fmt: skip
"""What replacing pods by new ones takes, the way back included."""


def rights_for(mode: Mode, rewritten: Iterable[Kind]) -> list[Right]:
    """Give everything a migration will do: in its mode, and to the kinds that it points elsewhere or holds still."""
    needed = ADOPTING if mode is Mode.ADOPT else REPLACING
    return [*needed, *(Right("patch", kind) for kind in dict.fromkeys(rewritten))]


def filed(rights: Iterable[Right], place: Place) -> list[Right]:
    """Give the rights that are left, or others in their place, where the journal lies elsewhere than in a ConfigMap."""
    if place is Place.SECRET:
        return [right._replace(kind=SECRET) if right.kind is CONFIGMAP else right for right in rights]
    return [right for right in rights if place is Place.CONFIGMAP or right.kind is not CONFIGMAP]


def unprotecting(flags: Collection[str]) -> list[Right]:
    """Give what it takes to remove the label that forbids deletion."""
    return [Right("patch", DEPLOYMENT)] if "--unprotect" in flags else []


def survey(run: Run) -> Surroundings:
    """List everything of the namespace that may matter; what is not served matters to nobody."""
    objects: dict[Kind, list[Raw]] = {}
    unseen: dict[Kind, str] = {}
    for kind in dict.fromkeys((*OWNERS, *POINTERS)):
        run.check()
        try:
            served = run.cluster.served(kind.group, kind.plural) if kind.group else kind.versions
            version = next((version for version in kind.versions if version in served), "")
            if version:
                objects[kind] = run.cluster.list(kind.path(run.namespace, version=version))["items"]
        except NotFoundError:
            continue
        except NotAllowedError as error:
            unseen[kind] = error.cause or error.message
    return Surroundings(objects, unseen)


def check_rights(run: Run, rights: Iterable[Right]) -> Iterator[Check]:
    """Ask for every right that the migration needs, so that none is missing half-way."""
    asked = list(rights)
    denied = [right for right in asked if not _allowed(run, right)]
    if denied:
        missing = ", ".join(map(str, denied))
        yield Check("P-RBAC", f"you may not {missing}", "ask for these rights in the namespace")
    else:
        yield Check("P-RBAC", f"you may {', '.join(map(str, asked))}", passed=True)


def check_undo(run: Run, rights: Iterable[Right]) -> Iterator[Check]:
    """Ask for what only an undo takes: the way there is open without it."""
    if denied := [right for right in rights if not _allowed(run, right)]:
        missing = ", ".join(map(str, denied))
        yield Check(
            "P-UNDO", f"you may not {missing}: --rollback could not be finished", "ask for these rights too"
        )


def check_server(run: Run, definition: Raw | None, kind: Kind = CLONESET) -> Iterator[Check]:
    """Check the releases of Kubernetes and Kruise, and that somebody works on workloads of the kind."""
    minor = "".join(filter(str.isdigit, str(run.cluster.get("/version").get("minor") or "")))
    if minor and int(minor) < _OLDEST_MINOR:
        yield Check(
            "P-OLDKUBE", f"Kubernetes 1.{minor} is too old", f"1.{_OLDEST_MINOR} is the oldest that works"
        )
    if definition is not None and not _has_scale_lock(definition):
        yield Check("P-OLDKUBE", "this release of Kruise cannot hold back new pods", "Kruise 1.1 or newer")
    try:
        holder = manager_holder(run.cluster, run.clock.time())
        stale = not holder and _exists(run, LEASE.path(MANAGER_NAMESPACE, MANAGER_LEASE))
    except NotAllowedError:
        yield Check(
            "P-MANAGER",
            "its lease may not be read; the migration finds out before it changes anything",
            passed=True,
        )
        return
    if stale:
        yield Check(
            "P-MANAGER", "the lease of the Kruise manager is stale", "kubectl -n kruise-system get pods"
        )
    elif holder:
        yield Check("P-MANAGER", f"the Kruise manager is alive ({holder})", passed=True)
    else:
        yield Check(
            "P-MANAGER",
            f"no lease of a Kruise manager; whoever works on {kind.called}s is found out first",
            passed=True,
        )


def check_patch(run: Run, pod: Raw, old: Raw | None, owner: Raw, *, block: bool = True) -> Iterator[Check]:
    """Let the server try the patch that moves a pod, on one of them (P-ADMISSION, P-WEBHOOKDOWN).

    `owner` is the CloneSet that does not exist yet, or the one that loses its pods; `old` the ReplicaSet.
    """
    if old is None:
        yield from try_patch(run, pod, release_patch(pod, [uid_of(owner)], "0"))
    else:
        body = adoption_patch(pod, [uid_of(old)], unborn(owner), _REVISION, "bcdfg", block=block)
        yield from try_patch(run, pod, body)


def check_transfer(run: Run, pod: Raw, source: Raw, target: Raw) -> tuple[list[Check], bool]:
    """Let the server try the patch that gives a pod to another set; the second says whether it may block that one's deletion (K7)."""
    for block in (True, False):
        body = transfer_patch(pod, [uid_of(source)], unborn(target), f"{name_of(target)}-0", block=block)
        checks = list(try_patch(run, pod, body))
        if all(check.passed for check in checks) or "blockOwnerDeletion" not in checks[0].evidence:
            break
    return checks, block


def unborn(manifest: Raw) -> Raw:
    """Give an owner that does not exist yet."""
    return {**manifest, "metadata": {"name": name_of(manifest), "uid": _NOBODY}}


def try_patch(run: Run, pod: Raw, body: Raw) -> Iterator[Check]:
    """Let the server try a patch of a pod."""
    path = POD.path(run.namespace, name_of(pod))
    try:
        run.cluster.patch(path, Patch(PatchType.STRATEGIC, body), dry_run=DryRun.SERVER)
    except NotFoundError:
        return
    except ServerError as error:
        said = error.cause or error.message
        if "failed calling webhook" in said:
            yield Check(
                "P-WEBHOOKDOWN",
                f"a webhook does not answer: {said}",
                "start it again, or delete kruise-validating-webhook-configuration and"
                " kruise-mutating-webhook-configuration, which its installation restores",
            )
        else:
            yield Check(
                "P-ADMISSION",
                f"the server refuses the patch of pod {name_of(pod)}: {said}",
                "change that policy",
            )
    except KruiseError as error:
        yield Check(
            "P-ADMISSION",
            f"the server refuses the patch of pod {name_of(pod)}: {error.cause or error.message}",
            "change that policy",
        )
    else:
        yield Check("P-ADMISSION", "the server accepts the patch that moves a pod (dry run)", passed=True)


def definition_of(run: Run, kind: Kind) -> Raw | None:
    """Read the CRD of a kind, None where it is not there or may not be read."""
    try:
        return run.cluster.get(CRD.path(name=kind.resource))
    except (NotFoundError, NotAllowedError):
        return None


def knows_field(definition: Raw | None, version: str, path: tuple[str, ...]) -> bool:
    """Say whether the schema of a CRD has a field; one that cannot be read is taken to have it."""
    if definition is None:
        return True
    for each in dig(definition, ("spec", "versions"), []):
        if each.get("name") == version:
            steps = [step for name in path for step in ("properties", name)]
            return dig(each, ("schema", "openAPIV3Schema", *steps)) is not None
    return False


def _allowed(run: Run, right: Right) -> bool:
    run.check()
    attributes = {
        "namespace": run.namespace, "verb": right.verb, "group": right.kind.group, "resource": right.kind.plural,
        "subresource": right.subresource,
    }  # fmt: skip
    body = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": {key: value for key, value in attributes.items() if value}},
    }
    return bool(dig(run.cluster.create(_REVIEWS, body), ("status", "allowed")))


def _has_scale_lock(definition: Raw) -> bool:
    return any(
        knows_field(definition, str(each.get("name")), ("spec", "scaleStrategy", "maxUnavailable"))
        for each in dig(definition, ("spec", "versions"), [])
    )


def _exists(run: Run, path: str) -> bool:
    try:
        run.cluster.get(path)
    except NotFoundError:
        return False
    return True
