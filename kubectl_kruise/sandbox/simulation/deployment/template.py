"""Pod templates of Deployments: when two are the same."""

from kubectl_kruise.facts.names import TEMPLATE_HASH_LABEL
from kubectl_kruise.objects.raw import Raw, dig


def same_template(left: Raw, right: Raw) -> bool:
    """Say whether two templates are equal but for the hash label."""
    return _plain(left) == _plain(right)


def _plain(template: Raw) -> Raw:
    metadata = template.get("metadata") or {}
    labels = {
        key: value for key, value in dig(metadata, ("labels",), {}).items() if key != TEMPLATE_HASH_LABEL
    }
    kept = {key: value for key, value in (metadata | {"labels": labels}).items() if value}
    return {"metadata": kept, "spec": template.get("spec") or {}}
