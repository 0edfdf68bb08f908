"""What pulling images ahead depends on, read from a CloneSet (cloneset.md §23)."""

from collections.abc import Mapping
from typing import Any

from kubectl_kruise.engine.cloneset.creation import owner_reference
from kubectl_kruise.engine.cloneset.view import CloneSet
from kubectl_kruise.engine.predownload import DEFAULT_TIMEOUT, Rollout, Settings, written_settings
from kubectl_kruise.facts.policies import IN_PLACE_ONLY, RECREATE
from kubectl_kruise.objects.notation import number
from kubectl_kruise.objects.raw import Raw, dig


def rollout_of(view: CloneSet) -> Rollout:
    """See a CloneSet as the plan of pulls does."""
    return Rollout(
        raw=view.raw,
        owner=owner_reference(view),
        namespace=view.namespace,
        replicas=view.replicas,
        partition=view.partition,
        at_once=number.legacy(_max_unavailable(view), view.replicas, up=False),
        in_place=view.rolling and not view.on_delete and view.policy != RECREATE,
        in_place_only=view.policy == IN_PLACE_ONLY,
        selector=view.selector,
        template=view.template,
        gates=view.gates,
        settings=read_settings(view),
    )


def read_settings(view: CloneSet) -> Settings:
    """Read the settings, which are annotations in v1alpha1 and fields in v1beta1; what cannot be read counts as not set."""
    if not view.api_version.endswith("/v1beta1"):
        return written_settings(view.raw, view.replicas)
    fields = dig(view.raw, ("spec", "updateStrategy", "rollingUpdate", "inPlaceUpdateStrategy"), {}) or {}
    return Settings(
        _given(fields, "imagePreDownloadParallelism", 1),
        _given(fields, "imagePreDownloadTimeoutSeconds", DEFAULT_TIMEOUT),
        _given(fields, "imagePreDownloadMinUpdatedReadyPods", 0),
    )


def _max_unavailable(view: CloneSet) -> number.IntOrPercent:
    strategy: Raw = dig(view.raw, ("spec", "updateStrategy"), {}) or {}
    holder = strategy.get("rollingUpdate") or {} if view.api_version.endswith("/v1beta1") else strategy
    value = holder.get("maxUnavailable")
    return number.DEFAULT_MAX_UNAVAILABLE if value is None else value


def _given(fields: Mapping[str, Any], name: str, default: int) -> Any:
    value = fields.get(name)
    return default if value is None else value
