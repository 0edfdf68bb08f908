"""`migrate --dry-run=client -o yaml|json`: the converted manifests on stdout, the report on stderr (migration.md §7)."""

from collections.abc import Iterable, Sequence

from kubectl_kruise.cli.finding.targets import Target
from kubectl_kruise.cli.migrating.options import Migrating
from kubectl_kruise.cli.session import Session
from kubectl_kruise.convert.cloneset import check_convertible, cloneset_to_deployment
from kubectl_kruise.convert.defaults import fill_cloneset, fill_deployment, filled_in
from kubectl_kruise.convert.deployment import IN_PLACE, RECREATE, deployment_to_cloneset
from kubectl_kruise.convert.deployment import Target as Wanted
from kubectl_kruise.convert.documents import Converted, convert_documents, kind_of
from kubectl_kruise.convert.judging import export_warnings
from kubectl_kruise.convert.report import Conversion
from kubectl_kruise.convert.selection import check_selector
from kubectl_kruise.engine.migration.manifests import as_manifest
from kubectl_kruise.engine.migration.references import find_pointers
from kubectl_kruise.errors import RefusedError, UsageError
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT, Kind
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
    kind = _source_kind(how) or _kind_in(documents)
    made, converted = convert_documents(
        documents, kind, lambda source: _convert(source, kind, how, Wanted(), stored=False)
    )
    if not converted:
        raise UsageError(f"no {kind.singular} in {', '.join(names)}")
    _check_names(how, len(converted))
    codes = [code for one in converted for code in _report(session, one, how)]
    session.show(render_documents(made, how.output or "yaml", prefix="", sort=False))
    _end(session, [one.source for one in converted], kind, codes, how)


def export_live(session: Session, targets: Sequence[Target], how: Migrating) -> None:
    """Convert objects of the cluster, each followed by what names it, rewritten."""
    from kubectl_kruise.cli.migrating.exporting_live import look_around

    _check_names(how, len(targets))
    documents: list[Raw] = []
    sources: list[Workload] = []
    codes: list[str] = []
    for target in targets:
        if _source_kind(how) not in (None, target.kind):
            raise UsageError(f"--to {how.to}: {target.display} is one already")
        source = Workload(session.fetch(target), target.kind)
        view = look_around(session, source, how.to_name or source.name)
        conversion = _convert(source.raw, target.kind, how, view.wanted, stored=True)
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
    _end(session, sources, targets[0].kind, codes, how)


def _source_kind(how: Migrating) -> Kind | None:
    """Give the kind that `--to` leads away from, None where nothing was said."""
    if not how.to:
        return None
    found = parse_kind(how.to)
    if found is None or found.kind not in (DEPLOYMENT, CLONESET):
        raise UsageError(f"--to {how.to}: this release converts to cloneset or deployment")
    return CLONESET if found.kind is DEPLOYMENT else DEPLOYMENT


def _kind_in(documents: Iterable[Raw]) -> Kind:
    """Give what is to be converted where nothing was said: Deployments, or CloneSets where there are only those."""
    kinds = {kind_of(document) for document in documents}
    return CLONESET if CLONESET in kinds and DEPLOYMENT not in kinds else DEPLOYMENT


def _check_names(how: Migrating, count: int) -> None:
    if how.to_name and count > 1:
        raise UsageError(f"--to-name names one workload, and there are {count}")


def _convert(source: Raw, kind: Kind, how: Migrating, wanted: Wanted, *, stored: bool) -> Conversion:
    """Convert a workload; one that no server has stored yet gets its defaults written down first."""
    if stored:
        return _convert_filled(source, kind, how, wanted)
    filled = fill_cloneset(source) if kind is CLONESET else fill_deployment(source)
    conversion = _convert_filled(filled, kind, how, wanted)
    # The type of a strategy has no place of its own in the twin.
    meant = tuple(
        fate for fate in filled_in(source.get("spec"), filled["spec"]) if fate.path != "spec.strategy.type"
    )
    return conversion._replace(
        kept=max(0, conversion.kept - len(meant)), changed=(*conversion.changed, *meant)
    )


def _convert_filled(source: Raw, kind: Kind, how: Migrating, wanted: Wanted) -> Conversion:
    check_selector(source)
    if kind is CLONESET:
        check_convertible(source)
        return cloneset_to_deployment(source, how.to_name, keep_helm=True)
    policy = IN_PLACE if how.in_place else RECREATE
    return deployment_to_cloneset(source, wanted._replace(name=how.to_name, policy=policy, keep_helm=True))


def _report(session: Session, one: Converted, how: Migrating) -> list[str]:
    """Say what became of a workload and its fields, and what to look at; gives the codes of the warnings."""
    target = one.conversion.obj
    session.note(f"{one.source.reference} → {target['kind']} {name_of(target)}")
    for line in field_lines(one.conversion):
        session.note(line)
    for pointer in one.pointers:
        what = f"points at {target['kind']} {name_of(target)} now" if pointer.rewritable else pointer.note
        session.note(f"    {'~' if pointer.rewritable else ' '} {pointer.name}: {what}")
    checks = list(export_warnings(one.source, target, one.around, in_place=how.in_place))
    for check in checks:
        session.warn(f"{one.source.reference}: {check.evidence} ({check.code})")
    return [check.code for check in checks] + [remark.code for remark in one.conversion.remarks]


def _end(
    session: Session, sources: Sequence[Workload], kind: Kind, codes: Iterable[str], how: Migrating
) -> None:
    successor = CLONESET.kind if kind is DEPLOYMENT else DEPLOYMENT.kind
    for line in recipe_lines(sources, successor):
        session.note(line)
    if how.strict and (found := list(dict.fromkeys(codes))):
        raise RefusedError(f"converted with warnings: {', '.join(found)}")
