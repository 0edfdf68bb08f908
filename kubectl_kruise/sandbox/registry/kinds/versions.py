"""The same object in another version (sandbox-apiserver.md R1, R3, CR11)."""

from collections.abc import Callable, Mapping
from typing import Final

from kubectl_kruise.engine.cloneset.conversion import convert_cloneset
from kubectl_kruise.engine.statefulset.conversion import convert_statefulset
from kubectl_kruise.facts.kinds import CLONESET, STATEFULSET
from kubectl_kruise.objects.raw import Raw, dig
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.registry.kinds.autoscalers import convert_autoscaler
from kubectl_kruise.sandbox.registry.kinds.resources import Resource

AUTOSCALERS: Final = "horizontalpodautoscalers.autoscaling"
_EVENT_NAMES: Final = (
    ("involvedObject", "regarding"),
    ("message", "note"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
    ("reportingComponent", "reportingController"),
)
_DROPPED: Final = {"events.k8s.io/v1": ("reportingComponent", "reportingInstance")}
"""What a version leaves out where it is empty."""


CONVERTERS: Final[Mapping[str, Callable[[Raw, str], Raw]]] = {
    CLONESET.resource: convert_cloneset,
    STATEFULSET.resource: convert_statefulset,
}
"""What Kruise's conversion webhook would do, by the name of the CRD; takes the object and the version wanted."""


def converter_of(resource: Resource) -> Callable[[Raw, str], Raw] | None:
    """Give the converter of a kind whose CRD asks for a webhook; None where versions differ in nothing but their name."""
    webhook = dig(resource.crd, ("spec", "conversion", "strategy")) == "Webhook"
    return CONVERTERS.get(resource.key) if webhook else None


def convert(raw: Raw, resource: Resource, api_version: str) -> Raw:
    """Give `raw`, an object of `resource`, in `api_version`; the same object where it already is in it.

    Raises Refused where the converter cannot read the object.
    """
    if raw["apiVersion"] == api_version:
        return raw
    if converter := converter_of(resource):
        try:
            return converter(raw, api_version.rpartition("/")[2])
        except ValueError as error:
            why = f"conversion webhook for {raw['apiVersion']}, Kind={raw['kind']} failed: {error}"
            raise status.server_fault(why) from None
    if resource.key == AUTOSCALERS:
        return convert_autoscaler(raw, api_version)
    names: dict[str, str] = {}
    if raw["kind"] == "Event" and api_version == "events.k8s.io/v1":
        names = dict(_EVENT_NAMES)
    elif raw["kind"] == "Event" and api_version == "v1":
        names = {new: old for old, new in _EVENT_NAMES}
    empty = _DROPPED.get(api_version, ()) if names else ()
    shown = {names.get(key, key): value for key, value in raw.items() if value or key not in empty}
    return shown | {"apiVersion": api_version}
