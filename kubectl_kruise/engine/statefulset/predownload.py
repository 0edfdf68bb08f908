"""What pulling images ahead depends on, read from a set (advanced-statefulset.md §17)."""

from kubectl_kruise.engine.predownload import Rollout, written_settings
from kubectl_kruise.engine.statefulset.creation import owner_reference
from kubectl_kruise.engine.statefulset.view import AdvancedStatefulSet
from kubectl_kruise.facts.policies import IN_PLACE_ONLY, RECREATE


def rollout_of(view: AdvancedStatefulSet) -> Rollout:
    """See a set as the plan of pulls does; its settings are annotations, the fields of that name are not looked at ([G-5])."""
    return Rollout(
        raw=view.raw,
        owner=owner_reference(view),
        namespace=view.namespace,
        replicas=view.replicas,
        partition=view.partition,
        at_once=view.unavailable,
        in_place=view.rolling and not view.on_delete and view.policy != RECREATE,
        in_place_only=view.policy == IN_PLACE_ONLY,
        selector=view.selector,
        template=view.template,
        gates=view.gates,
        settings=written_settings(view.raw, view.replicas),
    )
