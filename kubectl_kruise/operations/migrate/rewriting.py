"""Change what points at a workload, and change it back (migration.md §8): journal first, then one patch each."""

import json
from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.engine.migration.journal import Rewrite
from kubectl_kruise.engine.migration.references import NAMES, Pointer, find_pointers
from kubectl_kruise.engine.migration.stages import Stage
from kubectl_kruise.engine.migration.surroundings import POINTERS
from kubectl_kruise.errors import KruiseError, NotFoundError
from kubectl_kruise.facts.kinds import Kind
from kubectl_kruise.objects.raw import dig, name_of, put, version_of
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.migrate.before.surveying import survey
from kubectl_kruise.operations.migrate.journal.keeping import Keeper
from kubectl_kruise.operations.migrate.persisting import persist
from kubectl_kruise.operations.migrate.run import Run


def follow(run: Run, keeper: Keeper, words: Collection[str]) -> None:
    """Let what names the source name its successor, as far as it is of the kinds chosen (`references.NAMES`).

    Tells what was changed, what could not be, and what still names the source.
    """
    run.seen(Stage.REFERENCES, None)
    journal = keeper.journal
    source = Workload(journal.source_manifest, journal.kind)
    named = [each for each in find_pointers(source, journal.target_manifest, survey(run)) if each.rewritable]
    chosen = [each for each in named if NAMES[each.kind] in words]
    apply_rewrites(run, keeper, rewrites_for(chosen))
    for pointer in named:
        if pointer not in chosen:
            run.tell(f"{pointer.name} still names {source.reference}: --rewrite-refs changes it")


def rewrites_for(pointers: Sequence[Pointer]) -> list[Rewrite]:
    """Give the changes that let what names the source name its successor."""
    return [
        Rewrite(
            pointer.obj["apiVersion"],
            pointer.kind.kind,
            name_of(pointer.obj),
            pointer.path,
            pointer.before,
            pointer.after,
        )
        for pointer in pointers
        if pointer.rewritable
    ]


def apply_rewrites(run: Run, keeper: Keeper, rewrites: Sequence[Rewrite]) -> list[KruiseError]:
    """Note the changes in the journal, then make them; gives why those failed that could not be made, and tells it."""
    known = {_place(each) for each in keeper.journal.rewrites}
    fresh = [each for each in rewrites if _place(each) not in known]
    persist(run, lambda: keeper.write(rewrites=[*keeper.journal.rewrites, *fresh]))
    wanted = {_place(each) for each in rewrites}
    chosen = [each for each in keeper.journal.rewrites if _place(each) in wanted]
    return _set_all(run, [(each, each.before, each.after) for each in chosen])


def repeat_freeze(run: Run, keeper: Keeper) -> list[KruiseError]:
    """Hold still again what was held still once, as far as nobody has changed it since."""
    frozen = [each for each in keeper.journal.rewrites if each.temporary]
    return _set_all(run, [(each, each.before, each.after) for each in frozen])


def undo_rewrites(run: Run, keeper: Keeper, *, temporary: bool = False) -> list[KruiseError]:
    """Change back everything that the journal notes, or what is `temporary` alone, the last first."""
    chosen = [each for each in keeper.journal.rewrites if each.temporary or not temporary]
    return _set_all(run, [(each, each.after, each.before) for each in reversed(chosen)])


def _place(rewrite: Rewrite) -> tuple[str, str, tuple[str, ...]]:
    return rewrite.kind, rewrite.name, rewrite.path


def _set_all(run: Run, changes: Sequence[tuple[Rewrite, Any, Any]]) -> list[KruiseError]:
    failed = []
    for rewrite, expected, value in changes:
        run.check()
        try:
            persist(run, partial(_set, run, rewrite, expected, value))
        except NotFoundError:
            continue
        except KruiseError as error:
            failed.append(error)
            run.tell(f"{rewrite.kind} {rewrite.name} was not changed: {error.line()}")
    return failed


def _set(run: Run, rewrite: Rewrite, expected: Any, value: Any) -> None:
    kind = _kind_of(rewrite)
    path = kind.path(run.namespace, rewrite.name, version=rewrite.api_version.rpartition("/")[2])
    live = run.cluster.get(path)
    present = dig(live, rewrite.path)
    if present == value or (_holds(present, value) and not _holds(present, expected)):
        return
    if not _holds(present, expected):
        run.tell(f"{rewrite.kind} {rewrite.name} was changed by somebody else meanwhile: it is left as it is")
        return
    patch: dict[str, Any] = {"metadata": {"resourceVersion": version_of(live)}}
    put(patch, rewrite.path, _exactly(value, present))
    run.cluster.patch(path, Patch(PatchType.MERGE, patch))
    run.tell(f"{rewrite.kind} {rewrite.name}: {'.'.join(rewrite.path)} is {_text(value)}")


def _holds(present: Any, wanted: Any) -> bool:
    """Say whether a value is there, whatever the server has added to it."""
    if isinstance(wanted, dict) and isinstance(present, dict):
        return all(_holds(present.get(key), value) for key, value in wanted.items())
    return bool(present == wanted)


def _exactly(value: Any, present: Any) -> Any:
    """Give what a merge patch must say so that a map holds these keys and no others, at every depth."""
    if isinstance(value, dict) and isinstance(present, dict):
        return {
            **dict.fromkeys(present),
            **{key: _exactly(inner, present.get(key)) for key, inner in value.items()},
        }
    return value


def _text(value: Any) -> str:
    if isinstance(value, dict) and "name" in value:
        return f"{value.get('kind', 'Deployment')} {value['name']}"
    return "as before" if value is None else json.dumps(value)


def _kind_of(rewrite: Rewrite) -> Kind:
    group = rewrite.api_version.rpartition("/")[0]
    return next(kind for kind in POINTERS if (kind.kind, kind.group) == (rewrite.kind, group))
