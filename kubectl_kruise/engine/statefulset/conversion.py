"""The same Advanced StatefulSet in its other API version, as the conversion webhook answers (advanced-statefulset.md §8).

A plain copy both ways (K-1): what v1alpha1 has no field for is lost in it, and kept nowhere (K-2).
"""

from kubectl_kruise.engine.admission.statefulset_defaults import typed_statefulset
from kubectl_kruise.facts.kinds import KRUISE_GROUP
from kubectl_kruise.facts.statefulset_fields import statefulset_structs
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.objects.typed import typed


def convert_statefulset(raw: Raw, wanted: str) -> Raw:
    """Give a set in the version `wanted` (`v1alpha1` or `v1beta1`), which is not its own.

    `raw` is only read; its metadata is kept as it is. Raises ValueError where a value does not fit its Go type.
    """
    read = typed_statefulset({key: raw[key] for key in ("apiVersion", "spec", "status") if key in raw})
    made = typed(read, f"StatefulSet@{wanted}", statefulset_structs(wanted))
    return {
        **raw,
        "apiVersion": f"{KRUISE_GROUP}/{wanted}",
        "spec": made["spec"],
        "status": made["status"],
    }
