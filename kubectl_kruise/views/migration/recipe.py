"""How a converted manifest gets into Git without pods being there twice (migration.md §7)."""

from collections.abc import Sequence

from kubectl_kruise.engine.migration.pairs import pair_of, twin_of
from kubectl_kruise.objects.raw import namespace_of
from kubectl_kruise.objects.workload import Workload


def recipe_lines(sources: Sequence[Workload]) -> list[str]:
    """Give the steps for a repository that something applies by itself; all sources are of one kind."""
    kind = sources[0].kind
    old, target = kind.called, twin_of(kind).called
    return [
        "With GitOps (Argo CD, Flux), without pods being there twice",
        "    1  suspend the sync (Argo CD: automated sync off; Flux: flux suspend kustomization|helmrelease)",
        *(f"    {'2' if not at else ' '}  {_command(source)}" for at, source in enumerate(sources)),
        f"    3  commit: the {old} out, the {target} and the rewritten references in",
        "    4  resume the sync; there is nothing left to prune",
        *(_never_both(old, target) if pair_of(kind).named_alike else _both_at_first(old, target)),
    ]


def _both_at_first(old: str, target: str) -> list[str]:
    return [
        f"  Without access to the cluster: commit the {target} as well, wait until its pods are ready (twice as many for a",
        f"  while), then remove the {old}; until then it needs argocd.argoproj.io/sync-options: Prune=false",
        f"  (kustomize.toolkit.fluxcd.io/prune: disabled). A {old} left in Git comes back at full size.",
    ]


def _never_both(old: str, target: str) -> list[str]:
    return [
        f"  Never commit the {target} beside the {old}: pods bear the name of their set, so it gets none, and whoever",
        f"  prunes the {old} deletes its pods with it. If the {old} stays in Git it comes back, and finds their names taken.",
    ]


def _command(source: Workload) -> str:
    namespace = namespace_of(source.raw)
    where = f" -n {namespace}" if namespace else ""
    twin = twin_of(source.kind)
    back = f" --to {twin.singular}" if twin.native else ""
    return f"kubectl kruise migrate {source.reference}{where}{back} --rewrite-refs=all"
