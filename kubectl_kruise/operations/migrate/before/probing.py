"""Ask the server what it would make of a CloneSet, and whether it would lose something (migration.md §4.5)."""

import copy
from collections.abc import Iterator
from typing import Any

from kubectl_kruise.cluster.port import Cluster, DryRun
from kubectl_kruise.errors import RefusedError, ServerError
from kubectl_kruise.objects.raw import Raw, dig


def probe_target(cluster: Cluster, path: str, body: Raw) -> Raw:
    """Send the object as a dry run, then once more with a default left out, so that the webhook writes it anew.

    Gives the object as the server would keep it.

    Raises the server's refusal, or RefusedError (P-LOSS) naming the fields of the template that the answer lacks.
    """
    try:
        kept = cluster.create(path, body, dry_run=DryRun.SERVER)
    except ServerError as error:
        if "failed calling webhook" not in f"{error.message} {error.cause}":
            raise
        raise RefusedError(
            "the webhook of Kruise does not answer: nothing was done (P-WEBHOOKDOWN)",
            cause=error.cause,
            hint="kubectl -n kruise-system get pods",
        ) from None
    incomplete = copy.deepcopy(body)
    incomplete["spec"].pop("revisionHistoryLimit", None)
    answer = cluster.create(path, incomplete, dry_run=DryRun.SERVER)
    template = ("spec", "template")
    if lost := list(lost_paths(dig(body, template), dig(answer, template, {}), "spec.template")):
        raise RefusedError(
            f"Kruise would lose fields of the template: {', '.join(lost)} (P-LOSS)",
            hint="its release is built on an older Kubernetes than the fields come from",
        )
    return kept


def lost_paths(sent: Any, answered: Any, path: str) -> Iterator[str]:
    """Name what was sent and did not come back; nulls, empty values and creation times do not count."""
    if isinstance(sent, dict):
        for key, value in sent.items():
            if key != "creationTimestamp" or not path.endswith("metadata"):
                inner = answered.get(key) if isinstance(answered, dict) else None
                yield from lost_paths(value, inner, f"{path}.{key}")
    elif isinstance(sent, list):
        for at, value in enumerate(sent):
            inner = answered[at] if isinstance(answered, list) and at < len(answered) else None
            yield from lost_paths(value, inner, f"{path}[{at}]")
    elif sent is not None and answered is None:
        yield path
