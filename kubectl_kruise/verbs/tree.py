"""Show a workload with its revisions, pods and containers."""

import sys
from typing import Annotated

import typer

from kubectl_kruise.cli.options import Selection
from kubectl_kruise.cli.session import Session
from kubectl_kruise.errors import UsageError
from kubectl_kruise.facts.kinds import ROLLED_OUT
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.rollout.progress import assess_pods
from kubectl_kruise.operations.tree import read_family
from kubectl_kruise.render.paint import paint
from kubectl_kruise.render.terminal import wants_color, wants_unicode
from kubectl_kruise.views.text import symbols
from kubectl_kruise.views.tree import Node, build_tree, tree_lines, tree_record


def tree(
    ctx: typer.Context,
    which: Selection,
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FORMAT", help="Print json or yaml.", show_default=False)
    ] = "",
) -> None:
    """Show a workload with its revisions, pods and containers.

    Claims, autoscalers, disruption budgets, image pull jobs and container restarts stand below. Healthy pods of a
    revision are folded above ten; unhealthy ones never are.

    Examples:
      # A CloneSet and everything that hangs on it
      kubectl kruise tree cloneset/web
      # For a program
      kubectl kruise tree cloneset/web -o json
    """
    session: Session = ctx.obj
    if output not in ("", "json", "yaml"):
        raise UsageError(f'unknown output format "{output}"', hint="one of json, yaml")
    signs = symbols(unicode=wants_unicode(sys.stdout))
    targets = session.targets(which, ROLLED_OUT)
    roots = [_root(session, Workload(session.fetch(target), target.kind), output) for target in targets]
    if output:
        _print_records(session, roots, output)
        return
    color = wants_color(sys.stdout, session.flags.color)
    session.show("\n".join(paint(tree_lines(root, signs), color=color) for root in roots))


def _root(session: Session, workload: Workload, output: str) -> Node:
    family = read_family(session.cluster, workload)
    if family.unread and not output:
        session.note(f"not allowed to list, left out: {', '.join(family.unread)}")
    now = session.clock.time()
    update, pods = assess_pods(workload, family.revisions, family.pods, now)
    signs = symbols(unicode=wants_unicode(sys.stdout))
    return build_tree(family, pods, workload.current_revision, update, now, signs)


def _print_records(session: Session, roots: list[Node], output: str) -> None:
    from kubectl_kruise.render.machine import to_json, to_yaml
    from kubectl_kruise.views.schema import SCHEMA

    records = [{"apiVersion": SCHEMA, **tree_record(root)} for root in roots]
    document = (
        records[0] if len(records) == 1 else {"apiVersion": SCHEMA, "kind": "TreeList", "items": records}
    )
    session.show(to_json(document) if output == "json" else to_yaml(document))
