"""`migrate --dry-run=client -o yaml|json`: the converted manifests on stdout, the report on stderr (migration.md §7)."""

import copy
from collections.abc import Sequence

from kubectl_kruise.cli.finding.targets import Target
from kubectl_kruise.cli.migrating.options import Migrating
from kubectl_kruise.cli.session import Session
from kubectl_kruise.convert.cloneset import check_convertible, cloneset_to_deployment
from kubectl_kruise.convert.defaults import fill_deployment
from kubectl_kruise.convert.deployment import IN_PLACE, RECREATE, deployment_to_cloneset
from kubectl_kruise.convert.deployment import Target as Wanted
from kubectl_kruise.convert.documents import convert_documents
from kubectl_kruise.convert.report import Conversion
from kubectl_kruise.convert.selection import check_selector
from kubectl_kruise.engine.migration.references import find_pointers
from kubectl_kruise.errors import RefusedError, UsageError
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT, Kind
from kubectl_kruise.objects.raw import Raw, metadata, put
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.render.machine import render_documents
from kubectl_kruise.views.migration.plan import field_lines


def export_files(session: Session, names: Sequence[str], how: Migrating, *, recursive: bool) -> None:
    """Convert manifests without asking any cluster; documents stay in their order."""
    from kubectl_kruise.cli.finding.manifests import read_manifests

    documents = read_manifests(names, recursive=recursive)
    kind = CLONESET if how.to.lower().startswith("deployment") else DEPLOYMENT
    converted = convert_documents(documents, kind, lambda source: _convert(source, kind, how, stored=False))
    if not converted.conversions:
        raise UsageError(f"no {kind.singular} in {', '.join(names)}")
    for source, conversion in converted.conversions:
        _report(session, source, conversion)
    session.show(render_documents(converted.documents, how.output or "yaml", prefix=""))
    _end(how, [conversion for _, conversion in converted.conversions])


def export_live(session: Session, targets: Sequence[Target], how: Migrating) -> None:
    """Convert objects of the cluster, each followed by what names it, rewritten."""
    from kubectl_kruise.operations.migrate.run import Run
    from kubectl_kruise.operations.migrate.surveying import survey

    documents: list[Raw] = []
    conversions = []
    for target in targets:
        source = Workload(session.fetch(target), target.kind)
        conversion = _convert(source.raw, target.kind, how, stored=True)
        conversions.append(conversion)
        documents.append(conversion.obj)
        around = survey(Run(session.cluster, session.clock, target.namespace))
        for pointer in find_pointers(source, conversion.obj, around):
            if pointer.rewritable:
                follower = _manifest(pointer.obj)
                put(follower, pointer.path, pointer.after)
                documents.append(follower)
            else:
                session.note(f"{pointer.name}: {pointer.note}")
        _report(session, source, conversion)
    session.show(render_documents(documents, how.output or "yaml", prefix=""))
    _end(how, conversions)


def _convert(source: Raw, kind: Kind, how: Migrating, *, stored: bool) -> Conversion:
    if kind is CLONESET:
        check_convertible(source)
        check_selector(source)
        return cloneset_to_deployment(source, how.to_name, keep_helm=True)
    filled = source if stored else fill_deployment(source)
    check_selector(filled)
    policy = IN_PLACE if how.in_place else RECREATE
    return deployment_to_cloneset(filled, Wanted(how.to_name, policy=policy, keep_helm=True))


def _report(session: Session, source: Workload, conversion: Conversion) -> None:
    session.note(f"{source.reference} → {conversion.obj['kind']} {metadata(conversion.obj)['name']}")
    for line in field_lines(conversion):
        session.note(line)


def _end(how: Migrating, conversions: Sequence[Conversion]) -> None:
    remarks = [remark for conversion in conversions for remark in conversion.remarks]
    if how.strict and remarks:
        raise RefusedError(f"converted with warnings: {', '.join(remark.code for remark in remarks)}")


def _manifest(live: Raw) -> Raw:
    """Give an object as a manifest would hold it: without what the server writes."""
    made = {key: copy.deepcopy(value) for key, value in live.items() if key != "status"}
    kept = ("name", "namespace", "labels", "annotations")
    made["metadata"] = {key: value for key, value in metadata(made).items() if key in kept}
    annotations = made["metadata"].get("annotations") or {}
    annotations.pop("kubectl.kubernetes.io/last-applied-configuration", None)
    if not annotations:
        made["metadata"].pop("annotations", None)
    return made
