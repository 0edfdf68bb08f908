"""What the cluster says about a workload that is to be exported: read only, nothing is needed but get and list (migration.md §4.3)."""

from collections.abc import Iterator
from typing import NamedTuple

from kubectl_kruise.cli.session import Session
from kubectl_kruise.convert.deployment import Target as Wanted
from kubectl_kruise.engine.migration.checks.check import Check
from kubectl_kruise.engine.migration.surroundings import Surroundings
from kubectl_kruise.errors import NotAllowedError, NotFoundError
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT, REPLICASET
from kubectl_kruise.objects.raw import dig, name_of, owner_uid
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.migrate.before.surveying import definition_of, knows_field, survey
from kubectl_kruise.operations.migrate.looking import fetch
from kubectl_kruise.operations.migrate.run import Run


class View(NamedTuple):
    """`wanted` fits the release of Kruise there; `warnings` are what only a cluster can tell."""

    around: Surroundings
    wanted: Wanted
    warnings: list[Check]


def look_around(session: Session, source: Workload, name: str) -> View:
    """Look at everything in the namespace of a workload, and at the place that `name`, its successor, will take."""
    run = Run(session.cluster, session.clock, source.namespace)
    around = survey(run)
    wanted, warnings = Wanted(), [*_under_way(source, around)]
    if source.kind is DEPLOYMENT:
        served = _served(session)
        version = next((each for each in ("v1alpha1", *CLONESET.versions) if each in served), "")
        if not version:
            warnings.append(Check("P-CRD", "the cluster does not know CloneSets"))
        definition = definition_of(run, CLONESET)
        version = version or "v1alpha1"
        deadline = knows_field(definition, version, ("spec", "progressDeadlineSeconds"))
        wanted = Wanted(version=version, deadline=deadline)
        if served and _taken(run, CLONESET.path(source.namespace, name, version=version)):
            warnings.append(Check("P-EXISTS", f"there is a CloneSet {name} already"))
    elif _taken(run, DEPLOYMENT.path(source.namespace, name)):
        warnings.append(Check("P-EXISTS", f"there is a Deployment {name} already"))
    return View(around, wanted, warnings)


def _under_way(source: Workload, around: Surroundings) -> Iterator[Check]:
    busy = [
        name_of(each)
        for each in around.of(REPLICASET)
        if owner_uid(each) == source.uid
        and (dig(each, ("spec", "replicas"), 1) or dig(each, ("status", "replicas"), 0))
    ]
    if len(busy) > 1:
        yield Check("P-ROLLOUT", f"a rollout is under way: pods of {', '.join(sorted(busy))}")


def _served(session: Session) -> tuple[str, ...]:
    try:
        return session.cluster.served(CLONESET.group, CLONESET.plural)
    except NotFoundError:
        return ()


def _taken(run: Run, path: str) -> bool:
    try:
        return fetch(run, path) is not None
    except NotAllowedError:
        return False
