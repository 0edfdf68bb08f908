"""`migrate --dry-run=client -o yaml|json`: the converted manifests on stdout, the report on stderr (migration.md §7)."""

from collections.abc import Iterable, Sequence

from kubectl_kruise.cli.finding.targets import Target
from kubectl_kruise.cli.migrating.options import Migrating
from kubectl_kruise.cli.session import Session
from kubectl_kruise.convert.documents import Converted, convert_documents, kind_of
from kubectl_kruise.convert.judging import export_warnings
from kubectl_kruise.convert.twins import Wishes, convert_manifest, convert_stored
from kubectl_kruise.engine.migration.manifests import as_manifest
from kubectl_kruise.engine.migration.pairs import MIGRATING, PAIRS, twin_of
from kubectl_kruise.engine.migration.references import find_pointers
from kubectl_kruise.errors import RefusedError, UsageError
from kubectl_kruise.facts.kinds import Kind
from kubectl_kruise.facts.policies import IN_PLACE_IF_POSSIBLE, RECREATE
from kubectl_kruise.objects.notation.reference import parse_kind
from kubectl_kruise.objects.raw import Raw, name_of, put
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.render.machine import render_documents
from kubectl_kruise.views.migration.plan import field_lines
from kubectl_kruise.views.migration.recipe import recipe_lines


def export_files(session: Session, names: Sequence[str], how: Migrating, *, recursive: bool) -> None:
    """Convert manifests without asking any cluster; documents stay in their order, and their keys too."""
    from kubectl_kruise.cli.finding.manifests import read_manifests

    documents = read_manifests(names, recursive=recursive)
    kinds = _source_kinds(how) or _kinds_in(documents)
    made, converted = convert_documents(
        documents, kinds, lambda source, kind: convert_manifest(source, kind, _wishes(how))
    )
    if not converted:
        raise UsageError(f"no {' and no '.join(kind.word for kind in kinds)} in {', '.join(names)}")
    _check_names(how, len(converted))
    codes = [code for one in converted for code in _report(session, one, how)]
    session.show(render_documents(made, how.output or "yaml", prefix="", sort=False))
    _end(session, [one.source for one in converted], codes, how)


def export_live(session: Session, targets: Sequence[Target], how: Migrating) -> None:
    """Convert objects of the cluster, each followed by what names it, rewritten."""
    from kubectl_kruise.cli.migrating.exporting_live import look_around

    _check_names(how, len(targets))
    documents: list[Raw] = []
    sources: list[Workload] = []
    codes: list[str] = []
    for target in targets:
        if how.to and target.kind not in _source_kinds(how):
            raise UsageError(f"--to {how.to}: {target.display} is one already")
        source = Workload(session.fetch(target), target.kind)
        view = look_around(session, source, how.to_name or source.name)
        conversion = convert_stored(source.raw, target.kind, view.wanted, _wishes(how))
        pointers = find_pointers(source, conversion.obj, view.around)
        documents.append(conversion.obj)
        for pointer in pointers:
            if pointer.rewritable:
                follower = as_manifest(pointer.obj)
                put(follower, pointer.path, pointer.after)
                documents.append(follower)
        for check in view.warnings:
            session.warn(f"{source.reference}: {check.evidence} ({check.code})")
        codes += [check.code for check in view.warnings]
        codes += _report(session, Converted(source, conversion, pointers, view.around), how)
        sources.append(source)
    session.show(render_documents(documents, how.output or "yaml", prefix=""))
    _end(session, sources, codes, how)


def _source_kinds(how: Migrating) -> tuple[Kind, ...]:
    """Give the kind that `--to` leads away from, none where nothing was said."""
    if not how.to:
        return ()
    found = parse_kind(how.to)
    if found is None or found.kind not in MIGRATING:
        raise UsageError(
            f"--to {how.to}: this release converts to cloneset or deployment, asts or statefulset"
        )
    return (twin_of(found.kind),)


def _kinds_in(documents: Iterable[Raw]) -> tuple[Kind, ...]:
    """Give what is to be converted where nothing was said: native workloads, or those of Kruise where there are no others."""
    kinds = {kind_of(document) for document in documents}
    native, kruise = (tuple(each) for each in zip(*PAIRS, strict=True))
    return kruise if kinds & {*kruise} and not kinds & {*native} else native


def _check_names(how: Migrating, count: int) -> None:
    if how.to_name and count > 1:
        raise UsageError(f"--to-name names one workload, and there are {count}")


def _wishes(how: Migrating) -> Wishes:
    return Wishes(how.to_name, IN_PLACE_IF_POSSIBLE if how.in_place else RECREATE, how.clamp)


def _report(session: Session, one: Converted, how: Migrating) -> list[str]:
    """Say what became of a workload and its fields, and what to look at; gives the codes of the warnings."""
    target = one.conversion.obj
    called = twin_of(one.source.kind).called
    session.note(f"{one.source.reference} → {called} {name_of(target)}")
    for line in field_lines(one.conversion):
        session.note(line)
    for pointer in one.pointers:
        what = f"points at {called} {name_of(target)} now" if pointer.rewritable else pointer.note
        session.note(f"    {'~' if pointer.rewritable else ' '} {pointer.name}: {what}")
    checks = list(export_warnings(one.source, target, one.around, in_place=how.in_place))
    for check in checks:
        session.warn(f"{one.source.reference}: {check.evidence} ({check.code})")
    return [check.code for check in checks] + [remark.code for remark in one.conversion.remarks]


def _end(session: Session, sources: Sequence[Workload], codes: Iterable[str], how: Migrating) -> None:
    for kind in dict.fromkeys(source.kind for source in sources):
        for line in recipe_lines([source for source in sources if source.kind is kind]):
            session.note(line)
    if how.strict and (found := list(dict.fromkeys(codes))):
        raise RefusedError(f"converted with warnings: {', '.join(found)}")
