"""Let a workload have so many pods, through its scale alone."""

from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.operations.migrate.run import Run


def scale(run: Run, path: str, replicas: int) -> None:
    run.check()
    run.cluster.patch(f"{path}/scale", Patch(PatchType.MERGE, {"spec": {"replicas": replicas}}))
