"""Find the workloads that `get` was asked for: by kind, by name, by label; kinds that are not there are skipped."""

from collections.abc import Sequence
from typing import Annotated, Final, NamedTuple

import typer

from kubectl_kruise.cli.finding.targets import Target, parse_words
from kubectl_kruise.cli.options import Selection
from kubectl_kruise.cli.session import Session
from kubectl_kruise.errors import NotAllowedError, NotFoundError, UnknownTypeError, UsageError
from kubectl_kruise.facts.kinds import (
    CLONESET,
    DAEMONSET,
    DEPLOYMENT,
    NATIVE_DAEMONSET,
    NATIVE_STATEFULSET,
    STATEFULSET,
    Kind,
)
from kubectl_kruise.objects.workload import Workload

LISTED: Final = (CLONESET, STATEFULSET, DAEMONSET, DEPLOYMENT, NATIVE_STATEFULSET, NATIVE_DAEMONSET)


class Listing(NamedTuple):
    """In which form a list is shown."""

    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="FORMAT",
            help="wide, json, yaml, name, jsonpath=… or custom-columns=….",
            show_default=False,
        ),
    ] = ""
    no_headers: Annotated[bool, typer.Option("--no-headers", help="Leave the header line out.")] = False
    sort_by: Annotated[
        str,
        typer.Option(
            "--sort-by",
            metavar="PATH",
            help="Sort by what stands at a path, e.g. .metadata.creationTimestamp.",
            show_default=False,
        ),
    ] = ""
    label_columns: Annotated[
        list[str] | None,
        typer.Option(
            "-L",
            "--label-columns",
            metavar="KEY",
            help="A column for each of these labels; repeatable.",
            show_default=False,
        ),
    ] = None
    watch: Annotated[bool, typer.Option("-w", "--watch", help="Go on with every change.")] = False

    @property
    def label_keys(self) -> tuple[str, ...]:
        return tuple(key for text in self.label_columns or [] for key in text.split(","))


class Found(NamedTuple):
    """`collections` are the targets without a name that were read, `missing` the names that are not there."""

    workloads: list[Workload]
    collections: list[Target]
    missing: list[NotFoundError]


def find_workloads(session: Session, which: Selection) -> Found:
    """Give the workloads asked for.

    Raises NotFoundError for a bare name that no kind has, NotAllowedError where nothing may be listed.
    """
    named = [] if which.words == ["all"] else parse_words(which.words or [])
    if which.filename or any(word.name for word in named):
        for word in named:
            if word.kind:
                _listed(word.kind.kind)
        return _fetch(session, session.targets(which, LISTED))
    namespace = "" if which.all_namespaces else session.namespace
    collections = [
        session.without_loss(Target(_listed(word.kind.kind), namespace, "", word.kind.version))
        for word in named
        if word.kind
    ]
    collections = collections or [Target(kind, namespace, "") for kind in LISTED]
    return Found(*_list(session, collections, which.selector, asked=bool(named)), [])


def _fetch(session: Session, targets: Sequence[Target]) -> Found:
    found: list[Workload] = []
    missing: list[NotFoundError] = []
    for target in targets:
        try:
            found.append(Workload(session.fetch(target), target.kind))
        except NotFoundError as error:
            missing.append(error)
    return Found(found, [], missing)


def _list(
    session: Session, collections: Sequence[Target], labels: str, *, asked: bool
) -> tuple[list[Workload], list[Target]]:
    found: list[Workload] = []
    read: list[Target] = []
    absent: list[Kind] = []
    refused: list[NotAllowedError] = []
    for collection in collections:
        try:
            targets = session.select(collection.kind, collection.namespace, labels, collection.version)
        except UnknownTypeError:
            if asked and len(collections) == 1:
                raise
            absent.append(collection.kind)
        except NotAllowedError as error:
            refused.append(error)
        else:
            found += [Workload(session.fetch(target), target.kind) for target in targets]
            read.append(collection)
    if refused and not read:
        raise refused[0]
    for refusal in refused:
        session.note(f"skipped: {refusal.message}")
    if absent:
        names = ", ".join(kind.resource for kind in absent)
        session.note(f"not installed, skipped: {names}")
    return found, read


def _listed(kind: Kind) -> Kind:
    if kind not in LISTED:
        names = ", ".join(known.plural if known.native else known.resource for known in LISTED)
        raise UsageError(
            f"get lists workloads, not {kind.plural}", hint=f"kubectl get {kind.plural}, or one of {names}"
        )
    return kind
