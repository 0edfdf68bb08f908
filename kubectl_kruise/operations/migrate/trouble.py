"""Failures of a migration, by the codes that its report and its documentation use (migration.md §5)."""

from kubectl_kruise.errors import ConflictError, KruiseError, RefusedError


class BusyError(RefusedError):
    """E-BUSY: another run works on the same migration."""

    code = "E-BUSY"


class StolenError(ConflictError):
    """E-STOLEN: a pod has got another controller than the one it was meant for."""

    code = "E-STOLEN"


class RecreatedError(ConflictError):
    """E-RECREATED: somebody has made the source again while it was being migrated."""

    code = "E-RECREATED"


class TargetExistsError(RefusedError):
    """E-TARGET-EXISTS: the name of the target is taken."""

    code = "E-TARGET-EXISTS"


class NoManagerError(KruiseError):
    """E-NO-MANAGER: nobody works on CloneSets."""

    code = "E-NO-MANAGER"


class RestartedError(KruiseError):
    """E-RESTART: the new owner has begun to delete pods that it was given."""

    code = "E-RESTART"


class ChangedError(ConflictError):
    """E-CHANGED: the source was changed while its migration was prepared."""

    code = "E-CHANGED"


class ForeignScaleError(ConflictError):
    """E-FOREIGN-SCALE: somebody else scales one of the two workloads."""

    code = "E-FOREIGN-SCALE"
