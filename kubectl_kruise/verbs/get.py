"""List workloads with their rollout state."""

import sys

import typer

from kubectl_kruise.cli.finding.causes import find_causes
from kubectl_kruise.cli.finding.listing import Listing, find_workloads
from kubectl_kruise.cli.options import Selection
from kubectl_kruise.cli.session import Session
from kubectl_kruise.render.lists import check_list_format, render_list, sorted_by
from kubectl_kruise.render.paint import paint
from kubectl_kruise.render.terminal import wants_color
from kubectl_kruise.views.get import Columns, get_table


def get(ctx: typer.Context, which: Selection, how: Listing) -> None:
    """List workloads with their rollout state.

    Native and Kruise workloads stand side by side; kinds that are not installed are skipped.

    Examples:
      # Everything in the namespace
      kubectl kruise get
      # CloneSets of one team in all namespaces
      kubectl kruise get clonesets -A -l team=shop
      # One CloneSet as the server has it
      kubectl kruise get cloneset/web -o yaml
    """
    session: Session = ctx.obj
    check_list_format(how.output)
    workloads, collections, missing = find_workloads(session, which)
    if missing and not workloads:
        raise missing[0]
    if how.sort_by:
        workloads = sorted_by(workloads, how.sort_by)
    columns = Columns(which.all_namespaces, how.output == "wide", how.label_keys)
    if how.watch:
        from kubectl_kruise.cli.watching import watch_table

        watch_table(
            session, workloads, collections, columns, labels=which.selector, headers=not how.no_headers
        )
    elif how.output in ("", "wide"):
        lines = get_table(
            workloads,
            columns,
            session.clock.time(),
            headers=not how.no_headers,
            causes=find_causes(session, workloads),
        )
        session.show(paint(lines, color=wants_color(sys.stdout, session.flags.color)))
        if not lines:
            where = "" if which.all_namespaces else f' in namespace "{session.namespace}"'
            session.note(f"no workloads found{where}")
    else:
        one = not collections and len(workloads) == 1
        session.show(render_list(workloads, how.output, one=one, headers=not how.no_headers))
    if missing:
        for error in missing[1:]:
            session.complain(error)
        raise missing[0]
