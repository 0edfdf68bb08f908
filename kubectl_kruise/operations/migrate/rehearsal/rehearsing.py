"""Go through a migration without a write, and give every request that it would send (migration.md §4.4)."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from kubectl_kruise.engine.migration.journal import Mode, Reference
from kubectl_kruise.engine.migration.pairs import SETS
from kubectl_kruise.engine.migration.stages import stages_of
from kubectl_kruise.facts.kinds import CONFIGMAP
from kubectl_kruise.objects.raw import Raw, dig, name_of
from kubectl_kruise.operations.migrate.before.outlook import Preflight
from kubectl_kruise.operations.migrate.carrying import begin, carry_out, only_create
from kubectl_kruise.operations.migrate.journal.storing import Filing, Place
from kubectl_kruise.operations.migrate.rehearsal.cluster import Noted, RehearsalClock, RehearsalCluster
from kubectl_kruise.operations.migrate.rehearsal.effects import Effects
from kubectl_kruise.operations.migrate.rehearsal.sets import SetEffects
from kubectl_kruise.operations.migrate.run import Run

_LONGEST: Final = 200


def rehearse(
    run: Run,
    ahead: Preflight,
    mode: Mode,
    options: Mapping[str, Any],
    place: Place,
    creates: int | None = None,
) -> Sequence[Noted]:
    """Give the requests of a migration in their order, each under its stage; only its dry runs are really sent.

    With `creates` it stops at a CloneSet of so many replicas. The machine that migrates is the one that runs here, so nothing can be listed that it does not send.
    """
    clock = RehearsalClock(run.clock.time())
    cluster = RehearsalCluster(run.cluster, clock)
    pair = [
        Reference(str(each["kind"]), name_of(each), str(each["apiVersion"]))
        for each in (ahead.source.raw, ahead.conversion.obj)
    ]
    native, kruise = pair if ahead.source.kind.native else reversed(pair)
    effects = SetEffects if ahead.source.kind in SETS else Effects
    cluster.work = effects(cluster, run.namespace, native, kruise).work
    stand_in = run._replace(
        cluster=cluster, clock=clock, tell=_silent, seen=cluster.enter, parallel=1, settle=0.0
    )
    # A journal in a file is none of the server's business: then what writes it notes nothing.
    filed = begin(
        stand_in, ahead, mode, options, filing=Filing(Place.CONFIGMAP if place is Place.FILE else place)
    )
    if creates is None:
        carry_out(stand_in, filed)
    else:
        only_create(stand_in, filed, creates)
    journal = filed.journal
    first = stages_of(mode, forward=journal.forward, pair=journal.pair)[0]
    noted = [each if each.stage else each._replace(stage=first) for each in cluster.noted]
    return [each for each in noted if place is not Place.FILE or not _of_journal(each)]


def short_body(noted: Noted) -> str:
    """Write the body of a request in short: an object by kind and name, anything else as JSON."""
    body = noted.body
    if isinstance(body, dict) and body.get("kind") and noted.method in ("POST", "PUT"):
        return f"{body['kind']} {name_of(body)}" + _replicas(body)
    text = json.dumps(body, separators=(",", ":"), ensure_ascii=False) if body else ""
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _replicas(body: Raw) -> str:
    count = dig(body, ("spec", "replicas"))
    return "" if count is None else f", replicas {count}"


def _of_journal(noted: Noted) -> bool:
    return isinstance(noted.body, dict) and noted.body.get("kind") == CONFIGMAP.kind


def _silent(_text: str) -> None:
    """Say nothing."""
