"""One patch for each pod that gets another owner, and what it means where one fails (migration.md §4.2)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.errors import KruiseError, NotFoundError
from kubectl_kruise.objects.raw import Raw, name_of, uid_of
from kubectl_kruise.operations.migrate.looking import Paths
from kubectl_kruise.operations.migrate.run import Run
from kubectl_kruise.operations.migrate.trouble import StolenError

_INVALID: Final = 422


def give_pods(
    run: Run,
    paths: Paths,
    pods: Sequence[Raw],
    bodies: Mapping[str, Raw],
    getter: str,
    given: Callable[[], None],
) -> None:
    """Send one patch for each pod, some at a time; `bodies` has them by uid, `given` hears of each that arrived.

    `getter` names the new owner in sentences. A pod that is gone is passed over: the new owner makes another one. Raises
    StolenError where a pod has a third owner, else the first failure, when all others have been tried.
    """
    failures: list[KruiseError] = []

    def move(pod: Raw) -> None:
        patch = Patch(PatchType.STRATEGIC, bodies[uid_of(pod)])
        try:
            run.cluster.patch(paths.pod(name_of(pod)), patch)
        except NotFoundError:
            return
        except KruiseError as error:
            failures.append(error)
        else:
            given()

    run.each(pods, move)
    stolen = [error for error in failures if error.http == _INVALID]
    if stolen:
        raise StolenError(
            f"{len(stolen)} pods have got another controller and could not be given to {getter}",
            cause=stolen[0].cause or stolen[0].message,
            hint=f"{getter} stays locked; --rollback gives its pods back",
        )
    if failures:
        raise failures[0]
