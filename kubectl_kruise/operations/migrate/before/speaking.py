"""In which version a CloneSet is written (migration.md §3.3, §3.8)."""

from typing import Final

from kubectl_kruise.cluster.port import DryRun
from kubectl_kruise.convert.deployment import Target, deployment_to_cloneset
from kubectl_kruise.convert.report import Conversion, Remark
from kubectl_kruise.errors import KruiseError
from kubectl_kruise.facts.kinds import CLONESET
from kubectl_kruise.objects.raw import Raw, api_version
from kubectl_kruise.operations.migrate.before.surveying import knows_field
from kubectl_kruise.operations.migrate.run import Run

_OLD: Final = "v1alpha1"
_INVALID: Final = 422


def convert_for(run: Run, source: Raw, wanted: Target, definition: Raw | None) -> Conversion:
    """Convert a Deployment in the version wanted, or in v1alpha1 where the server refuses its maxUnavailable of 0 there.

    A validator of v1beta1 takes every maxUnavailable of 0 for an error, whatever the surge is; v1alpha1 judges rightly,
    and the values stay what they are. `definition` is the CRD, which says whether there is a deadline.
    """
    conversion = deployment_to_cloneset(source, _with_deadline(wanted, wanted.version, definition))
    served = run.cluster.served(CLONESET.group, CLONESET.plural)
    if wanted.version == _OLD or _OLD not in served or not _refuses_zero(run, conversion.obj):
        return conversion
    older = deployment_to_cloneset(source, _with_deadline(wanted, _OLD, definition))
    why = f"written as {_OLD}: as {wanted.version} the server refuses maxUnavailable 0, and every later change too"
    return older._replace(remarks=(*older.remarks, Remark("W-VERSION", why)))


def _with_deadline(wanted: Target, version: str, definition: Raw | None) -> Target:
    deadline = knows_field(definition, version, ("spec", "progressDeadlineSeconds"))
    return wanted._replace(version=version, deadline=deadline)


def _refuses_zero(run: Run, target: Raw) -> bool:
    path = CLONESET.path(run.namespace, version=api_version(target))
    try:
        run.cluster.create(path, target, dry_run=DryRun.SERVER)
    except KruiseError as error:
        return error.http == _INVALID and "maxUnavailable" in f"{error.message} {error.cause}"
    return False
