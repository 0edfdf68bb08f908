"""Volumes of a new pod for the claims that its workload makes for it (cloneset.md §12.3, advanced-statefulset.md §9)."""

from collections.abc import Mapping

from kubectl_kruise.objects.raw import Raw


def with_claim_volumes(spec: Raw, claims: Mapping[str, str]) -> Raw:
    """Give the pod spec with one volume per claim before the template's own; `claims`: template's name → claim's name."""
    if not claims:
        return spec
    volumes = [
        {"name": name, "persistentVolumeClaim": {"claimName": claim, "readOnly": False}}
        for name, claim in claims.items()
    ]
    kept = [volume for volume in spec.get("volumes") or [] if volume.get("name") not in claims]
    return {**spec, "volumes": [*volumes, *kept]}
