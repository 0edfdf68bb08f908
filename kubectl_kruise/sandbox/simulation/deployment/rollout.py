"""One look at one Deployment and its ReplicaSets, and every write that may follow from it."""

from collections.abc import Iterable, Sequence

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.controllers.events import Recorder
from kubectl_kruise.engine.revisions.template_hash import template_hash
from kubectl_kruise.errors import ConflictError, KruiseError, NotFoundError
from kubectl_kruise.facts.kinds import DEPLOYMENT, REPLICASET
from kubectl_kruise.facts.names import DEPLOYMENT_REVISION, TEMPLATE_HASH_LABEL
from kubectl_kruise.objects.raw import (
    Raw,
    annotations_of,
    deleting,
    dig,
    metadata,
    name_of,
    namespace_of,
    owner_of,
    uid_of,
)
from kubectl_kruise.sandbox.simulation.deployment.annotations import (
    annotated,
    desired_of,
    followed,
    revision_of,
    sized,
)
from kubectl_kruise.sandbox.simulation.deployment.sizes import (
    available_of,
    limits_of,
    new_size,
    proportional,
    recreates,
    shrunk_old,
    size_of,
)
from kubectl_kruise.sandbox.simulation.deployment.status import Finding, has_deadline, progressing, put
from kubectl_kruise.sandbox.simulation.deployment.template import same_template
from kubectl_kruise.sandbox.simulation.ownership import namespace_ends, owner_reference

UNLIMITED_HISTORY = 2**31 - 1


class Writer:
    """The writes of the controller, each guarded by the resourceVersion it was decided on."""

    def __init__(self, cluster: Cluster, clock: Clock, component: str) -> None:
        self.cluster, self.clock = cluster, clock
        self.recorder = Recorder(cluster, clock, component)

    def replace(self, replicaset: Raw) -> Raw:
        return self.cluster.replace(
            REPLICASET.path(namespace_of(replicaset), name_of(replicaset)), replicaset
        )

    def status(self, deployment: Raw) -> Raw:
        """Write status and annotations: a Deployment takes both through its status subresource."""
        path = DEPLOYMENT.path(namespace_of(deployment), name_of(deployment), subresource="status")
        return self.cluster.replace(path, deployment)


def by_age(replicasets: Iterable[Raw]) -> list[Raw]:
    return sorted(
        replicasets, key=lambda each: (metadata(each).get("creationTimestamp") or "", name_of(each))
    )


class Rollout:
    """A Deployment with its ReplicaSets, oldest first; what is written replaces what was read."""

    def __init__(self, writer: Writer, deployment: Raw, sets: Sequence[Raw]) -> None:
        self._writer = writer
        self.deployment = deployment
        self.new: Raw | None = next((each for each in sets if self._matches(each)), None)
        self.old = [each for each in sets if each is not self.new]

    @property
    def all(self) -> list[Raw]:
        return [*self.old, self.new] if self.new is not None else list(self.old)

    def find_new(self, *, create: bool = False) -> None:
        """See to it that the ReplicaSet of the template carries the newest revision; with `create` that there is one."""
        revision = max((revision_of(each) for each in self.old), default=0) + 1
        if self.new is not None:
            self._follow(self.new, revision)
        elif create:
            self._create(revision)

    def grow_new(self) -> bool:
        """Bring the new ReplicaSet as far as the surge allows; say whether that changed anything."""
        if self.new is None:
            return False
        total = sum(size_of(each) for each in self.all)
        return self._resize(self.new, new_size(self.deployment, size_of(self.new), total))

    def shrink_old(self) -> bool:
        """Take one step down with the old ReplicaSets; say whether that changed anything."""
        if self.new is None:
            return False
        wanted = shrunk_old(limits_of(self.deployment), self.new, self.old)
        changed = [self._resize(each, size) for each, size in zip(list(self.old), wanted, strict=True)]
        return any(changed)

    def shrink_to_nothing(self) -> bool:
        changed = [self._resize(each, 0) for each in list(self.old)]
        return any(changed)

    def scale(self) -> None:
        """Follow a changed number of replicas outside a rollout, or spread it over one that is under way."""
        limits = limits_of(self.deployment)
        active = [each for each in self.all if size_of(each)]
        if len(active) <= 1:
            only = active[0] if active else self.new or (self.old[-1] if self.old else None)
            if only is not None:
                self._resize(only, limits.replicas, renew=True)
        elif self.new is not None and self._saturated(self.new):
            self.shrink_to_nothing()
        elif not recreates(self.deployment):
            growing = limits.largest > sum(size_of(each) for each in active)
            # The largest first; of equal ones the newer when growing, else the older.
            aged = active[::-1] if growing else active
            ordered = sorted(aged, key=size_of, reverse=True)
            known = dig(self.deployment, ("status", "replicas"), 0)
            for each, size in zip(ordered, proportional(limits, known, ordered), strict=True):
                self._resize(each, size, renew=True)

    def trim_history(self) -> None:
        """Delete the oldest ReplicaSets that are empty, beyond the history limit."""
        limit = dig(self.deployment, ("spec", "revisionHistoryLimit"), UNLIMITED_HISTORY)
        kept = sorted((each for each in self.old if not deleting(each)), key=revision_of)
        for each in kept[: max(0, len(kept) - limit)]:
            behind = metadata(each).get("generation", 0) > dig(each, ("status", "observedGeneration"), 0)
            if size_of(each) or dig(each, ("status", "replicas"), 0) or behind:
                continue
            options = {"preconditions": {"uid": uid_of(each)}, "propagationPolicy": "Background"}
            try:
                self._writer.cluster.delete(
                    REPLICASET.path(namespace_of(each), name_of(each)), options=options
                )
            except NotFoundError:
                continue

    def set_progressing(self, value: str, reason: str, message: str) -> None:
        status = {**dig(self.deployment, ("status",), {})}
        if put(status, Finding("Progressing", value, reason, message), self._writer.clock.time()):
            self.write_status(status)

    def write_status(self, status: Raw) -> bool:
        """Write a status that differs; say whether it did."""
        if status == self.deployment.get("status"):
            return False
        self.deployment = self._writer.status(self.deployment | {"status": status})
        return True

    def _matches(self, replicaset: Raw) -> bool:
        return same_template(self.deployment["spec"]["template"], replicaset["spec"]["template"])

    def _follow(self, new: Raw, revision: int) -> None:
        """Give the ReplicaSet that matches the Deployment's annotations, its number and its minReadySeconds."""
        annotations = followed(self.deployment, new, revision)
        ready = dig(self.deployment, ("spec", "minReadySeconds"), 0)
        if annotations != annotations_of(new) or ready != dig(new, ("spec", "minReadySeconds"), 0):
            kept = {key: value for key, value in new["spec"].items() if key != "minReadySeconds"}
            spec = kept | ({"minReadySeconds": ready} if ready else {})
            self._swap(new, annotated(new, annotations) | {"spec": spec})
        message = None if progressing(self.deployment) else f'Found new replica set "{name_of(new)}"'
        self._number(self.new or new, "FoundNewReplicaSet", message)

    def _create(self, revision: int) -> None:
        body = self._new_set(revision)
        size = size_of(body)
        try:
            self.new = self._writer.cluster.create(REPLICASET.path(namespace_of(self.deployment)), body)
        except ConflictError:
            self._meet(name_of(body))
            return
        except KruiseError as error:
            if namespace_ends(error):
                return
            text = f'Failed to create new replica set "{name_of(body)}": {error.cause or error.message}'
            self.set_progressing("False", "ReplicaSetCreateError", text)
            raise
        if size:
            self._say(f"Scaled up replica set {name_of(body)} from 0 to {size}")
        self._number(self.new, "NewReplicaSetCreated", f'Created new replica set "{name_of(body)}"')

    def _meet(self, name: str) -> None:
        """Take the ReplicaSet of that name if it is ours after all, else count a collision, which changes the hash."""
        live = self._writer.cluster.get(REPLICASET.path(namespace_of(self.deployment), name))
        if (owner_of(live) or {}).get("uid") == uid_of(self.deployment) and self._matches(live):
            self.new = live
            self._number(live, "", None)
            return
        status = dig(self.deployment, ("status",), {})
        self.write_status(status | {"collisionCount": status.get("collisionCount", 0) + 1})
        raise ConflictError(f'the name "{name}" is taken by another ReplicaSet')

    def _new_set(self, revision: int) -> Raw:
        template = self.deployment["spec"]["template"]
        digest = template_hash(template, dig(self.deployment, ("status", "collisionCount"), None))
        mark = {TEMPLATE_HASH_LABEL: digest}
        given = template.get("metadata") or {}
        labels = {**(given.get("labels") or {}), **mark}
        selector = self.deployment["spec"]["selector"]
        limits = limits_of(self.deployment)
        body: Raw = {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "metadata": {
                "name": f"{name_of(self.deployment)}-{digest}",
                "namespace": namespace_of(self.deployment),
                "labels": labels,
                "ownerReferences": [owner_reference(DEPLOYMENT, self.deployment)],
            },
            "spec": {
                "replicas": new_size(self.deployment, 0, sum(size_of(each) for each in self.old)),
                "selector": {**selector, "matchLabels": {**(selector.get("matchLabels") or {}), **mark}},
                "template": {**template, "metadata": {**given, "labels": labels}},
            },
        }
        if ready := dig(self.deployment, ("spec", "minReadySeconds"), 0):
            body["spec"]["minReadySeconds"] = ready
        body["metadata"]["annotations"] = followed(self.deployment, body, revision)
        body["metadata"]["annotations"] = sized(body, limits.replicas, limits.largest)
        return body

    def _number(self, new: Raw, reason: str, message: str | None) -> None:
        """Copy the revision number to the Deployment, with a word in Progressing where there is one to say."""
        number = annotations_of(new).get(DEPLOYMENT_REVISION, "")
        changed = annotations_of(self.deployment).get(DEPLOYMENT_REVISION) != number
        status = {**dig(self.deployment, ("status",), {})}
        if message is not None and has_deadline(self.deployment):
            changed = (
                put(status, Finding("Progressing", "True", reason, message), self._writer.clock.time())
                or changed
            )
        if changed:
            annotations = {**annotations_of(self.deployment), DEPLOYMENT_REVISION: number}
            marked = annotated(self.deployment, annotations)
            self.deployment = self._writer.status(marked | {"status": status})

    def _resize(self, replicaset: Raw, size: int, *, renew: bool = False) -> bool:
        """Give a ReplicaSet another size and the annotations that go with it; `renew` those also without a new size."""
        before = size_of(replicaset)
        limits = limits_of(self.deployment)
        annotations = sized(replicaset, limits.replicas, limits.largest)
        if before == size and not (renew and annotations != annotations_of(replicaset)):
            return False
        spec = {**replicaset["spec"], "replicas": size}
        self._swap(replicaset, annotated(replicaset, annotations) | {"spec": spec})
        if before != size:
            way = "up" if size > before else "down"
            self._say(f"Scaled {way} replica set {name_of(replicaset)} from {before} to {size}")
        return before != size

    def _swap(self, before: Raw, changed: Raw) -> None:
        after = self._writer.replace(changed)
        if self.new is not None and uid_of(self.new) == uid_of(before):
            self.new = after
        else:
            self.old = [after if uid_of(each) == uid_of(before) else each for each in self.old]

    def _saturated(self, new: Raw) -> bool:
        wanted = limits_of(self.deployment).replicas
        return size_of(new) == wanted and desired_of(new) == wanted and available_of(new) == wanted

    def _say(self, message: str) -> None:
        self._writer.recorder.normal(DEPLOYMENT, self.deployment, "ScalingReplicaSet", message)
