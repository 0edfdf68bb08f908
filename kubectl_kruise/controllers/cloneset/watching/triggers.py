"""What makes a CloneSet be looked at again (cloneset.md §25)."""

from typing import Final

from kubectl_kruise.controllers.cloneset.watching.caches import Caches
from kubectl_kruise.controllers.queue import Key, Queue, key_of
from kubectl_kruise.controllers.watching.expectations import (
    Expected,
    ScaleExpectations,
    VersionExpectations,
)
from kubectl_kruise.engine.cloneset.relevance import matters
from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.facts.kinds import CLONESET, KRUISE_GROUP, POD, PVC, Kind
from kubectl_kruise.objects.raw import Raw, deleting, dig, labels_of, name_of, namespace_of, owner_of
from kubectl_kruise.objects.selector import selector_of

UNEXPECTED_POD_SECONDS: Final = 3.0


class Triggers:
    """Turns changes of caches into keys, and strikes out what was expected."""

    def __init__(
        self,
        queue: Queue,
        caches: Caches,
        scale: ScaleExpectations,
        versions: VersionExpectations,
        gates: Gates,
    ) -> None:
        self._queue, self._caches, self._scale, self._versions = queue, caches, scale, versions
        self._gates = gates
        caches.clonesets.on_change(self._cloneset_changed)
        caches.pods.on_change(self._pod_changed)
        caches.claims.on_change(self._claim_changed)
        caches.revisions.on_change(self._revision_changed)

    def _cloneset_changed(self, old: Raw | None, new: Raw | None) -> None:
        self._queue.add(key_of(new or old or {}))

    def _pod_changed(self, old: Raw | None, new: Raw | None) -> None:
        if new is None:
            self._pod_gone(old or {})
            self._versions.forget(old or {})
        elif deleting(new):
            self._pod_gone(new)
        elif old is None:
            self._pod_added(new)
        else:
            self._pod_updated(old, new)

    def _pod_added(self, pod: Raw) -> None:
        owner = _owner(pod)
        if owner is None:
            self._add_matching(pod)
        elif self._scale.observe(owner, Expected("create", POD.plural, name_of(pod))):
            self._queue.add(owner)
        else:
            # A cache that warms up; its CloneSet is being looked at anyway.
            self._queue.add_after(owner, UNEXPECTED_POD_SECONDS)

    def _pod_updated(self, old: Raw, new: Raw) -> None:
        before, after = _owner(old), _owner(new)
        if before is not None and before != after:
            self._queue.add(before)
        if after is not None:
            if not self._gates.quiet_pod_events or self._matters(after, old, new):
                self._queue.add(after)
        elif owner_of(new) is None and (labels_of(old) != labels_of(new) or owner_of(old) is not None):
            self._add_matching(new)

    def _matters(self, owner: Key, old: Raw, new: Raw) -> bool:
        lifecycle = dig(self._caches.clonesets.get(owner) or {}, ("spec", "lifecycle"))
        return matters(old, new, lifecycle, vertical_scaling=self._gates.vertical_scaling)

    def _pod_gone(self, pod: Raw) -> None:
        if (owner := _owner(pod)) is not None:
            self._seen_both_ways(owner, POD, pod)
            self._queue.add(owner)

    def _claim_changed(self, old: Raw | None, new: Raw | None) -> None:
        claim = new or old or {}
        owner = _owner(claim)
        if owner is None:
            return
        if new is None or deleting(new):
            self._seen_both_ways(owner, PVC, claim)
            self._queue.add(owner)
        elif old is None:
            self._scale.observe(owner, Expected("create", PVC.plural, name_of(claim)))
            self._queue.add(owner)

    def _revision_changed(self, old: Raw | None, new: Raw | None) -> None:
        """Wake an owner that waits for its own change of a revision to show."""
        if old is not None and new is not None and (owner := _owner(new)) is not None:
            self._queue.add(owner)

    def _seen_both_ways(self, owner: Key, kind: Kind, raw: Raw) -> None:
        """Strike out a deletion, and a creation whose own event a relist swallowed."""
        for action in ("delete", "create"):
            self._scale.observe(owner, Expected(action, kind.plural, name_of(raw)))

    def _add_matching(self, pod: Raw) -> None:
        if owner_of(pod) is not None:
            return
        for cloneset in self._caches.clonesets.all(namespace_of(pod)):
            try:
                selector = selector_of(dig(cloneset, ("spec", "selector")))
            except ValueError:
                continue
            if not selector.empty and selector.matches(labels_of(pod)):
                self._queue.add(key_of(cloneset))


def _owner(raw: Raw) -> Key | None:
    """Give the key of the CloneSet that controls the object; the API version of the reference does not matter."""
    owner = owner_of(raw)
    if owner is None or owner.get("kind") != CLONESET.kind:
        return None
    group = str(owner.get("apiVersion") or "").partition("/")[0]
    return Key(namespace_of(raw), str(owner.get("name"))) if group == KRUISE_GROUP else None
