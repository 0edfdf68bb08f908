"""What the cluster says about a workload that is to be exported: read only, nothing is needed but get and list (migration.md §4.3)."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from kubectl_kruise.cli.migrating.order import article
from kubectl_kruise.cli.session import Session
from kubectl_kruise.convert.deployment import Target
from kubectl_kruise.convert.statefulset import SetTarget
from kubectl_kruise.convert.twins import Wanted, usual
from kubectl_kruise.engine.migration.checks.check import Check
from kubectl_kruise.engine.migration.pairs import twin_of
from kubectl_kruise.engine.migration.surroundings import Surroundings
from kubectl_kruise.errors import NotAllowedError, NotFoundError
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT, REPLICASET, STATEFULSET, Kind
from kubectl_kruise.objects.raw import dig, name_of, owner_uid
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.migrate.before.sets import takes_ranges
from kubectl_kruise.operations.migrate.before.surveying import definition_of, knows_field, survey
from kubectl_kruise.operations.migrate.looking import fetch
from kubectl_kruise.operations.migrate.run import Run

_SPOKEN: Final = {CLONESET: ("v1alpha1", *CLONESET.versions), STATEFULSET: STATEFULSET.versions}
"""In which version a manifest for Git is written, the best first: CloneSets as every release reads them."""


class View(NamedTuple):
    """`wanted` fits the release of Kruise there; `warnings` are what only a cluster can tell."""

    around: Surroundings
    wanted: Wanted
    warnings: list[Check]


def look_around(session: Session, source: Workload, name: str) -> View:
    """Look at everything in the namespace of a workload, and at the place that `name`, its successor, will take."""
    run = Run(session.cluster, session.clock, source.namespace)
    around = survey(run)
    twin, warnings = twin_of(source.kind), [*_under_way(source, around)]
    served = () if twin.native else _served(session, twin)
    version = "" if twin.native else next((each for each in _SPOKEN[twin] if each in served), "")
    if not twin.native and not version:
        warnings.append(Check("P-CRD", f"the cluster does not know {twin.called}s"))
    if (twin.native or served) and _taken(run, twin.path(source.namespace, name, version=version)):
        warnings.append(Check("P-EXISTS", f"there is {article(twin.called)} {name} already"))
    return View(around, _wanted(run, source.kind, version), warnings)


def _wanted(run: Run, kind: Kind, version: str) -> Wanted:
    wanted = usual(kind)
    if isinstance(wanted, Target):
        version = version or wanted.version
        definition = definition_of(run, CLONESET) if kind is DEPLOYMENT else None
        deadline = knows_field(definition, version, ("spec", "progressDeadlineSeconds"))
        return wanted._replace(version=version, deadline=deadline)
    if isinstance(wanted, SetTarget):
        version = version or wanted.version
        return wanted._replace(version=version, ranges=takes_ranges(definition_of(run, STATEFULSET), version))
    return wanted


def _under_way(source: Workload, around: Surroundings) -> Iterator[Check]:
    busy = [
        name_of(each)
        for each in around.of(REPLICASET)
        if owner_uid(each) == source.uid
        and (dig(each, ("spec", "replicas"), 1) or dig(each, ("status", "replicas"), 0))
    ]
    if len(busy) > 1:
        yield Check("P-ROLLOUT", f"a rollout is under way: pods of {', '.join(sorted(busy))}")


def _served(session: Session, kind: Kind) -> tuple[str, ...]:
    try:
        return session.cluster.served(kind.group, kind.plural)
    except NotFoundError:
        return ()


def _taken(run: Run, path: str) -> bool:
    try:
        return fetch(run, path) is not None
    except NotAllowedError:
        return False
