"""How a pod goes: at once, or held by its preDelete hook (advanced-statefulset.md §12.7)."""

from kubectl_kruise.engine.statefulset.member import Member
from kubectl_kruise.engine.statefulset.steps import Counter, Delete, PrepareDelete
from kubectl_kruise.engine.statefulset.view import AdvancedStatefulSet
from kubectl_kruise.objects.pod import hooked


def deletion_of(
    view: AdvancedStatefulSet, member: Member, reason: str, lowers: Counter | None = None
) -> Delete | PrepareDelete:
    """Decide how to delete a pod; only a pod that is really deleted lowers a counter ([P-60], [P-61])."""
    if hooked(view.hook("preDelete"), member.pod):
        return PrepareDelete(member, reason)
    return Delete(member, reason, lowers)
