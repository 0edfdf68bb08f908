"""Change what points at a workload, and change it back (migration.md §8): journal first, then one patch each."""

from collections.abc import Sequence
from typing import Any

from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.engine.migration.journal import Rewrite
from kubectl_kruise.engine.migration.references import Pointer
from kubectl_kruise.engine.migration.surroundings import POINTERS
from kubectl_kruise.errors import KruiseError, NotFoundError
from kubectl_kruise.facts.kinds import Kind
from kubectl_kruise.objects.raw import dig, name_of, put, version_of
from kubectl_kruise.operations.migrate.keeping import Keeper
from kubectl_kruise.operations.migrate.run import Run


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


def apply_rewrites(run: Run, keeper: Keeper, rewrites: Sequence[Rewrite]) -> list[str]:
    """Note the changes in the journal, then make them; gives a sentence for each that could not be made."""
    known = {(each.kind, each.name, each.path) for each in keeper.journal.rewrites}
    fresh = [each for each in rewrites if (each.kind, each.name, each.path) not in known]
    keeper.write(rewrites=[*keeper.journal.rewrites, *fresh])
    wanted = {(each.kind, each.name, each.path) for each in rewrites}
    chosen = [each for each in keeper.journal.rewrites if (each.kind, each.name, each.path) in wanted]
    return _set_all(run, [(each, each.before, each.after) for each in chosen])


def undo_rewrites(run: Run, keeper: Keeper, *, temporary: bool = False) -> list[str]:
    """Change back everything that the journal notes, or what is `temporary` alone, the last first."""
    chosen = [each for each in keeper.journal.rewrites if each.temporary or not temporary]
    return _set_all(run, [(each, each.after, each.before) for each in reversed(chosen)])


def _set_all(run: Run, changes: Sequence[tuple[Rewrite, Any, Any]]) -> list[str]:
    failed = []
    for rewrite, expected, value in changes:
        run.check()
        try:
            _set(run, rewrite, expected, value)
        except NotFoundError:
            continue
        except KruiseError as error:
            failed.append(f"{rewrite.kind} {rewrite.name} was not changed: {error.line()}")
    return failed


def _set(run: Run, rewrite: Rewrite, expected: Any, value: Any) -> None:
    kind = _kind_of(rewrite)
    path = kind.path(run.namespace, rewrite.name, version=rewrite.api_version.rpartition("/")[2])
    live = run.cluster.get(path)
    if dig(live, rewrite.path) == value:
        return
    if dig(live, rewrite.path) != expected:
        run.tell(f"{rewrite.kind} {rewrite.name} was changed by somebody else meanwhile: it is left as it is")
        return
    patch: dict[str, Any] = {"metadata": {"resourceVersion": version_of(live)}}
    put(patch, rewrite.path, _exactly(value, dig(live, rewrite.path)))
    run.cluster.patch(path, Patch(PatchType.MERGE, patch))


def _exactly(value: Any, present: Any) -> Any:
    """Give what a merge patch must say so that a map holds these keys and no others."""
    if isinstance(value, dict) and isinstance(present, dict):
        return {**dict.fromkeys(present), **value}
    return value


def _kind_of(rewrite: Rewrite) -> Kind:
    group = rewrite.api_version.rpartition("/")[0]
    return next(kind for kind in POINTERS if (kind.kind, kind.group) == (rewrite.kind, group))
