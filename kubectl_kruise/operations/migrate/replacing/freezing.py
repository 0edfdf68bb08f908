"""Hold the autoscalers of the source still while its pods move, then let them go on (migration.md §6.1 G1, G5, §6.3)."""

from functools import partial
from typing import Final

from kubectl_kruise.engine.migration.freezing import freeze_autoscaler, freeze_scaled_object
from kubectl_kruise.engine.migration.journal import Rewrite
from kubectl_kruise.engine.migration.references import NAMES, Pointer, find_pointers
from kubectl_kruise.facts.kinds import HPA
from kubectl_kruise.facts.neighbours import SCALED_OBJECT
from kubectl_kruise.objects.raw import Raw, dig
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.migrate.before.surveying import survey
from kubectl_kruise.operations.migrate.journal.keeping import Keeper
from kubectl_kruise.operations.migrate.looking import fetch
from kubectl_kruise.operations.migrate.persisting import persist
from kubectl_kruise.operations.migrate.rewriting import apply_rewrites, undo_rewrites
from kubectl_kruise.operations.migrate.run import Run

SCALERS: Final = {kind.kind: NAMES[kind] for kind in (HPA, SCALED_OBJECT)}
"""Kinds that are held still, with the word for them."""

_RESUME_SECONDS: Final = 30.0


def freeze(run: Run, keeper: Keeper, most: int) -> None:
    """Hold still whatever scales the source while up to `most` pods exist.

    Raises why one could not be held still: it would undo every step.
    """
    source = Workload(keeper.journal.source_manifest, keeper.journal.kind)
    around = persist(run, lambda: survey(run))
    pointers = find_pointers(source, keeper.journal.target_manifest, around)
    if failed := apply_rewrites(run, keeper, freezes_for(pointers, most)):
        raise failed[0]


def freezes_for(pointers: list[Pointer], most: int) -> list[Rewrite]:
    """Give what holds the autoscalers among the pointers still; an HPA that KEDA owns is left alone."""
    frozen: list[Rewrite] = []
    for pointer in pointers:
        if pointer.rewritable and pointer.kind is HPA:
            frozen += freeze_autoscaler(pointer.obj, most)
        elif pointer.rewritable and pointer.kind is SCALED_OBJECT:
            frozen += freeze_scaled_object(pointer.obj)
    return frozen


def thaw(run: Run, keeper: Keeper) -> None:
    """Let what was held still go on as before, and look whether KEDA really does."""
    undo_rewrites(run, keeper, temporary=True)
    for rewrite in keeper.journal.rewrites:
        if rewrite.temporary and rewrite.kind == SCALED_OBJECT.kind:
            path = SCALED_OBJECT.path(run.namespace, rewrite.name)
            persist(run, partial(_see_resumed, run, path, rewrite.name))


def _see_resumed(run: Run, path: str, name: str) -> None:
    end = run.clock.monotonic() + _RESUME_SECONDS
    while (scaled := fetch(run, path)) is not None and _paused(scaled):
        if run.clock.monotonic() >= end:
            run.tell(f"{SCALED_OBJECT.kind} {name} still says it is paused: look at KEDA's operator")
            return
        run.wait(1.0)


def _paused(scaled: Raw) -> bool:
    return any(
        each.get("type") == "Paused" and each.get("status") == "True"
        for each in dig(scaled, ("status", "conditions"), [])
    )
