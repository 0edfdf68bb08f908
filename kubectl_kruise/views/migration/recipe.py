"""How a converted manifest gets into Git without pods being there twice (migration.md §7)."""

from collections.abc import Sequence

from kubectl_kruise.objects.raw import namespace_of
from kubectl_kruise.objects.workload import Workload


def recipe_lines(sources: Sequence[Workload], target: str) -> list[str]:
    """Give the steps for a repository that something applies by itself; `target` is the display name of the new kind."""
    old = sources[0].kind.kind
    return [
        "With GitOps (Argo CD, Flux), without pods being there twice",
        "    1  suspend the sync (Argo CD: automated sync off; Flux: flux suspend kustomization|helmrelease)",
        *(f"    {'2' if not at else ' '}  {_command(source, target)}" for at, source in enumerate(sources)),
        f"    3  commit: the {old} out, the {target} and the rewritten references in",
        "    4  resume the sync; there is nothing left to prune",
        f"  Without access to the cluster: commit the {target} as well, wait until its pods are ready (twice as many for a",
        f"  while), then remove the {old}; until then it needs argocd.argoproj.io/sync-options: Prune=false",
        f"  (kustomize.toolkit.fluxcd.io/prune: disabled). A {old} left in Git comes back at full size.",
    ]


def _command(source: Workload, target: str) -> str:
    namespace = namespace_of(source.raw)
    where = f" -n {namespace}" if namespace else ""
    back = " --to deployment" if target == "Deployment" else ""
    return f"kubectl kruise migrate {source.reference}{where}{back} --rewrite-refs=all"
