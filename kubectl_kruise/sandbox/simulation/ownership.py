"""Who owns what: adopting ownerless objects that match a selector, releasing owned ones that stop matching (DR6, DR7)."""

from collections.abc import Callable, Iterable

from kubectl_kruise.cluster.port import Cluster, Patch, PatchType
from kubectl_kruise.errors import ConflictError, KruiseError, NotFoundError
from kubectl_kruise.facts.kinds import Kind
from kubectl_kruise.objects.raw import (
    Raw,
    controller_reference,
    deleting,
    dig,
    labels_of,
    name_of,
    namespace_of,
    owner_of,
    uid_of,
)
from kubectl_kruise.objects.selector import selector_of


def owner_reference(kind: Kind, owner: Raw) -> Raw:
    """Give the controller reference that points to `owner`."""
    return controller_reference(f"{kind.group}/{kind.versions[0]}", kind.kind, name_of(owner), uid_of(owner))


def namespace_ends(error: KruiseError) -> bool:
    """Say whether nothing can be created because the namespace is being deleted: no failure, the owner goes too."""
    causes = dig(error.status, ("details", "causes"), [])
    return any(cause.get("reason") == "NamespaceTerminating" for cause in causes)


class Claims:
    """Children of one kind for owners of another."""

    def __init__(self, cluster: Cluster, owner_kind: Kind, child_kind: Kind) -> None:
        self._cluster, self._owner_kind, self._child_kind = cluster, owner_kind, child_kind

    def claim(
        self, owner: Raw, candidates: Iterable[Raw], *, member: Callable[[Raw], bool] | None = None
    ) -> list[Raw]:
        """Give the children that are the owner's, after adopting and releasing; `member` asks for more than the selector.

        An owner that is being deleted neither adopts nor releases; before the first adoption it is read afresh.
        """
        selector = selector_of(dig(owner, ("spec", "selector")))
        adopting: bool | None = None
        mine = []
        for child in candidates:
            reference = owner_of(child)
            matching = selector.matches(labels_of(child)) and (member is None or member(child))
            if reference is not None:
                if reference.get("uid") != uid_of(owner):
                    continue
                if matching:
                    mine.append(child)
                elif not deleting(owner):
                    self._patch_owners(child, {"$patch": "delete", "uid": uid_of(owner)})
                continue
            if not matching or deleting(owner) or deleting(child):
                continue
            adopting = self._may_adopt(owner) if adopting is None else adopting
            adopted = (
                self._patch_owners(child, owner_reference(self._owner_kind, owner)) if adopting else None
            )
            if adopted is not None:
                mine.append(adopted)
        return mine

    def adopt(self, owner: Raw, orphans: Iterable[Raw]) -> None:
        """Take children that nobody controls. Raises ConflictError where the owner may not: it goes, or is another now."""
        if not self._may_adopt(owner):
            raise ConflictError(
                f"{self._owner_kind.kind} {name_of(owner)} is gone or going, and adopts nothing"
            )
        for child in orphans:
            self._patch_owners(child, owner_reference(self._owner_kind, owner))

    def _may_adopt(self, owner: Raw) -> bool:
        try:
            live = self._cluster.get(self._owner_kind.path(namespace_of(owner), name_of(owner)))
        except NotFoundError:
            return False
        return uid_of(live) == uid_of(owner) and not deleting(live)

    def _patch_owners(self, child: Raw, reference: Raw) -> Raw | None:
        """Change one owner reference of exactly this child; None where it is gone."""
        body = {"metadata": {"uid": uid_of(child), "ownerReferences": [reference]}}
        path = self._child_kind.path(namespace_of(child), name_of(child))
        try:
            return self._cluster.patch(path, Patch(PatchType.STRATEGIC, body))
        except NotFoundError:
            return None
