"""What makes an Advanced StatefulSet be looked at again (advanced-statefulset.md §9, §16 [V-38])."""

from kubectl_kruise.controllers.queue import Key, Queue, key_of
from kubectl_kruise.controllers.statefulset.caches import Caches
from kubectl_kruise.controllers.watching.expectations import (
    Expected,
    ScaleExpectations,
    VersionExpectations,
)
from kubectl_kruise.engine.statefulset.ordinals import split_name
from kubectl_kruise.facts.kinds import KRUISE_GROUP, POD, STATEFULSET
from kubectl_kruise.facts.names import OWNED_BY_STATEFULSET
from kubectl_kruise.objects.raw import (
    Raw,
    annotations_of,
    deleting,
    dig,
    labels_of,
    name_of,
    namespace_of,
    owner_of,
)
from kubectl_kruise.objects.selector import selector_of


class Triggers:
    """Turns changes of caches into keys, and strikes out what was expected."""

    def __init__(
        self, queue: Queue, caches: Caches, scale: ScaleExpectations, versions: VersionExpectations
    ) -> None:
        self._queue, self._caches, self._scale, self._versions = queue, caches, scale, versions
        caches.sets.on_change(self._set_changed)
        caches.pods.on_change(self._pod_changed)
        caches.claims.on_change(self._claim_changed)
        caches.revisions.on_change(self._revision_changed)

    def _set_changed(self, old: Raw | None, new: Raw | None) -> None:
        self._queue.add(key_of(new or old or {}))

    def _pod_changed(self, old: Raw | None, new: Raw | None) -> None:
        pod = new or old or {}
        before, after = (None if each is None else _owner(each) for each in (old, new))
        if after is not None:
            self._observe(after, "create", pod)
        if new is None or deleting(new):
            for owner in filter(None, {before, after}):
                self._observe(owner, "delete", pod)
                self._observe(owner, "create", pod)
        if new is None:
            self._versions.forget(pod)
        for owner in filter(None, {before, after}):
            self._queue.add(owner)
        if new is not None and owner_of(new) is None and _orphan_may_match(old, new):
            self._add_matching(new)

    def _observe(self, owner: Key, action: str, pod: Raw) -> None:
        self._scale.observe(owner, Expected(action, POD.plural, name_of(pod)))

    def _claim_changed(self, old: Raw | None, new: Raw | None) -> None:
        """Follow claims that were made to grow; others wake nobody, whether they come or go ([V-38])."""
        if old is None or new is None:
            self._versions.forget(old or {})
            return
        if name := annotations_of(new).get(OWNED_BY_STATEFULSET):
            self._queue.add(Key(namespace_of(new), name))
        else:
            self._wake_waiting(new)

    def _wake_waiting(self, claim: Raw) -> None:
        """Wake the set that waits for its own change of a claim to show."""
        if self._versions.expected(claim):
            for each in self._caches.sets.all(namespace_of(claim)):
                if f"-{name_of(each)}-" in name_of(claim):
                    self._queue.add(key_of(each))

    def _revision_changed(self, old: Raw | None, new: Raw | None) -> None:
        """Wake an owner that waits for its own change of a revision to show."""
        if old is not None and new is not None and (owner := _owner(new)) is not None:
            self._queue.add(owner)

    def _add_matching(self, pod: Raw) -> None:
        """Wake the set that could adopt the pod: names leave no more than one."""
        key = Key(namespace_of(pod), split_name(name_of(pod)).parent)
        found = self._caches.sets.get(key)
        if found is None:
            return
        try:
            selector = selector_of(dig(found, ("spec", "selector")))
        except ValueError:
            return
        if not selector.empty and selector.matches(labels_of(pod)):
            self._queue.add(key)


def _orphan_may_match(old: Raw | None, new: Raw) -> bool:
    """Say whether a pod without a controller came to be one, or is one with other labels than before."""
    return old is None or owner_of(old) is not None or labels_of(old) != labels_of(new)


def _owner(raw: Raw) -> Key | None:
    """Give the key of the Advanced StatefulSet that controls the object; the API version does not matter."""
    owner = owner_of(raw)
    if owner is None or owner.get("kind") != STATEFULSET.kind:
        return None
    group = str(owner.get("apiVersion") or "").partition("/")[0]
    return Key(namespace_of(raw), str(owner.get("name"))) if group == KRUISE_GROUP else None
